// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/KernelFacts.h"
#include "transform/work/WorkPlan.h"

namespace heddle::transform {

/// What a kernel asks of a multiprocessor for one thread's work, in the time of one arithmetic instruction:
/// by throughput, not latency. A coarse measure, to tell kernels that coarsening relieves from those it does
/// not.
struct WorkEstimate {
  double arithmetic = 0;
  double sharedMemory = 0;
  double globalMemory = 0;
  /// The part of the loads that merged threads do for each other.
  double loads = 0, loadsSaved = 0;

  double total() const { return arithmetic + sharedMemory + globalMemory; }
};

/// One original thread's work, as it is where `plan` is null, or as merged along `axes` (map interleaved).
WorkEstimate estimateWork(const analysis::KernelFacts &facts, const WorkPlan *plan,
                          const std::vector<Axis> &axes);

} // namespace heddle::transform
