// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Latencies.h"
#include "counts/MergedLoads.h"

#include <vector>

namespace heddle::vm {
class Kernel;
}

namespace heddle::counts {

/// How long a warp that is alone on a multiprocessor takes through a basic block: cycles of its own, and how
/// often in a row it waits for global memory, whose time depends on who answers. Both are those of the
/// longest chain of instructions that need each other: loads that do not are under way together.
struct Span {
  double cycles = 0;
  double rounds = 0; ///< of global memory
};

/// By site of the kernel, the functions that it calls included.
std::vector<MergedLoad> mergedLoadsOf(const vm::Kernel &kernel);

/// By basic block of the kernel, the functions that it calls included.
std::vector<Span> spansOf(const vm::Kernel &kernel, const std::vector<MergedLoad> &loads,
                          const std::optional<arch::LatencyTable> &latencies);

} // namespace heddle::counts
