// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/walk/ThreadIndices.h"

#include <clang/AST/ExprCXX.h>

using namespace clang;

namespace heddle::analysis::walk {

std::optional<Polynomial> ThreadIndices::component(const std::string &base, const std::string &member) {
  if (member.size() != 1 || member[0] < 'x' || member[0] > 'z')
    return std::nullopt;
  unsigned dimension = unsigned(member[0] - 'x');
  if (base == "threadIdx") {
    usedDimensions[dimension] = true;
    if (facts.block[dimension] == 1)
      return Polynomial(0);
    return Polynomial(symbols.threadIdx(dimension));
  }
  if (base == "blockIdx")
    return facts.grid[dimension] == 1 ? Polynomial(0) : Polynomial(symbols.blockIdx(dimension));
  if (base == "blockDim")
    return facts.block[dimension] ? Polynomial(*facts.block[dimension])
                                  : Polynomial(symbols.blockDim(dimension));
  if (base == "gridDim")
    return facts.grid[dimension] ? Polynomial(*facts.grid[dimension])
                                 : Polynomial(symbols.gridDim(dimension));
  return std::nullopt;
}

Polynomial ThreadIndices::threadRank() {
  auto index = [&](const char *base, const char *member) { return *component(base, member); };
  return index("threadIdx", "x") +
         index("blockDim", "x") *
             (index("threadIdx", "y") + index("blockDim", "y") * index("threadIdx", "z"));
}

/// `threadIdx.x` is a member in our headers and a property (a pseudo-object) in Clang's.
std::optional<Polynomial> ThreadIndices::valueOf(const Expr *expression) {
  if (const auto *pseudo = dyn_cast<PseudoObjectExpr>(expression))
    expression = pseudo->getSyntacticForm();
  std::string member;
  const Expr *base = nullptr;
  if (const auto *property = dyn_cast<MSPropertyRefExpr>(expression)) {
    member = property->getPropertyDecl()->getNameAsString();
    base = property->getBaseExpr();
  } else if (const auto *converted = dyn_cast<ImplicitCastExpr>(expression);
             converted && converted->getCastKind() == CK_LValueToRValue) {
    if (const auto *field = dyn_cast<MemberExpr>(converted->getSubExpr()->IgnoreParens())) {
      member = field->getMemberDecl()->getNameAsString();
      base = field->getBase();
    }
  }
  if (!base)
    return std::nullopt;
  base = base->IgnoreParenImpCasts();
  if (const auto *opaque = dyn_cast<OpaqueValueExpr>(base); opaque && opaque->getSourceExpr())
    base = opaque->getSourceExpr()->IgnoreParenImpCasts();
  if (const auto *temporary = dyn_cast<MaterializeTemporaryExpr>(base))
    base = temporary->getSubExpr()->IgnoreParenImpCasts();
  if (const auto *reference = dyn_cast<DeclRefExpr>(base))
    return component(reference->getDecl()->getNameAsString(), member);
  // cg: block.thread_index().x, block.group_index().x
  if (const auto *call = dyn_cast<CallExpr>(base))
    if (const FunctionDecl *callee = call->getDirectCallee();
        callee && callee->getDeclName().isIdentifier()) {
      if (callee->getName() == "thread_index")
        return component("threadIdx", member);
      if (callee->getName() == "group_index" || callee->getName() == "block_index")
        return component("blockIdx", member);
    }
  return std::nullopt;
}

} // namespace heddle::analysis::walk
