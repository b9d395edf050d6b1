// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/LaunchValues.h"

#include "source/ReachingDefinitions.h"
#include "source/Render.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>

using namespace clang;

namespace heddle::source {
namespace {

// A chain of `int b = a; int c = b; ...` longer than this is no launch a person wrote; it also ends any
// cycle.
constexpr int maxDepth = 64;

LaunchShape unknownShape(const std::string &why) {
  LaunchShape shape;
  for (LaunchNumber &n : shape.xyz)
    n = {std::nullopt, {}, why};
  return shape;
}

/// Through what C++ wraps around an expression without changing its value.
const Expr *unwrapped(const Expr *expr) {
  for (const Expr *last = nullptr; expr != last;) {
    last = expr;
    expr = expr->IgnoreParens();
    if (const auto *full = dyn_cast<FullExpr>(expr))
      expr = full->getSubExpr();
    if (const auto *temporary = dyn_cast<MaterializeTemporaryExpr>(expr))
      expr = temporary->getSubExpr();
    if (const auto *bind = dyn_cast<CXXBindTemporaryExpr>(expr))
      expr = bind->getSubExpr();
    if (const auto *fallback = dyn_cast<CXXDefaultArgExpr>(expr))
      expr = fallback->getExpr();
    if (const auto *given = dyn_cast<SubstNonTypeTemplateParmExpr>(expr))
      expr = given->getReplacement();
  }
  return expr;
}

/// The same, and through conversions; for values of class type, where none changes the value.
const Expr *stripped(const Expr *expr) {
  for (const Expr *last = nullptr; expr != last;) {
    last = expr;
    expr = unwrapped(expr)->IgnoreParenCasts();
  }
  return expr;
}

/// `template <unsigned X, unsigned Y, unsigned Z>`: what they are in this instantiation.
std::vector<int64_t> templateNumbers(const FunctionDecl *function) {
  std::vector<int64_t> numbers;
  const TemplateArgumentList *arguments = function->getTemplateSpecializationArgs();
  for (unsigned i = 0; arguments && i < arguments->size(); ++i)
    if ((*arguments)[i].getKind() == TemplateArgument::Integral)
      numbers.push_back((*arguments)[i].getAsIntegral().getExtValue());
  return numbers;
}

bool isDim3(QualType type) {
  const auto *record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record && (record->getName() == "dim3" || record->getName() == "uint3");
}

/// 0, 1 or 2 for x, y or z.
unsigned componentOf(const FieldDecl *field) { return field->getFieldIndex(); }

std::string quoted(const NamedDecl *decl) { return "'" + decl->getNameAsString() + "'"; }

/// What a function made of nothing but `return e;` returns.
const Expr *onlyReturned(const FunctionDecl *function) {
  const auto *body = dyn_cast_or_null<CompoundStmt>(function ? function->getBody() : nullptr);
  const auto *only = body && body->size() == 1 ? dyn_cast<ReturnStmt>(body->body_front()) : nullptr;
  return only ? only->getRetValue() : nullptr;
}

/// Functions of one number that the C library gives; a trailing 'f' is the float's.
std::optional<TypedNumber> ofLibrary(llvm::StringRef name, const TypedNumber &x) {
  name.consume_back("f");
  if (name == "ceil")
    return x.ceiling();
  if (name == "floor")
    return x.floor();
  if (name == "sqrt")
    return x.squareRoot();
  return std::nullopt;
}

} // namespace

std::string LaunchValues::textOf(const Expr *expr) const {
  if (isa<CXXDefaultArgExpr>(expr->IgnoreImplicit()))
    return {};
  Rendered text = render(unit, expr->getSourceRange());
  return std::holds_alternative<std::string>(text) ? std::get<std::string>(text) : std::string();
}

LaunchNumber LaunchValues::number(const Expr *expr) const { return component(expr, {}); }

LaunchNumber LaunchValues::component(const Expr *expr, At at) const {
  Outcome outcome = evaluate(expr, at);
  LaunchNumber result{outcome.value ? outcome.value->whole() : std::nullopt, textOf(expr), outcome.why};
  if (!result.value && result.whyUnknown.empty())
    result.whyUnknown = "it is not an integer";
  return result;
}

LaunchValues::Outcome LaunchValues::evaluate(const Expr *expr, At at) const {
  if (at.depth > maxDepth)
    return {std::nullopt, "it is defined through too long a chain"};
  expr = unwrapped(expr);
  if (expr->isValueDependent())
    return {std::nullopt, "it depends on a template parameter"};
  Expr::EvalResult constant;
  bool isNumber =
      expr->getType().getNonReferenceType()->isArithmeticType() || expr->getType()->isEnumeralType();
  if (isNumber && expr->EvaluateAsRValue(constant, unit.context()) && !constant.HasSideEffects)
    if (std::optional<TypedNumber> value = TypedNumber::of(constant.Val))
      return {value, {}};
  Outcome parts = evaluateParts(expr, at.deeper());
  if (!parts.value)
    return parts;
  std::optional<TypedNumber> typed = parts.value->as(expr->getType(), unit.context());
  return {typed, typed ? "" : "it does not fit its type"};
}

LaunchValues::Outcome LaunchValues::evaluateParts(const Expr *expr, At at) const {
  if (const auto *cast = dyn_cast<CastExpr>(expr))
    return evaluate(cast->getSubExpr(), at);
  if (const auto *use = dyn_cast<DeclRefExpr>(expr))
    return ofVariable(use, at);
  if (const auto *binary = dyn_cast<BinaryOperator>(expr))
    return ofBinary(binary, at);
  if (const auto *unary = dyn_cast<UnaryOperator>(expr))
    return ofUnary(unary, at);
  if (const auto *choice = dyn_cast<ConditionalOperator>(expr)) {
    Outcome condition = evaluate(choice->getCond(), at);
    return condition.value
               ? evaluate(condition.value->isZero() ? choice->getFalseExpr() : choice->getTrueExpr(), at)
               : condition;
  }
  if (const auto *list = dyn_cast<InitListExpr>(expr); list && list->getNumInits() == 1)
    return evaluate(list->getInit(0), at);
  if (const auto *member = dyn_cast<MemberExpr>(expr))
    return ofMember(member, at);
  if (const auto *call = dyn_cast<CallExpr>(expr))
    return ofCall(call, at);
  if (isa<ArraySubscriptExpr>(expr))
    return {std::nullopt, "it depends on an element of an array"};
  return {std::nullopt, "it is known only at run time"};
}

LaunchValues::Outcome LaunchValues::ofBinary(const BinaryOperator *binary, At at) const {
  if (binary->isAssignmentOp())
    return {std::nullopt, "it is assigned where it is used"};
  Outcome left = evaluate(binary->getLHS(), at);
  if (binary->isLogicalOp() && left.value && left.value->isZero() == (binary->getOpcode() == BO_LAnd))
    return {TypedNumber::of(binary->getOpcode() == BO_LOr), {}}; // the right side does not count
  Outcome right = evaluate(binary->getRHS(), at);
  if (!left.value || !right.value)
    return {std::nullopt, left.value ? right.why : left.why};
  if (binary->isLogicalOp())
    return {TypedNumber::of(!right.value->isZero()), {}};
  if (binary->getOpcode() == BO_Comma)
    return right;
  std::optional<TypedNumber> result = TypedNumber::apply(binary->getOpcode(), *left.value, *right.value);
  return {result, result ? "" : "its arithmetic overflows or divides by zero"};
}

LaunchValues::Outcome LaunchValues::ofUnary(const UnaryOperator *unary, At at) const {
  if (unary->isIncrementDecrementOp())
    return {std::nullopt, "it is changed where it is used"};
  Outcome operand = evaluate(unary->getSubExpr(), at);
  if (!operand.value || unary->getOpcode() == UO_Plus)
    return operand;
  if (unary->getOpcode() == UO_Minus)
    return {operand.value->negated(), "its arithmetic overflows"};
  if (unary->getOpcode() == UO_LNot)
    return {TypedNumber::of(operand.value->isZero()), {}};
  return {std::nullopt, "it is not simple arithmetic"};
}

LaunchValues::Outcome LaunchValues::ofMember(const MemberExpr *member, At at) const {
  const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
  if (!field || !isDim3(member->getBase()->getType()) || member->isArrow())
    return {std::nullopt, quoted(member->getMemberDecl()) + " is a member read at run time"};
  LaunchNumber n = shape(member->getBase(), at).xyz[componentOf(field)];
  if (!n.value)
    return {std::nullopt, n.whyUnknown};
  APValue value(llvm::APSInt(llvm::APInt(64, uint64_t(*n.value), true), false));
  return {TypedNumber::of(value), {}};
}

LaunchValues::Outcome LaunchValues::ofCall(const CallExpr *call, At at) const {
  const FunctionDecl *callee = call->getDirectCallee();
  if (!callee || !callee->getIdentifier() || isa<CXXMethodDecl>(callee))
    return {std::nullopt, "it depends on what a call returns"};
  // Of runtime/heddle: a name that the user does not know.
  const bool isOurs = callee->getQualifiedNameAsString().starts_with("heddle::");
  Outcome unknown{std::nullopt, isOurs ? "it is computed at run time"
                                       : "it depends on what " + quoted(callee) + " returns"};
  std::vector<Outcome> arguments;
  for (const Expr *argument : call->arguments())
    arguments.push_back(evaluate(argument, at));
  bool isSmall = !arguments.empty() && arguments.size() <= 2;
  for (const Outcome &argument : arguments)
    if (!argument.value && isSmall)
      return argument.why.empty() ? unknown : argument;

  if (!unit.isUserCode(callee->getLocation()) && isSmall) {
    std::optional<TypedNumber> result = arguments.size() == 2
                                            ? lesserOrGreater(callee->getName(), arguments, call->getType())
                                            : ofLibrary(callee->getName(), *arguments[0].value);
    return result ? Outcome{result, {}} : unknown;
  }
  const Expr *returned = onlyReturned(callee->getDefinition());
  if (!returned)
    return unknown;
  Frame frame = frameOf(call, at);
  return evaluate(returned, {&frame, at.depth});
}

std::optional<TypedNumber> LaunchValues::lesserOrGreater(llvm::StringRef name,
                                                         const std::vector<Outcome> &arguments,
                                                         QualType type) const {
  if (name != "min" && name != "max")
    return std::nullopt;
  auto x = arguments[0].value->as(type, unit.context()), y = arguments[1].value->as(type, unit.context());
  auto isLess = x && y ? TypedNumber::apply(BO_LT, *x, *y) : std::nullopt;
  if (!isLess)
    return std::nullopt;
  return !isLess->isZero() == (name == "min") ? x : y;
}

LaunchValues::Frame LaunchValues::frameOf(const CallExpr *call, At at) const {
  const FunctionDecl *definition = call->getDirectCallee()->getDefinition();
  Frame frame;
  for (unsigned i = 0; i < std::min(call->getNumArgs(), definition->getNumParams()); ++i)
    frame[definition->getParamDecl(i)] = evaluate(call->getArg(i), at);
  return frame;
}

LaunchValues::Outcome LaunchValues::ofVariable(const DeclRefExpr *use, At at) const {
  const auto *variable = dyn_cast<VarDecl>(use->getDecl());
  std::string name = quoted(use->getDecl());
  if (!variable)
    return {std::nullopt, name + " is not a variable"};
  if (at.frame) {
    auto given = at.frame->find(variable);
    return given != at.frame->end() ? given->second : Outcome{std::nullopt, name + " is set elsewhere"};
  }
  if (variable->getType()->isReferenceType()) // what it is bound to may have changed since
    return {std::nullopt, name + " is a reference"};
  if (!definitionsFor(variable))
    return {std::nullopt,
            name + (variable->hasGlobalStorage() ? " is a global that may change" : " is set elsewhere")};
  const Definition *only = onlyDefinition(use, variable);
  if (!only)
    return {std::nullopt, "several values of " + name + " may reach the launch"};
  if (only->kind == Definition::Kind::Entry)
    return {std::nullopt, name + " is a parameter of the function that launches"};
  if (!only->isExact())
    return {std::nullopt, name + " is changed in a way that is not analyzed"};
  return evaluate(only->value, at);
}

const ReachingDefinitions *LaunchValues::definitionsFor(const VarDecl *variable) const {
  // By where it is declared: a lambda's body names variables of the function around it as well.
  for (const Scope &scope : scopes)
    if (scope.definitions && variable->getDeclContext() == scope.function &&
        scope.definitions->isTracked(variable))
      return scope.definitions;
  return nullptr;
}

const Definition *LaunchValues::onlyDefinition(const DeclRefExpr *use, const VarDecl *variable) const {
  const ReachingDefinitions *definitions = definitionsFor(variable);
  if (!definitions)
    return nullptr;
  if (const Definition *only = definitions->onlyReaching(use))
    return only;
  // A use inside a lambda is on no path of the function around it; what never changes is the same there.
  std::vector<const Definition *> all = definitions->definitionsOf(variable);
  return all.size() == 1 && definitions->isNeverReassigned(variable) ? all[0] : nullptr;
}

bool isOfRuntime(const FunctionDecl *function) {
  const auto *space = dyn_cast<NamespaceDecl>(function->getDeclContext()->getRedeclContext());
  return space && function->getIdentifier() && space->getName() == "heddle";
}

LaunchShape LaunchValues::shape(const Expr *expr) const {
  LaunchShape result = shape(expr, {});
  result.expr = expr;
  result.text = textOf(expr);
  return result;
}

LaunchShape LaunchValues::shape(const Expr *expr, At at) const {
  if (at.depth > maxDepth)
    return unknownShape("it is defined through too long a chain");
  at = at.deeper();
  const Expr *whole = expr;
  expr = stripped(expr);
  if (const auto *made = dyn_cast<CXXConstructExpr>(expr))
    return shapeOfParts({made->getArgs(), made->getNumArgs()}, at);
  if (const auto *list = dyn_cast<InitListExpr>(expr))
    return shapeOfParts({list->getInits(), list->getNumInits()}, at);
  if (const auto *use = dyn_cast<DeclRefExpr>(expr); use && isDim3(use->getType()))
    return shapeOfVariable(use, at);
  if (const auto *choice = dyn_cast<ConditionalOperator>(expr); choice && isDim3(choice->getType())) {
    Outcome condition = evaluate(choice->getCond(), at);
    return condition.value
               ? shape(condition.value->isZero() ? choice->getFalseExpr() : choice->getTrueExpr(), at)
               : unknownShape(condition.why);
  }
  const auto *call = dyn_cast<CallExpr>(expr);
  if (std::optional<LaunchShape> ours = call ? shapeOfRuntimeCall(call, at) : std::nullopt)
    return *ours;
  const Expr *returned = call && call->getDirectCallee() && isDim3(call->getType())
                             ? onlyReturned(call->getDirectCallee()->getDefinition())
                             : nullptr;
  if (returned && !isa<CXXMethodDecl>(call->getDirectCallee())) {
    Frame frame = frameOf(call, at);
    return shape(returned, {&frame, at.depth});
  }
  return expr->getType()->isArithmeticType() || expr->getType()->isEnumeralType()
             ? shapeOfParts({whole}, at)
             : unknownShape(evaluate(expr, at).why);
}

std::optional<LaunchShape> LaunchValues::shapeOfRuntimeCall(const CallExpr *call, At at) const {
  const FunctionDecl *callee = call->getDirectCallee();
  if (!callee || !isOfRuntime(callee))
    return std::nullopt;
  const llvm::StringRef name = callee->getName();
  if (name == "blockWithRoles" && call->getNumArgs() > 1)
    return shapeOfParts({call->getArg(1)}, at);
  const std::vector<int64_t> numbers = templateNumbers(callee);
  if ((name == "statedBlock" && numbers.size() == 3) || (name == "warpOf" && numbers.size() == 6)) {
    LaunchShape result;
    for (size_t i = 0; i < 3; ++i)
      result.xyz[i] = {numbers[numbers.size() - 3 + i], {}, {}};
    return result;
  }
  if (name == "roundedGrid" && numbers.size() == 1 && call->getNumArgs() == 1) {
    LaunchShape result = shape(call->getArg(0), at);
    if (const std::optional<int64_t> blocks = result.xyz[0].value)
      result.xyz[0] = {(*blocks + numbers[0] - 1) / numbers[0], {}, {}};
    return result;
  }
  if (name != "mergedBlock" || numbers.size() != 3 || call->getNumArgs() == 0)
    return std::nullopt;
  LaunchShape result = shape(call->getArg(0), at);
  for (size_t i = 0; i < 3; ++i)
    if (result.xyz[i].value)
      result.xyz[i] = {*result.xyz[i].value / numbers[i], {}, {}};
  return result;
}

LaunchShape LaunchValues::shapeOfParts(llvm::ArrayRef<const Expr *> parts, At at) const {
  if (!parts.empty() && isDim3(parts[0]->getType()))
    return shape(parts[0], at);
  const bool isAlone = !parts.empty() && llvm::all_of(parts.drop_front(), llvm::IsaPred<CXXDefaultArgExpr>);
  const auto *call = isAlone ? dyn_cast<CallExpr>(stripped(parts[0])) : nullptr;
  if (std::optional<LaunchShape> ours = call ? shapeOfRuntimeCall(call, at) : std::nullopt)
    return *ours;
  LaunchShape result;
  for (LaunchNumber &n : result.xyz)
    n = {1, {}, {}};
  for (size_t i = 0; i < std::min<size_t>(parts.size(), 3); ++i)
    result.xyz[i] = component(parts[i], at);
  return result;
}

LaunchShape LaunchValues::shapeOfVariable(const DeclRefExpr *use, At at) const {
  const auto *variable = dyn_cast<VarDecl>(use->getDecl());
  std::string name = quoted(use->getDecl());
  bool isConstant = variable && variable->hasGlobalStorage() && variable->getType().isConstQualified();
  if (isConstant && variable->getInit())
    return shape(variable->getInit(), at);
  if (variable && variable->getType()->isReferenceType())
    return unknownShape(name + " is a reference");
  const ReachingDefinitions *definitions = variable && !at.frame ? definitionsFor(variable) : nullptr;
  if (!definitions)
    return unknownShape(name + " is set elsewhere");
  if (definitions->addressEscapes(variable))
    return unknownShape("the address of " + name + " is taken");
  if (definitions->valuesAt(use).empty()) {
    const Definition *only = onlyDefinition(use, variable);
    return only && only->isExact() ? shape(only->value, at) : unknownShape(name + " is set elsewhere");
  }
  return shapeOfLocal(use, *definitions, at);
}

LaunchShape LaunchValues::shapeOfLocal(const DeclRefExpr *use, const ReachingDefinitions &definitions,
                                       At at) const {
  std::string name = quoted(use->getDecl());
  // Each component has a history of its own: `dim3 block(16); block.y = 4;`.
  LaunchShape result = unknownShape("several values of " + name + " may reach the launch");
  for (ReachingDefinitions::ValueId id : definitions.valuesAt(use)) {
    const ReachingDefinitions::Value &value = definitions.values()[id];
    if (value.kind != ReachingDefinitions::Value::Kind::Definition)
      continue;
    const Definition &definition = definitions.definitions()[value.definition];
    if (definition.kind == Definition::Kind::Entry)
      return unknownShape(name + " is a parameter of the function that launches");
    if (!definition.isExact())
      continue;
    if (definition.field) {
      result.xyz[componentOf(definition.field)] = component(definition.value, at);
      continue;
    }
    LaunchShape whole = shape(definition.value, at);
    if (!value.field)
      return whole;
    result.xyz[componentOf(value.field)] = whole.xyz[componentOf(value.field)];
  }
  return result;
}

} // namespace heddle::source
