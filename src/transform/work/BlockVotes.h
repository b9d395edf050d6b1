// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace clang {
class CallExpr;
class Stmt;
class VarDecl;
} // namespace clang

namespace heddle::transform {

/// Takes votes of the block apart, so that threads say what they vote in a statement before the barrier.
///
///     if (__syncthreads_or(x > limit))    =>    const int vote = (x > limit) != 0;
///       ...                                     const int votes = __syncthreads_or(vote);
///                                               if (votes)
///                                                 ...
std::optional<Needs> takeVotesApart(Context &context, const Kernel &kernel);

/// A vote as the above leaves it: `votes = __syncthreads_or(vote)`, or a declaration of `votes`.
struct BlockVote {
  enum class Kind { Any, All, Count } kind = Kind::Any;
  const clang::CallExpr *call = nullptr;
  const clang::VarDecl *vote = nullptr; ///< 0 or 1 in each thread
};
std::optional<BlockVote> votedIn(const clang::Stmt *statement);

} // namespace heddle::transform
