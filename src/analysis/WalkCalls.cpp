// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls in the symbolic walk: built-ins by a table, the user's device functions by following their bodies.
#include "analysis/Barriers.h"
#include "analysis/SymbolicWalk.h"
#include "analysis/ThreadBuiltins.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

using namespace clang;

namespace heddle::analysis {
namespace {

/// Deeper calls are left alone. Real device code nests two or three deep; templates of helper classes a few
/// more.
constexpr unsigned maxDepth = 12;

enum class Effect { None, Atomic, Load, Store, Copy, GroupCopy, ByThread, Pure };

struct KnownCall {
  std::string_view pattern;
  Effect effect;
};
constexpr KnownCall knownCalls[] = {
#define CALL(pattern, effect) {pattern, Effect::effect},
#include "analysis/KnownCalls.def"
#undef CALL
};

Effect effectOf(std::string_view name) {
  for (const KnownCall &known : knownCalls) {
    bool isPrefix = known.pattern.ends_with('*');
    std::string_view stem = known.pattern.substr(0, known.pattern.size() - isPrefix);
    if (isPrefix ? name.starts_with(stem) : name == stem)
      return known.effect;
  }
  return Effect::None;
}

std::string nameOf(const FunctionDecl *callee) {
  return callee && callee->getDeclName().isIdentifier() ? callee->getNameAsString() : std::string();
}

/// `block.thread_rank()` of the whole block, not of a tile.
bool isBlockRank(const CallExpr *call, const FunctionDecl *callee) {
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(callee);
  QualType type =
      !method && call->getNumArgs() ? call->getArg(0)->getType().getNonReferenceType() : QualType();
  const CXXRecordDecl *group = method          ? method->getParent()
                               : type.isNull() ? nullptr
                                               : type->getAsCXXRecordDecl();
  return nameOf(callee) == "thread_rank" && group && group->getNameAsString() == "thread_block";
}

class BarrierFinder : public DynamicRecursiveASTVisitor {
public:
  BarrierFinder(std::set<const FunctionDecl *> &theSeen, const ASTContext &theContext)
      : seen(theSeen), context(theContext) {}
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = calleeOf(call);
    auto barrier = barrierAt(call, context);
    found |= barrier && barrier->ordersBlock();
    if (callee && !found && callee->hasBody(callee) && seen.insert(callee).second)
      TraverseStmt(callee->getBody());
    return !found;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *assembly) override {
    auto barrier = barrierAt(assembly, context);
    found |= barrier && barrier->ordersBlock();
    return !found;
  }
  bool found = false;

private:
  std::set<const FunctionDecl *> &seen;
  const ASTContext &context;
};

} // namespace

bool SymbolicWalk::hasBarrierInside(const FunctionDecl *function) {
  auto [at, isNew] = barrierInside.try_emplace(function, false);
  const FunctionDecl *definition = nullptr;
  if (isNew && function->hasBody(definition)) {
    std::set<const FunctionDecl *> seen{definition};
    BarrierFinder finder(seen, context);
    finder.TraverseStmt(definition->getBody());
    at->second = finder.found;
  }
  return at->second;
}

Value SymbolicWalk::evaluateCall(const CallExpr *call) {
  const FunctionDecl *callee = calleeOf(call);
  std::string name = nameOf(callee);
  frames.back().returnedPlace.reset();
  bool known = false;
  Value value = evaluateKnownCall(call, name, known);
  if (known)
    return value;
  const FunctionDecl *definition = nullptr;
  if (!callee || !callee->hasBody(definition) || silent)
    return evaluateUnknownCall(call, callee);
  // Bodies in system headers are looked into only for the small wrappers of the user's own memory helpers;
  // what they do to pointers they are given is assumed to be anything.
  if (!unit.isUserCode(definition->getLocation()))
    return evaluateUnknownCall(call, definition);

  for (const Frame &frame : frames)
    if (frame.function == definition) {
      gap(call, fmt::format("'{}' calls itself; what the inner call does is not followed", name));
      return evaluateUnknownCall(call, definition);
    }
  if (frames.size() > maxDepth) {
    gap(call, fmt::format("calls are nested more than {} deep; '{}' is not followed", maxDepth, name));
    return evaluateUnknownCall(call, definition);
  }

  const Expr *object = nullptr;
  std::vector<const Expr *> arguments(call->arg_begin(), call->arg_end());
  if (const auto *method = dyn_cast<CXXMemberCallExpr>(call)) {
    object = method->getImplicitObjectArgument();
  } else if (isa<CXXOperatorCallExpr>(call) && isa<CXXMethodDecl>(definition)) {
    object = arguments.front();
    arguments.erase(arguments.begin());
  }
  return followCall(call, definition, object, std::move(arguments));
}

Value SymbolicWalk::followCall(const CallExpr *call, const FunctionDecl *callee, const Expr *object,
                               std::vector<const Expr *> arguments) {
  Frame frame{.function = callee};
  if (object && object->getType()->isPointerType())
    frame.self = pointedAt(evaluate(object), object);
  else if (object)
    frame.self = locate(object);
  if (frame.self.kind == LValue::Kind::Memory && !frame.self.memory.outer.empty())
    frame.self.expression = object;

  // All arguments are evaluated in the caller before any parameter is set.
  std::vector<std::pair<const ParmVarDecl *, Value>> values;
  std::vector<std::pair<const ParmVarDecl *, LValue>> places;
  for (unsigned i = 0; i < callee->getNumParams() && i < arguments.size(); ++i) {
    const ParmVarDecl *parameter = callee->getParamDecl(i);
    if (parameter->getType()->isReferenceType())
      places.emplace_back(parameter, locate(arguments[i]));
    else
      values.emplace_back(parameter, evaluate(arguments[i]));
  }
  for (auto &[parameter, value] : values) {
    now.clear(parameter);
    now.set({parameter, ""}, value);
    if (parameter->getType()->isRecordType())
      copyMembers(parameter, arguments[parameter->getFunctionScopeIndex()]);
  }
  for (auto &[parameter, place] : places)
    now.references[parameter] = place;

  frame.mark = now.mark();
  frames.push_back(std::move(frame));
  callPlaces.push_back(placeOf(call));
  const Stmt *outerStatement = statementNow;
  Guards outerGuards = guards;
  bool reachesEnd = walk(callee->getBody());
  guards = outerGuards;
  statementNow = outerStatement;
  callPlaces.pop_back();
  Frame done = std::move(frames.back());
  frames.pop_back();

  if (done.atReturn) {
    Environment::Changes atEnd = now.undo(done.mark);
    now.apply(reachesEnd ? merged(*done.atReturn, atEnd, Condition::unknown(), placeOf(call))
                         : *done.atReturn);
  } else {
    now.keep(done.mark);
  }
  frames.back().returnedPlace = done.returnedPlace;
  return done.returned ? *done.returned : Value::unknown("nothing is returned", placeOf(call));
}

Value SymbolicWalk::waitAt(const Barrier &found, const CallExpr *call) {
  Place place = placeOf(call);
  for (const Expr *argument : call->arguments())
    evaluate(argument);
  noteBarrier(found, call);
  // __syncthreads_or and its like give all threads the same value.
  if (found.ordersBlock() && call->getType()->isIntegerType())
    return {Polynomial(
                symbols.uniform(fmt::format("{}@{}", found.spelling, place.line), false, enclosingLoops())),
            std::nullopt, nullptr};
  return Value::unknown(fmt::format("result of '{}'", found.spelling), place);
}

Value SymbolicWalk::evaluateKnownCall(const CallExpr *call, const std::string &name, bool &known) {
  known = true;
  const FunctionDecl *callee = call->getDirectCallee();
  Place place = placeOf(call);
  Effect effect = callee ? effectOf(name) : Effect::None;
  // The user may have a function of such a name ("min", "atomicMaxFloat"): its own body says more.
  const FunctionDecl *definition = nullptr;
  if (effect != Effect::None && callee->hasBody(definition) && unit.isUserCode(definition->getLocation()))
    effect = Effect::None;
  if (std::optional<Barrier> found = barrierAt(call, context))
    return waitAt(*found, call);
  if (isBlockRank(call, callee))
    return {threadRank(), std::nullopt, nullptr};

  std::vector<Value> values;
  if (effect != Effect::None)
    for (const Expr *one : call->arguments())
      values.push_back(evaluate(one));
  auto touch = [&](unsigned i, Access::Kind kind, bool atomic = false) {
    if (i >= values.size())
      return;
    const Expr *pointer = call->getArg(i)->IgnoreParenImpCasts();
    QualType type = call->getArg(i)->getType();
    if (!type->isPointerType())
      return;
    LValue where = pointedAt(values[i], pointer);
    if (where.kind == LValue::Kind::Variable && kind != Access::Kind::Read)
      forget(where.variable, fmt::format("set by '{}'", name), place);
    else if (where.kind == LValue::Kind::Memory)
      record(atomic ? Access::Kind::Atomic : kind, where, type->getPointeeType(), pointer);
  };
  switch (effect) {
  case Effect::None: known = false; return {};
  case Effect::Atomic:
    touch(0, Access::Kind::Write, true);
    return Value::unknown(fmt::format("result of '{}'", name), place);
  case Effect::Load: {
    touch(0, Access::Kind::Read);
    bool wasSilent = std::exchange(silent, true);
    Value value = values.empty() || !call->getArg(0)->getType()->isPointerType()
                      ? Value::unknown("loaded from memory", place)
                      : load(pointedAt(values[0], call->getArg(0)), call->getType(), call);
    silent = wasSilent;
    return value;
  }
  case Effect::Store: touch(0, Access::Kind::Write); return Value::unknown("nothing is returned", place);
  case Effect::Copy:
  case Effect::GroupCopy: {
    unsigned first = effect == Effect::GroupCopy ? 1 : 0;
    touch(first, Access::Kind::Write);
    touch(first + 1, Access::Kind::Read);
    return Value::unknown("a copy", place);
  }
  case Effect::ByThread: return Value::unknown(fmt::format("result of '{}'", name), place);
  case Effect::Pure: break;
  }
  // A pure function of uniform numbers is a uniform number.
  std::vector<const Affine *> from;
  std::string text = name + "(";
  for (const Value &value : values) {
    from.push_back(&value.integer);
    text += (from.size() > 1 ? ", " : "") + value.integer.str();
  }
  bool nonNegative =
      llvm::all_of(values, [](const Value &v) { return v.integer && v.integer->isNonNegative(); });
  if (call->getType()->isIntegralOrEnumerationType() && !from.empty())
    if (auto uniform = opaqueUniform(text + ")", from, nonNegative))
      return *uniform;
  for (const Value &value : values)
    if (!value.integer && (name == "min" || name == "max"))
      return value;
  return Value::unknown(fmt::format("result of '{}'", name), place);
}

Value SymbolicWalk::evaluateUnknownCall(const CallExpr *call, const FunctionDecl *callee) {
  std::string name = nameOf(callee);
  if (name.empty())
    name = callee ? callee->getNameAsString() : "a function pointer";
  if (const auto *method = dyn_cast<CXXMemberCallExpr>(call)) {
    LValue object = method->getImplicitObjectArgument()->isGLValue()
                        ? locate(method->getImplicitObjectArgument())
                        : LValue{};
    if (object.kind == LValue::Kind::Variable && method->getMethodDecl() &&
        !method->getMethodDecl()->isConst())
      forget(object.variable, fmt::format("set by '{}'", name), placeOf(call));
  }
  touchArguments(call, name);
  if (callee && hasBarrierInside(callee))
    barrier(Event::Kind::Barrier, call);
  if (call->getType()->isPointerType()) {
    // A helper that hands out a pointer from a header we do not open.
    return Value::unknown(fmt::format("a pointer from '{}'", name), placeOf(call));
  }
  return Value::unknown(fmt::format("result of '{}'", name), placeOf(call));
}

/// A function that is not followed may read and write whatever it is given a pointer or reference to.
void SymbolicWalk::touchArguments(const CallExpr *call, const std::string &name) {
  const FunctionDecl *callee = call->getDirectCallee();
  unsigned skip = isa<CXXOperatorCallExpr>(call) && isa_and_nonnull<CXXMethodDecl>(callee) ? 1 : 0;
  for (unsigned i = 0; i < call->getNumArgs(); ++i) {
    const Expr *argument = call->getArg(i);
    Place place = placeOf(argument);
    QualType parameter = callee && i >= skip && i - skip < callee->getNumParams()
                             ? callee->getParamDecl(i - skip)->getType()
                             : argument->getType();
    LValue where;
    QualType type;
    if (argument->isGLValue()) {
      where = locate(argument);
      type = argument->getType();
    } else {
      Value value = evaluate(argument);
      if (!argument->getType()->isPointerType() || !value.pointer)
        continue;
      where = pointedAt(value, argument);
      type = argument->getType()->getPointeeType();
    }
    QualType target =
        parameter->isReferenceType() || parameter->isPointerType() ? parameter->getPointeeType() : type;
    bool mayWrite =
        !target.isConstQualified() && (parameter->isReferenceType() || parameter->isPointerType());
    if (isa<CXXOperatorCallExpr>(call) && i == 0 && skip)
      mayWrite = !cast<CXXMethodDecl>(callee)->isConst();
    if (where.kind == LValue::Kind::Variable && mayWrite)
      forget(where.variable, fmt::format("set by '{}'", name), place);
    if (where.kind != LValue::Kind::Memory)
      continue;
    // A whole object by reference is one element; a pointer leads anywhere from there on.
    if (!argument->isGLValue()) {
      where.memory.offset = Affine::not_(fmt::format("passed to '{}'", name), place);
      where.memory.outer = {where.memory.offset};
    }
    bool isPlainCopy = skip && i == 0 && isa<CXXOperatorCallExpr>(call) &&
                       cast<CXXOperatorCallExpr>(call)->getOperator() == OO_Equal;
    if (!isPlainCopy)
      record(Access::Kind::Read, where, type, argument);
    if (mayWrite)
      record(Access::Kind::Write, where, type, argument);
  }
}

Value SymbolicWalk::evaluateConstruction(const CXXConstructExpr *expression) {
  const CXXConstructorDecl *constructor = expression->getConstructor();
  // A copy of an object in memory is a load of all of it.
  if (expression->getNumArgs() >= 1 && constructor->isCopyOrMoveConstructor()) {
    const Expr *from = expression->getArg(0);
    if (!from->isGLValue() || isa<MaterializeTemporaryExpr>(from->IgnoreParenImpCasts()))
      return evaluate(from);
    LValue where = locate(from);
    if (where.kind == LValue::Kind::Memory)
      record(Access::Kind::Read, where, from->getType(), from);
    return Value::unknown("an object", placeOf(expression));
  }
  for (const Expr *argument : expression->arguments()) {
    if (argument->isGLValue())
      locate(argument);
    else
      evaluate(argument);
  }
  return Value::unknown("an object", placeOf(expression));
}

} // namespace heddle::analysis
