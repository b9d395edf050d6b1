// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"
#include "build/Build.h"
#include "counts/Facts.h"
#include "support/Paths.h"
#include "tune/Measurer.h"
#include "tune/Problem.h"

#include <map>
#include <memory>

namespace heddle::tune {

/// How a program that is meant for a GPU is run without one.
struct Rehearsal {
  /// As if there were enough blocks to keep the whole device busy, as at full size there would be.
  bool fills = false;
  /// In the place of the problem's, which may be too much for the simulator. Launches are then taken to be as
  /// large as those that the problem's own make, which a run that executes none of them determines.
  std::optional<std::vector<std::string>> arguments;
};

/// Needs no GPU: the program runs on the simulator, its device-to-host copies are compared with what the baseline
/// copied to the host, and the model makes a time of what the launches needed.
class SimulatorMeasurer final : public Measurer {
public:
  SimulatorMeasurer(const Problem &problem, const arch::Arch &arch, Rehearsal rehearsal);
  ~SimulatorMeasurer() override;

  std::string device() const override { return deviceFor({}); }
  /// How results are called that are predicted of one launch: "sm_90 (model, one launch of saxpy)".
  std::string deviceOfLaunch(const std::string &kernel) const {
    return deviceFor(", one launch of " + kernel);
  }
  bool predicts() const override { return true; }
  runner::Result measureBaseline(const Candidate &candidate) override { return measure(candidate); }
  runner::Result measure(const Candidate &candidate) override;

  /// The problem's program, compiled; nothing, and `error`, where that fails.
  std::optional<std::filesystem::path> buildProgram(std::string &error);
  /// How it is run on the simulator: smaller than meant, where a rehearsal says so.
  const std::vector<std::string> &arguments() const;
  std::vector<std::string> environment() const;
  /// The most blocks that a launch of a kernel has where the program is run as it is meant, by mangled name; empty where it is not
  /// run smaller. buildProgram must have been called, or the baseline measured.
  std::map<std::string, double> blocksAtFullSize() const;

private:
  struct Built;
  struct Ran;
  struct Trial;
  std::string deviceFor(const std::string &what) const;
  const Built &baselineBuilt(const Candidate &candidate);
  Built buildIn(const std::filesystem::path &folder, const Candidate &candidate,
                const std::vector<std::string> &further) const;
  enum class How { Plain, Counting, Dry };
  Ran runIn(const std::filesystem::path &folder, How how) const;
  std::string difference(const Ran &reference, const Ran &ran) const;
  std::string differenceUnfused(const Candidate &candidate, const std::string &compiler);
  const Trial &trialOf(const Candidate &candidate);
  Trial tryBaseline(const Candidate &candidate);
  Trial tryOut(const Candidate &candidate);
  void estimate(const Candidate &candidate, const counts::ProgramCounters &counters, runner::Result &result);
  void findScales(const std::vector<counts::LaunchFacts> &launches);
  double scaleOf(const std::string &kernel, size_t number) const;

  const Problem &problem;
  const arch::Arch &arch;
  const Rehearsal rehearsal;
  /// How much larger than here launches are to be taken, from the baseline's: by kernel, and of any other.
  std::map<std::string, double> scales;
  /// By kernel, for each of its launches: what fills the device differs from launch to launch.
  std::map<std::string, std::vector<double>> factorsToFill;
  double scale = 1;
  TemporaryFolder scratch;
  std::optional<Candidate> baseline;
  std::unique_ptr<Built> ofBaseline;
  std::map<std::string, std::unique_ptr<Trial>> trials; ///< by the digest of what is run
  std::unique_ptr<Ran> reference, unfused; ///< the baseline's; unfused: without fused multiplications
};

} // namespace heddle::tune
