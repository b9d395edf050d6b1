// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which GPU candidates are compiled for, where a GPU of this machine measures them.
#pragma once

#include "arch/Arch.h"
#include "build/Gpu.h"

#include <string>
#include <vector>

namespace heddle::tune {

/// What was asked for: by --arch, by a compilation database, or the default.
struct WantedArch {
  std::string name; ///< "sm_90", "sm_90a"
  bool isGiven = false;
};

struct TargetArch {
  std::string name;
  std::string note;        ///< empty, or what the user should know about it
  std::string error, hint; ///< not empty: what was asked for cannot be measured
};

/// The GPU's own architecture unless one is given. One that is given must be one whose machine code the GPU runs: replays load
/// nothing else. A GPU without a table is compiled for as the newest one before it that has the same code.
TargetArch targetArch(const WantedArch &wanted, const build::ComputeCapability &gpu,
                      const std::vector<arch::Arch> &archs);

} // namespace heddle::tune
