// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "TuneRequest.h"
#include "tune/GpuMeasurer.h"
#include "tune/KernelPlan.h"
#include "tune/ReplayMeasurer.h"

namespace heddle::cli {

/// A search on a GPU that times one captured launch instead of the whole program.
struct ReplaySearch {
  TemporaryFolder folder; ///< the capture
  tune::Problem problem;  ///< with the captured launch
  std::unique_ptr<tune::CudaMaker> maker;
  std::unique_ptr<tune::ReplayMeasurer> measurer;
};

/// The baseline, compiled, and run once under the capture library: what its kernels take is known, and launches can be captured.
class ReplayProgram {
public:
  /// Null, and `whyNot`, where no launch of a kernel of the tuned file is seen.
  static std::unique_ptr<ReplayProgram> open(const TuneRun &run, tune::GpuMeasurer &gpu, std::string &whyNot);

  const tune::KernelPlan &plan() const { return kernels; }
  /// Captures a kernel's longest launch, and replays it once. Null, and `whyNot`, where it cannot be captured or replayed.
  std::unique_ptr<ReplaySearch> capture(const tune::KernelShare &kernel, tune::LocalExecutor &whole,
                                        std::string &whyNot);

private:
  explicit ReplayProgram(const TuneRun &run) : run(run) {}
  build::CaptureResult runProgram(build::CaptureRequest::Which which, uint64_t launch,
                                  const std::filesystem::path &folder) const;
  std::optional<tune::ReplayLaunch> captureInto(const tune::KernelShare &kernel, TemporaryFolder &folder,
                                                std::string &whyNot);

  const TuneRun &run;
  std::filesystem::path program;
  TemporaryFolder first; ///< with the capture of the first launch
  uint64_t firstLaunch = 0;
  tune::KernelPlan kernels;
};

} // namespace heddle::cli
