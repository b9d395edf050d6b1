// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random PTX kernels that end: divergent and unstructured control flow, loops, calls, memory accesses, barriers, operations of warps,
// and arithmetic of every row of Ops.def.
#pragma once

#include "vm/Limits.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle::vm::test {

/// Lines of PTX. "$0", "$1" are where its bodies go.
struct Statement {
  std::string text;
  std::vector<std::vector<Statement>> bodies;
};

/// A kernel k(.param .u64 memory, .param .u32 number) and how it is launched. It accesses the first WindowBytes of the memory, and each
/// thread stores its registers in a slot of its own behind them.
struct RandomPtx {
  Dim3 grid, block;
  uint32_t number = 0;
  uint64_t schedule = 0; ///< LaunchRequest::scheduleSeed: short slices of warps, in another order
  std::vector<Statement> functions, body;

  std::string text() const;
};

constexpr unsigned WindowBytes = 4096, SlotBytes = 160, MostThreads = 256;
constexpr unsigned MemoryWords = (WindowBytes + SlotBytes * MostThreads) / 4;

/// The same kernel for the same seed, as long as neither this generator nor the table of instructions changes.
RandomPtx randomPtx(uint64_t seed);

/// A kernel that still fails, without statements that it fails without. Ends earlier, with what there is, after `seconds`.
RandomPtx shrunk(RandomPtx kernel, const std::function<bool(const RandomPtx &)> &stillFails, double seconds);

} // namespace heddle::vm::test
