// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"
#include "counts/Facts.h"
#include "runner/Result.h"
#include "support/Paths.h"
#include "tune/Candidate.h"

#include <map>

namespace heddle::tune {

/// The time of a launch that is replayed without a GPU: the simulator counts what the launch needs of a device, and the model
/// predicts.
///
/// Limits of registers, and whatever else only the assembler of PTX considers, change nothing of what the simulator executes:
/// candidates that differ by that alone are replayed once, and predicted each.
class ReplayModel {
public:
  /// How large the launch is to be taken.
  struct Size {
    bool fills = false; ///< as if there were enough blocks to keep the whole device busy
    double fullBlocks =
        0; ///< of the baseline, where a smaller launch than meant was captured; 0: as captured

    /// How many times as large as the baseline's launch.
    double scaleOf(const counts::LaunchFacts &baseline, const arch::Arch &arch) const;
  };
  /// `device`: how results are called.
  ReplayModel(const arch::Arch &arch, Size size, std::string device);

  const std::string &device() const { return name; }
  /// Of heddle-replay.
  std::vector<std::string> environment() const;
  /// Where heddle-replay writes what the next candidate needs.
  std::filesystem::path countersFile() const { return scratch.path() / "counters.json"; }

  /// What heddle-replay replied for a candidate with the same code and launch; null where there was none.
  const std::string *reply(const Candidate &candidate) const;
  /// Remembers a reply, and what countersFile() has.
  void learn(const Candidate &candidate, const std::string &reply);

  /// The time of a candidate whose reply is known, in place of what `result` has. Where there is none, its status says so.
  void predict(const Candidate &candidate, runner::Result &result);

private:
  struct Known {
    std::string reply;
    std::optional<counts::LaunchFacts> facts;
  };

  const arch::Arch &arch;
  const Size size;
  const std::string name;
  TemporaryFolder scratch;
  std::map<std::string, Known> known; ///< by what is replayed
  double scale = 1;                   ///< from the baseline
};

} // namespace heddle::tune
