// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "divergence/ProgramProfile.h"
#include "support/Diagnostics.h"
#include "support/Process.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::instrument {

/// A program that was built with its PTX, and where it runs.
struct MeasureRequest {
  /// Runs the program in this environment, in front of ours.
  std::function<ProcessResult(const std::vector<std::string> &environment)> run;
  /// PTX with counters as the device's runtime loads it; nothing, with the reason as an error, where that is impossible.
  /// The simulator loads text.
  std::function<std::optional<std::string>(const std::string &ptx, Diagnostics &)> assemble;
  /// Registers per thread of the kernels of a module, by mangled name; one that is left out has 0.
  std::function<std::map<std::string, unsigned>(const std::string &ptx)> registersOf;
  unsigned smVersion = 90; ///< of the device
};

/// What was measured.
struct Measured {
  divergence::ProgramProfile profile;
  bool isSeen = false; ///< the program launched something
  std::string device;  ///< its name
  std::map<std::string, uint32_t>
      sampled; ///< kernels of which not every thread block was counted: every how many
  std::map<std::string, uint64_t> unknown; ///< by kernel: launches of code that has no counters
  std::string error;                       ///< why counters could not be read, or a launch failed
  ProcessResult end;
};

/// Runs a program with counters in its kernels. The program itself is not changed: it is given other device code when
/// it registers its own. Nothing, with errors, where its code cannot be instrumented.
std::optional<Measured> measure(const MeasureRequest &request, Diagnostics &diagnostics);

} // namespace heddle::instrument
