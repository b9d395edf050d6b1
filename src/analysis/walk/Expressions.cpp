// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions in the symbolic walk.
//
// Evaluating an expression gives its value (an integer form, a pointer, or a truth value; or the reason why
// there is none) and has its effects on the path: loads and stores are recorded, assignments change the
// environment, calls are followed.
//
// 1. Thread indices and constants come first: `evaluateFresh` asks ThreadIndices and Clang's constant folding
//    before it looks at the kind of node.
// 2. Lvalues are located (Lvalues.cpp), then read or written (Memory.cpp); the conversion from lvalue to
//    rvalue is where a load happens, as in Clang's tree.
// 3. `a && b` and `c ? a : b` evaluate their parts under guards, so that an access in them has the condition
//    under which it is executed.
// 4. A node of a kind that is not listed evaluates its parts, for their effects, and has no value.
//
// Values and conditions of the kernel's own body are kept by expression, for transforms that ask later.
// Evaluation inside a called function is not: it differs by call. Cost: each expression once for each time
// that it is followed.
#include "analysis/walk/Expressions.h"

#include "analysis/walk/Arithmetic.h"
#include "analysis/walk/Calls.h"
#include "analysis/walk/Lvalues.h"
#include "analysis/walk/Memory.h"
#include "analysis/walk/Pointers.h"
#include "analysis/walk/Statements.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

using namespace clang;

namespace heddle::analysis::walk {
namespace {

bool isWhole(QualType type) { return type->isIntegralOrEnumerationType(); }

std::optional<int64_t> foldedConstant(const Expr *expression, const ASTContext &context) {
  Expr::EvalResult folded;
  if (expression->isValueDependent() || !expression->EvaluateAsInt(folded, context))
    return std::nullopt;
  return folded.Val.getInt().tryExtValue();
}

std::optional<std::string> comparisonOf(BinaryOperatorKind op) {
  if (!BinaryOperator::isComparisonOp(op) || op == BO_Cmp)
    return std::nullopt;
  return BinaryOperator::getOpcodeStr(op).str();
}

Value evaluateCast(const CastExpr *expression, Path &path) {
  const Expr *from = expression->getSubExpr();
  switch (expression->getCastKind()) {
  case CK_LValueToRValue: {
    // const and constexpr variables, enumerators and template arguments are numbers, not loads.
    const auto *reference = dyn_cast<DeclRefExpr>(from->IgnoreParens());
    const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (variable && isWhole(expression->getType()) &&
        (variable->isConstexpr() || (variable->hasGlobalStorage() && variable->getType().isConstQualified())))
      if (auto constant = foldedConstant(expression, path.context))
        return {*constant, std::nullopt, nullptr};
    if (reference && reference->getDecl()->getName() == "warpSize")
      return {32, std::nullopt, nullptr};
    return load(locate(from, path), expression->getType(), expression, path);
  }
  case CK_ArrayToPointerDecay: {
    if (isa<StringLiteral>(from->IgnoreParens()))
      return Value::unknown("text", path.location(expression));
    return addressOf(locate(from, path), expression->getType()->getPointeeType(), path.unit);
  }
  case CK_IntegralToBoolean: return truthValue(conditionOf(evaluate(from, path)), path.location(expression));
  case CK_IntegralCast:
    return integerCast(evaluate(from, path), from->getType(), expression->getType(), expression,
                       path.scope());
  case CK_FloatingToIntegral:
    evaluate(from, path);
    return Value::unknown("converted from floating point", path.location(expression));
  case CK_NoOp:
  case CK_AddressSpaceConversion:
  case CK_LValueBitCast:
  case CK_DerivedToBase:
  case CK_UncheckedDerivedToBase:
  case CK_ConstructorConversion:
  case CK_UserDefinedConversion: return evaluate(from, path);
  case CK_BitCast: {
    Value value = evaluate(from, path);
    QualType target = expression->getType();
    if (value.pointer && target->isPointerType() && !value.pointer->scalar)
      value.pointer = viewedAs(std::move(*value.pointer), target->getPointeeType(), expression, path.unit);
    return value;
  }
  default: {
    Value value = evaluate(from, path);
    if (value.pointer || !isWhole(expression->getType()))
      return value;
    return Value::unknown("converted", path.location(expression));
  }
  }
}

Value evaluateUnary(const UnaryOperator *expression, Path &path) {
  const Expr *from = expression->getSubExpr();
  SourceLocation location = path.location(expression);
  switch (expression->getOpcode()) {
  case UO_Plus:
  case UO_Extension: return evaluate(from, path);
  case UO_Minus: {
    Value value = evaluate(from, path);
    return {subtract(Affine(0), value.integer, location), std::nullopt, nullptr};
  }
  case UO_Not: { // ~x = -x - 1
    Value value = evaluate(from, path);
    return {subtract(Affine(-1), value.integer, location), std::nullopt, nullptr};
  }
  case UO_LNot: {
    Condition truth = conditionOf(evaluate(from, path)).negated();
    return truthValue(truth, location);
  }
  case UO_AddrOf: return addressOf(locate(from, path), from->getType(), path.unit);
  case UO_Deref: return evaluateParts(expression, "not followed", path);
  case UO_PreInc:
  case UO_PreDec:
  case UO_PostInc:
  case UO_PostDec: {
    LValue target = locate(from, path);
    Value old = load(target, from->getType(), from, path);
    Value next = arithmetic(expression->isIncrementOp() ? BO_Add : BO_Sub, old,
                            Value{1, std::nullopt, nullptr}, from->getType(), expression, path.scope());
    store(target, next, from->getType(), from, path);
    return expression->isPrefix() ? next : old;
  }
  default: return evaluateParts(expression, "not followed", path);
  }
}

Value evaluateLogical(const BinaryOperator *expression, Path &path) {
  const bool isAnd = expression->getOpcode() == BO_LAnd;
  Condition left = conditionOf(evaluate(expression->getLHS(), path));
  Guards before = path.guards;
  guard(isAnd ? left : left.negated(), expression->getLHS(), !isAnd, path);
  size_t mark = path.now.mark();
  Condition right = conditionOf(evaluate(expression->getRHS(), path));
  path.guards = before;
  path.now.apply(joined(path.now.undo(mark), {}, left, path.location(expression), path));
  Condition truth = isAnd ? Condition::both(left, right) : Condition::either(left, right);
  return truthValue(truth, path.location(expression));
}

Value evaluateAssignment(const BinaryOperator *expression, Path &path) {
  const Expr *left = expression->getLHS();
  Value right = evaluate(expression->getRHS(), path);
  LValue target = locate(left, path);
  if (expression->isCompoundAssignmentOp()) {
    Value old = load(target, left->getType(), left, path);
    BinaryOperatorKind op = BinaryOperator::getOpForCompoundAssignment(expression->getOpcode());
    right = arithmetic(op, old, right, left->getType(), expression, path.scope());
  }
  store(target, right, left->getType(), left, path);
  if (target.kind == LValue::Kind::Variable && left->getType()->isRecordType())
    copyMembers(target.variable, expression->getRHS(), path);
  return right;
}

Value evaluateBinary(const BinaryOperator *expression, Path &path) {
  if (expression->isAssignmentOp())
    return evaluateAssignment(expression, path);
  if (expression->isLogicalOp())
    return evaluateLogical(expression, path);
  Value left = evaluate(expression->getLHS(), path);
  Value right = evaluate(expression->getRHS(), path);
  if (expression->isCommaOp())
    return right;
  if (auto op = comparisonOf(expression->getOpcode()))
    return comparison(*op, left, right);
  return arithmetic(expression->getOpcode(), left, right, expression->getType(), expression, path.scope());
}

Value evaluateConditional(const AbstractConditionalOperator *expression, Path &path) {
  if (const auto *elvis = dyn_cast<BinaryConditionalOperator>(expression))
    return evaluateParts(elvis, "chosen by a condition", path);
  Condition decision = evaluateCondition(expression->getCond(), path);
  if (decision.isAlways(true))
    return evaluate(expression->getTrueExpr(), path);
  if (decision.isAlways(false))
    return evaluate(expression->getFalseExpr(), path);
  Guards before = path.guards;
  size_t mark = path.now.mark();
  guard(decision, expression->getCond(), false, path);
  Value yes = evaluate(expression->getTrueExpr(), path);
  path.guards = before;
  Environment::Changes afterYes = path.now.undo(mark);
  mark = path.now.mark();
  guard(decision.negated(), expression->getCond(), true, path);
  Value no = evaluate(expression->getFalseExpr(), path);
  path.guards = before;
  path.now.apply(joined(afterYes, path.now.undo(mark), decision, path.location(expression), path));
  Value both = joined({nullptr, "?:"}, yes, no, decision, path.location(expression), path);
  if (!both.integer && yes.integer && no.integer)
    both.integer = Affine::not_("chosen by a condition", path.location(expression));
  return both;
}

Value evaluateFresh(const Expr *expression, Path &path) {
  if (std::optional<Polynomial> index = path.indices.valueOf(expression))
    return {*index, std::nullopt, nullptr};
  switch (expression->getStmtClass()) {
  case Stmt::IntegerLiteralClass:
  case Stmt::CharacterLiteralClass:
  case Stmt::UnaryExprOrTypeTraitExprClass:
  case Stmt::SubstNonTypeTemplateParmExprClass:
  case Stmt::TypeTraitExprClass:
  case Stmt::SizeOfPackExprClass:
    if (auto constant = foldedConstant(expression, path.context))
      return {*constant, std::nullopt, nullptr};
    break;
  case Stmt::CXXBoolLiteralExprClass: {
    bool value = cast<CXXBoolLiteralExpr>(expression)->getValue();
    return {int64_t(value), std::nullopt, std::make_shared<Condition>(Condition::always(value))};
  }
  case Stmt::CXXNullPtrLiteralExprClass:
  case Stmt::FloatingLiteralClass:
  case Stmt::StringLiteralClass: return Value::unknown("not an integer", path.location(expression));
  case Stmt::ParenExprClass: return evaluate(cast<ParenExpr>(expression)->getSubExpr(), path);
  case Stmt::ConstantExprClass: return evaluate(cast<ConstantExpr>(expression)->getSubExpr(), path);
  case Stmt::ExprWithCleanupsClass: return evaluate(cast<ExprWithCleanups>(expression)->getSubExpr(), path);
  case Stmt::CXXBindTemporaryExprClass:
    return evaluate(cast<CXXBindTemporaryExpr>(expression)->getSubExpr(), path);
  case Stmt::MaterializeTemporaryExprClass:
    return evaluate(cast<MaterializeTemporaryExpr>(expression)->getSubExpr(), path);
  case Stmt::CXXDefaultArgExprClass: return evaluate(cast<CXXDefaultArgExpr>(expression)->getExpr(), path);
  case Stmt::CXXDefaultInitExprClass: return evaluate(cast<CXXDefaultInitExpr>(expression)->getExpr(), path);
  case Stmt::ConditionalOperatorClass:
  case Stmt::BinaryConditionalOperatorClass:
    return evaluateConditional(cast<AbstractConditionalOperator>(expression), path);
  case Stmt::UnaryOperatorClass: return evaluateUnary(cast<UnaryOperator>(expression), path);
  case Stmt::BinaryOperatorClass:
  case Stmt::CompoundAssignOperatorClass: return evaluateBinary(cast<BinaryOperator>(expression), path);
  case Stmt::CXXThisExprClass:
    return addressOf(path.frames.back().self, expression->getType()->getPointeeType(), path.unit);
  case Stmt::CXXConstructExprClass:
  case Stmt::CXXTemporaryObjectExprClass:
    return evaluateConstruction(cast<CXXConstructExpr>(expression), path);
  case Stmt::LambdaExprClass: return Value::unknown("a lambda", path.location(expression));
  case Stmt::InitListExprClass: {
    const auto *list = cast<InitListExpr>(expression);
    if (list->getNumInits() == 1 && !list->getType()->isRecordType() && !list->getType()->isArrayType())
      return evaluate(list->getInit(0), path);
    break;
  }
  case Stmt::ImplicitValueInitExprClass:
  case Stmt::CXXScalarValueInitExprClass:
    if (isWhole(expression->getType()))
      return {0, std::nullopt, nullptr};
    break;
  case Stmt::StmtExprClass:
    follow(cast<StmtExpr>(expression)->getSubStmt(), path);
    return Value::unknown("a statement expression", path.location(expression));
  default: break;
  }
  if (const auto *converted = dyn_cast<CastExpr>(expression))
    return evaluateCast(converted, path);
  if (const auto *call = dyn_cast<CallExpr>(expression))
    return evaluateCall(call, path);
  if (expression->isGLValue()) {
    LValue location = locate(expression, path);
    // A whole object used where it is: `f(s[i])` by reference, the base of a member call.
    if (location.kind == LValue::Kind::Memory)
      return Value::unknown("an object in memory", path.location(expression));
    return location.kind == LValue::Kind::Variable
               ? load(location, expression->getType(), expression, path)
               : Value::unknown("not followed", path.location(expression));
  }
  return evaluateParts(expression, "not followed", path);
}

} // namespace

Value evaluateParts(const Stmt *expression, const char *what, Path &path) {
  for (const Stmt *child : expression->children())
    if (const auto *part = dyn_cast_or_null<Expr>(child))
      evaluate(part, path);
  return Value::unknown(what, path.location(expression));
}

Value evaluate(const Expr *expression, Path &path) {
  if (!expression)
    return Value::unknown("nothing", {});
  ++path.steps;
  Value value = evaluateFresh(expression, path);
  if (path.isInKernel() && !path.isSilent && isWhole(expression->getType()) && !expression->isGLValue())
    path.found.values.insert_or_assign(expression, value.integer);
  return value;
}

Condition evaluateCondition(const Expr *expression, Path &path) {
  Condition condition = conditionOf(evaluate(expression, path));
  if (path.isInKernel() && !path.isSilent)
    path.found.conditions.insert_or_assign(expression, condition);
  return condition;
}

} // namespace heddle::analysis::walk
