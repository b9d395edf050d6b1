// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "divergence/Formulas.h"

#include <cstdint>

namespace heddle::divergence {

/// Where a kernel runs, as far as the metrics want to know.
struct Device {
  unsigned sms = 1;
  unsigned blocksPerSm = 1; ///< occupancy of the launch
  unsigned warpSize = 32;
};

/// What a launch costs by its basic-block vectors. Cycles mean something only in comparison with another
/// grouping of the same threads: memory that is waited for and warps that hide each other's waiting are not
/// in them.
struct Metrics {
  double weighted = 0;     ///< (2) to (5)
  double scheduled = 0;    ///< the same with thread blocks given out by dynamic round robin
  double threadCycles = 0; ///< sum of (11): what the threads themselves have to do
  double warpCycles = 0;   ///< sum of (3)
  uint64_t warps = 0;
  uint64_t divergentWarps = 0;        ///< with threads whose vectors differ
  std::vector<double> blockLatencies; ///< (4), in launch order

  /// The share of lane-slots in which a lane waits for others or is not there at all.
  double lostShare(unsigned warpSize = 32) const {
    return warpCycles > 0 ? 1 - threadCycles / (warpSize * warpCycles) : 0;
  }
};

/// `order`: which thread's work is done at each place of the launch; empty: each thread does its own.
Metrics metricsOf(const BlockVectors &vectors, Latencies latencies, unsigned threadsPerBlock,
                  const Device &device, Threads order = {});

} // namespace heddle::divergence
