// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/loops/LoopSubject.h"

namespace heddle::transform {

/// Carries out `unroll-jam factor=F`: F iterations of a loop are done at once, and their copies of the loops
/// inside it become one.
///     for (i...) { s = 0; for (j...) s += a[i][j]; out[i] = s; }
///  => for (i... by 2) { s0 = 0; s1 = 0; for (j...) { s0 += a[i][j]; s1 += a[i + 1][j]; } out[i] = s0; ... }
/// What is left over where F does not divide the number of iterations is done by a loop as it was.
///
/// Refused: loops that do not count, or whose inner loop runs over other values in each iteration;
/// dependences that would be turned around; values that go from one iteration to the next through the inner
/// loop.
PassResult unrollAndJam(Context &context);

/// The loops of a kernel that look like it.
std::vector<const clang::Stmt *> loopsToUnroll(const Kernel &kernel);

} // namespace heddle::transform
