// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls. Built-ins are in tables (CallEffects.def, GroupEffects.def). A function with a body is analysed for
// the levels of its arguments; functions of system headers that take and return plain numbers are taken to be
// arithmetic, without looking: they are, and the mathematical library is large.
#include "analysis/GroupCalls.h"
#include "analysis/ThreadBuiltins.h"
#include "analysis/UniformityImpl.h"
#include "source/LocalWrites.h"
#include "source/Unit.h"

using namespace clang;

namespace heddle::analysis {
namespace {

/// Deeper than people nest device functions; template libraries can go on for long.
constexpr unsigned deepestCall = 24;
/// Analyses of called functions for one kernel, before the rest counts as unknown.
constexpr unsigned mostCallContexts = 4000;

Fact throughOperand(const Fact &fact, const Expr *operand) {
  return {fact.level, {Cause::Kind::Operand, operand->IgnoreParens(), 0, 0, {}}};
}

bool takesOnlyNumbers(const FunctionDecl *callee) {
  for (const ParmVarDecl *parameter : callee->parameters())
    if (!parameter->getType()->isArithmeticType() && !parameter->getType()->isEnumeralType())
      return false;
  return callee->getNumParams() > 0;
}

const LambdaExpr *lambdaOf(const Expr *object, const source::ReachingDefinitions &definitions) {
  const Expr *e = object->IgnoreParenImpCasts();
  if (auto *reference = dyn_cast<DeclRefExpr>(e))
    for (const source::Definition *definition : definitions.reaching(reference))
      if (definition->value)
        e = definition->value->IgnoreUnlessSpelledInSource();
  return dyn_cast<LambdaExpr>(e->IgnoreUnlessSpelledInSource());
}

const Expr *objectOf(const CallExpr *call) {
  if (auto *member = dyn_cast<CXXMemberCallExpr>(call))
    return member->getImplicitObjectArgument();
  auto *method = dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee());
  if (isa<CXXOperatorCallExpr>(call) && method && method->isInstance())
    return call->getArg(0);
  return nullptr;
}

unsigned firstArgument(const CallExpr *call) {
  return isa<CXXOperatorCallExpr>(call) && objectOf(call) ? 1 : 0;
}

CallParts partsOf(const CallExpr *call) {
  llvm::ArrayRef<const Expr *> arguments(call->getArgs(), call->getNumArgs());
  return {call, calleeOf(call), arguments.drop_front(firstArgument(call)), objectOf(call)};
}

CallParts partsOf(const CXXConstructExpr *construction) {
  const FunctionDecl *defined = construction->getConstructor();
  construction->getConstructor()->hasBody(defined);
  return {construction, defined,
          llvm::ArrayRef<const Expr *>(construction->getArgs(), construction->getNumArgs()), nullptr};
}

std::optional<CallEffect> effectOfCall(const CallExpr *call, const FunctionDecl *callee,
                                       const source::Unit &unit) {
  if (auto *member = dyn_cast<CXXMemberCallExpr>(call))
    return effectOfMember(callee, member->getObjectType());
  if (isa<CXXMethodDecl>(callee) &&
      isa<MemberExpr>(call->getCallee()->IgnoreParenImpCasts())) // a static member
    return effectOfMember(callee, groupTypeOf(call));
  bool usersOwn = callee->hasBody() && unit.isUserCode(callee->getLocation());
  return usersOwn ? std::nullopt : effectOf(callee);
}

} // namespace

Fact Uniformity::Impl::callFact(const CallExpr *call) {
  const FunctionDecl *callee = calleeOf(call);
  if (!callee)
    return root(Level::Thread, call, "a call through a pointer may differ by thread");
  Fact arguments;
  for (const Expr *argument : call->arguments())
    joinInto(arguments, throughOperand(valueOf(argument), argument));
  const Expr *object = objectOf(call);
  if (object)
    joinInto(arguments, throughOperand(valueOf(object), object));

  if (std::optional<CallEffect> effect = effectOfCall(call, callee, *shared->unit)) {
    switch (effect->kind) {
    case CallEffect::Kind::Fixed:
      return effect->level == Level::Grid ? Fact{} : root(effect->level, call, effect->reason);
    case CallEffect::Kind::Exchange: return arguments;
    case CallEffect::Kind::Broadcast: {
      unsigned lane = call->getNumArgs() > 2 && !isa<CXXMemberCallExpr>(call) ? 2 : 1;
      bool sameLane = lane < call->getNumArgs() && valueOf(call->getArg(lane)).level <= Level::Warp;
      bool wholeWarp = lane != 2 || call->getNumArgs() < 4 || isa<CXXDefaultArgExpr>(call->getArg(3));
      return sameLane && wholeWarp ? root(Level::Warp, call, effect->reason) : arguments;
    }
    case CallEffect::Kind::Load:
      return load(call, call->getArg(0), throughOperand(valueOf(call->getArg(0)), call->getArg(0)));
    case CallEffect::Kind::ReadOnlyLoad:
    case CallEffect::Kind::Arguments: return arguments;
    }
  }
  bool system = !shared->unit->isUserCode(callee->getLocation());
  if (callee->getBuiltinID() || (system && (takesOnlyNumbers(callee) || !callee->hasBody())))
    return arguments;
  if (const Uniformity *inside = lookInto(partsOf(call)))
    return {inside->impl->returned.level, {Cause::Kind::Call, call, 0, 0, {}}};
  if (callee->isDefaulted() || isa<CXXConversionDecl>(callee))
    return arguments;
  return root(Level::Thread, call,
              fmt::format("nothing is known of what '{}' returns", callee->getNameAsString()));
}

/// What an object holds when it has been made: what its constructor and the initializers of its members
/// write.
Fact Uniformity::Impl::constructionFact(const CXXConstructExpr *construction) {
  const CXXConstructorDecl *constructor = construction->getConstructor();
  Fact arguments;
  for (const Expr *argument : construction->arguments())
    joinInto(arguments, throughOperand(valueOf(argument), argument));
  if (constructor->isTrivial() || groupKind(construction->getType()) != GroupKind::None)
    return arguments;
  if (const Uniformity *inside = lookInto(partsOf(construction)))
    return {inside->impl->written.level, {Cause::Kind::Call, construction, 1, 0, {}}};
  const bool isLibrary = !shared->unit->isUserCode(constructor->getLocation());
  if (isLibrary || constructor->isDefaulted())
    return arguments;
  return root(Level::Thread, construction,
              fmt::format("nothing is known of what the constructor of '{}' writes",
                          constructor->getParent()->getNameAsString()));
}

/// The member initializers of a constructor write the object.
void Uniformity::Impl::noteInitializers() {
  auto *constructor = dyn_cast<CXXConstructorDecl>(graph().function());
  if (!constructor)
    return;
  for (const CXXCtorInitializer *initializer : constructor->inits())
    if (const Expr *value = initializer->getInit())
      raise(written, valueOf(value).level, {Cause::Kind::Operand, value->IgnoreParens(), 0, 0, {}});
}

const Uniformity *Uniformity::Impl::lookInto(const CallParts &call) {
  const FunctionDecl *callee = call.callee;
  if (!callee || !callee->hasBody() || shared->underWay.contains(callee) ||
      shared->underWay.size() > deepestCall)
    return nullptr;
  std::pair<const FunctionDecl *, CallContext> key(callee, contextOf(call));
  auto found = shared->analysed.find(key);
  if (found == shared->analysed.end()) {
    if (shared->analysed.size() >= mostCallContexts)
      return nullptr;
    std::unique_ptr<Uniformity> made = analyseUniformity(shared, callee, key.second);
    if (!made)
      return nullptr;
    // Inside, a second reference to `shared` would keep itself alive; the outermost one keeps it.
    made->impl->shared.reset(shared.get(), [](UniformityShared *) {});
    found = shared->analysed.emplace(std::move(key), std::move(made)).first;
  }
  callees[call.site] = found->second.get();
  return found->second.get();
}

CallContext Uniformity::Impl::contextOf(const CallParts &call) {
  const FunctionDecl *callee = call.callee;
  CallContext made;
  for (unsigned i = 0; i < callee->getNumParams(); ++i) {
    const Expr *argument = i < call.arguments.size() ? call.arguments[i] : nullptr;
    Level level = argument ? valueOf(argument).level : Level::Grid;
    Memory kind = Memory::Unknown;
    QualType type = callee->getParamDecl(i)->getType();
    if (argument && type->isPointerType()) {
      Roots roots = memory->rootsOf(argument);
      kind = memory->memoryOf(roots);
      if (std::optional<source::LocalPlace> pointee = source::localPointee(argument))
        level = join(level, valueOf(pointee->reference).level);
    } else if (argument && type->isReferenceType() && argument->isGLValue()) {
      kind = memory->memoryOf(memory->rootsOfLvalue(argument));
    }
    made.parameters.push_back(level);
    made.memories.push_back(kind);
  }
  if (const Expr *object = call.object) {
    made.object = valueOf(object).level;
    if (const LambdaExpr *lambda = lambdaOf(object, *definitions)) {
      auto init = lambda->capture_init_begin();
      for (const LambdaCapture &capture : lambda->captures()) {
        if (capture.capturesVariable() && *init)
          made.captures[capture.getCapturedVar()] = valueOf(*init).level;
        ++init;
      }
    }
  }
  return made;
}

/// What a call writes into the variables it is handed.
Fact Uniformity::Impl::writtenBy(const Stmt *statement) {
  if (auto found = callees.find(statement); found != callees.end())
    return {found->second->impl->written.level, {Cause::Kind::Call, statement, 1, 0, {}}};
  auto *call = dyn_cast<CallExpr>(statement);
  if (auto *construction = dyn_cast<CXXConstructExpr>(statement);
      construction && construction->getConstructor()->isTrivial())
    return {};
  if (!call)
    return root(Level::Thread, statement, "a constructor may write it");
  const FunctionDecl *callee = calleeOf(call);
  if (callee && (callee->getBuiltinID() || effectOfCall(call, callee, *shared->unit)))
    return throughOperand(callFact(call), call);
  bool harmless = callee && !shared->unit->isUserCode(callee->getLocation()) && takesOnlyNumbers(callee);
  return harmless ? Fact{} : root(Level::Thread, call, "the call may write it");
}

} // namespace heddle::analysis
