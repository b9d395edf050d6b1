// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "build/Build.h"
#include "source/Toolkit.h"
#include "tune/Configuration.h"
#include "tune/ReplayLaunch.h"
#include "verify/Compare.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::tune {

/// What one candidate may take, in seconds; whatever takes longer is stopped with all that it started.
struct Limits {
  double make = 120, compile = 300, run = 120;
};

/// What is tuned: a program, the file of it that changes, and how it is built and run.
struct Problem {
  std::filesystem::path file;
  std::string text;                           ///< of that file
  std::vector<std::filesystem::path> further; ///< files of the program that are not changed
  std::vector<std::string> flags;             ///< -I, -D, -std=, -O: for every file of every candidate
  /// What a build system compiles single files with; `flags` come after these.
  std::map<std::filesystem::path, std::vector<std::string>> ownFlags;
  std::vector<std::string> arguments; ///< of the program
  std::string arch = "sm_90";
  std::string kernel;                          ///< the only one that directives speak of; empty for all
  std::optional<std::array<int64_t, 3>> block; ///< where the file does not give it
  std::vector<std::string> assumptions;        ///< --assume: what the file does not show
  source::CompileOptions compile;              ///< for reading the file
  build::Compiler compiler = build::Compiler::Auto;
  verify::Tolerance tolerance;
  Limits limits;
  bool checked = true;        ///< statically, before anything is run
  bool flushesL2 = false;     ///< before each timed launch of a replay
  bool comparesCopies = true; ///< else the program's own verdict (its exit code) is enough
  /// A launch that was captured: candidates are made with code that it can be replayed with.
  std::optional<ReplayLaunch> captured;
  bool replaysPtx = false; ///< on the simulator, which executes PTX

  /// The flags of the tuned file: its own, and those for every file.
  std::vector<std::string> tunedFlags(build::Compiler compiler) const;
  /// A file of the program that is compiled with other flags of its own than the tuned one; empty where there is none. A
  /// plan and the GPU compile a candidate with one command.
  std::filesystem::path fileWithOtherFlags() const;

  /// Everything that a result depends on besides the configuration: the text with what it includes, further files,
  /// flags, arguments, architecture, tolerance, assumptions.
  /// The first call settles it: files that change while a search runs do not change its names.
  const std::string &digest() const;
  /// The name of a candidate: the same for the same configuration of the same problem.
  std::string idOf(const Configuration &configuration) const;

private:
  mutable std::string known;
};

/// What a GPU measurement and a plan report of such a file.
std::string whyOneCommandIsWrong(const Problem &problem, const std::filesystem::path &other);

} // namespace heddle::tune
