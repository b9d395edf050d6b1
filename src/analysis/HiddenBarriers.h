// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Barriers.h"
#include "source/Kernel.h"

#include <string>
#include <vector>

namespace heddle::analysis {

/// A barrier that a kernel waits at although no written call leads to it: in a constructor, a destructor, a
/// default argument or initializer, what a range-based for calls, or library code. BarrierRegions, which
/// follow the calls that are written, do not have it; directives refuse where there is one
/// (HiddenCode).
struct HiddenBarrier {
  Barrier barrier;
  SourceLocation location;   ///< of the barrier
  std::string inside;        ///< "the constructor of 'Tile'"
  SourceLocation executedAt; ///< in the kernel's own text: its end where that executes it
};

/// In the order of the text.
std::vector<HiddenBarrier> hiddenBarriers(const source::Kernel &kernel);

} // namespace heddle::analysis
