// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/loops/LoopObstacles.h"

namespace heddle::transform {

/// The first thing that executing `code` does besides giving values to variables of the thread's own: a store
/// to memory, an atomic, a call that is not known to do nothing of that kind. Functions of the user's are
/// looked into. Where there is none, the code can be executed once more, and nobody will know.
Obstacle firstOutwardEffect(const source::Unit &unit, const clang::Stmt *code);

} // namespace heddle::transform
