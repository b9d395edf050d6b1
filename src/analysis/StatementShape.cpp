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

} // namespace heddle::analysis
