// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the verbs that build a whole program and run it have in common.
#pragma once

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
};

/// --compiler, --arch and --timeout; whatever is not ours is a file or goes to the compiler.
void addProgramOptions(CLI::App &verb, build::ProgramOptions &options, ProgramWords &words, Session &session);
/// --device sim|gpu|auto. `vm` is the old name of sim: it is taken for one more release, with a note.
void addDeviceOption(CLI::App &verb, std::string &device, const std::string &help);
/// --device and --cores.
void addDeviceOptions(CLI::App &verb, build::ProgramOptions &options, ProgramWords &words);
/// Files, compiler flags and words into options, once the command line is read.
void readProgramOptions(const CLI::App &verb, const ProgramWords &words, const Session &session,
                        build::ProgramOptions &options, Diagnostics &diagnostics);

} // namespace heddle::cli
