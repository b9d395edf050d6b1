// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Code.h"

namespace heddle::vm {

/// Stands between the simulator's loop and the instructions, for who wants to run a kernel other than it says:
/// with some values unknown, with some ways not taken. An observer sees what happens; steering decides it.
/// The loop asks for it only in launches that have one (LaunchRequest::steering).
class Steering {
public:
  virtual ~Steering() = default;

  /// A warp is about to start: its special registers are filled, its first frame is there.
  virtual void warpBegins(Warp &warp) = 0;
  /// Called in the place of `in` for the lanes that are to execute it; the guard is not looked at yet. Does
  /// what it likes with them, `in.run` included, and tells the loop how to go on as a handler would.
  virtual Flow step(Warp &warp, const Inst &in) = 0;
};

} // namespace heddle::vm
