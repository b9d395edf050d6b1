// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/StatementShape.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtCXX.h>

using namespace clang;

namespace heddle::analysis {

const Stmt *plainStatement(const Stmt *statement) {
  while (auto *attributed = dyn_cast_or_null<AttributedStmt>(statement))
    statement = attributed->getSubStmt();
  return statement;
}

const Stmt *bodyOf(const Stmt *loop) {
  if (auto *forLoop = dyn_cast<ForStmt>(loop))
    return forLoop->getBody();
  if (auto *whileLoop = dyn_cast<WhileStmt>(loop))
    return whileLoop->getBody();
  if (auto *doLoop = dyn_cast<DoStmt>(loop))
    return doLoop->getBody();
  return nullptr;
}

bool isLoop(const Stmt *statement) { return isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(statement); }

std::vector<const Stmt *> headerOf(const Stmt *statement) {
  if (auto *loop = dyn_cast<ForStmt>(statement))
    return {loop->getInit(), loop->getConditionVariableDeclStmt(), loop->getCond(), loop->getInc()};
  if (auto *loop = dyn_cast<WhileStmt>(statement))
    return {loop->getConditionVariableDeclStmt(), loop->getCond()};
  if (auto *loop = dyn_cast<DoStmt>(statement))
    return {loop->getCond()};
  if (auto *branch = dyn_cast<IfStmt>(statement))
    return {branch->getInit(), branch->getConditionVariableDeclStmt(), branch->getCond()};
  if (auto *choice = dyn_cast<SwitchStmt>(statement))
    return {choice->getInit(), choice->getConditionVariableDeclStmt(), choice->getCond()};
  return {};
}

static void findJumps(const Stmt *statement, bool breakIsInside, bool continueIsInside, Jumps &jumps) {
  if (!statement || isa<LambdaExpr>(statement))
    return;
  jumps.leavesLoop |= isa<BreakStmt>(statement) && !breakIsInside;
  jumps.leavesLoop |= isa<ContinueStmt>(statement) && !continueIsInside;
  jumps.returns |= isa<ReturnStmt>(statement);
  bool loop = isLoop(statement);
  for (const Stmt *child : statement->children())
    findJumps(child, breakIsInside || loop || isa<SwitchStmt>(statement), continueIsInside || loop, jumps);
}

Jumps jumpsOf(const Stmt *statement) {
  Jumps jumps;
  findJumps(statement, false, false, jumps);
  return jumps;
}

static void findOut(const Stmt *statement, bool wantsBreak, std::vector<const Stmt *> &found) {
  if (!statement || isa<LambdaExpr>(statement))
    return;
  if (wantsBreak ? isa<BreakStmt>(statement) : isa<ContinueStmt>(statement))
    found.push_back(statement);
  if (isLoop(statement) || (wantsBreak && isa<SwitchStmt>(statement)))
    return; // those inside are its own
  for (const Stmt *child : statement->children())
    findOut(child, wantsBreak, found);
}

std::vector<const Stmt *> breaksOut(const Stmt *statement) {
  std::vector<const Stmt *> found;
  findOut(statement, true, found);
  return found;
}

std::vector<const Stmt *> continuesOut(const Stmt *statement) {
  std::vector<const Stmt *> found;
  findOut(statement, false, found);
  return found;
}

std::vector<const VarDecl *> declaredBy(const Stmt *statement) {
  std::vector<const VarDecl *> found;
  if (auto *declaration = dyn_cast_or_null<DeclStmt>(statement))
    for (const Decl *each : declaration->decls())
      if (auto *variable = dyn_cast<VarDecl>(each))
        found.push_back(variable);
  return found;
}

const VarDecl *namedVariable(const Stmt *expression) {
  auto *whole = dyn_cast_or_null<Expr>(expression);
  auto *reference = whole ? dyn_cast<DeclRefExpr>(whole->IgnoreParenImpCasts()) : nullptr;
  return reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

bool assigns(const Stmt *statement) {
  auto *binary = dyn_cast<BinaryOperator>(statement);
  auto *unary = dyn_cast<UnaryOperator>(statement);
  return (binary && binary->isAssignmentOp()) || (unary && unary->isIncrementDecrementOp());
}

bool goesToMemory(const Stmt *expression) {
  auto *unary = dyn_cast<UnaryOperator>(expression);
  auto *member = dyn_cast<MemberExpr>(expression);
  return isa<ArraySubscriptExpr>(expression) || (unary && unary->getOpcode() == UO_Deref) ||
         (member && member->isArrow());
}

std::optional<int64_t> constantValue(const Expr *expression, const ASTContext &context) {
  Expr::EvalResult value;
  if (!expression || expression->isValueDependent() || !expression->getType()->isIntegerType() ||
      !expression->EvaluateAsInt(value, context))
    return std::nullopt;
  return value.Val.getInt().getExtValue();
}

} // namespace heddle::analysis
