// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compilers fuse a multiplication and an addition at other places in another text, so a correct candidate may leave other bits
// behind than the baseline (verify/Fusion.h). To see whether that is all, baseline and candidate are compiled once more with
// nothing fused, as the kernel alone, and the captured launch is replayed with both: heddle-replay writes what each leaves behind
// where that is not as captured, and the two files must be the same. That takes about as long as another candidate does; to ask the
// whole program takes two compilations and three runs of it.
#pragma once

#include "support/Paths.h"
#include "tune/Maker.h"

#include <functional>

namespace heddle::tune {

class UnfusedReplay {
public:
  /// Replays a candidate and has what it leaves behind written to that file, where it differs from what was captured. False where it
  /// fails.
  using Replay = std::function<bool(const Candidate &, const std::filesystem::path &differences)>;

  UnfusedReplay(const Problem &problem, Maker &maker, Replay replay)
      : problem(problem), maker(maker), replay(std::move(replay)) {}

  /// Whether the baseline and this configuration leave the same behind with nothing fused. False where that is not known.
  bool isSame(const Configuration &configuration);

private:
  bool replayInto(Configuration configuration, const std::filesystem::path &differences);

  const Problem &problem;
  Maker &maker;
  const Replay replay;
  TemporaryFolder folder;
  std::optional<bool> hasBaseline; ///< once it was asked for
};

} // namespace heddle::tune
