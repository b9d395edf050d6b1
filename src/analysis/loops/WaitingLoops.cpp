// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/loops/WaitingLoops.h"

#include "analysis/Execution.h"
#include "analysis/Uses.h"
#include "source/FlowGraph.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

using namespace clang;

namespace heddle::analysis {

namespace {

/// `atomicCAS(lock, 0, 1)`, `atomicExch(lock, 1)`, `atomicAdd(flag, 0)`: asks without getting further by
/// itself, as `atomicAdd(next, 1)` does.
bool onlyAsks(const CallExpr *call, const ASTContext &context) {
  const FunctionDecl *callee = calleeOf(call);
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

/// What a loop tests to find out whether another block has come so far.
class AsksOtherBlocks : public DynamicRecursiveASTVisitor {
public:
  static const Expr *in(const Stmt *condition) {
    AsksOtherBlocks waiting;
    if (condition)
      waiting.TraverseStmt(const_cast<Stmt *>(condition));
    return waiting.found;
  }
  bool VisitCastExpr(CastExpr *cast) override {
    if (cast->getCastKind() == CK_LValueToRValue && cast->getSubExpr()->getType().isVolatileQualified())
      note(cast);
    return true;
  }
  /// A compare-and-swap is tried again until no other thread interfered: that waits for no particular thread.
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    llvm::StringRef name = callee && callee->getIdentifier() ? callee->getName() : "";
    if (name.starts_with("atomic") && !name.starts_with("atomicCAS"))
      note(call);
    if (auto *member = dyn_cast<CXXMemberCallExpr>(call); member && name == "load")
      note(call);
    return true;
  }

private:
  void note(const Expr *expression) {
    if (!found && !isShared(expression))
      found = expression;
  }
  /// Memory of the block itself: no other block is waited for.
  static bool isShared(const Expr *expression) {
    if (auto *call = dyn_cast<CallExpr>(expression))
      return call->getNumArgs() && isShared(call->getArg(0)->IgnoreParenCasts());
    if (auto *cast = dyn_cast<CastExpr>(expression))
      return isShared(cast->getSubExpr()->IgnoreParenCasts());
    if (auto *unary = dyn_cast<UnaryOperator>(expression))
      return isShared(unary->getSubExpr()->IgnoreParenCasts());
    if (auto *element = dyn_cast<ArraySubscriptExpr>(expression))
      return isShared(element->getBase()->IgnoreParenCasts());
    auto *reference = dyn_cast<DeclRefExpr>(expression);
    return reference && reference->getDecl()->hasAttr<CUDASharedAttr>();
  }
  const Expr *found = nullptr;
};

} // namespace

const Stmt *findWaitingLoop(const source::Kernel &kernel) {
  const Reach reach = Reach::of(kernel.function, *kernel.unit);
  for (const Reached &reached : reach.all())
    for (const Stmt *code : reached.code())
      for (const Stmt *statement : Uses::of(code).statements)
        if (const Expr *condition = source::loopCondition(statement);
            condition && asksOthers(condition, kernel.unit->context()))
          return reached.isLibrary && reached.inKernel() ? reached.inKernel() : statement;
  return nullptr;
}

const Expr *asksAnotherBlock(const Stmt *statement) {
  return AsksOtherBlocks::in(source::loopCondition(statement));
}

} // namespace heddle::analysis
