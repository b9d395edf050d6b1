// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace heddle::capture {

/// What the environment asks of the preloaded library. `heddle capture` sets these (docs/environment.md).
struct Settings {
  /// FirstAndSurvey: the first launch is captured and all are measured, so that `heddle capture` can determine whether another
  /// one takes longer in total. EachShape: the first of each kernel, grid, block and shared memory, in folders 1, 2, ...
  enum class Which { FirstAndSurvey, Numbered, EachShape };

  std::string folder;                  ///< HEDDLE_CAPTURE; empty: nothing is captured
  std::string resultFile;              ///< HEDDLE_CAPTURE_RESULT: what happened, as JSON
  std::string kernel;                  ///< HEDDLE_CAPTURE_KERNEL: which kernel is meant; empty: any
  Which which = Which::FirstAndSurvey; ///< HEDDLE_CAPTURE_LAUNCH: a number, or "all"
  uint64_t number = 0;                 ///< of the launch, from 1, among those of the kernels that are meant
  bool allMemory = false;              ///< HEDDLE_CAPTURE_ALL_MEMORY: also what the launch does not reach
  bool stops = false;                  ///< HEDDLE_CAPTURE_STOP: the program ends when the launch is captured
  std::string arch;                    ///< HEDDLE_CAPTURE_ARCH; empty: that of the device
  std::string program;                 ///< HEDDLE_CAPTURE_PROGRAM: as it was run
  std::string
      turnFile; ///< HEDDLE_CAPTURE_TURN: who locks it uses the GPU (DeviceTurn.h); empty: the program always

  static Settings fromEnvironment();
};

} // namespace heddle::capture
