// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The expression half of the symbolic walk: what a value is, in threads, iterations and parameters.
#include "analysis/SymbolicWalk.h"
#include "arch/Common.h"

#include <clang/AST/ASTContext.h>

using namespace clang;

namespace heddle::analysis {
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

} // namespace

Value SymbolicWalk::evaluate(const Expr *expression) {
  if (!expression)
    return Value::unknown("nothing", {});
  ++steps;
  Value value = evaluateFresh(expression);
  if (frames.size() == 1 && !silent && isWhole(expression->getType()) && !expression->isGLValue())
    result.values.insert_or_assign(expression, value.integer);
  return value;
}

Value SymbolicWalk::evaluateFresh(const Expr *expression) {
  if (std::optional<Polynomial> index = builtinIndex(expression))
    return {*index, std::nullopt, nullptr};
  switch (expression->getStmtClass()) {
  case Stmt::IntegerLiteralClass:
  case Stmt::CharacterLiteralClass:
  case Stmt::UnaryExprOrTypeTraitExprClass:
  case Stmt::SubstNonTypeTemplateParmExprClass:
  case Stmt::TypeTraitExprClass:
  case Stmt::SizeOfPackExprClass:
    if (auto constant = foldedConstant(expression, context))
      return {*constant, std::nullopt, nullptr};
    break;
  case Stmt::CXXBoolLiteralExprClass: {
    bool value = cast<CXXBoolLiteralExpr>(expression)->getValue();
    return {int64_t(value), std::nullopt, std::make_shared<Condition>(Condition::always(value))};
  }
  case Stmt::CXXNullPtrLiteralExprClass:
  case Stmt::FloatingLiteralClass:
  case Stmt::StringLiteralClass: return Value::unknown("not a whole number", placeOf(expression));
  case Stmt::ParenExprClass: return evaluate(cast<ParenExpr>(expression)->getSubExpr());
  case Stmt::ConstantExprClass: return evaluate(cast<ConstantExpr>(expression)->getSubExpr());
  case Stmt::ExprWithCleanupsClass: return evaluate(cast<ExprWithCleanups>(expression)->getSubExpr());
  case Stmt::CXXBindTemporaryExprClass: return evaluate(cast<CXXBindTemporaryExpr>(expression)->getSubExpr());
  case Stmt::MaterializeTemporaryExprClass:
    return evaluate(cast<MaterializeTemporaryExpr>(expression)->getSubExpr());
  case Stmt::CXXDefaultArgExprClass: return evaluate(cast<CXXDefaultArgExpr>(expression)->getExpr());
  case Stmt::CXXDefaultInitExprClass: return evaluate(cast<CXXDefaultInitExpr>(expression)->getExpr());
  case Stmt::ConditionalOperatorClass:
  case Stmt::BinaryConditionalOperatorClass:
    return evaluateConditional(cast<AbstractConditionalOperator>(expression));
  case Stmt::UnaryOperatorClass: return evaluateUnary(cast<UnaryOperator>(expression));
  case Stmt::BinaryOperatorClass:
  case Stmt::CompoundAssignOperatorClass: return evaluateBinary(cast<BinaryOperator>(expression));
  case Stmt::CXXThisExprClass: return addressOf(frames.back().self, expression->getType()->getPointeeType());
  case Stmt::CXXConstructExprClass:
  case Stmt::CXXTemporaryObjectExprClass: return evaluateConstruction(cast<CXXConstructExpr>(expression));
  case Stmt::LambdaExprClass: return Value::unknown("a lambda", placeOf(expression));
  case Stmt::InitListExprClass: {
    const auto *list = cast<InitListExpr>(expression);
    if (list->getNumInits() == 1 && !list->getType()->isRecordType() && !list->getType()->isArrayType())
      return evaluate(list->getInit(0));
    break;
  }
  case Stmt::ImplicitValueInitExprClass:
  case Stmt::CXXScalarValueInitExprClass:
    if (isWhole(expression->getType()))
      return {0, std::nullopt, nullptr};
    break;
  case Stmt::StmtExprClass:
    walk(cast<StmtExpr>(expression)->getSubStmt());
    return Value::unknown("a statement expression", placeOf(expression));
  default: break;
  }
  if (const auto *converted = dyn_cast<CastExpr>(expression))
    return evaluateCast(converted);
  if (const auto *call = dyn_cast<CallExpr>(expression))
    return evaluateCall(call);
  if (expression->isGLValue()) {
    LValue place = locate(expression);
    // A whole object used where it stands: `f(s[i])` by reference, the base of a member call.
    if (place.kind == LValue::Kind::Memory)
      return Value::unknown("an object in memory", placeOf(expression));
    return place.kind == LValue::Kind::Variable ? load(place, expression->getType(), expression)
                                                : Value::unknown("not followed", placeOf(expression));
  }
  return evaluateChildren(expression, "not followed");
}

Value SymbolicWalk::evaluateChildren(const Stmt *expression, const char *what) {
  for (const Stmt *child : expression->children())
    if (const auto *part = dyn_cast_or_null<Expr>(child))
      evaluate(part);
  return Value::unknown(what, placeOf(expression));
}

Value SymbolicWalk::evaluateCast(const CastExpr *expression) {
  const Expr *from = expression->getSubExpr();
  switch (expression->getCastKind()) {
  case CK_LValueToRValue: {
    // const and constexpr variables, enumerators and template arguments are numbers, not loads.
    const auto *reference = dyn_cast<DeclRefExpr>(from->IgnoreParens());
    const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (variable && isWhole(expression->getType()) &&
        (variable->isConstexpr() || (variable->hasGlobalStorage() && variable->getType().isConstQualified())))
      if (auto constant = foldedConstant(expression, context))
        return {*constant, std::nullopt, nullptr};
    if (reference && reference->getDecl()->getName() == "warpSize")
      return {32, std::nullopt, nullptr};
    return load(locate(from), expression->getType(), expression);
  }
  case CK_ArrayToPointerDecay: {
    if (isa<StringLiteral>(from->IgnoreParens()))
      return Value::unknown("text", placeOf(expression));
    return addressOf(locate(from), expression->getType()->getPointeeType());
  }
  case CK_IntegralToBoolean: {
    Value value = evaluate(from);
    Condition truth =
        value.integer ? Condition::compare(*value.integer, "!=", Polynomial()) : Condition::unknown();
    if (value.truth)
      truth = *value.truth;
    return {Affine::not_("a truth value", placeOf(expression)), std::nullopt,
            std::make_shared<Condition>(truth)};
  }
  case CK_IntegralCast: {
    Value value = evaluate(from);
    if (!value.integer || value.integer.constant())
      return value;
    unsigned width = context.getIntWidth(expression->getType());
    unsigned before = context.getIntWidth(from->getType());
    auto most = largestValue(*value.integer);
    bool fits = most && value.integer->isNonNegative() && *most < (int64_t(1) << (width - 1));
    if (width < 32 && before >= 32 && !fits) {
      value.integer = Affine::not_("narrowed to fewer than 32 bits", placeOf(expression));
      return value;
    }
    if (width > before && from->getType()->isUnsignedIntegerType() && !value.integer->isNonNegative())
      value.integer.assumesNoWrap = true;
    if (width < before)
      value.integer.assumesNoWrap = true;
    return value;
  }
  case CK_FloatingToIntegral:
    evaluate(from);
    return Value::unknown("converted from floating point", placeOf(expression));
  case CK_NoOp:
  case CK_AddressSpaceConversion:
  case CK_LValueBitCast:
  case CK_DerivedToBase:
  case CK_UncheckedDerivedToBase:
  case CK_ConstructorConversion:
  case CK_UserDefinedConversion: return evaluate(from);
  case CK_BitCast: {
    Value value = evaluate(from);
    QualType target = expression->getType();
    if (value.pointer && target->isPointerType() && !value.pointer->scalar) {
      // Another view of the same memory: old subscripts mean nothing, the byte offset stays.
      PointerValue &pointer = *value.pointer;
      QualType pointee = target->getPointeeType();
      if (context.hasSameUnqualifiedType(pointee, pointer.pointee))
        return value;
      pointer.outer.clear();
      pointer.pointee = pointee;
      int64_t size = sizeOf(pointee);
      auto elements = pointer.offset && size ? pointer.offset->dividedBy(size) : std::nullopt;
      pointer.inner = elements ? Affine(*elements)
                               : Affine::not_("the pointer was cast to another type", placeOf(expression));
    }
    return value;
  }
  default: {
    Value value = evaluate(from);
    if (value.pointer || !isWhole(expression->getType()))
      return value;
    return Value::unknown("converted", placeOf(expression));
  }
  }
}

Value SymbolicWalk::evaluateUnary(const UnaryOperator *expression) {
  const Expr *from = expression->getSubExpr();
  Place place = placeOf(expression);
  switch (expression->getOpcode()) {
  case UO_Plus:
  case UO_Extension: return evaluate(from);
  case UO_Minus: {
    Value value = evaluate(from);
    return {subtract(Affine(0), value.integer, place), std::nullopt, nullptr};
  }
  case UO_Not: { // ~x = -x - 1
    Value value = evaluate(from);
    return {subtract(Affine(-1), value.integer, place), std::nullopt, nullptr};
  }
  case UO_LNot: {
    Condition truth = conditionOf(evaluate(from)).negated();
    return {Affine::not_("a truth value", place), std::nullopt, std::make_shared<Condition>(truth)};
  }
  case UO_AddrOf: return addressOf(locate(from), from->getType());
  case UO_Deref: return evaluateChildren(expression, "not followed");
  case UO_PreInc:
  case UO_PreDec:
  case UO_PostInc:
  case UO_PostDec: {
    LValue target = locate(from);
    Value old = load(target, from->getType(), from);
    Value next = arithmetic(expression->isIncrementOp() ? BO_Add : BO_Sub, old,
                            Value{1, std::nullopt, nullptr}, from->getType(), expression);
    store(target, next, from->getType(), from);
    return expression->isPrefix() ? next : old;
  }
  default: return evaluateChildren(expression, "not followed");
  }
}

Value SymbolicWalk::evaluateBinary(const BinaryOperator *expression) {
  if (expression->isAssignmentOp())
    return evaluateAssignment(expression);
  if (expression->isLogicalOp())
    return evaluateLogical(expression);
  Value left = evaluate(expression->getLHS());
  Value right = evaluate(expression->getRHS());
  if (expression->isCommaOp())
    return right;
  if (auto op = comparisonOf(expression->getOpcode()))
    return comparison(*op, left, right);
  return arithmetic(expression->getOpcode(), left, right, expression->getType(), expression);
}

Value SymbolicWalk::comparison(const std::string &op, const Value &left, const Value &right) {
  Condition truth = Condition::unknown();
  if (left.integer && right.integer)
    truth = Condition::compare(*left.integer, op, *right.integer);
  if (left.truth && right.integer.constant() && (op == "==" || op == "!=")) // (a < b) == 0
    truth = ((*right.integer.constant() == 0) == (op == "==")) ? left.truth->negated() : *left.truth;
  return {Affine::not_("a truth value", {}), std::nullopt, std::make_shared<Condition>(truth)};
}

Value SymbolicWalk::evaluateLogical(const BinaryOperator *expression) {
  const bool isAnd = expression->getOpcode() == BO_LAnd;
  Condition left = conditionOf(evaluate(expression->getLHS()));
  Guards before = guards;
  guard(isAnd ? left : left.negated(), expression->getLHS(), !isAnd);
  size_t mark = now.mark();
  Condition right = conditionOf(evaluate(expression->getRHS()));
  guards = before;
  now.apply(merged(now.undo(mark), {}, left, placeOf(expression)));
  Condition truth = isAnd ? Condition::both(left, right) : Condition::either(left, right);
  return {Affine::not_("a truth value", placeOf(expression)), std::nullopt,
          std::make_shared<Condition>(truth)};
}

Value SymbolicWalk::evaluateAssignment(const BinaryOperator *expression) {
  const Expr *left = expression->getLHS();
  Value right = evaluate(expression->getRHS());
  LValue target = locate(left);
  if (expression->isCompoundAssignmentOp()) {
    Value old = load(target, left->getType(), left);
    BinaryOperatorKind op = BinaryOperator::getOpForCompoundAssignment(expression->getOpcode());
    right = arithmetic(op, old, right, left->getType(), expression);
  }
  store(target, right, left->getType(), left);
  if (target.kind == LValue::Kind::Variable && left->getType()->isRecordType())
    copyMembers(target.variable, expression->getRHS());
  return right;
}

Value SymbolicWalk::evaluateConditional(const AbstractConditionalOperator *expression) {
  if (const auto *elvis = dyn_cast<BinaryConditionalOperator>(expression))
    return evaluateChildren(elvis, "chosen by a condition");
  Condition decision = evaluateCondition(expression->getCond());
  if (decision.isAlways(true))
    return evaluate(expression->getTrueExpr());
  if (decision.isAlways(false))
    return evaluate(expression->getFalseExpr());
  Guards before = guards;
  size_t mark = now.mark();
  guard(decision, expression->getCond(), false);
  Value yes = evaluate(expression->getTrueExpr());
  guards = before;
  Environment::Changes afterYes = now.undo(mark);
  mark = now.mark();
  guard(decision.negated(), expression->getCond(), true);
  Value no = evaluate(expression->getFalseExpr());
  guards = before;
  now.apply(merged(afterYes, now.undo(mark), decision, placeOf(expression)));
  Value both = mergedValue({nullptr, "?:"}, yes, no, decision, placeOf(expression));
  if (!both.integer && yes.integer && no.integer)
    both.integer = Affine::not_("chosen by a condition", placeOf(expression));
  return both;
}

Value SymbolicWalk::arithmetic(BinaryOperatorKind op, const Value &left, const Value &right, QualType type,
                               const Expr *expression) {
  Place place = placeOf(expression);
  if (left.pointer && (op == BO_Add || op == BO_Sub)) {
    if (!right.pointer)
      return moved(*left.pointer, op == BO_Add ? right.integer : subtract(Affine(0), right.integer, place),
                   place);
    if (op == BO_Sub && left.pointer->array == right.pointer->array && left.pointer->array) {
      Affine bytes = subtract(left.pointer->offset, right.pointer->offset, place);
      int64_t size = sizeOf(left.pointer->pointee);
      if (auto elements = bytes && size ? bytes->dividedBy(size) : std::nullopt)
        return {*elements, std::nullopt, nullptr};
    }
    return Value::unknown("difference of two pointers", place);
  }
  if (right.pointer && op == BO_Add)
    return moved(*right.pointer, left.integer, place);
  if (!isWhole(type) && !type->isPointerType())
    return Value::unknown("not a whole number", place);

  const Affine &a = left.integer, &b = right.integer;
  auto number = [](Affine value) { return Value{std::move(value), std::nullopt, nullptr}; };
  switch (op) {
  case BO_Add: return number(add(a, b, place));
  case BO_Sub: {
    Affine difference = subtract(a, b, place);
    if (difference && type->isUnsignedIntegerType() && !difference->isNonNegative())
      difference.assumesNoWrap = true;
    return number(difference);
  }
  case BO_Mul: return number(multiply(a, b, place));
  case BO_Div: return number(divide(a, b, false, false, type, expression));
  case BO_Rem: return number(divide(a, b, true, false, type, expression));
  case BO_Shr:
    if (auto count = b.constant(); count && *count >= 0 && *count < 62)
      return number(divide(a, Affine(int64_t(1) << *count), false, true, type, expression));
    break;
  case BO_Shl:
    if (auto count = b.constant(); count && *count >= 0 && *count < 62)
      return number(multiply(a, Affine(int64_t(1) << *count), place));
    break;
  case BO_And: return number(bitwiseAnd(a, b, expression));
  case BO_Or:
  case BO_Xor:
    if (a.constant() && b.constant())
      return number(op == BO_Or ? *a.constant() | *b.constant() : *a.constant() ^ *b.constant());
    if (auto bits = withOneBit(op, a, b))
      return number(*bits);
    break;
  default: break;
  }
  if (!a || !b)
    return number(!a ? a : b);
  if (auto uniform =
          opaqueUniform(fmt::format("({} {} {})", a->str(), BinaryOperator::getOpcodeStr(op).str(), b->str()),
                        {&a, &b}, a->isNonNegative() && b->isNonNegative()))
    return *uniform;
  return Value::unknown(
      fmt::format("'{}' of values that differ by thread", BinaryOperator::getOpcodeStr(op).str()), place);
}

Affine SymbolicWalk::divide(const Affine &left, const Affine &right, bool wantsRemainder, bool isShift,
                            QualType, const Expr *expression) {
  Place place = placeOf(expression);
  const char *sign = wantsRemainder ? "%" : "/";
  if (!left || !right)
    return !left ? left : right;
  auto divisor = right.constant();
  auto number = left.constant();
  if (divisor && *divisor != 0 && number) // C rounds to zero, a shift does not
    return wantsRemainder ? *number % *divisor
           : isShift      ? floorDivide(*number, *divisor)
                          : *number / *divisor;
  // Rounding down is C's division only for what is not negative.
  if (divisor && *divisor > 0 && (isShift || left->isNonNegative() || left->dividedBy(*divisor))) {
    Polynomial quotient = floorDivide(*left, *divisor, symbols);
    Affine value = wantsRemainder ? Affine(*left - quotient * *divisor) : Affine(quotient);
    value.assumesNoWrap = left.assumesNoWrap;
    return value;
  }
  if (auto uniform = opaqueUniform(fmt::format("({} {} {})", left->str(), sign, right->str()),
                                   {&left, &right}, left->isNonNegative() && right->isNonNegative()))
    return uniform->integer;
  if (!divisor)
    return Affine::not_(fmt::format("'{}' by {}, which is no constant", sign, right->str()), place);
  return Affine::not_(fmt::format("'{}' of {}, which may be negative", sign, left->str()), place);
}

Affine SymbolicWalk::bitwiseAnd(const Affine &left, const Affine &right, const Expr *expression) {
  if (!left || !right)
    return !left ? left : right;
  if (left.constant() && right.constant())
    return *left.constant() & *right.constant();
  const Affine &value = right.constant() ? left : right;
  auto mask = right.constant() ? right.constant() : left.constant();
  auto isPowerOfTwo = [](int64_t n) { return n > 0 && (n & (n - 1)) == 0; };
  if (mask && *mask == 0)
    return 0;
  // x & 31 is x mod 32 and x & ~31 the rest of it, for two's complement numbers of either sign.
  if (mask && isPowerOfTwo(*mask + 1))
    return *value - floorDivide(*value, *mask + 1, symbols) * (*mask + 1);
  if (mask && isPowerOfTwo(-*mask))
    return floorDivide(*value, -*mask, symbols) * -*mask;
  if (auto uniform =
          opaqueUniform(fmt::format("({} & {})", left->str(), right->str()), {&left, &right}, false))
    return uniform->integer;
  return Affine::not_("'&' with a mask that is not one run of low or high bits", placeOf(expression));
}

/// x ^ m and x | m for a constant m with at most one bit set: with bit = floor(x/m) mod 2,
/// x ^ m = x + m*(1 - 2*bit) and x | m = x + m*(1 - bit). Partners of a butterfly are found this way.
std::optional<Affine> SymbolicWalk::withOneBit(BinaryOperatorKind op, const Affine &left,
                                               const Affine &right) {
  const Affine &value = right.constant() ? left : right;
  auto mask = right.constant() ? right.constant() : left.constant();
  if (!value || !mask || *mask < 0 || (*mask & (*mask - 1)) != 0 || *mask > (int64_t(1) << 40))
    return std::nullopt;
  if (*mask == 0)
    return value;
  Polynomial bit = floorDivide(*value, *mask, symbols) - floorDivide(*value, 2 * *mask, symbols) * 2;
  return Affine(*value + (Polynomial(1) - bit * (op == BO_Xor ? 2 : 1)) * *mask);
}

Condition SymbolicWalk::conditionOf(const Value &value) {
  if (value.truth)
    return *value.truth;
  return value.integer ? Condition::compare(*value.integer, "!=", Polynomial()) : Condition::unknown();
}

Condition SymbolicWalk::evaluateCondition(const Expr *expression) {
  Condition condition = conditionOf(evaluate(expression));
  if (frames.size() == 1 && !silent)
    result.conditions.insert_or_assign(expression, condition);
  return condition;
}

std::optional<Value> SymbolicWalk::opaqueUniform(const std::string &text,
                                                 const std::vector<const Affine *> &from, bool nonNegative) {
  std::vector<const Loop *> varies;
  for (const Affine *value : from) {
    if (!*value || (*value)->dependsOnThread())
      return std::nullopt;
    if ((*value)->dependsOnLoop())
      varies = enclosingLoops();
  }
  return Value{Polynomial(symbols.uniform(text, nonNegative, varies)), std::nullopt, nullptr};
}

/// An upper bound of a form with no negative part, where all its symbols have one.
std::optional<int64_t> SymbolicWalk::largestValue(const Polynomial &form) const {
  int64_t total = 0;
  for (const auto &[monomial, coefficient] : form.terms()) {
    int64_t product = coefficient;
    for (const Symbol *factor : monomial) {
      std::optional<int64_t> most = factor->most;
      if (factor->kind == SymbolKind::ThreadIdx || factor->kind == SymbolKind::BlockDim)
        most = result.facts.block[factor->dimension].value_or(
            arch::commonLimits().maxBlockDim[factor->dimension]);
      if (factor->numerator)
        if (auto inner = largestValue(*factor->numerator))
          most = *inner / factor->divisor;
      if (!most || coefficient < 0 || __builtin_mul_overflow(product, *most, &product))
        return std::nullopt;
    }
    if (__builtin_add_overflow(total, product, &total))
      return std::nullopt;
  }
  return total;
}

// --- threadIdx and its kin
// -------------------------------------------------------------------------------------

std::optional<Polynomial> SymbolicWalk::indexSymbol(const std::string &base, const std::string &member) {
  if (member.size() != 1 || member[0] < 'x' || member[0] > 'z')
    return std::nullopt;
  unsigned dimension = unsigned(member[0] - 'x');
  if (base == "threadIdx") {
    result.usedDimensions[dimension] = true;
    if (result.facts.block[dimension] == 1)
      return Polynomial(0);
    return Polynomial(symbols.threadIdx(dimension));
  }
  if (base == "blockIdx")
    return result.facts.grid[dimension] == 1 ? Polynomial(0) : Polynomial(symbols.blockIdx(dimension));
  if (base == "blockDim")
    return result.facts.block[dimension] ? Polynomial(*result.facts.block[dimension])
                                         : Polynomial(symbols.blockDim(dimension));
  if (base == "gridDim")
    return result.facts.grid[dimension] ? Polynomial(*result.facts.grid[dimension])
                                        : Polynomial(symbols.gridDim(dimension));
  return std::nullopt;
}

Polynomial SymbolicWalk::threadRank() {
  auto index = [&](const char *base, const char *member) { return *indexSymbol(base, member); };
  return index("threadIdx", "x") +
         index("blockDim", "x") *
             (index("threadIdx", "y") + index("blockDim", "y") * index("threadIdx", "z"));
}

/// `threadIdx.x` is a member in our headers and a property (a pseudo-object) in Clang's.
std::optional<Polynomial> SymbolicWalk::builtinIndex(const Expr *expression) {
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
    return indexSymbol(reference->getDecl()->getNameAsString(), member);
  // cg: block.thread_index().x, block.group_index().x
  if (const auto *call = dyn_cast<CallExpr>(base))
    if (const FunctionDecl *callee = call->getDirectCallee();
        callee && callee->getDeclName().isIdentifier()) {
      if (callee->getName() == "thread_index")
        return indexSymbol("threadIdx", member);
      if (callee->getName() == "group_index" || callee->getName() == "block_index")
        return indexSymbol("blockIdx", member);
    }
  return std::nullopt;
}

} // namespace heddle::analysis
