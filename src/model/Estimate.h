// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"

#include <cstdint>
#include <map>
#include <string>

namespace heddle::model {

/// How long a warp takes by itself: cycles, and dependent waits for global memory (counts/Spans.h).
struct WarpTime {
  double cycles = 0;
  double rounds = 0;
};

/// What a launch asks of a device, in numbers. Who counted it (the simulator, an analysis of the source) does not matter here.
struct LaunchWork {
  double blocks = 1;
  unsigned threadsPerBlock = 1;
  unsigned registers = 0;                   ///< per thread
  uint64_t spillBytes = 0, sharedBytes = 0; ///< per thread; per block, static and dynamic

  double warps = 0;
  std::map<std::string, uint64_t, std::less<>>
      instructions;                         ///< issued for warps, by class (arch/Latencies.def)
  double bankPasses = 0;                    ///< over the banks of shared memory, but for those of atomics
  double atomicPasses = 0;                  ///< of atomics on shared memory
  double lines = 0;                         ///< 128-byte lines of global accesses, by warp
  double loadSectors = 0, storeSectors = 0; ///< 32-byte sectors of global accesses, by warp
  double localAccesses = 0;                 ///< loads and stores of local memory, by warp

  double distinctSectors = 0;                 ///< sectors of global memory that the launch touched at all
  double readSectors = 0, writtenSectors = 0; ///< of distinctSectors; some may be both
  double blockSectors = 0;                    ///< sectors that a block read at all, summed over blocks
  double atomicSectors = 0;                   ///< of atomics, by warp
  double hottestAtomics = 0;                  ///< of these, those in the page of 4 KB that has most
  double barriers = 0;                        ///< arrivals of warps at barriers of their block

  WarpTime blockTime;    ///< of the slowest warp of a block, summed over blocks
  WarpTime longestBlock; ///< of the block that takes longest
};

/// What limits a launch.
enum class Limit { Issue, Arithmetic, SharedMemory, L2, Dram, Latency, Launch };
constexpr unsigned Limits = 7;
const char *nameOf(Limit limit);

/// What the latency of a launch consists of.
struct LatencyParts {
  double waves = 0; ///< sets of resident blocks, one after the other: not rounded
  /// Of a block: its start, its instructions, its waiting for global memory and for its other warps.
  double startMicros = 0, chainMicros = 0, waitMicros = 0, barrierMicros = 0;
  double longestMicros = 0;  ///< of the block that takes longest
  double dispatchMicros = 0; ///< to give all blocks to SMs

  double blockMicros() const { return startMicros + chainMicros + waitMicros + barrierMicros; }
};

struct Estimate {
  double micros = 0;
  Limit limit = Limit::Latency;
  double microsBy[Limits] = {}; ///< what each limit alone would take, in the order of the enum
  LatencyParts latency;
  double occupancy = 0; ///< percent
  /// Of what Latency takes, how much is waiting for global memory; of the passes of SharedMemory, how many
  /// are those of global accesses over L1.
  double memoryShareOfLatency = 0, memoryShareOfPasses = 0;
  double l2Bytes = 0, dramBytes = 0; ///< what L2 and DRAM transport
  std::string impossible;            ///< not empty: it cannot be launched, and why; micros is infinite

  /// Data of global memory is what it waits for: their transport, their latency, or how scattered they are.
  bool isMemoryBound() const;
};

/// How long a launch takes on the device that `arch` represents: a bound for each thing it needs, and how
/// well what is resident on a multiprocessor can hide the latency of the rest. docs/model.md has the formulas.
Estimate estimate(const LaunchWork &launch, const arch::Arch &arch);

/// Blocks that keep every multiprocessor of the device busy for some waves: with fewer, the size of a launch decides.
double blocksToFill(const LaunchWork &launch, const arch::Arch &arch);

} // namespace heddle::model
