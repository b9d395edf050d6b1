// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/tasks/WaitingLoops.h"

#include "analysis/Execution.h"
#include "analysis/Uses.h"
#include "source/FlowGraph.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

using namespace clang;

namespace heddle::transform {

using analysis::Uses;

namespace {

/// `atomicCAS(lock, 0, 1)`, `atomicExch(lock, 1)`, `atomicAdd(flag, 0)`: asks without getting further by
/// itself, as `atomicAdd(next, 1)` does.
bool onlyAsks(const CallExpr *call, const ASTContext &context) {
  const FunctionDecl *callee = analysis::calleeOf(call);
  if (!callee || !callee->getIdentifier() || !callee->getName().starts_with("atomic"))
    return false;
  bool isFixed = true, isZero = true;
  for (unsigned i = 1; i < call->getNumArgs(); ++i) {
    Expr::EvalResult value;
    const bool isConstant = call->getArg(i)->EvaluateAsInt(value, context);
    isFixed &= isConstant;
    isZero &= isConstant && value.Val.getInt() == 0;
  }
  const bool swaps =
      callee->getName().starts_with("atomicCAS") || callee->getName().starts_with("atomicExch");
  return swaps ? isFixed : isZero;
}

/// A condition that only another thread can change: it reads volatile memory, or asks by an atomic.
bool asksOthers(const Expr *condition, const ASTContext &context) {
  for (const Stmt *part : Uses::of(condition).statements) {
    if (auto *read = dyn_cast<ImplicitCastExpr>(part))
      if (read->getCastKind() == CK_LValueToRValue && read->getSubExpr()->getType().isVolatileQualified())
        return true;
    if (auto *call = dyn_cast<CallExpr>(part); call && onlyAsks(call, context))
      return true;
  }
  return false;
}

} // namespace

const Stmt *findWaitingLoop(const source::Kernel &kernel) {
  const analysis::Reach reach = analysis::Reach::of(kernel.function, *kernel.unit);
  for (const analysis::Reached &reached : reach.all())
    for (const Stmt *code : reached.code())
      for (const Stmt *statement : Uses::of(code).statements)
        if (const Expr *condition = source::loopCondition(statement);
            condition && asksOthers(condition, kernel.unit->context()))
          return reached.isLibrary && reached.inKernel() ? reached.inKernel() : statement;
  return nullptr;
}

} // namespace heddle::transform
