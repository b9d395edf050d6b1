// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks that `heddle check --static` takes from the file's own launches.
#pragma once

#include "build/Program.h"
#include "report/StaticVerdict.h"
#include "verify/KernelLaunches.h"

#include <string>

namespace heddle::cli {

/// The launches of the .cu file. `compiler` made its PTX: the file is read with the same headers. Empty where
/// Clang cannot parse the file, as can happen to one that is for nvcc only; `whyNot` is its first error then.
verify::LaunchTable launchesIn(const build::ProgramOptions &program, const std::string &compiler,
                               std::string &whyNot);

/// The verdict on a launch that cannot be checked: every property is undecided, for this reason.
report::KernelVerdict uncheckedLaunch(const std::string &kernel, const SourceLocation &launch,
                                      const std::string &why, const std::string &hint);

} // namespace heddle::cli
