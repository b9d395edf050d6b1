// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/loops/WaitingLoops.h"

#include "analysis/Execution.h"
#include "analysis/StatementShape.h"
#include "analysis/Uses.h"
#include "source/FlowGraph.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <set>
#include <vector>

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

/// A variable of the thread's own, which nobody else changes although it is volatile.
bool isOwn(const Expr *object) {
  auto *reference = dyn_cast<DeclRefExpr>(object->IgnoreParenCasts());
  auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  return variable && variable->hasLocalStorage() && !variable->getType()->isReferenceType();
}

/// An expression that other threads can change: it reads volatile memory, or asks by an atomic, itself or in a function that
/// it calls.
bool asksOthers(const Stmt *expression, const ASTContext &context, unsigned depth = 0) {
  constexpr unsigned deepestCall = 8;
  for (const Stmt *part : Uses::of(expression).statements) {
    if (auto *read = dyn_cast<ImplicitCastExpr>(part))
      if (read->getCastKind() == CK_LValueToRValue && read->getSubExpr()->getType().isVolatileQualified() &&
          !isOwn(read->getSubExpr()))
        return true;
    auto *call = dyn_cast<CallExpr>(part);
    if (!call)
      continue;
    const FunctionDecl *callee = calleeOf(call), *definition = nullptr;
    if (onlyAsks(call, context))
      return true;
    if (auto *record = callee ? dyn_cast<CXXRecordDecl>(callee->getDeclContext()) : nullptr;
        record && record->getIdentifier() && record->getName().contains("atomic") &&
        callee->getIdentifier() && (callee->getName() == "load" || callee->getName() == "test"))
      return true; // cuda::atomic, cuda::atomic_ref and their bases
    if (callee && depth < deepestCall && callee->hasBody(definition) && definition->getBody() != expression &&
        asksOthers(definition->getBody(), context, depth + 1))
      return true;
  }
  return false;
}

/// `asm volatile("ld.acquire...")`: nobody writes the code of a load that can be left out.
bool loads(const GCCAsmStmt *assembly) {
  const std::string text = assembly->getAsmString();
  return assembly->isVolatile() && (text.find("ld.") != text.npos || text.find("atom.") != text.npos);
}

/// What decides whether a loop goes on: its condition and those around each `break` and `return`, and in turn what is assigned, in the
/// loop, to the variables that they read.
///
///     do {
///       again = false;
///       if (flag[i] == 0)     // decides about `again`, and so about the loop
///         again = true;
///     } while (again);
class LoopExits : public DynamicRecursiveASTVisitor {
public:
  static bool askOthers(const Stmt *loop, const ASTContext &context) {
    LoopExits exits;
    exits.TraverseStmt(const_cast<Stmt *>(loop));
    if (const Expr *condition = source::loopCondition(loop))
      exits.reasons.push_back(condition);
    return exits.ask(context);
  }

  bool dataTraverseStmtPre(Stmt *statement) override {
    if (const Stmt *condition = conditionOf(statement))
      conditions.push_back(condition);
    if (isa<BreakStmt, ReturnStmt, GotoStmt>(statement))
      reasons.insert(reasons.end(), conditions.begin(), conditions.end());
    if (auto *assigned = dyn_cast<BinaryOperator>(statement); assigned && assigned->isAssignmentOp())
      assign(assigned->getLHS(), assigned->getRHS());
    if (auto *changed = dyn_cast<UnaryOperator>(statement); changed && changed->isIncrementDecrementOp())
      assign(changed->getSubExpr(), nullptr);
    if (auto *call =
            dyn_cast<CallExpr>(statement)) // may assign what it is given the address of, or a reference to
      for (const Expr *argument : call->arguments())
        assign(argument, call);
    for (const VarDecl *variable : declaredBy(statement))
      if (variable->hasInit())
        assignments.push_back({variable, variable->getInit(), conditions});
    if (auto *assembly = dyn_cast<GCCAsmStmt>(statement))
      for (const Expr *output : assembly->outputs())
        assign(output, nullptr, loads(assembly));
    return true;
  }
  bool dataTraverseStmtPost(Stmt *statement) override {
    if (conditionOf(statement))
      conditions.pop_back();
    return true;
  }

private:
  struct Assignment {
    const VarDecl *variable;
    const Stmt *value; ///< null where it is of the variable itself
    std::vector<const Stmt *> conditions;
    bool asks = false;
  };

  static const Stmt *conditionOf(const Stmt *statement) {
    if (auto *branch = dyn_cast<IfStmt>(statement))
      return branch->getCond();
    if (auto *choice = dyn_cast<SwitchStmt>(statement))
      return choice->getCond();
    if (auto *choice = dyn_cast<ConditionalOperator>(statement))
      return choice->getCond();
    return source::loopCondition(statement);
  }

  void assign(const Expr *target, const Stmt *value, bool asks = false) {
    for (const VarDecl *variable : Uses::of(target).variables())
      assignments.push_back({variable, value, conditions, asks});
  }

  bool ask(const ASTContext &context) {
    std::set<const VarDecl *> known;
    for (size_t i = 0; i < reasons.size(); ++i) { // grows while it is read
      if (asksOthers(reasons[i], context))
        return true;
      for (const VarDecl *variable : Uses::of(reasons[i]).variables()) {
        if (!known.insert(variable).second)
          continue;
        for (const Assignment &each : assignments) {
          if (each.variable != variable)
            continue;
          if (each.asks)
            return true;
          if (each.value)
            reasons.push_back(each.value);
          reasons.insert(reasons.end(), each.conditions.begin(), each.conditions.end());
        }
      }
    }
    return false;
  }

  std::vector<const Stmt *> conditions; ///< around the statement that is visited, with those of this loop
  std::vector<const Stmt *> reasons;
  std::vector<Assignment> assignments;
};

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

const Stmt *findWaitingLoop(const source::Kernel &kernel, const std::function<bool(const Stmt *)> &isExempt) {
  const Reach reach = Reach::of(kernel.function, *kernel.unit);
  const ASTContext &context = kernel.unit->context();
  for (const Reached &reached : reach.all())
    for (const Stmt *code : reached.code()) {
      std::vector<const Stmt *> loops;
      for (const Stmt *statement : Uses::of(code).statements)
        if (isa<ForStmt, WhileStmt, DoStmt>(statement))
          loops.push_back(statement);
      std::ranges::sort(loops, {}, [](const Stmt *loop) { return loop->getBeginLoc().getRawEncoding(); });
      for (const Stmt *loop : loops)
        if (!(isExempt && isExempt(loop)) && LoopExits::askOthers(loop, context))
          return reached.isLibrary && reached.inKernel() ? reached.inKernel() : loop;
    }
  return nullptr;
}

const Expr *asksAnotherBlock(const Stmt *statement) {
  return AsksOtherBlocks::in(source::loopCondition(statement));
}

} // namespace heddle::analysis
