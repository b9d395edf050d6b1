// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runner/CandidateRuns.h"
#include "support/Paths.h"
#include "tune/Measurer.h"
#include "tune/Problem.h"

#include <map>
#include <memory>
#include <optional>

namespace heddle::tune {

/// The GPU of this machine: nvcc compiles, and the library that heddle-runner uses elsewhere times.
class GpuMeasurer final : public Measurer {
public:
  explicit GpuMeasurer(const Problem &problem);
  ~GpuMeasurer() override;

  /// Empty, or why nothing can be measured here.
  const std::string &error() const { return whyNot; }

  std::string device() const override { return name; }
  bool predicts() const override { return false; }
  runner::Result measureBaseline(const Candidate &baseline) override;
  runner::Result measure(const Candidate &candidate) override;
  /// Compiles it in a copy of this process.
  void beginToPrepare(const Candidate &candidate) override;
  bool isPrepared(const Candidate &candidate) override;

  /// Of a run, for timing launches again and again.
  void limitTiming(double seconds) { measurer.mostTimingSeconds = seconds; }

  /// The program with this text in the place of the tuned file, compiled; nothing, and `error`, where that fails.
  std::optional<std::filesystem::path> buildProgram(const std::string &text, std::string &error);

private:
  struct Built {
    std::string text; ///< of the tuned file
    runner::Compiled compiled;
  };
  class Ahead;
  const runner::Compiled *builtFor(const Candidate &candidate) const;
  runner::Candidate written(const std::filesystem::path &folder, const Candidate &candidate) const;
  runner::Result onThisGpu(runner::Result result) const;

  const Problem &problem;
  TemporaryFolder scratch, ofBaseline; ///< which may have to be compiled again
  runner::CandidateRuns measurer;
  std::string name, whyNot;
  std::optional<Built> built; ///< for the capture: the baseline is not compiled again
  std::map<std::string, std::unique_ptr<Ahead>>
      ahead; ///< programs that are compiled before they are wanted, by id
};

} // namespace heddle::tune
