// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model/Estimate.h"
#include "vm/Counters.h"

namespace heddle::counts {

using model::WarpTime;

/// Passes over shared memory in the machine code (MergedLoads.h), by two rules for accesses of 8 and 16 bytes: half or quarter warps pass
/// one after the other, or all lanes that need no other words of a bank pass together.
struct SharedPasses {
  uint64_t byParts = 0, byWords = 0;
  uint64_t ofAtomics = 0; ///< further ones
};

/// One launch as the simulator counted it, with what ptxas (or the estimate of registers) gives for its kernel.
struct LaunchFacts {
  std::string kernel; ///< mangled
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  vm::CounterSums sums;
  uint64_t distinctSectors = 0; ///< 32-byte pieces of global memory that the launch touched at all
  unsigned registers = 0;
  uint64_t spillBytes = 0, sharedBytes = 0; ///< shared: a block, static and dynamic

  uint64_t number = 0; ///< of the launch in its program, from 1
  /// Issued for warps, by latency class (arch/Latencies.def). What no GPU executes is not among them.
  std::map<std::string, uint64_t, std::less<>> instructions;
  uint64_t readSectors = 0, writtenSectors = 0; ///< of distinctSectors; some may be both
  uint64_t blockSectors = 0;                    ///< sectors that a block read at all, summed over blocks
  uint64_t countedBlocks = 0; ///< that were executed, if not all were: everything else is of the whole launch
  uint64_t atomicSectors = 0; ///< of atomics on global memory, by warp
  uint64_t hottestAtomics = 0; ///< of these, those in the page of 4 KB that has most
  SharedPasses sharedPasses;
  WarpTime warpTime;     ///< of all warps, summed
  WarpTime blockTime;    ///< of the slowest warp of a block, summed over blocks
  WarpTime longestBlock; ///< of the block that takes longest
  double timesGrid = 1;  ///< blocks of the launch, as a multiple of what `grid` says (scaled)

  double blocks() const { return timesGrid * double(grid[0]) * grid[1] * grid[2]; }
  unsigned threadsPerBlock() const { return block[0] * block[1] * block[2]; }
};

/// The same kernel on `factor` times as many blocks that do the same work each: every sum is multiplied, what
/// holds of one block stays. So is the memory that it touches: right where blocks work on data of their own,
/// too much where all of them read one table.
LaunchFacts scaled(LaunchFacts launch, double factor);

/// A launch of which only some blocks were counted, put right: everything that is a sum gets the factor by which it has more blocks, but for
/// sectors that are counted once, which Extrapolation.h estimates.
void extrapolate(LaunchFacts &launch);

/// The factor that makes a launch keep every multiprocessor of the device busy for some waves of blocks, so
/// that what is compared is how fast it works and not how small the test was; 1 where it does already.
double factorToFill(const LaunchFacts &launch, const arch::Arch &arch);

/// What the model gets to know about a launch.
model::LaunchWork workOf(const LaunchFacts &launch);
model::Estimate estimate(const LaunchFacts &launch, const arch::Arch &arch);

} // namespace heddle::counts
