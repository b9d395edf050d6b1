// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may not change places with anything else. Memory that code reads and writes is not looked at here:
// that is what dependences are for.
#include "analysis/loops/LoopLegality.h"

#include "analysis/Barriers.h"
#include "analysis/CallEffects.h"
#include "analysis/Execution.h"
#include "analysis/PureFunctions.h"
#include "analysis/ThreadBuiltins.h"
#include "source/FlowGraph.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <set>

using namespace clang;

namespace heddle::analysis {
namespace {

std::string plainNameOf(const FunctionDecl *function) {
  return function->getDeclName().isIdentifier() ? function->getNameAsString() : std::string();
}

/// Walks code with everything that it calls.
class Finder {
public:
  explicit Finder(const source::Unit &unit) : unit(unit) {}

  LegalityFailure find(const Stmt *code) {
    lookAtHidden(executedBy(code));
    source::forEachEvaluated(code, [&](const Stmt *part) {
      if (!found)
        look(part);
      // threadIdx.x is a property read: what follows it is not of interest.
      return !found && !isa<PseudoObjectExpr>(part);
    });
    return found;
  }

private:
  void refuse(const Stmt *at, std::string reason) {
    if (!found)
      found = legalityFailure(unit.location(at), std::move(reason));
  }

  /// Destructors have no expression of their own, and calls of structured bindings none below the statement;
  /// members that the compiler makes have no text.
  void lookAtHidden(const std::vector<Executed> &executed) {
    using How = Executed::How;
    for (const Executed &each : executed) {
      if (found || !each.at)
        continue;
      if (each.how == How::Virtual)
        refuse(each.at, fmt::format("{}: what it executes is not known", each.str()));
      else if (each.how == How::Destructor)
        refuse(each.at, fmt::format("{} is called here, and what it does is not analyzed", each.str()));
      else if (each.how == How::Binding || each.how == How::RangeFor)
        lookAtCall(each.at, each.function);
      else if (each.function && each.function->isDefaulted() && !each.function->isTrivial())
        lookAtMade(each);
    }
  }

  /// A constructor, or an assignment, that the compiler makes: what it does is what it executes.
  void lookAtMade(const Executed &made) {
    for (const Executed &inner : executedBy(made.function)) {
      const bool isNothing =
          inner.function && (inner.function->isTrivial() || isPureFunction(unit, inner.function));
      if (!found && !isNothing && !isConstantDefault(inner))
        refuse(made.at, fmt::format("what {} does is not known: it executes {}", made.str(), inner.str()));
    }
  }
  static bool isConstantDefault(const Executed &executed) {
    return executed.expression && executedBy(executed.expression).empty() &&
           !executed.expression->isValueDependent() && isa<Expr>(executed.expression) &&
           executed.expression->isEvaluatable(executed.of->getASTContext());
  }

  void look(const Stmt *part) {
    for (const Stmt *child : source::evaluatedChildren(part))
      parents.emplace(child, part);
    if (std::optional<Barrier> barrier = barrierAt(part, unit.context()))
      return refuse(part, fmt::format("'{}' is in the loop: other threads could observe the new order",
                                      barrier->spelling));
    if (isa<AsmStmt>(part))
      return refuse(part, "there is inline assembly inside, and what it does is not known");
    if (isa<GotoStmt, IndirectGotoStmt, LabelStmt>(part))
      return refuse(part, "there is a label or a goto inside");
    if (isa<LambdaExpr>(part))
      return refuse(part, "there is a lambda inside, and it is not analyzed");
    if (isa<StmtExpr, CXXTryStmt, CXXThrowExpr, CXXNewExpr, CXXDeleteExpr>(part))
      return refuse(part, "this statement cannot be put into another order");
    if (auto *expression = dyn_cast<Expr>(part);
        expression && expression->isGLValue() && expression->getType().isVolatileQualified())
      return refuse(part, "this is volatile, so the order of accesses must stay");
    if (auto *construction = dyn_cast<CXXConstructExpr>(part))
      return lookAtCall(part, construction->getConstructor());
    if (auto *call = dyn_cast<CallExpr>(part))
      lookAtCall(call, calleeOf(call));
  }

  void lookAtCall(const Stmt *call, const FunctionDecl *callee) {
    if (!callee)
      return refuse(call, "a function is called through a pointer, and what it does is not known");
    if (callee->isTrivial() || callee->isDefaulted() || isPureFunction(unit, callee) ||
        isLoadFunction(callee))
      return;
    const FunctionDecl *definition = nullptr;
    bool isUsers = callee->hasBody(definition) && unit.isUserCode(definition->getLocation());
    if (isAtomicFunction(callee) && !isUsers) {
      auto parent = parents.find(call);
      if (!isOrderlessAtomic(cast<CallExpr>(call), parent == parents.end() ? nullptr : parent->second))
        refuse(call, fmt::format("the order of '{}' is observable: its result is used, or it rounds",
                                 plainNameOf(callee)));
      return;
    }
    if (asksOutside(callee) && !isUsers)
      return refuse(call, fmt::format("'{}' depends on other threads or the clock, so it must not move",
                                      plainNameOf(callee)));
    if (!isUsers || isa<CXXConstructorDecl>(callee))
      return refuse(call, fmt::format("what '{}' does is not known", callee->getNameAsString()));
    if (!seen.insert(definition).second)
      return;
    Finder inner(unit);
    inner.seen = seen;
    if (LegalityFailure inside = inner.find(definition->getBody())) {
      refuse(call, fmt::format("'{}' cannot be reordered", callee->getNameAsString()));
      found->note(inside->location, inside->text);
    }
  }

  const source::Unit &unit;
  LegalityFailure found;
  std::set<const FunctionDecl *> seen;
  std::map<const Stmt *, const Stmt *> parents;
};

/// Statements that leave the loop around them, or end its iteration.
class ExitFinder {
public:
  explicit ExitFinder(const source::Unit &unit) : unit(unit) {}

  void look(const Stmt *part, bool inLoop, bool inSwitch) {
    if (!part || found)
      return;
    if (isa<ReturnStmt>(part))
      return refuse(part, "'return' leaves the loop early");
    if (isa<GotoStmt, IndirectGotoStmt, LabelStmt>(part))
      return refuse(part, "there is a label or a goto inside");
    if (isa<BreakStmt>(part) && !inLoop && !inSwitch)
      return refuse(part, "'break' leaves the loop early");
    if (isa<ContinueStmt>(part) && !inLoop)
      return refuse(part, "'continue' ends an iteration early");
    if (isa<LambdaExpr>(part))
      return;
    bool isLoop = isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(part);
    for (const Stmt *child : part->children())
      look(child, inLoop || isLoop, inSwitch || isa<SwitchStmt>(part));
  }
  LegalityFailure found;

private:
  void refuse(const Stmt *at, const char *reason) { found = legalityFailure(unit.location(at), reason); }
  const source::Unit &unit;
};

} // namespace

bool isOrderlessAtomic(const CallExpr *call, const Stmt *parent) {
  static const std::set<std::string> kinds = {"atomicAdd", "atomicSub", "atomicMin", "atomicMax",
                                              "atomicAnd", "atomicOr",  "atomicXor"};
  const FunctionDecl *callee = call->getDirectCallee();
  if (!callee || !kinds.contains(plainNameOf(callee)) || !call->getType()->isIntegerType())
    return false;
  bool isStatement = !parent || !isa<Expr>(parent);
  bool isDeclared = isa_and_nonnull<DeclStmt>(parent) || isa_and_nonnull<ReturnStmt>(parent);
  bool isDecision = isa_and_nonnull<IfStmt, SwitchStmt, ForStmt, WhileStmt, DoStmt>(parent);
  if (isDecision) // as a branch's whole body it is a statement again
    if (auto *branch = dyn_cast<IfStmt>(parent))
      isDecision = branch->getCond() == call;
  if (auto *loop = dyn_cast_or_null<ForStmt>(parent))
    isDecision = loop->getBody() != call;
  return isStatement && !isDeclared && !isDecision;
}

LegalityFailure reasonAgainstReordering(const source::Unit &unit, const Stmt *code) {
  return Finder(unit).find(code);
}

LegalityFailure exitOfLoop(const source::Unit &unit, const Stmt *body) {
  ExitFinder finder(unit);
  finder.look(body, false, false);
  return finder.found;
}

} // namespace heddle::analysis
