// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"
#include "vm/Counters.h"

#include <string>
#include <vector>

namespace heddle::model {

/// One launch as the machine saw it, with what ptxas (or the estimate of registers) says of its kernel.
struct LaunchFacts {
  std::string kernel; ///< mangled
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  vm::CounterSums sums;
  uint64_t distinctSectors = 0; ///< 32-byte pieces of global memory that the launch touched at all
  unsigned registers = 0;
  uint64_t spillBytes = 0, sharedBytes = 0; ///< shared: a block, static and dynamic
};

/// What a launch waits for most.
enum class Limit { Issue, Arithmetic, SharedMemory, L2, Dram, Latency, Launch };
const char *nameOf(Limit limit);

struct Estimate {
  double micros = 0;
  Limit limit = Limit::Latency;
  double microsBy[7] = {}; ///< what each limit alone would take, in the order of the enum
  double occupancy = 0;    ///< percent

  bool isMemoryBound() const { return limit == Limit::L2 || limit == Limit::Dram; }
};

/// How long a launch takes on the device that `arch` stands for: a bound for each thing it needs, and how
/// well what runs on a multiprocessor at a time can hide the latency of the rest.
Estimate estimate(const LaunchFacts &launch, const arch::Arch &arch);

} // namespace heddle::model
