// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/loops/LoopSubject.h"

namespace heddle::transform {

/// Carries out `interchange`: two loops, one inside the other with nothing else between them, change places.
///     for (i...) for (j...) body   =>   for (j...) for (i...) body
///
/// Refused: an inner loop that runs over other values in each iteration of the outer one; an element written
/// in (i, j) and touched again in (i' > i, j' < j); a variable that the iterations hand on, such as a sum:
/// the order of additions would change.
PassResult interchangeLoops(Context &context);

/// The loops of a kernel that look like it.
std::vector<const clang::Stmt *> loopsToInterchange(const Kernel &kernel);

} // namespace heddle::transform
