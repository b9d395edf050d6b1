// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an lvalue expression lies: in a local variable, or at an element of an array.
//
// The walk asks for the location before it records a read or a write. Subscripts, members and dereferences move a pointer value by an affine index; casts
// between unrelated types keep the array and forget the index, since elements of another size count differently. What has side effects (i++, a
// comma, a call that returns a reference) is evaluated exactly once, in the order of C++. A choice (c ? a : b) is known only where the
// condition is. An empty result means "anywhere", and the access that follows is then treated as touching unknown memory.
#include "analysis/walk/Lvalues.h"

#include "analysis/walk/Calls.h"
#include "analysis/walk/Expressions.h"
#include "analysis/walk/Pointers.h"

using namespace clang;

namespace heddle::analysis::walk {
namespace {

LValue locateVariable(const VarDecl *variable, const Expr *expression, Path &path) {
  if (variable->getType()->isReferenceType()) {
    auto at = path.now.references.find(variable);
    return at == path.now.references.end() ? LValue{} : at->second;
  }
  QualType type = variable->getType();
  if (!variable->hasGlobalStorage() && !type->isArrayType())
    return {.kind = LValue::Kind::Variable, .variable = variable, .expression = expression};
  return {.kind = LValue::Kind::Memory,
          .memory = {.array = path.arrays.of(variable), .pointee = type},
          .expression = expression};
}

LValue locateMember(const MemberExpr *expression, Path &path) {
  const auto *field = dyn_cast<FieldDecl>(expression->getMemberDecl());
  if (!field) {
    if (const auto *variable = dyn_cast<VarDecl>(expression->getMemberDecl())) // a static member
      return locateVariable(variable, expression, path);
    evaluateParts(expression, "a member function", path);
    return {};
  }
  LValue base = expression->isArrow()
                    ? pointedAt(evaluate(expression->getBase(), path), expression, path.arrays, path.unit)
                    : locate(expression->getBase(), path);
  return memberOf(std::move(base), field, expression, path.unit);
}

} // namespace

LValue locate(const Expr *expression, Path &path) {
  expression = expression->IgnoreParens();
  if (const auto *cast = dyn_cast<CastExpr>(expression)) {
    switch (cast->getCastKind()) {
    case CK_NoOp:
    case CK_DerivedToBase:
    case CK_UncheckedDerivedToBase:
    case CK_AddressSpaceConversion:
    case CK_LValueBitCast: {
      LValue inner = locate(cast->getSubExpr(), path);
      if (cast->getCastKind() == CK_LValueBitCast && inner.kind == LValue::Kind::Memory) {
        inner.memory.outer.clear();
        inner.memory.inner = Affine::not_("seen as another type", path.location(expression));
      }
      return inner;
    }
    default: evaluate(expression, path); return {};
    }
  }
  switch (expression->getStmtClass()) {
  case Stmt::DeclRefExprClass: {
    const auto *variable = dyn_cast<VarDecl>(cast<DeclRefExpr>(expression)->getDecl());
    return variable ? locateVariable(variable, expression, path) : LValue{};
  }
  case Stmt::MemberExprClass: return locateMember(cast<MemberExpr>(expression), path);
  case Stmt::ArraySubscriptExprClass: {
    const auto *subscript = cast<ArraySubscriptExpr>(expression);
    Value base = evaluate(subscript->getBase(), path);
    Value index = evaluate(subscript->getIdx(), path);
    if (!base.pointer)
      return pointedAt(base, expression, path.arrays, path.unit);
    return pointedAt(moved(*base.pointer, index.integer, path.location(subscript->getIdx()), path.context),
                     expression, path.arrays, path.unit);
  }
  case Stmt::UnaryOperatorClass: {
    const auto *unary = cast<UnaryOperator>(expression);
    if (unary->getOpcode() == UO_Deref)
      return pointedAt(evaluate(unary->getSubExpr(), path), expression, path.arrays, path.unit);
    if (unary->isIncrementDecrementOp()) {
      evaluate(unary, path);
      return locate(unary->getSubExpr(), path);
    }
    if (unary->getOpcode() == UO_Extension)
      return locate(unary->getSubExpr(), path);
    return {};
  }
  case Stmt::BinaryOperatorClass:
  case Stmt::CompoundAssignOperatorClass: {
    const auto *binary = cast<BinaryOperator>(expression);
    evaluate(binary, path);
    Silence silence(path); // its parts were evaluated above
    return locate(binary->isCommaOp() ? binary->getRHS() : binary->getLHS(), path);
  }
  case Stmt::ExprWithCleanupsClass: return locate(cast<ExprWithCleanups>(expression)->getSubExpr(), path);
  case Stmt::MaterializeTemporaryExprClass: {
    const Expr *inner = cast<MaterializeTemporaryExpr>(expression)->getSubExpr();
    evaluate(inner, path);
    return {};
  }
  case Stmt::CallExprClass:
  case Stmt::CXXMemberCallExprClass:
  case Stmt::CXXOperatorCallExprClass: {
    evaluateCall(cast<CallExpr>(expression), path);
    if (auto location = std::exchange(path.frames.back().returnedLvalue, std::nullopt))
      return *location;
    return {};
  }
  case Stmt::ConditionalOperatorClass: {
    const auto *choice = cast<ConditionalOperator>(expression);
    Condition decision = evaluateCondition(choice->getCond(), path);
    LValue yes = locate(choice->getTrueExpr(), path), no = locate(choice->getFalseExpr(), path);
    if (decision.isAlways(true))
      return yes;
    if (decision.isAlways(false))
      return no;
    return {};
  }
  default: evaluateParts(expression, "not followed", path); return {};
  }
}

} // namespace heddle::analysis::walk
