// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/KernelFacts.h"
#include "analysis/WorkSite.h"
#include "analysis/loops/LoopLegality.h"

#include <map>
#include <set>
#include <variant>

namespace heddle::transform {

/// What has to be computed to know the kind of an item, before anybody does it.
struct KindPlan {
  /// Statements on the way to the branch that it needs, by level of the way.
  std::vector<std::vector<const clang::Stmt *>> needed;
  std::set<const clang::VarDecl *> variables; ///< that these and the branch speak of
  /// The kind of each arm, and of an item that comes to none: a number, or nothing for one that need not be
  /// looked at again.
  using Kind = std::optional<unsigned>;
  std::vector<Kind> ofArm;
  Kind ofNone;
  /// By statement that is needed: of items whose work it ends.
  std::map<const clang::Stmt *, Kind> ofExit;
  unsigned kinds = 0;
};

/// The plan; or the statement that keeps the kind from being computed twice.
std::variant<KindPlan, Diagnostic> planKinds(const analysis::WorkSite &site,
                                             const analysis::KernelFacts &facts);

} // namespace heddle::transform
