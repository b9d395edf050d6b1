// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/StartedProcess.h"
#include "tune/Problem.h"
#include "tune/Space.h"

#include <optional>

namespace heddle::tune {

/// The space of `-d auto`: the directives that apply to this program, with values that are worth a try.
struct AutoSpace {
  std::vector<std::string> directives; ///< as -d would have them; empty where nothing is possible
  std::vector<std::string> flags;      ///< as --flag would have them
  std::vector<std::string> refused;    ///< "consolidate: why not", for a person
  std::string whyNoBlock;              ///< where the size of blocks cannot be changed; else empty
  bool compiles = true;                ///< where it does not, nothing else was looked at
  bool hasKernel = true;               ///< the same
};

/// Tries each directive once on the file, and takes those that change it. Each in a process of its own.
AutoSpace autoSpace(const Problem &problem);

/// The spaces of the kernels of a file, in a copy of this process that works while the program is built and run: which of them is tuned is known
/// only then. Where the file has so many kernels that this would take processors from the build, there are none.
class EarlySpaces {
public:
  explicit EarlySpaces(const Problem &problem);
  /// Waits for them. Nothing for a kernel that has none.
  std::optional<AutoSpace> of(const std::string &kernel);

private:
  StartedCopy copy;
};

} // namespace heddle::tune
