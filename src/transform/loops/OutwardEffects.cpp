// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/loops/OutwardEffects.h"

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

namespace heddle::transform {
namespace {

class EffectFinder {
public:
  explicit EffectFinder(const source::Unit &unit) : unit(unit) {}

  void look(const Stmt *code) {
    for (const analysis::Executed &each : analysis::executedBy(code))
      if (!found && each.at)
        lookAtHidden(each);
    source::forEachEvaluated(code, [&](const Stmt *part) {
      if (!found)
        lookAt(part);
      // threadIdx.x is a property read: what stands behind it is not of interest.
      return !found && !isa<PseudoObjectExpr>(part);
    });
  }

  Obstacle found;

private:
  void note(const Stmt *at, std::string what) { found = obstacle(unit.place(at), std::move(what)); }

  /// What no expression below `code` shows.
  void lookAtHidden(const analysis::Executed &each) {
    using How = analysis::Executed::How;
    if (each.how == How::Destructor || each.how == How::Virtual)
      note(each.at, fmt::format("{} is executed here, and what it does is not known", each.str()));
    else if (each.how == How::Binding)
      lookAtCall(each.at, each.function);
    else if (each.function && each.function->isDefaulted() && !each.function->isTrivial())
      for (const analysis::Executed &inner : analysis::executedBy(each.function))
        if (!(inner.function && inner.function->isTrivial()) && !found)
          note(each.at,
               fmt::format("{} executes {}, and what that does is not known", each.str(), inner.str()));
  }

  void lookAt(const Stmt *part) {
    if (isa<AsmStmt>(part))
      note(part, "what this assembly does is not known");
    else if (isa<LambdaExpr>(part))
      note(part, "this lambda is not looked into");
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
      lookAtCall(part, analysis::calleeOf(call));
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
    if (callee->isTrivial() || callee->isDefaulted() || analysis::isPureFunction(unit, callee) ||
        analysis::isLoadFunction(callee))
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
      found->note(inner.found->place, inner.found->text);
    }
  }

  const source::Unit &unit;
  std::set<const FunctionDecl *> seen;
};

} // namespace

Obstacle firstOutwardEffect(const source::Unit &unit, const Stmt *code) {
  EffectFinder finder(unit);
  finder.look(code);
  return finder.found;
}

} // namespace heddle::transform
