// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls in the symbolic walk.
//
// A call is one of four things, tried in this order:
//
// 1. A barrier, a thread's rank in its block, or a function of KnownCalls.def (atomics, loads, stores,
//    copies, pure functions): its row says which arguments point to memory that is accessed, and how.
// 2. A function of the user with a body: the body is followed with its parameters set to the arguments,
//    references to the lvalues themselves. Each call is followed separately, so an index that a helper computes is
//    known per call.
// 3. A function that calls itself, or is nested deeper than `maxDepth`: a gap, and then like 4.
// 4. Any other: whatever it gets by pointer or by reference that is not const may be read and written
//    anywhere, and local variables passed so have no known value afterwards. If it waits at a barrier, so
//    does the caller.
//
// A body with several returns joins the values and the changes of all of them; what decided between them is
// not kept, so that the result is known only where all returns agree. While the path is silent (evaluation
// only), bodies are not followed.
//
// Not handled: calls through pointers (like 4, without a name). Cost: a function is followed once for each
// path of calls that leads to it; `maxSteps` in Statements.cpp bounds the whole.
#include "analysis/walk/Calls.h"

#include "analysis/Barriers.h"
#include "analysis/ThreadBuiltins.h"
#include "analysis/walk/Arithmetic.h"
#include "analysis/walk/CallTable.h"
#include "analysis/walk/Expressions.h"
#include "analysis/walk/Lvalues.h"
#include "analysis/walk/Memory.h"
#include "analysis/walk/Pointers.h"
#include "analysis/walk/Statements.h"

using namespace clang;

namespace heddle::analysis::walk {
namespace {

/// Deeper calls are left alone. Real device code nests two or three deep; templates of helper classes a few
/// more.
constexpr unsigned maxDepth = 12;

std::string calleeName(const FunctionDecl *callee) {
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
  return calleeName(callee) == "thread_rank" && group && group->getNameAsString() == "thread_block";
}

Value followBody(const CallExpr *call, const FunctionDecl *callee, const Expr *object,
                 std::vector<const Expr *> arguments, Path &path) {
  Frame frame{.function = callee};
  if (object && object->getType()->isPointerType())
    frame.self = pointedAt(evaluate(object, path), object, path.arrays, path.unit);
  else if (object)
    frame.self = locate(object, path);
  if (frame.self.kind == LValue::Kind::Memory && !frame.self.memory.outer.empty())
    frame.self.expression = object;

  // All arguments are evaluated in the caller before any parameter is set.
  std::vector<std::pair<const ParmVarDecl *, Value>> values;
  std::vector<std::pair<const ParmVarDecl *, LValue>> locations;
  for (unsigned i = 0; i < callee->getNumParams() && i < arguments.size(); ++i) {
    const ParmVarDecl *parameter = callee->getParamDecl(i);
    if (parameter->getType()->isReferenceType())
      locations.emplace_back(parameter, locate(arguments[i], path));
    else
      values.emplace_back(parameter, evaluate(arguments[i], path));
  }
  for (auto &[parameter, value] : values) {
    path.now.clear(parameter);
    path.now.set({parameter, ""}, value);
    if (parameter->getType()->isRecordType())
      copyMembers(parameter, arguments[parameter->getFunctionScopeIndex()], path);
  }
  for (auto &[parameter, location] : locations)
    path.now.references[parameter] = location;

  frame.mark = path.now.mark();
  path.frames.push_back(std::move(frame));
  path.calls.push_back(path.location(call));
  const Stmt *outerStatement = path.statement;
  Guards outerGuards = path.guards;
  bool reachesEnd = follow(callee->getBody(), path);
  path.guards = outerGuards;
  path.statement = outerStatement;
  path.calls.pop_back();
  Frame done = std::move(path.frames.back());
  path.frames.pop_back();

  if (done.atReturn) {
    Environment::Changes atEnd = path.now.undo(done.mark);
    path.now.apply(reachesEnd ? joined(*done.atReturn, atEnd, Condition::unknown(), path.location(call), path)
                              : *done.atReturn);
  } else {
    path.now.keep(done.mark);
  }
  path.frames.back().returnedLvalue = done.returnedLvalue;
  return done.returned ? *done.returned : Value::unknown("nothing is returned", path.location(call));
}

Value waitAt(const Barrier &found, const CallExpr *call, Path &path) {
  SourceLocation location = path.location(call);
  for (const Expr *argument : call->arguments())
    evaluate(argument, path);
  noteBarrier(found, call, path);
  // __syncthreads_or and its variants give all threads the same value.
  if (found.ordersBlock() && call->getType()->isIntegerType())
    return {Polynomial(path.symbols.uniform(fmt::format("{}@{}", found.spelling, location.line), false,
                                            path.scope().loops())),
            std::nullopt, nullptr};
  return Value::unknown(fmt::format("result of '{}'", found.spelling), location);
}

/// Where a call makes an access: the argument that is a pointer to it.
struct Touched {
  unsigned argument = 0;
  Access::Kind kind = Access::Kind::Read;
};

/// The accesses of a function of the table, in their order.
std::vector<Touched> touchedBy(CallEffect effect) {
  using Kind = Access::Kind;
  switch (effect) {
  case CallEffect::Atomic: return {{0, Kind::Atomic}};
  case CallEffect::Load: return {{0, Kind::Read}};
  case CallEffect::Store: return {{0, Kind::Write}};
  case CallEffect::Copy: return {{0, Kind::Write}, {1, Kind::Read}};
  case CallEffect::GroupCopy: return {{1, Kind::Write}, {2, Kind::Read}};
  case CallEffect::None:
  case CallEffect::ByThread:
  case CallEffect::Pure: return {};
  }
  return {};
}

/// A pure function of integers that all threads agree on is one itself.
Value pureResult(const CallExpr *call, const std::string &name, const std::vector<Value> &values,
                 const ValueScope &scope) {
  std::vector<const Affine *> from;
  std::string text = name + "(";
  for (const Value &value : values) {
    from.push_back(&value.integer);
    text += (from.size() > 1 ? ", " : "") + value.integer.str();
  }
  bool nonNegative =
      llvm::all_of(values, [](const Value &v) { return v.integer && v.integer->isNonNegative(); });
  if (call->getType()->isIntegralOrEnumerationType() && !from.empty())
    if (auto uniform = uniformOf(text + ")", from, nonNegative, scope))
      return *uniform;
  for (const Value &value : values)
    if (!value.integer && (name == "min" || name == "max"))
      return value;
  return Value::unknown(fmt::format("result of '{}'", name), scope.location(call));
}

/// The size of what an access reads or writes, where the pointer does not show it: that of a copy is its third argument.
std::optional<int64_t> sizeOfCopy(const CallExpr *call, const Path &path) {
  Expr::EvalResult size;
  if (call->getNumArgs() < 3 || !call->getArg(2)->EvaluateAsInt(size, path.context))
    return std::nullopt;
  return size.Val.getInt().getExtValue();
}

/// A copy of which it is not known what one thread touches: nothing is stated about its bytes, and it may touch those of any other
/// thread.
LValue anywhereIn(LValue where, const char *reason, const SourceLocation &location) {
  where.memory.offset = Affine::not_(reason, location);
  where.memory.outer = {where.memory.offset};
  return where;
}

void recordTouched(Access::Kind kind, LValue where, QualType type, const Expr *pointer, const CallExpr *call,
                   CallEffect effect, Path &path) {
  const SourceLocation location = path.location(call);
  std::optional<int64_t> bytes;
  if (effect == CallEffect::GroupCopy) {
    where = anywhereIn(std::move(where), "the copy is distributed over the threads of the group", location);
    bytes = 0;
  } else if (effect == CallEffect::Copy && !(bytes = sizeOfCopy(call, path))) {
    where = anywhereIn(std::move(where), "the size of the copy is no constant", location);
    bytes = 0;
  }
  record(kind, where, type, pointer, path, bytes);
}

/// A function of the table: its arguments are evaluated, and it makes the accesses that its row lists.
Value evaluateTableCall(const CallExpr *call, const std::string &name, CallEffect effect, Path &path) {
  const SourceLocation location = path.location(call);
  std::vector<Value> values;
  for (const Expr *one : call->arguments())
    values.push_back(evaluate(one, path));
  for (const Touched &touched : touchedBy(effect)) {
    if (touched.argument >= values.size())
      continue;
    const Expr *pointer = call->getArg(touched.argument)->IgnoreParenImpCasts();
    QualType type = call->getArg(touched.argument)->getType();
    if (!type->isPointerType())
      continue;
    LValue where = pointedAt(values[touched.argument], pointer, path.arrays, path.unit);
    if (where.kind == LValue::Kind::Variable && touched.kind != Access::Kind::Read)
      forget(where.variable, fmt::format("set by '{}'", name), location, path);
    else if (where.kind == LValue::Kind::Memory)
      recordTouched(touched.kind, where, type->getPointeeType(), pointer, call, effect, path);
  }
  switch (effect) {
  case CallEffect::Load: {
    if (values.empty() || !call->getArg(0)->getType()->isPointerType())
      return Value::unknown("loaded from memory", location);
    Silence silence(path); // the access was recorded above
    return load(pointedAt(values[0], call->getArg(0), path.arrays, path.unit), call->getType(), call, path);
  }
  case CallEffect::Store: return Value::unknown("nothing is returned", location);
  case CallEffect::Copy:
  case CallEffect::GroupCopy: return Value::unknown("a copy", location);
  case CallEffect::Pure: return pureResult(call, name, values, path.scope());
  case CallEffect::None:
  case CallEffect::Atomic:
  case CallEffect::ByThread: break;
  }
  return Value::unknown(fmt::format("result of '{}'", name), location);
}

/// A barrier, a thread's rank, or a function of the table; nothing for any other call.
std::optional<Value> evaluateKnownCall(const CallExpr *call, const std::string &name, Path &path) {
  const FunctionDecl *callee = call->getDirectCallee();
  if (std::optional<Barrier> found = barrierAt(call, path.context))
    return waitAt(*found, call, path);
  if (isBlockRank(call, callee))
    return Value{path.indices.threadRank(), std::nullopt, nullptr};
  const CallEffect effect = callee ? effectOf(name) : CallEffect::None;
  // The user may have a function of such a name ("min", "atomicMaxFloat"): its own body says more.
  const FunctionDecl *definition = nullptr;
  if (effect == CallEffect::None ||
      (callee->hasBody(definition) && path.unit.isUserCode(definition->getLocation())))
    return std::nullopt;
  return evaluateTableCall(call, name, effect, path);
}

/// A function that is not followed may read and write whatever it is given a pointer or reference to.
void touchArguments(const CallExpr *call, const std::string &name, Path &path) {
  const FunctionDecl *callee = call->getDirectCallee();
  unsigned skip = isa<CXXOperatorCallExpr>(call) && isa_and_nonnull<CXXMethodDecl>(callee) ? 1 : 0;
  for (unsigned i = 0; i < call->getNumArgs(); ++i) {
    const Expr *argument = call->getArg(i);
    SourceLocation location = path.location(argument);
    QualType parameter = callee && i >= skip && i - skip < callee->getNumParams()
                             ? callee->getParamDecl(i - skip)->getType()
                             : argument->getType();
    LValue where;
    QualType type;
    if (argument->isGLValue()) {
      where = locate(argument, path);
      type = argument->getType();
    } else {
      Value value = evaluate(argument, path);
      if (!argument->getType()->isPointerType() || !value.pointer)
        continue;
      where = pointedAt(value, argument, path.arrays, path.unit);
      type = argument->getType()->getPointeeType();
    }
    QualType target =
        parameter->isReferenceType() || parameter->isPointerType() ? parameter->getPointeeType() : type;
    bool mayWrite =
        !target.isConstQualified() && (parameter->isReferenceType() || parameter->isPointerType());
    if (isa<CXXOperatorCallExpr>(call) && i == 0 && skip)
      mayWrite = !cast<CXXMethodDecl>(callee)->isConst();
    if (where.kind == LValue::Kind::Variable && mayWrite)
      forget(where.variable, fmt::format("set by '{}'", name), location, path);
    if (where.kind != LValue::Kind::Memory)
      continue;
    // A whole object by reference is one element; a pointer leads anywhere from there on.
    if (!argument->isGLValue()) {
      where.memory.offset = Affine::not_(fmt::format("passed to '{}'", name), location);
      where.memory.outer = {where.memory.offset};
    }
    bool isPlainCopy = skip && i == 0 && isa<CXXOperatorCallExpr>(call) &&
                       cast<CXXOperatorCallExpr>(call)->getOperator() == OO_Equal;
    if (!isPlainCopy)
      record(Access::Kind::Read, where, type, argument, path);
    if (mayWrite)
      record(Access::Kind::Write, where, type, argument, path);
  }
}

Value evaluateUnknownCall(const CallExpr *call, const FunctionDecl *callee, Path &path) {
  std::string name = calleeName(callee);
  if (name.empty())
    name = callee ? callee->getNameAsString() : "a function pointer";
  if (const auto *method = dyn_cast<CXXMemberCallExpr>(call)) {
    LValue object = method->getImplicitObjectArgument()->isGLValue()
                        ? locate(method->getImplicitObjectArgument(), path)
                        : LValue{};
    if (object.kind == LValue::Kind::Variable && method->getMethodDecl() &&
        !method->getMethodDecl()->isConst())
      forget(object.variable, fmt::format("set by '{}'", name), path.location(call), path);
  }
  touchArguments(call, name, path);
  if (callee && path.blockBarriers.areIn(callee))
    appendBarrier(Event::Kind::Barrier, call, path);
  if (call->getType()->isPointerType()) {
    // A helper that hands out a pointer from a header we do not open.
    return Value::unknown(fmt::format("a pointer from '{}'", name), path.location(call));
  }
  return Value::unknown(fmt::format("result of '{}'", name), path.location(call));
}

} // namespace

Value evaluateCall(const CallExpr *call, Path &path) {
  const FunctionDecl *callee = calleeOf(call);
  std::string name = calleeName(callee);
  path.frames.back().returnedLvalue.reset();
  if (std::optional<Value> known = evaluateKnownCall(call, name, path))
    return *known;
  const FunctionDecl *definition = nullptr;
  if (!callee || !callee->hasBody(definition) || path.isSilent)
    return evaluateUnknownCall(call, callee, path);
  // Bodies in system headers are looked into only for the small wrappers of the user's own memory helpers;
  // what they do to pointers they are given is assumed to be anything.
  if (!path.unit.isUserCode(definition->getLocation()))
    return evaluateUnknownCall(call, definition, path);

  for (const Frame &frame : path.frames)
    if (frame.function == definition) {
      noteGap(call, fmt::format("'{}' calls itself; what the inner call does is not analyzed", name), path);
      return evaluateUnknownCall(call, definition, path);
    }
  if (path.frames.size() > maxDepth) {
    noteGap(call, fmt::format("calls are nested more than {} deep; '{}' is not analyzed", maxDepth, name),
            path);
    return evaluateUnknownCall(call, definition, path);
  }

  const Expr *object = nullptr;
  std::vector<const Expr *> arguments(call->arg_begin(), call->arg_end());
  if (const auto *method = dyn_cast<CXXMemberCallExpr>(call)) {
    object = method->getImplicitObjectArgument();
  } else if (isa<CXXOperatorCallExpr>(call) && isa<CXXMethodDecl>(definition)) {
    object = arguments.front();
    arguments.erase(arguments.begin());
  }
  return followBody(call, definition, object, std::move(arguments), path);
}

Value evaluateConstruction(const CXXConstructExpr *expression, Path &path) {
  const CXXConstructorDecl *constructor = expression->getConstructor();
  // A copy of an object in memory is a load of all of it.
  if (expression->getNumArgs() >= 1 && constructor->isCopyOrMoveConstructor()) {
    const Expr *from = expression->getArg(0);
    if (!from->isGLValue() || isa<MaterializeTemporaryExpr>(from->IgnoreParenImpCasts()))
      return evaluate(from, path);
    LValue where = locate(from, path);
    if (where.kind == LValue::Kind::Memory)
      record(Access::Kind::Read, where, from->getType(), from, path);
    return Value::unknown("an object", path.location(expression));
  }
  for (const Expr *argument : expression->arguments()) {
    if (argument->isGLValue())
      locate(argument, path);
    else
      evaluate(argument, path);
  }
  return Value::unknown("an object", path.location(expression));
}

} // namespace heddle::analysis::walk
