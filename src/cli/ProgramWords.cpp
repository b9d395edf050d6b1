// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProgramWords.h"

#include "SourceOptions.h"
#include "UnknownWord.h"
#include "Verbs.h"
#include "build/Gpu.h"
#include "source/CompilerOptions.h"
#include "support/ExitCode.h"
#include "support/Numbers.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <iostream>

namespace heddle::cli {

namespace {

/// A misspelled option of ours would be the compiler's problem, and its value would be a file.
void rejectUnknownOptions(const CLI::App &verb, const std::vector<std::string> &flags,
                          Diagnostics &diagnostics) {
  for (size_t i = 0; i < flags.size(); ++i) {
    if (source::takesNextWord(flags[i]))
      ++i;
    else if (flags[i].starts_with("--") && !source::isCompilerOption(flags[i]))
      diagnostics.error({}, fmt::format("unknown option '{}'", flags[i]))
          .withHint(hintForOption(flags[i], verb));
  }
}

} // namespace

void addProgramOptions(CLI::App &verb, build::ProgramOptions &options, ProgramWords &words,
                       Session &session) {
  verb.fallthrough(false)->allow_extras();
  verb.add_option(
          "--compiler", words.compiler,
          "nvcc, clang (needs no toolkit), or auto: nvcc if there is one and the GPU is sm_75 or newer")
      ->check(CLI::IsMember({"auto", "nvcc", "clang"}));
  verb.add_option(
          "--arch", options.arch,
          "the GPU generation that is simulated and compiled for: sm_90, 8.6, hopper...; nvcc's -arch "
          "and -gencode are ignored")
      ->type_name("ARCH");
  addTimeoutOption(verb, options.timeoutSeconds,
                   "time after which a kernel is stopped: 30, 30s, 5m or 1h (default: no limit)");
  words.commands.addTo(verb);
  session.verbsThatCompile.insert(verb.get_name());
  Operands &operands = session.operands[verb.get_name()];
  if (operands.usage.empty())
    operands.usage = "FILE... [COMPILER-OPTION...] [-- ARGUMENT...]";
  operands.completion.files = true;
  operands.completion.extensions = {"cu", "cpp", "cc", "cxx", "c", "o", "a"};
}

void addTimeoutOption(CLI::App &verb, double &seconds, const std::string &help) {
  auto inSeconds = [](std::string &word) {
    const std::optional<double> read = readSeconds(word);
    if (!read)
      return fmt::format("'{}' is no time; possible are 30 (seconds), 30s, 5m, 1h, and 0 for no limit", word);
    word = fmt::format("{}", *read);
    return std::string();
  };
  verb.add_option("--timeout", seconds, help)->type_name("TIME")->transform(CLI::Validator(inSeconds, ""));
}

void addDeviceOption(CLI::App &verb, std::string &device, const std::string &help) {
  auto withNote = [](std::string &word) {
    if (word == "vm") {
      word = "sim";
      std::cerr << "heddle: note: '--device vm' is deprecated and will be removed in the next release: use "
                   "'--device sim'\n";
    }
    return std::string();
  };
  verb.add_option("--device", device, help)
      ->check(CLI::IsMember({"sim", "gpu", "auto"}))
      ->transform(CLI::Validator(withNote, ""));
}

void addEngineOption(CLI::App &verb) {
  // The simulator is in the program that is started, which inherits our environment.
  verb.add_option_function<std::string>(
          "--engine", [](const std::string &word) { setenv("HEDDLE_ENGINE", word.c_str(), 1); },
          "what executes kernels: interpreter; jit, which compiles them first; or auto, which compiles what "
          "runs long while it is interpreted (default: interpreter)")
      ->check(CLI::IsMember({"interpreter", "jit", "auto"}));
}

void addDeviceOptions(CLI::App &verb, build::ProgramOptions &options, ProgramWords &words) {
  addDeviceOption(verb, words.device, "sim (the simulator), gpu, or auto: the GPU if there is one and nvcc");
  verb.add_option("--cores", options.cores, "host cores that execute blocks (default: all)");
  addEngineOption(verb);
  verb.get_option("--arch")->description("the GPU that is simulated and compiled for: sm_90, 8.6, hopper...; "
                                         "nvcc's -arch and -gencode are ignored. With --device gpu it has no "
                                         "effect: code is for the GPU of this machine");
}

bool hasDevice(const build::ProgramOptions &options, Session &session, const std::string &hint) {
  const std::string missing = options.device == build::Device::Gpu ? build::whyNoGpu() : "";
  if (missing.empty())
    return true;
  complain(session, fmt::format("there is no GPU here: {}", missing), hint, ExitRefused);
  return false;
}

void readProgramOptions(const CLI::App &verb, const ProgramWords &words, const Session &session,
                        build::ProgramOptions &options, Diagnostics &diagnostics) {
  build::readChoices(words.device, words.compiler, options, diagnostics);
  options.colour = session.errorColour;
  options.sources = build::splitArguments(verb.remaining());
  rejectUnknownOptions(verb, options.sources.flags, diagnostics);
  options.sources.flags.insert(options.sources.flags.end(), session.compilerArguments.begin(),
                               session.compilerArguments.end());
  if (options.device == build::Device::Simulator && verb.count("--arch") == 0)
    warnOfArchOptions(options.sources.flags, session);
}

void addBuildFlags(const CLI::App &verb, ProgramWords &words, const std::vector<std::filesystem::path> &files,
                   const std::filesystem::path &original, build::ProgramOptions &options,
                   Diagnostics &diagnostics) {
  bool takesArch = verb.count("--arch") == 0;
  for (const std::filesystem::path &file : files) {
    source::BuildFlags found = words.commands.flagsFor(file, original, diagnostics);
    if (!found.flags.empty())
      options.sources.ownFlags[file] = std::move(found.flags);
    if (takesArch && isKnownArch(found.arch)) {
      options.arch = found.arch;
      takesArch = false;
    }
  }
}

} // namespace heddle::cli
