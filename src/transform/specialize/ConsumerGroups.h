// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/specialize/RoleSplit.h"

namespace heddle::transform {

/// How several consumer groups share the work: each loop in `loops` is distributed over them, iteration by
/// iteration; what is in none of them and has an effect the first group does alone.
struct GroupSplit {
  std::vector<analysis::CountedLoop> loops;
  /// Arrays of the thread's own with an element for each iteration of such a loop: a group has its own part.
  std::set<const clang::VarDecl *> arrays;
  /// Mentions `sums[i]` of those, and the loop's variable.
  struct Element {
    const clang::Expr *index = nullptr;
    const clang::VarDecl *variable = nullptr;
  };
  std::vector<Element> elements;
  std::set<const KernelNode *> firstGroupOnly;
};

/// How the consumer's work can be distributed; a refusal where it is not a parallel loop over the tile.
std::variant<GroupSplit, Diagnostic> splitAmongGroups(const RoleView &view, const RoleSplit &split);

} // namespace heddle::transform
