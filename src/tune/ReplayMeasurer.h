// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Conversation.h"
#include "tune/Executors.h"
#include "tune/Measurer.h"
#include "tune/Problem.h"
#include "tune/ReplayModel.h"
#include "tune/UnfusedReplay.h"

#include <filesystem>

namespace heddle::tune {

/// A captured launch that is replayed with the code of each candidate by heddle-replay, which holds the GPU, or is the simulator.
/// Times are those of this one launch: measured, or on the simulator predicted.
///
/// A candidate that ends heddle-replay, or keeps it busy for too long, is recorded as that; another process takes over. One that
/// leaves something else in memory than the baseline does may be right all the same: other multiplications may be fused, which
/// replays decide (tune/UnfusedReplay.h); or the difference is within a tolerance, or in memory that the program never reads again,
/// which the whole program decides, as it does for candidates whose launch does more on the host. The program is run only for
/// candidates that would win.
class ReplayMeasurer final : public Measurer {
public:
  /// `command` starts heddle-replay with `--serve`; `whole` measures in the whole program. `kernel` is what the launch is of,
  /// for people. `timesInProgram`: candidates that cannot be replayed are timed in the program, which a search of seconds has no
  /// time for; else they are refused.
  /// `model`: on the simulator, what predicts; else null.
  ReplayMeasurer(const Problem &problem, std::vector<std::string> command, LocalExecutor &whole,
                 std::string kernel, bool timesInProgram, std::unique_ptr<ReplayModel> model = nullptr);

  /// Empty, or why nothing can be replayed.
  std::string prepare();

  /// Makes candidates without fused multiplications, for the second question above.
  void makeUnfusedBy(Maker &maker);
  /// Asked before a candidate is run in the whole program to decide on it: false where there is no time for that. Such a candidate is
  /// lost.
  void runProgramWhere(std::function<bool()> condition) { hasTime = std::move(condition); }
  /// Where another process uses the GPU, too: asked for a turn before each replay, which waits for it. It lasts as long as what is
  /// returned.
  using Turn = std::shared_ptr<void>;
  void takeTurnsBy(std::function<Turn()> take) { takeTurn = std::move(take); }
  /// Called before anything is run in the whole program.
  void beforeProgram(std::function<void()> wait) { waitForProgram = std::move(wait); }

  std::string device() const override { return name; }
  bool predicts() const override { return model != nullptr; }
  runner::Result measureBaseline(const Candidate &baseline) override;
  runner::Result measure(const Candidate &candidate) override;

private:
  bool start(std::string &error);
  bool startAgain(std::string &error);
  runner::Result replayed(const Candidate &candidate);
  runner::Result heard(const Candidate &candidate, const std::string &reply);
  runner::Result replayedOnce(const Candidate &candidate);
  runner::Result fromReply(const Candidate &candidate, const std::string &line) const;
  runner::Result workersEnd(const Candidate &candidate);
  bool leaves(const Candidate &candidate, const std::filesystem::path &differences);
  runner::Result decided(const Candidate &candidate, runner::Result replayed);
  runner::Result decidedByProgram(const Candidate &candidate, runner::Result replayed);
  runner::Result timedByProgram(const Candidate &candidate);
  std::string lineFor(const Candidate &candidate, const std::string &rest) const;
  std::string lineToMeasure(const Candidate &candidate) const;
  double limit() const;

  const Problem &problem;
  const std::vector<std::string> command;
  LocalExecutor &whole;
  const std::string kernel;
  const bool timesInProgram;
  const std::unique_ptr<ReplayModel> model;
  std::function<bool()> hasTime = [] { return true; };
  std::function<Turn()> takeTurn = [] { return nullptr; };
  std::function<void()> waitForProgram = [] {};
  std::unique_ptr<UnfusedReplay> unfused; ///< null: the program decides
  std::unique_ptr<Conversation> worker;
  std::string name; ///< of the GPU
  double baselineSeconds = 0, baselineMicros = 0, bestMicros = 0;
  bool isGone = false;      ///< the GPU, after it was waited for
  bool isReproduced = true; ///< the baseline leaves the captured memory behind each time
};

} // namespace heddle::tune
