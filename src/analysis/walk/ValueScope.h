// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Affine.h"
#include "source/Unit.h"

#include <algorithm>
#include <vector>

namespace heddle::analysis::walk {

/// What a symbolic value is formed from at one point of a kernel: the symbols that it may mention, what is
/// known of launches, and the loops around that point.
struct ValueScope {
  const source::Unit &unit;
  const LaunchFacts &facts;
  SymbolTable &symbols;
  const Loop *loop = nullptr; ///< the innermost loop; null outside of loops

  clang::ASTContext &context() const { return unit.context(); }
  SourceLocation location(const clang::Stmt *statement) const { return unit.location(statement); }
  /// The loops around, outermost first: a value that has no form may differ in each iteration of them.
  std::vector<const Loop *> loops() const {
    std::vector<const Loop *> list;
    for (const Loop *one = loop; one; one = one->parent)
      list.push_back(one);
    std::reverse(list.begin(), list.end());
    return list;
  }
};

} // namespace heddle::analysis::walk
