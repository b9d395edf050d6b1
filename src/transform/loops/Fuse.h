// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/loops/LoopSubject.h"

namespace heddle::transform {

/// Carries out `fuse`: a loop and the loop right after it, which run over the same values, become one.
///     for (i...) A(i); for (j...) B(j);   =>   for (i...) { A(i); B(i); }
///
/// Refused: loops that do not certainly run over the same values; an element that A touches in a later
/// iteration than B does; a variable that one of them changes and the other uses.
PassResult fuseLoops(Context &context);

/// The loops of a kernel that look like it.
std::vector<const clang::Stmt *> loopsToFuse(const Kernel &kernel);

} // namespace heddle::transform
