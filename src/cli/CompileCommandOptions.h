// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -p, --no-compile-commands and --verbose: with which flags a build system compiles a file.
#pragma once

#include "source/CompileCommands.h"

#include <filesystem>
#include <map>
#include <string>
#include <variant>

namespace CLI {
class App;
}

namespace heddle {
class Diagnostics;
}

namespace heddle::cli {

/// With -p, every source must be in that compile_commands.json. Without it, those above the file are searched, and a file
/// that is in none of them has no flags. What the command line says comes after these flags, so that it wins.
class CompileCommandOptions {
public:
  void addTo(CLI::App &verb);

  /// The flags for one file; none where it is not a source. Where -p names a database that has no command for it, that is
  /// an error. `original` is what the file was made from, if anything: a file that is in no database is compiled like it.
  source::BuildFlags flagsFor(const std::filesystem::path &file, const std::filesystem::path &original,
                              Diagnostics &diagnostics);

private:
  const source::CompileCommands *read(const std::filesystem::path &database, std::string &error);
  source::BuildFlags taken(const source::CompileCommands &database, const source::CompileCommand &command,
                           const std::filesystem::path &file) const;
  source::BuildFlags fromNamed(const std::filesystem::path &file, const std::filesystem::path &original,
                               Diagnostics &diagnostics);
  source::BuildFlags fromAbove(const std::filesystem::path &file, const std::filesystem::path &original);

  std::string named; ///< -p
  bool isOff = false, verbose = false;
  std::map<std::filesystem::path, std::variant<source::CompileCommands, std::string>> known;
};

/// Whether there is a table for this architecture: one that a build system names need not be known here.
bool isKnownArch(const std::string &arch);

} // namespace heddle::cli
