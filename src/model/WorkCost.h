// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"

namespace heddle::model {

/// What a thread's operations take of a multiprocessor's throughput, in FP32 additions: for estimates made from the source, before there
/// is anything to count. Not latency: other warps hide that, as far as there are others (Profitability.h).
struct WorkCosts {
  double operation = 1;
  double division = 0, divisionByConstant = 0;
  double specialFunction = 0; ///< a function of the math library
  // Accesses, for each four bytes of a thread.
  double sharedAccess = 0;
  double globalAccess = 0;
  double broadcastGlobal = 0; ///< all lanes read one element, which L1 has
  double consecutiveShared =
      0; ///< all lanes read one element of shared memory, and the loop reads consecutive ones
  double sectorBytes = 0; ///< what is fetched at least
};

/// Ratios of throughputs come from the architecture's table, rounded to whole additions; the others are thresholds.
WorkCosts workCosts(const arch::Arch &arch);

/// One thread's work by these costs, and how much of it is loads. `loadsSaved`: the part that merged threads do for each other.
struct Work {
  double arithmetic = 0, sharedMemory = 0, globalMemory = 0;
  double loads = 0, loadsSaved = 0;

  double total() const { return arithmetic + sharedMemory + globalMemory; }
  double shareOfLoadsSaved() const { return loads > 0 ? loadsSaved / loads : 0; }
};

/// How many times less work there is: 2 for half of it.
double gain(const Work &before, const Work &after);

} // namespace heddle::model
