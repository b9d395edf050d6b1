// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/loops/LoopSubject.h"

namespace heddle::transform {

/// Carries out `branchless`: a short branch whose sides only compute values becomes a select between them.
///     if (x > 0) y = x * 2; else y = x + 1;   =>   ifSo = x * 2; ifNot = x + 1; y = x > 0 ? ifSo : ifNot;
///
/// Refused: a store that one side alone does; a load that might fault where its side is not taken; division
/// of integers by what may be zero; anything with effects; sides that are long.
PassResult makeBranchless(Context &context);

/// The branches of a kernel that look like it.
std::vector<const clang::Stmt *> branchesToSelect(const Kernel &kernel);

} // namespace heddle::transform
