// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SourceOptions.h"

#include "Verbs.h"
#include "arch/Arch.h"
#include "source/CompilerOptions.h"
#include "source/NvccOptions.h"
#include "support/ExitCode.h"
#include "support/Numbers.h"
#include "support/Suggest.h"
#include "support/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

namespace heddle::cli {
namespace {

/// Words that begin so go to the compiler. Heddle's own one-letter options (-k, -d, -o, -p) are none of them.
constexpr const char *compilerPrefixes[] = {"-I",
                                            "-D",
                                            "-U",
                                            "-std=",
                                            "--std=",
                                            "-isystem",
                                            "-include",
                                            "-W",
                                            "-f",
                                            "-O",
                                            "-m",
                                            "-g",
                                            "-Xclang",
                                            "-Xcompiler",
                                            "-Xptxas",
                                            "-gencode",
                                            "--expt-",
                                            "-expt-",
                                            "--extended-lambda",
                                            "-extended-lambda",
                                            "--use_fast_math",
                                            "-use_fast_math",
                                            "-L",
                                            "-l",
                                            "-pthread",
                                            "-pipe",
                                            "-pedantic",
                                            "-arch="};

/// An option of nvcc's with one dash and a long name, such as -prec-div=false: none of Heddle's own.
bool isLongNvccOption(const std::string &word) {
  const std::optional<source::NvccWord> read = source::readNvccWord(word);
  return read && !word.starts_with("--") && read->option->name.size() > 1;
}

bool isForCompiler(const std::string &word) {
  return isLongNvccOption(word) || std::any_of(std::begin(compilerPrefixes), std::end(compilerPrefixes),
                                               [&](const char *prefix) { return word.starts_with(prefix); });
}

} // namespace

SplitArguments splitArguments(const std::vector<std::string> &words) {
  SplitArguments split;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") {
      split.program.assign(words.begin() + long(i) + 1, words.end());
      break;
    }
    if (words[i] == "--flag" && i + 1 < words.size()) { // of tune: a flag that is not meant for now
      split.own.insert(split.own.end(), {words[i], words[i + 1]});
      ++i;
      continue;
    }
    bool compiler = isForCompiler(words[i]);
    (compiler ? split.compiler : split.own).push_back(words[i]);
    const bool takesNext = source::takesNextWord(words[i]) || words[i] == "-Xclang"; // which is Clang's alone
    if (compiler && takesNext && i + 1 < words.size())
      split.compiler.push_back(words[++i]);
  }
  return split;
}

void warnOfArchOptions(const std::vector<std::string> &words, const Session &session) {
  Diagnostics diagnostics;
  for (const source::ArchOption &option : source::archOptions(words))
    diagnostics.warning({}, fmt::format("'{}' is ignored: use --arch {}", option.words,
                                        option.arch.empty() ? "sm_90 or another" : option.arch));
  print(std::cerr, diagnostics, session.errorColour);
}

void SourceOptions::addTo(CLI::App &verb, Session &shared) {
  session = &shared;
  shared.verbsThatCompile.insert(verb.get_name());
  archOption = verb.add_option("--arch", arch,
                               "the GPU to compile for and to model: sm_90, 8.6, hopper...; nvcc's -arch and "
                               "-gencode are ignored")
                   ->type_name("ARCH");
  verb.add_option(
          "--cuda-path", cudaPath,
          "the CUDA toolkit's folder, or 'none' for Heddle's own headers (default: searched in $CUDA_PATH "
          "and the usual places, else none)")
      ->type_name("DIR");
  commands.addTo(verb);
  verb.footer("-I, -D, -U, -std=, -include, -isystem, -f.. and -W.. go to the compiler as they are.");
}

source::CompileOptions SourceOptions::compileOptions() const {
  source::CompileOptions options;
  options.userArguments = own;
  options.userArguments.insert(options.userArguments.end(), session->compilerArguments.begin(),
                               session->compilerArguments.end());
  options.cudaPath = cudaPath;
  options.arch = archForClang(arch, options.arch);
  return options;
}

std::string archForClang(const std::string &arch, const std::string &otherwise) {
  // Clang 22 compiles for sm_50 and later; facts for an older one are drawn from the same text.
  Diagnostics ignored;
  auto found = arch::findArch(arch, ignored);
  if (!found || found->major < 5)
    return otherwise;
  // sm_90a stays what it is: some instructions are for that target only.
  return arch.starts_with(found->name) ? arch : found->name;
}

bool SourceOptions::readBuildFlags(const std::string &file) {
  Diagnostics diagnostics;
  source::BuildFlags found = commands.flagsFor(file, {}, diagnostics);
  own = std::move(found.flags);
  if (archOption->count() == 0) {
    warnOfArchOptions(session->compilerArguments, *session);
    isArchOfBuild = isKnownArch(found.arch);
    if (isArchOfBuild)
      arch = found.arch;
  }
  return !complain(diagnostics, *session, ExitBadUsage);
}

source::BuildFlags SourceOptions::buildFlagsOf(const std::string &file, Diagnostics &diagnostics) {
  return commands.flagsFor(file, {}, diagnostics);
}

std::optional<std::array<int64_t, 3>> parseBlock(const std::string &text) {
  const std::optional<std::vector<int64_t>> parts = readNumbers<int64_t>(text);
  if (!parts || parts->size() > 3)
    return std::nullopt;
  if (!std::ranges::all_of(*parts, [](int64_t extent) { return extent >= 1 && extent <= 1024; }))
    return std::nullopt;
  std::array<int64_t, 3> block = {1, 1, 1};
  std::ranges::copy(*parts, block.begin());
  return block;
}

std::string SourceOptions::hintFor(const std::string &compilerMessages) const {
  const bool isShared =
      compilerMessages.find("initialization is not supported for __shared__ variables") != std::string::npos;
  return isShared && cudaPath != "none" ? "hint: nvcc accepts this cuda::barrier, Clang does not with the "
                                          "headers of a toolkit: --cuda-path none uses "
                                          "Heddle's own headers\n"
                                        : "";
}

std::unique_ptr<source::Program> readProgram(const std::string &file, const SourceOptions &options,
                                             Session &session) {
  auto result = source::Program::parse(file, options.compileOptions());
  if (auto *program = std::get_if<std::unique_ptr<source::Program>>(&result))
    return std::move(*program);
  const auto &failure = std::get<source::ParseFailure>(result);
  std::cerr << failure.compilerMessages << options.hintFor(failure.compilerMessages);
  print(std::cerr, failure.diagnostics, session.errorColour);
  session.exitCode =
      failure.kind == source::ParseFailure::Kind::NotReadable ? ExitBadUsage : ExitDoesNotCompile;
  return nullptr;
}

std::vector<const source::Kernel *> chooseKernels(const source::Program &program, const std::string &wanted,
                                                  Session &session) {
  std::vector<const source::Kernel *> all;
  std::vector<std::string> names;
  for (const auto &kernel : program.kernels()) {
    all.push_back(kernel.get());
    if (std::find(names.begin(), names.end(), kernel->name) == names.end())
      names.push_back(kernel->name);
  }
  Diagnostics diagnostics;
  if (all.empty()) {
    Diagnostic &none = diagnostics.error({program.file().string()}, "there is no kernel in this file");
    for (const source::UninstantiatedKernel &pattern : program.uninstantiated())
      none.note(pattern.location,
                fmt::format("'{}' is a template that nothing here instantiates", pattern.name));
    if (!program.uninstantiated().empty())
      none.withHint("instantiate it explicitly, or launch it, with the arguments to look at");
    session.exitCode = ExitRefused;
  } else if (!wanted.empty()) {
    std::vector<const source::Kernel *> chosen = program.kernelsNamed(wanted);
    if (!chosen.empty())
      return chosen;
    diagnostics.error({program.file().string()}, fmt::format("there is no kernel '{}' in this file", wanted))
        .withHint(choicesFor(wanted, names));
    session.exitCode = ExitBadUsage;
    all.clear();
  }
  print(std::cerr, diagnostics, session.errorColour);
  return all;
}

} // namespace heddle::cli
