// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "TuneRequest.h"
#include "tune/GpuMeasurer.h"
#include "tune/ReplayMeasurer.h"

namespace heddle::cli {

/// A search on a GPU that times one captured launch instead of the whole program.
struct ReplaySearch {
  TemporaryFolder folder; ///< the capture
  tune::Problem problem;  ///< with the captured launch
  std::unique_ptr<tune::CudaMaker> maker;
  std::unique_ptr<tune::ReplayMeasurer> measurer;
};

/// Captures the launch that takes longest in total. Null, and `whyNot`, where it cannot be captured or replayed: candidates are
/// then measured in the whole program.
std::unique_ptr<ReplaySearch> captureForReplay(const TuneRun &run, tune::GpuMeasurer &gpu,
                                               tune::LocalExecutor &whole, std::string &whyNot);

} // namespace heddle::cli
