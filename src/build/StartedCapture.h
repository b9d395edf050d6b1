// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "build/CaptureRun.h"
#include "support/Paths.h"
#include "support/StartedProcess.h"
#include "support/TurnLock.h"

namespace heddle::build {

/// A run of a program that captures the first launch and measures all. It is not waited for.
///
/// A program may compare results on the host for long after its last launch. It is at rest then (capture/preload/DeviceTurn.h): its
/// launches so far are known, and the GPU can be used in turns with it.
class StartedCapture {
public:
  /// `process`: the program, with what it needs in its environment. `sharesGpu`: the program locks a file while it uses the GPU.
  StartedCapture(CaptureRequest request, ProcessRequest process, bool sharesGpu);

  bool isOver() { return program->isOver(); }
  /// What its launches until now take, where it has captured one and is at rest; else nothing.
  std::optional<CaptureResult> atRest() const;
  /// Waits for its end.
  CaptureResult result();

  /// False where the program has its turn. A turn of ours lasts until endTurn(): the program's next launch waits for that.
  bool tryTurn() { return turn->tryLock(); }
  void endTurn() { turn->unlock(); }

private:
  TemporaryFolder folder; ///< of the result and of the lock
  std::optional<TurnLock> turn;
  std::optional<StartedProcess> program;
};

} // namespace heddle::build
