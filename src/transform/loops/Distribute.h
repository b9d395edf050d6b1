// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/loops/LoopSubject.h"

namespace heddle::transform {

/// Carries out `distribute`: a loop becomes several, one for each group of statements that depend on each
/// other in a circle.
///     for (i...) { a[i] = f(i); b[i] = a[i - 1]; }   =>   for (i...) a[i] = f(i); for (i...) b[i] = a[i -
///     1];
/// An index that several groups need is computed in each. Another value that they share becomes a small
/// array where the number of iterations is a small constant; else they stay together.
///
/// Refused: a loop whose statements all hang together.
PassResult distributeLoop(Context &context);

/// The loops of a kernel that look like it.
std::vector<const clang::Stmt *> loopsToDistribute(const Kernel &kernel);

} // namespace heddle::transform
