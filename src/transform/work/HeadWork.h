// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

#include <optional>
#include <set>
#include <vector>

namespace clang {
class Stmt;
class VarDecl;
} // namespace clang

namespace heddle::transform {

/// Work that differs by thread in the head of a loop or branch around a barrier.
///
/// A work loop cannot be in a head: what is evaluated there is evaluated once for all items.
struct HeadWork {
  const clang::Stmt *statement = nullptr;          ///< the for, while, do, if or switch
  std::set<const clang::VarDecl *> variables = {}; ///< of which each item has its own
  std::set<const clang::Stmt *> effects = {};      ///< on memory, or of calls that are not followed
  bool isEmpty() const { return variables.empty() && effects.empty(); }
};

/// Takes such work out of heads, so that it becomes statements.
///
///     for (int i = 0, j = threadIdx.x; i < n; ++i, j += 32) {        int j = threadIdx.x;
///       ...                                                    =>    for (int i = 0; i < n; ++i) {
///     }                                                                ...
///                                                                      j += 32;
///                                                                    }
///
///     if (int j = threadIdx.x; n > 3)                                { int j = threadIdx.x;
///       ...                                                    =>    if (n > 3)
///                                                                      ... }
///
///     while (int left = count[i])                              =>    while (true) { int left = count[i];
///       ...                                                            if (!left) break; ... }
///
/// A range-based loop over an array becomes one that counts. A refusal where a head cannot be taken apart.
std::variant<Needs, Diagnostic> takeHeadsApart(Context &context, const Kernel &kernel,
                                               const std::vector<HeadWork> &heads);

} // namespace heddle::transform
