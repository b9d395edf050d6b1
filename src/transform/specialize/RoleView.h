// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/KernelView.h"
#include "analysis/loops/LoopStudy.h"
#include "source/Unit.h"

namespace heddle::transform {

using analysis::KernelNode;
using analysis::VariableSet;

/// A kernel's tree as roles are given out: statement by statement, with loops and branches opened. A switch,
/// an `if constexpr` and a range-based loop are carried out as a whole.
class RoleView : public analysis::KernelView {
public:
  /// `tree` and `study` are of the same facts.
  RoleView(const analysis::LoopStudy &study, const analysis::KernelTree &tree);

  const analysis::LoopStudy &study;
  const source::ReachingDefinitions &definitions;

  /// Carried out as a whole, and neither a barrier nor a jump.
  bool isStatement(const KernelNode &node) const;
  /// A local with one value, which it is declared with.
  bool isFixed(const clang::VarDecl *variable) const;
  /// The candidates that set what is wanted, or what those read in turn; in the order of the text.
  std::vector<const KernelNode *> neededFor(VariableSet wanted,
                                            const std::function<bool(const KernelNode &)> &isCandidate) const;
};

} // namespace heddle::transform
