// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Static.h"
#include "source/Program.h"
#include "verify/KernelLaunches.h"

#include <functional>
#include <string>
#include <vector>

namespace heddle::verify {

/// What the static check reports for the kernels of a file, each with the blocks that the file itself launches it
/// with.
struct LaunchChecks {
  struct Kernel {
    std::string name; ///< as a person calls it
    check::StaticResult result;
    KernelLaunches::Known
        launch; ///< what it was checked for; without locations where the kernel requires the block
  };
  /// Launches of a kernel that could not be checked.
  struct Unchecked {
    std::string name;
    SourceLocation launch; ///< unknown where the file has no launch of the kernel
    std::string why;       ///< "its block is not known: 'n' is a parameter of 'main'"
    bool isBlockUnknown = false;
    bool usesDynamicShared = false;
  };
  std::vector<Kernel> kernels; ///< one for each way in which one is launched
  std::vector<Unchecked> unchecked;
};

/// `module` is the file's PTX. Each check may take `maxSeconds`; what is not known then is undecided.
/// `isOptimized`: accesses of the source may be missing in it. `isMeant` chooses kernels by their name; all
/// where it is empty.
LaunchChecks checkLaunches(const source::Program &program, const ptx::Module &module, double maxSeconds,
                           bool isOptimized = true,
                           const std::function<bool(const std::string &)> &isMeant = {});

} // namespace heddle::verify
