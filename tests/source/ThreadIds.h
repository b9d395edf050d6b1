// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Kernel.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <vector>

namespace heddle::testing {

/// Every read of threadIdx.x in the kernel, as the AST range of the whole expression.
inline std::vector<clang::SourceRange> threadIdRanges(const source::Kernel &kernel) {
  struct Finder : clang::DynamicRecursiveASTVisitor {
    std::vector<clang::SourceRange> ranges;
    // `threadIdx.x` is a property read: Clang keeps the written form as the syntactic expression.
    bool TraversePseudoObjectExpr(clang::PseudoObjectExpr *expr) override {
      const auto *read = llvm::cast<clang::MSPropertyRefExpr>(expr->getSyntacticForm()->IgnoreParens());
      const clang::Expr *owner = read->getBaseExpr()->IgnoreParenImpCasts();
      if (const auto *opaque = llvm::dyn_cast<clang::OpaqueValueExpr>(owner))
        owner = opaque->getSourceExpr();
      const auto *base = llvm::dyn_cast<clang::DeclRefExpr>(owner->IgnoreParenImpCasts());
      if (base && base->getDecl()->getName() == "threadIdx")
        ranges.push_back(read->getSourceRange());
      return true;
    }
  } finder;
  finder.TraverseStmt(kernel.function->getBody());
  return finder.ranges;
}

} // namespace heddle::testing
