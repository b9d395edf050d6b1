// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What does evaluating a piece of code execute?
//
// A C++ statement executes more than the calls that are written in it. `Tile t(p);` runs a constructor, its
// member initializers and default member initializers, and at the end of the scope a destructor with those of
// members and bases; `f(x)` evaluates default arguments of `f`; `a + b` and `if (object)` call functions;
// `for (auto v : range)` calls begin, end, ++, != and *; `auto [a, b] = pair;` may call get. A kernel may
// read its thread index, wait at a barrier or store to memory in any of them, so every analysis that asks
// "what happens here?" has to see them all. This file is where that list is made:
//
//   1. executedBy(code) walks the evaluated expressions below `code` and names what each executes by the
//      rules of the language. Clang's AST has a node for all of it (CXXConstructExpr, CXXBindTemporaryExpr,
//      CXXDefaultArgExpr, ...) but two: the destructors of variables, which follow from their types, and the
//      calls behind structured bindings, which hang on the declarations of the bindings.
//   2. Reach::of(kernel) follows the list from function to function. Each entry remembers how it was reached.
//      A way made of written calls only can be given further arguments by editing text; any other way is
//      "hidden", and a transform that must hand an index on has to refuse there.
//
// What has no visible body is an entry of its own: a call through a pointer, a virtual call that the type of
// the object does not settle, a user's function that is defined in another file. Nothing may be assumed about
// those. Functions of system headers without a body are the compiler's and the mathematical library's,
// which the tables know.
//
// Bodies that the compiler makes (a default constructor, a copy) have no text, but Clang gives them an AST as
// soon as they are used, so they are looked into like any other. Trivial ones execute nothing.
#include "analysis/Execution.h"

#include "analysis/CallEffects.h"
#include "analysis/ThreadBuiltins.h"
#include "source/FlowGraph.h"
#include "source/LocalWrites.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ASTLambda.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <fmt/format.h>

#include <map>
#include <set>

using namespace clang;

namespace heddle::analysis {

using How = Executed::How;

namespace {

std::string quoted(const NamedDecl *declaration) {
  return "'" + declaration->getQualifiedNameAsString() + "'";
}

std::string ownerOf(const FunctionDecl *function) {
  auto *method = dyn_cast_or_null<CXXMethodDecl>(function);
  return method ? quoted(method->getParent()) : function ? quoted(function) : "a function";
}

const FunctionDecl *definitionOf(const FunctionDecl *function) {
  const FunctionDecl *defined = nullptr;
  return function && function->hasBody(defined) ? defined : function;
}

/// The destructor that ends the life of an object of this type; null where there is nothing to do.
const CXXDestructorDecl *destructorOf(QualType type) {
  if (type.isNull() || type->isReferenceType() || type->isDependentType())
    return nullptr;
  const CXXRecordDecl *record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition() || record->hasTrivialDestructor())
    return nullptr;
  return record->getDestructor();
}

/// The function that a lambda is written in; null for one outside of functions.
const FunctionDecl *functionAround(const CXXMethodDecl *callOperator) {
  for (const DeclContext *scope = callOperator->getParent()->getDeclContext(); scope;
       scope = scope->getParent())
    if (auto *function = dyn_cast<FunctionDecl>(scope))
      return definitionOf(function);
  return nullptr;
}

/// Makes the list for one piece of code.
class Lister {
public:
  std::vector<Executed> found;

  void walk(const Stmt *code, std::optional<How> as = std::nullopt) {
    source::forEachEvaluated(code, [&](const Stmt *part) { return visit(part, as); });
  }
  void destroy(QualType type, const Stmt *at) {
    if (const CXXDestructorDecl *destructor = destructorOf(type))
      add(How::Destructor, destructor, at);
  }

private:
  void add(How how, const FunctionDecl *function, const Stmt *at) {
    Executed each;
    each.how = how;
    each.function = definitionOf(function);
    each.at = at;
    found.push_back(each);
  }
  void addDefault(How how, const Expr *expression, const ValueDecl *of, const Stmt *at) {
    Executed each;
    each.how = how;
    each.expression = expression;
    each.of = of;
    each.at = at;
    found.push_back(each);
  }

  template <class Arguments> void addDefaults(Arguments arguments, const Expr *call) {
    for (const Expr *each : arguments)
      if (auto *argument = dyn_cast<CXXDefaultArgExpr>(each))
        addDefault(How::DefaultArgument, argument->getExpr(), argument->getParam(), call);
  }

  /// `as`: what calls are part of, where the language makes them.
  bool visit(const Stmt *part, std::optional<How> as) {
    if (auto *expression = dyn_cast<Expr>(part); expression && threadBuiltin(expression))
      return false; // a property of Clang's headers: its getter is not of interest
    if (isa<CXXDefaultArgExpr>(part))
      return false; // noted with the call, which has a place in the text
    if (auto *initializer = dyn_cast<CXXDefaultInitExpr>(part))
      return addDefault(How::DefaultInitializer, initializer->getExpr(), initializer->getField(), part),
             false;
    if (auto *call = dyn_cast<CallExpr>(part)) {
      addDefaults(call->arguments(), call);
      addCall(call, as);
    } else if (auto *construction = dyn_cast<CXXConstructExpr>(part)) {
      addDefaults(construction->arguments(), construction);
      add(How::Constructor, construction->getConstructor(), part);
    } else if (auto *inherited = dyn_cast<CXXInheritedCtorInitExpr>(part))
      add(How::Constructor, inherited->getConstructor(), part);
    else if (auto *temporary = dyn_cast<CXXBindTemporaryExpr>(part))
      add(How::Destructor, temporary->getTemporary()->getDestructor(), part);
    else if (auto *made = dyn_cast<CXXNewExpr>(part))
      add(How::Allocation, made->getOperatorNew(), part);
    else if (auto *deleted = dyn_cast<CXXDeleteExpr>(part))
      addDelete(deleted);
    else if (auto *declarations = dyn_cast<DeclStmt>(part))
      addDeclarations(declarations);
    else if (auto *loop = dyn_cast<CXXForRangeStmt>(part))
      return addRangeFor(loop), false;
    return true;
  }

  void addCall(const CallExpr *call, std::optional<How> as) {
    if (isa<CXXPseudoDestructorExpr>(call->getCallee()->IgnoreParens()) || isa<CUDAKernelCallExpr>(call))
      return;
    const FunctionDecl *callee = calleeOf(call);
    if (auto *member = dyn_cast<CXXMemberCallExpr>(call);
        member && isa_and_nonnull<CXXConversionDecl>(callee))
      if (threadBuiltin(member->getImplicitObjectArgument()->IgnoreParenImpCasts()))
        return; // `dim3 size = blockDim;`
    if (!callee)
      return add(call->getDirectCallee() ? How::Virtual : How::Pointer, call->getDirectCallee(), call);
    auto *method = dyn_cast<CXXMethodDecl>(callee);
    if (isa<CXXDestructorDecl>(callee))
      return add(How::Destructor, callee, call);
    if (as)
      return add(*as, callee, call);
    if (method && isLambdaCallOperator(method))
      return add(How::Lambda, callee, call);
    if (isa<CXXConversionDecl>(callee))
      return add(How::Conversion, callee, call);
    if (isa<CXXOperatorCallExpr>(call) || callee->isOverloadedOperator())
      return add(How::Operator, callee, call);
    // `S::f()` of a static member is written like a call of any function, but has no place of its own for a
    // copy.
    add(method ? How::Member : How::Call, callee, call);
  }

  void addDelete(const CXXDeleteExpr *deleted) {
    QualType type = deleted->getDestroyedType();
    const CXXDestructorDecl *destructor = destructorOf(type);
    if (destructor && destructor->isVirtual())
      add(How::Virtual, destructor, deleted);
    else if (destructor)
      add(How::Destructor, destructor, deleted);
    add(How::Allocation, deleted->getOperatorDelete(), deleted);
  }

  void addDeclarations(const DeclStmt *statement) {
    for (const Decl *declaration : statement->decls()) {
      auto *variable = dyn_cast<VarDecl>(declaration);
      if (variable)
        destroy(variable->getType(), statement);
      if (auto *bound = dyn_cast_or_null<DecompositionDecl>(variable))
        for (const BindingDecl *binding : bound->bindings())
          if (const VarDecl *holder = binding->getHoldingVar(); holder && holder->getInit())
            walk(holder->getInit(), How::Binding);
    }
  }

  void addRangeFor(const CXXForRangeStmt *loop) {
    walkIf(loop->getInit());
    walkIf(loop->getRangeStmt());
    for (const Stmt *part :
         {static_cast<const Stmt *>(loop->getBeginStmt()), static_cast<const Stmt *>(loop->getEndStmt()),
          static_cast<const Stmt *>(loop->getCond()), static_cast<const Stmt *>(loop->getInc()),
          static_cast<const Stmt *>(loop->getLoopVarStmt())})
      if (part)
        walk(part, How::RangeFor);
    walkIf(loop->getBody());
  }
  void walkIf(const Stmt *code) {
    if (code)
      walk(code);
  }
};

} // namespace

std::string Executed::str() const {
  switch (how) {
  case How::Call: return quoted(function);
  case How::Member: return fmt::format("the member function {}", quoted(function));
  case How::Operator: return fmt::format("the overloaded operator {}", quoted(function));
  case How::Lambda: return "a lambda";
  case How::Conversion:
    return fmt::format("the conversion of {} to '{}'", ownerOf(function),
                       function->getReturnType().getAsString());
  case How::Constructor: return fmt::format("the constructor of {}", ownerOf(function));
  case How::Destructor: return fmt::format("the destructor of {}", ownerOf(function));
  case How::DefaultArgument: {
    auto *owner = of ? dyn_cast<NamedDecl>(of->getDeclContext()) : nullptr;
    return fmt::format("a default argument of {}", owner ? quoted(owner) : "a function");
  }
  case How::DefaultInitializer:
    return fmt::format("the default initializer of {}", of ? quoted(of) : "a member");
  case How::RangeFor: return fmt::format("{}, which the range-based for calls,", quoted(function));
  case How::Binding: return fmt::format("{}, which the structured binding calls,", quoted(function));
  case How::Allocation: return fmt::format("{}", function ? quoted(function) : "an allocation");
  case How::Pointer: return "a call through a pointer";
  case How::Virtual: return fmt::format("a call of the virtual function {}", quoted(function));
  case How::NoBody: return fmt::format("{}, whose body is not in this file", quoted(function));
  }
  return "a call";
}

std::vector<Executed> executedBy(const Stmt *code) {
  Lister lister;
  if (code)
    lister.walk(code);
  return lister.found;
}

std::vector<Executed> executedBy(const FunctionDecl *function) {
  Lister lister;
  if (auto *constructor = dyn_cast<CXXConstructorDecl>(function))
    for (const CXXCtorInitializer *initializer : constructor->inits())
      if (initializer->getInit())
        lister.walk(initializer->getInit());
  if (function->doesThisDeclarationHaveABody())
    lister.walk(function->getBody());
  for (const ParmVarDecl *parameter : function->parameters())
    lister.destroy(parameter->getType(), nullptr);
  if (auto *destructor = dyn_cast<CXXDestructorDecl>(function)) {
    for (const FieldDecl *field : destructor->getParent()->fields())
      lister.destroy(field->getType(), nullptr);
    for (const CXXBaseSpecifier &base : destructor->getParent()->bases())
      lister.destroy(base.getType(), nullptr);
  }
  return lister.found;
}

std::vector<const Stmt *> Reached::code() const {
  if (step.expression)
    return {step.expression};
  std::vector<const Stmt *> all;
  if (auto *constructor = dyn_cast_or_null<CXXConstructorDecl>(step.function))
    for (const CXXCtorInitializer *initializer : constructor->inits())
      if (initializer->getInit())
        all.push_back(initializer->getInit());
  if (step.function && step.function->doesThisDeclarationHaveABody())
    all.push_back(step.function->getBody());
  return all;
}

Uses Reached::uses() const {
  Uses all;
  for (const Stmt *each : code())
    all.add(each);
  return all;
}

const Stmt *Reached::inKernel() const {
  const Reached *at = this;
  while (at->from && at->from->from)
    at = at->from;
  return at->step.at;
}

const Executed &Reached::hiddenStep() const {
  const Reached *at = this;
  while (at->isLibrary && at->from && at->from->isLibrary)
    at = at->from; // what the user calls of a library, not what that calls
  for (; at->from; at = at->from)
    if (!at->step.isWritten() || at->isLibrary)
      return at->step;
  return step;
}

static bool hasOnlyNumbers(const FunctionDecl *function) {
  for (const ParmVarDecl *parameter : function->parameters())
    if (!parameter->getType()->isArithmeticType() && !parameter->getType()->isEnumeralType())
      return false;
  return function->getNumParams() > 0;
}

/// Functions that are barriers and have no effect besides (Barriers.def).
static bool isBarrierByName(const FunctionDecl *function) {
  if (!function->getIdentifier() || isa<CXXMethodDecl>(function))
    return false;
  static const llvm::StringRef names[] = {
#define BARRIER(name, scope, action, id, threads) name,
#include "analysis/Barriers.def"
  };
  return llvm::any_of(names, [&](llvm::StringRef each) {
    return each.ends_with("*") ? function->getName().starts_with(each.drop_back())
                               : function->getName() == each;
  });
}

static bool isInNamespace(const FunctionDecl *function, llvm::StringRef name) {
  for (const DeclContext *scope = function->getDeclContext(); scope; scope = scope->getParent())
    if (auto *space = dyn_cast<NamespaceDecl>(scope);
        space && space->getIdentifier() && space->getName() == name)
      return true;
  return false;
}

bool isKnownByName(const FunctionDecl *function, const source::Unit &unit) {
  if (function->getBuiltinID())
    return true;
  const bool isOfUser = unit.isUserCode(function->getLocation());
  if (isOfUser && function->hasBody())
    return false; // its own body says more than a name
  return effectOf(function) || isBarrierByName(function) || isInNamespace(function, "cooperative_groups") ||
         (!isOfUser && !isa<CXXMethodDecl>(function) && hasOnlyNumbers(function));
}

Reach Reach::of(const FunctionDecl *function, const source::Unit &unit) {
  Reach reach;
  std::map<std::pair<const void *, bool>, bool> seen;
  Reached root;
  root.step.function = definitionOf(function);
  reach.list.push_back(root);
  seen[{root.step.function, false}] = true;
  for (size_t next = 0; next < reach.list.size(); ++next) {
    const Reached &from = reach.list[next];
    std::vector<Executed> steps =
        from.step.expression ? executedBy(from.step.expression) : executedBy(from.step.function);
    for (const Executed &step : steps) {
      // The body of a lambda is part of the text around it.
      bool isInText = step.how == How::Lambda &&
                      seen.contains({functionAround(cast<CXXMethodDecl>(step.function)), false});
      Reached each{step, &from, !isInText && (from.isHidden || !step.isWritten()), from.isLibrary};
      if (step.isUnknown()) {
        if (!from.isLibrary)
          reach.unknownCalls.push_back(each);
        continue;
      }
      if (const FunctionDecl *callee = step.function) {
        if (isKnownByName(callee, unit) || callee->isTrivial())
          continue;
        each.isLibrary = !unit.isUserCode(callee->getLocation());
        each.isHidden |= each.isLibrary;
        if (!callee->doesThisDeclarationHaveABody()) {
          // A special member that the compiler makes and has not made: nothing of it is the user's.
          bool isOfUser = !each.isLibrary && !callee->isImplicit() && !callee->isDefaulted();
          if (isOfUser && !from.isLibrary) {
            each.step.how = How::NoBody;
            reach.unknownCalls.push_back(each);
          }
          continue;
        }
      } else if (!step.expression) {
        continue;
      }
      const void *key = step.expression ? static_cast<const void *>(step.expression) : step.function;
      if (!seen.try_emplace({key, each.isHidden}, true).second)
        continue;
      reach.list.push_back(each);
    }
  }
  return reach;
}

namespace {

/// `this->member`, of the object that is being made.
bool isOwnMember(const Expr *lvalue) {
  const Expr *e = lvalue->IgnoreParenImpCasts();
  for (;;) {
    if (auto *member = dyn_cast<MemberExpr>(e)) {
      if (member->getMemberDecl()->getType()->isReferenceType())
        return false;
      e = member->getBase()->IgnoreParenImpCasts();
      if (isa<CXXThisExpr>(e))
        return true;
      if (member->isArrow())
        return false;
    } else if (auto *element = dyn_cast<ArraySubscriptExpr>(e)) {
      e = element->getBase()->IgnoreParenImpCasts();
      if (!e->getType()->isArrayType())
        return false;
    } else {
      return false;
    }
  }
}

bool isConstant(const Expr *lvalue) {
  auto *reference = dyn_cast<DeclRefExpr>(lvalue->IgnoreParenImpCasts());
  auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  return variable && (variable->isConstexpr() ||
                      (variable->getType().isConstQualified() && !variable->getType()->isReferenceType()));
}

} // namespace

const Stmt *firstOutsideAccess(const Reached &reached) {
  const Stmt *found = nullptr;
  bool isConstruction = isa_and_nonnull<CXXConstructorDecl>(reached.step.function);
  bool isEnd = isa_and_nonnull<CXXDestructorDecl>(reached.step.function);
  auto isInside = [&](const Expr *lvalue) {
    return source::localPlace(lvalue) || isConstant(lvalue) || (isConstruction && isOwnMember(lvalue)) ||
           (isEnd && isOwnMember(lvalue));
  };
  for (const Stmt *code : reached.code())
    source::forEachEvaluated(code, [&](const Stmt *part) {
      if (found)
        return false;
      if (auto *expression = dyn_cast<Expr>(part); expression && threadBuiltin(expression))
        return false;
      if (isa<CXXDefaultArgExpr, CXXDefaultInitExpr>(part))
        return false; // reached by themselves
      const Expr *touched = nullptr;
      if (auto *binary = dyn_cast<BinaryOperator>(part); binary && binary->isAssignmentOp())
        touched = binary->getLHS();
      else if (auto *unary = dyn_cast<UnaryOperator>(part); unary && unary->isIncrementDecrementOp())
        touched = unary->getSubExpr();
      else if (auto *cast = dyn_cast<CastExpr>(part); cast && cast->getCastKind() == CK_LValueToRValue)
        touched = cast->getSubExpr();
      if (touched && !isInside(touched))
        found = part;
      if (isa<AsmStmt, AtomicExpr, CXXNewExpr, CXXDeleteExpr>(part))
        found = part;
      if (auto *call = dyn_cast<CallExpr>(part)) {
        const FunctionDecl *callee = calleeOf(call);
        std::optional<CallEffect> effect = callee ? effectOf(callee) : std::nullopt;
        bool reads = effect && (effect->kind == CallEffect::Kind::Load ||
                                effect->kind == CallEffect::Kind::ReadOnlyLoad);
        bool isAtomic = callee && callee->getIdentifier() && callee->getName().contains_insensitive("atomic");
        if (!callee || reads || isAtomic || (callee && isBarrierByName(callee)))
          found = part;
      }
      return !found;
    });
  return found;
}

} // namespace heddle::analysis
