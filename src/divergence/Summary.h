// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Occupancy.h"
#include "divergence/Fit.h"
#include "divergence/Metrics.h"
#include "divergence/ProgramProfile.h"
#include "divergence/RegroupAlgorithms.h"

#include <cstdint>

namespace heddle::divergence {

/// What divergence at one source line costs.
struct LineLoss {
  SourceLocation location; ///< unknown: the PTX does not say
  uint64_t executions = 0, divergent = 0;
  double share = 0; ///< of all lane-slots of the kernel, empty because lanes diverged here
};

/// A kernel's launches under another order of their threads, by the model: nothing was run again.
struct RegroupEstimate {
  Algorithm algorithm = Algorithm::Sorting;
  double weighted = 0, scheduled = 0; ///< cycles, all launches together
  double lostShare = 0;               ///< of lane-slots
  uint64_t divergentWarps = 0;
  bool exact = true;
};

/// Everything a profile has about one kernel, on one architecture. Sums are over the launches that were looked
/// at.
struct KernelSummary {
  std::string kernel; ///< mangled
  uint64_t launches = 0, skippedLaunches = 0;
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}; ///< of the first
  unsigned registers = 0;
  arch::Occupancy occupancy; ///< of the first
  uint64_t threads = 0;
  uint32_t basicBlocks = 0;
  uint64_t distinctVectors = 0;                 ///< of the launch that has most
  uint64_t branches = 0, divergentBranches = 0; ///< executed by warps or parts of them
  uint64_t warps = 0, divergentWarps = 0;
  uint64_t warpInstructions = 0;
  uint64_t globalRequests = 0, globalSectors = 0; ///< of warps or parts of them; a sector is 32 bytes
  double weighted = 0, scheduled = 0;             ///< the metrics, in cycles
  double lostShare = 0;                           ///< of lane-slots, as they were executed
  double absentShare = 0;                         ///< of which lanes that warps never had
  double lostShareByModel =
      0; ///< by the vectors alone: as if lanes of a warp were together wherever they may be
  std::vector<LineLoss> lines; ///< most costly first
  std::vector<RegroupEstimate> regrouped;
  RegroupEstimate byPrediction; ///< Greedy-Max on predicted vectors, compared with the real ones
  Prediction prediction;        ///< of the launch with most distinct vectors
  uint64_t latenciesKnown = 0, latenciesSubstituted = 0, latenciesCounted = 0; ///< instructions in the code
};

struct SummaryOptions {
  MemoryLevel memory = MemoryLevel::L1;
  uint32_t groupSize = 32;
};

/// lat[b] of each basic block of a launch.
std::vector<double> blockLatencies(const LaunchProfile &launch, const arch::Arch &arch, MemoryLevel memory);

/// One for each kernel, in the order of their first launch.
std::vector<KernelSummary> summarize(const ProgramProfile &profile, const arch::Arch &arch,
                                     const SummaryOptions &options = {});

} // namespace heddle::divergence
