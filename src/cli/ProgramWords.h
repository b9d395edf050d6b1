// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the verbs that build a whole program and run it have in common.
#pragma once

#include "CompileCommandOptions.h"
#include "build/Program.h"

#include <string>

namespace CLI {
class App;
}

namespace heddle::cli {

struct Session;

/// Options that are words on the command line before they mean anything.
struct ProgramWords {
  std::string device = "sim", compiler = "auto";
  CompileCommandOptions commands;
};

/// --compiler, --arch, --timeout and -p; whatever is not ours is a file or goes to the compiler.
void addProgramOptions(CLI::App &verb, build::ProgramOptions &options, ProgramWords &words, Session &session);
/// --timeout 30|30s|5m|1h; 0: no limit.
void addTimeoutOption(CLI::App &verb, double &seconds, const std::string &help);
/// --device sim|gpu|auto. `vm` is the old name of sim: it is taken for one more release, with a note.
void addDeviceOption(CLI::App &verb, std::string &device, const std::string &help);
/// --engine interpreter|jit|auto.
void addEngineOption(CLI::App &verb);
/// --device, --cores and --engine.
void addDeviceOptions(CLI::App &verb, build::ProgramOptions &options, ProgramWords &words);
/// Whether the device that the program shall run on is here; else the message is printed and the exit code set.
bool hasDevice(const build::ProgramOptions &options, Session &session,
               const std::string &hint = "--device sim runs programs on the simulator");
/// Files, compiler flags and words into options, once the command line is read.
void readProgramOptions(const CLI::App &verb, const ProgramWords &words, const Session &session,
                        build::ProgramOptions &options, Diagnostics &diagnostics);

/// The flags that a build system compiles these files with become their own in `options`, and its architecture is used
/// unless --arch is given. `original` is what they were made from, if anything.
void addBuildFlags(const CLI::App &verb, ProgramWords &words, const std::vector<std::filesystem::path> &files,
                   const std::filesystem::path &original, build::ProgramOptions &options,
                   Diagnostics &diagnostics);

} // namespace heddle::cli
