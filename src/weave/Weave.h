// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a program to a list of steps for each warp of a block.
#pragma once

#include "support/Diagnostics.h"
#include "weave/Options.h"
#include "weave/WarpPrograms.h"

namespace heddle::weave {

/// Works for 1 to 32 warps and any choice of options, and gives the same plan for the same program and
/// options. Warns where rows or registers do not suffice for what was asked, and refuses what is out of
/// reach.
std::optional<Woven> weave(const flow::Program &program, const WeaveOptions &options,
                           Diagnostics &diagnostics);

} // namespace heddle::weave
