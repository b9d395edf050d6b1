// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CompileCommandOptions.h"

#include "arch/Arch.h"
#include "support/Diagnostics.h"
#include "support/Text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iostream>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

/// So many names are proposed for one that is not in a database.
constexpr size_t ProposedNames = 3;

/// What a linker takes, PTX and recordings of copies are not compiled.
bool isCompiled(const fs::path &file) {
  constexpr std::array others = {".o", ".a", ".so", ".ptx", ".cubin", ".fatbin"};
  return file.has_extension() && !std::ranges::count(others, file.extension().string());
}

} // namespace

bool isKnownArch(const std::string &arch) {
  Diagnostics ignored;
  return !arch.empty() && arch::findArch(arch, ignored);
}

void CompileCommandOptions::addTo(CLI::App &verb) {
  auto *folder =
      verb.add_option(
              "-p", named,
              "a compile_commands.json, or its folder: the file is compiled with the flags that it has "
              "there. "
              "Default: the nearest in the file's folder and those above it, or in 'build' of one of them")
          ->type_name("DIR|FILE");
  verb.add_flag("--no-compile-commands", isOff, "search for no compile_commands.json")->excludes(folder);
  verb.add_flag("--verbose", verbose, "print on stderr which command of a compile_commands.json is used");
}

const source::CompileCommands *CompileCommandOptions::read(const fs::path &database, std::string &error) {
  auto found = known.find(database);
  if (found == known.end())
    found = known.emplace(database, source::CompileCommands::read(database)).first;
  if (const auto *failure = std::get_if<std::string>(&found->second))
    error = *failure;
  return std::get_if<source::CompileCommands>(&found->second);
}

source::BuildFlags CompileCommandOptions::taken(const source::CompileCommands &database,
                                                const source::CompileCommand &command,
                                                const fs::path &file) const {
  source::BuildFlags found = source::buildFlags(command);
  if (!found.missingResponseFile.empty()) {
    Diagnostics warning;
    warning
        .warning({database.file().string()},
                 fmt::format("the response file '{}' of the command that compiles '{}' cannot be read",
                             found.missingResponseFile.string(), command.source.string()))
        .withHint("a build writes it");
    print(std::cerr, warning, false);
  }
  if (verbose)
    std::cerr << fmt::format("heddle: '{}': flags of '{}' in '{}': {}{}\n", file.string(),
                             command.source.string(), database.file().string(), fmt::join(found.flags, " "),
                             found.arch.empty() ? "" : ", for " + found.arch);
  return found;
}

source::BuildFlags CompileCommandOptions::fromNamed(const fs::path &file, const fs::path &original,
                                                    Diagnostics &diagnostics) {
  const fs::path place = source::compileCommandsAt(named);
  std::string error;
  const source::CompileCommands *database = read(place, error);
  if (!database) {
    diagnostics.error({place.string()}, error)
        .withHint(
            "CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, 'bear -- make' does for a Makefile");
    return {};
  }
  for (const fs::path &each : {file, original})
    if (const source::CompileCommand *command = each.empty() ? nullptr : database->commandFor(each))
      return taken(*database, *command, file);
  const std::vector<std::string> names = database->namesNearest(file, ProposedNames);
  diagnostics.error({place.string()}, fmt::format("has no command that compiles '{}'", file.string()))
      .withHint(names.empty() ? "it has no commands at all" : "it has commands for " + joinAnd(names));
  return {};
}

source::BuildFlags CompileCommandOptions::fromAbove(const fs::path &file, const fs::path &original) {
  for (const fs::path &each : {file, original})
    for (const fs::path &place :
         each.empty() ? std::vector<fs::path>() : source::compileCommandsAbove(each)) {
      std::string error;
      const bool isNew = !known.contains(place);
      const source::CompileCommands *database = read(place, error);
      if (!database && isNew) {
        Diagnostics warning;
        warning.warning({place.string()}, error).withHint("--no-compile-commands");
        print(std::cerr, warning, false);
      }
      if (const source::CompileCommand *command = database ? database->commandFor(each) : nullptr)
        return taken(*database, *command, file);
    }
  if (verbose)
    std::cerr << fmt::format("heddle: '{}': no compile_commands.json has a command for it\n", file.string());
  return {};
}

source::BuildFlags CompileCommandOptions::flagsFor(const fs::path &file, const fs::path &original,
                                                   Diagnostics &diagnostics) {
  std::error_code ignored;
  if (isOff || !isCompiled(file) || !fs::is_regular_file(file, ignored)) // who reads the file complains
    return {};
  return named.empty() ? fromAbove(file, original) : fromNamed(file, original, diagnostics);
}

} // namespace heddle::cli
