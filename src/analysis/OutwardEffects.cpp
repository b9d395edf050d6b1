// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether code does more than compute values.
//
// Two questions, for two purposes:
//
// `firstOutwardEffect`: may this code be moved, repeated or dropped? Anything but reading and writing the
// thread's own locals is an effect: stores, atomics, volatile accesses, assembly, destructors and virtual
// calls, functions whose bodies are not seen. Calls are followed into bodies of the user, each once. The
// answer is the first effect with its location, so that a refusal can show it.
//
// `effectBeyondLocals`: would executing this code once more be seen from outside? A load of a known function
// is none, functions of headers that take values only are taken to have none, and only the user's bodies are
// opened, down to `mostCalls`. Code nested deeper counts as having an effect.
//
// They are two classes because they err in different directions on library functions: the first refuses what
// it does not know, the second trusts the signature of what is not the user's. Cost: linear in the code and
// the bodies followed.
#include "analysis/OutwardEffects.h"

#include "analysis/CallEffects.h"
#include "analysis/Execution.h"
#include "analysis/PureFunctions.h"
#include "analysis/ThreadBuiltins.h"
#include "source/FlowGraph.h"
#include "source/LocalWrites.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <set>

using namespace clang;

namespace heddle::analysis {
namespace {

class EffectFinder {
public:
  explicit EffectFinder(const source::Unit &unit) : unit(unit) {}

  void look(const Stmt *code) {
    for (const Executed &each : executedBy(code))
      if (!found && each.at)
        lookAtHidden(each);
    source::forEachEvaluated(code, [&](const Stmt *part) {
      if (!found)
        lookAt(part);
      // threadIdx.x is a property read: what follows it is not of interest.
      return !found && !isa<PseudoObjectExpr>(part);
    });
  }

  LegalityFailure found;

private:
  void note(const Stmt *at, std::string what) { found = legalityFailure(unit.location(at), std::move(what)); }

  /// What no expression below `code` shows.
  void lookAtHidden(const Executed &each) {
    using How = Executed::How;
    if (each.how == How::Destructor || each.how == How::Virtual)
      note(each.at, fmt::format("{} is executed here, and what it does is not known", each.str()));
    else if (each.how == How::Binding)
      lookAtCall(each.at, each.function);
    else if (each.function && each.function->isDefaulted() && !each.function->isTrivial())
      for (const Executed &inner : executedBy(each.function))
        if (!(inner.function && inner.function->isTrivial()) && !found)
          note(each.at,
               fmt::format("{} executes {}, and what that does is not known", each.str(), inner.str()));
  }

  void lookAt(const Stmt *part) {
    if (isa<AsmStmt>(part))
      note(part, "what this assembly does is not known");
    else if (isa<LambdaExpr>(part))
      note(part, "this lambda is not analyzed");
    else if (isa<CXXNewExpr, CXXDeleteExpr, CXXThrowExpr, StmtExpr, AtomicExpr>(part))
      note(part, "this does more than compute a value");
    else if (auto *expression = dyn_cast<Expr>(part);
             expression && expression->isGLValue() && expression->getType().isVolatileQualified())
      note(part, "this is volatile");
    else if (const Expr *target = targetOf(part); target && !source::localPlace(target))
      note(part, "this stores to memory");
    else if (auto *construction = dyn_cast<CXXConstructExpr>(part))
      lookAtCall(part, construction->getConstructor());
    else if (auto *call = dyn_cast<CallExpr>(part))
      lookAtCall(part, calleeOf(call));
  }

  /// What an assignment, ++ or -- writes to.
  static const Expr *targetOf(const Stmt *part) {
    auto *binary = dyn_cast<BinaryOperator>(part);
    auto *unary = dyn_cast<UnaryOperator>(part);
    return binary && binary->isAssignmentOp()         ? binary->getLHS()
           : unary && unary->isIncrementDecrementOp() ? unary->getSubExpr()
                                                      : nullptr;
  }

  void lookAtCall(const Stmt *call, const FunctionDecl *callee) {
    if (!callee)
      return note(call, "a function is called through a pointer, and what it does is not known");
    if (callee->isTrivial() || callee->isDefaulted() || isPureFunction(unit, callee) ||
        isLoadFunction(callee))
      return;
    const FunctionDecl *definition = nullptr;
    if (!callee->hasBody(definition) || !unit.isUserCode(definition->getLocation()))
      return note(call, fmt::format("what '{}' does is not known", callee->getNameAsString()));
    if (!seen.insert(definition).second)
      return;
    EffectFinder inner(unit);
    inner.seen = seen;
    inner.look(definition->getBody());
    if (inner.found) {
      note(call, fmt::format("'{}' does more than compute a value", callee->getNameAsString()));
      found->note(inner.found->location, inner.found->text);
    }
  }

  const source::Unit &unit;
  std::set<const FunctionDecl *> seen;
};

/// How far calls are looked into for effects.
constexpr int mostCalls = 8;

bool takesValuesOnly(const FunctionDecl *function) {
  return !function->isVariadic() && std::ranges::all_of(function->parameters(), [](const ParmVarDecl *each) {
    const QualType type = each->getType();
    return !type->isPointerType() && (!type->isReferenceType() || type->getPointeeType().isConstQualified());
  });
}

class BeyondLocals {
public:
  explicit BeyondLocals(const source::Unit &unit) : unit(unit) {}

  const Stmt *find(const Stmt *code, int depth = 0) const {
    const Stmt *found = nullptr;
    source::forEachEvaluated(code, [&](const Stmt *part) {
      if (!found && hasEffect(part, depth))
        found = part;
      return !found;
    });
    return found;
  }

private:
  bool hasEffect(const Stmt *part, int depth) const {
    if (isa<AsmStmt, CXXNewExpr, CXXDeleteExpr, CXXThrowExpr, AtomicExpr, LambdaExpr, CXXBindTemporaryExpr>(
            part))
      return true;
    if (auto *argument = dyn_cast<CXXDefaultArgExpr>(part))
      return find(argument->getExpr(), depth);
    if (auto *member = dyn_cast<CXXDefaultInitExpr>(part))
      return find(member->getExpr(), depth);
    auto *binary = dyn_cast<BinaryOperator>(part);
    auto *unary = dyn_cast<UnaryOperator>(part);
    if (binary && binary->isAssignmentOp())
      return !source::localPlace(binary->getLHS());
    if (unary && unary->isIncrementDecrementOp())
      return !source::localPlace(unary->getSubExpr());
    if (auto *construction = dyn_cast<CXXConstructExpr>(part))
      return !construction->getConstructor()->isTrivial() && hasEffect(construction->getConstructor(), depth);
    if (auto *call = dyn_cast<CallExpr>(part)) {
      const FunctionDecl *callee = calleeOf(call);
      return !callee || hasEffect(callee, depth);
    }
    return false;
  }

  bool hasEffect(const FunctionDecl *callee, int depth) const {
    if (auto *constructor = dyn_cast<CXXConstructorDecl>(callee); constructor && depth <= mostCalls)
      for (const CXXCtorInitializer *member : constructor->inits())
        if (find(member->getInit(), depth + 1))
          return true;
    if (unit.isUserCode(callee->getLocation()))
      return depth > mostCalls || !callee->hasBody() || find(callee->getBody(), depth + 1);
    if (callee->isConstexpr() && isa<CXXConstructorDecl>(callee))
      return false; // dim3's
    if (auto *conversion = dyn_cast<CXXConversionDecl>(callee))
      return !conversion->isConst();
    if (std::optional<CallEffect> known = effectOf(callee)) {
      using Kind = CallEffect::Kind;
      const bool isRegister = callee->getName().starts_with("__nvvm_read_ptx_sreg_") ||
                              callee->getName().starts_with("__fetch_builtin_");
      return !isRegister && known->kind != Kind::Load && known->kind != Kind::ReadOnlyLoad &&
             known->kind != Kind::Arguments;
    }
    auto *method = dyn_cast<CXXMethodDecl>(callee);
    return method ? !method->isConst() && !method->isStatic() : !takesValuesOnly(callee);
  }

  const source::Unit &unit;
};

} // namespace

LegalityFailure firstOutwardEffect(const source::Unit &unit, const Stmt *code) {
  EffectFinder finder(unit);
  finder.look(code);
  return finder.found;
}

const Stmt *effectBeyondLocals(const source::Unit &unit, const Stmt *code) {
  return code ? BeyondLocals(unit).find(code) : nullptr;
}

} // namespace heddle::analysis
