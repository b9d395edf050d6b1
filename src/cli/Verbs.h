// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "CommandModel.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace heddle {
class Diagnostics;
}

/// One function for each verb. It adds the verb's subcommand; the subcommand's callback does the work once
/// the command line is read and leaves its exit code in the session.
namespace heddle::cli {

/// What a verb takes besides options: how its usage line shows it, where that is more than the operands that
/// CLI11 knows, and what completes it.
struct Operands {
  std::string usage;
  Completion completion;
};

/// What main gives a verb, and what a verb leaves behind for main.
struct Session {
  int exitCode = 0;         ///< by the table of support/ExitCode.h; of `run`, the program's own
  bool colour = false;      ///< on standard output
  bool errorColour = false; ///< on standard error
  std::vector<std::string> compilerArguments; ///< -I, -D, -std=..., as given
  std::vector<std::string> programArguments;  ///< what follows `--`
  std::set<std::string> verbsThatCompile;     ///< the verbs that take those two
  std::map<std::string, Operands> operands;   ///< of each verb
};

/// What completes the name of a CUDA source.
inline Completion cudaFiles() { return {{}, {"cu"}, true, false}; }

/// Prints messages, where there are any, and leaves the exit code; whether there were.
bool complain(const Diagnostics &diagnostics, Session &session, int exitCode);
/// One error that has no place in a file.
void complain(Session &session, const std::string &text, const std::string &hint, int exitCode);

void addAnalyze(CLI::App &app, Session &session);
void addArch(CLI::App &app, Session &session);
void addCapture(CLI::App &app, Session &session);
void addCheck(CLI::App &app, Session &session);
void addChem(CLI::App &app, Session &session);
void addDoctor(CLI::App &app, Session &session);
void addHelp(CLI::App &app, Session &session);
void addNvcc(CLI::App &app, Session &session);
void addOpt(CLI::App &app, Session &session);
void addProfile(CLI::App &app, Session &session);
void addRun(CLI::App &app, Session &session);
void addTune(CLI::App &app, Session &session);
void addVerify(CLI::App &app, Session &session);
void addVersion(CLI::App &app, Session &session);

/// `heddle nvcc COMPILER ...`: words that belong to a compiler and are not read as ours.
struct LauncherCall {
  std::vector<std::string> words; ///< the compiler's command line
  std::string colour = "auto";    ///< --color, before or after the verb
};
/// Nothing where `words`, those of heddle's command line, are another call.
std::optional<LauncherCall> launcherCall(const std::vector<std::string> &words);
/// Its exit code; does not return where the process becomes the compiler.
int launchCompiler(const LauncherCall &call, bool colour);

} // namespace heddle::cli
