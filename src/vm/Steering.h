// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Code.h"

namespace heddle::vm {

/// Decides what instructions do, for clients that execute a kernel differently from its text: with some values
/// unknown, with some paths not taken. An observer sees what happens; steering decides it. The loop calls it only
/// in launches that have one (LaunchRequest::steering).
class Steering {
public:
  virtual ~Steering() = default;

  /// A warp is about to start: its special registers are filled, and its first frame exists.
  virtual void warpBegins(Warp &warp) = 0;
  /// Called instead of `in` for the lanes that are to execute it; the guard has not been evaluated yet. It may do
  /// anything with them, including `in.run`, and returns how the loop continues, as a handler does.
  virtual Flow step(Warp &warp, const Inst &in) = 0;
};

} // namespace heddle::vm
