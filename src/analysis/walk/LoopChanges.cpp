// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variables a loop changes, found before it is followed.
//
// The walk follows a body once and must know beforehand what it may not assume to be constant:
//
//     for (int i = 0; i < n; ++i) {       i: once in each iteration, by the increment
//       if (a[i] > x) x = a[i];           x: under a condition
//       f(y);  // int &                   y: an unknown effect
//     }
//
// 1. A visitor collects every assignment, increment, address taken, argument bound to a non-const reference,
//    output of inline assembly and reference declared, with the conditions inside the loop that decide about
//    it.
// 2. A change is "top level" if it is a statement of the body itself or of the increment: it happens exactly
//    once in each iteration that reaches the end. A `continue` or `goto` in the body takes that away from
//    changes of the body, not from the increment.
// 3. References are resolved through the environment in front of the loop; members of structs are variables
//    of their own, named by their path.
// 4. Variables declared in the body are left out: each iteration sets them again.
//
// `strideOf` recognizes `x += c`, `x = x + c` and `++x`; `growthOf` recognizes changes that only halve or
// double. Not handled: what is changed through pointers to locals other than as "the address is taken". Cost:
// one traversal.
#include "analysis/walk/LoopChanges.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

using namespace clang;

namespace heddle::analysis::walk {
namespace {

const Expr *bare(const Expr *expression) { return expression ? expression->IgnoreParenImpCasts() : nullptr; }

/// Collects what a loop changes. Lambdas inside it are looked into: calling one runs its body.
class ModificationFinder : public DynamicRecursiveASTVisitor {
public:
  ModificationFinder(Modifications &found, const Environment &environment, bool &hasContinue, bool &hasExit)
      : found(found), environment(environment), hasContinue(hasContinue), hasExit(hasExit) {}

  void topLevel(const Stmt *statement) {
    depth = 0;
    if (const auto *list = dyn_cast_or_null<CompoundStmt>(statement)) {
      for (const Stmt *child : list->body())
        oneTopLevel(child);
    } else {
      oneTopLevel(statement);
    }
  }
  void nested(const Stmt *statement) {
    depth = 1;
    TraverseStmt(const_cast<Stmt *>(statement));
  }

  bool TraverseIfStmt(IfStmt *s) override {
    return under(s->getCond(), [&] { return Base::TraverseIfStmt(s); });
  }
  bool TraverseSwitchStmt(SwitchStmt *s) override {
    ++breakable;
    bool on = under(s->getCond(), [&] { return Base::TraverseSwitchStmt(s); });
    --breakable;
    return on;
  }
  bool TraverseForStmt(ForStmt *s) override {
    return inner(s->getCond(), [&] { return Base::TraverseForStmt(s); });
  }
  bool TraverseWhileStmt(WhileStmt *s) override {
    return inner(s->getCond(), [&] { return Base::TraverseWhileStmt(s); });
  }
  bool TraverseDoStmt(DoStmt *s) override {
    return inner(s->getCond(), [&] { return Base::TraverseDoStmt(s); });
  }
  bool TraverseConditionalOperator(ConditionalOperator *s) override {
    return under(s->getCond(), [&] { return Base::TraverseConditionalOperator(s); });
  }
  bool TraverseLambdaExpr(LambdaExpr *s) override {
    return under(nullptr, [&] { return TraverseStmt(s->getBody()); });
  }
  bool VisitContinueStmt(ContinueStmt *) override { return hasContinue |= innerLoops == 0, true; }
  bool VisitBreakStmt(BreakStmt *) override { return hasExit |= innerLoops == 0 && breakable == 0, true; }
  bool VisitReturnStmt(ReturnStmt *) override { return hasExit = true; }
  bool VisitGotoStmt(GotoStmt *) override { return hasExit = hasContinue = true; }

  bool VisitBinaryOperator(BinaryOperator *s) override {
    if (s->isAssignmentOp())
      changes(s->getLHS(), s);
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *s) override {
    if (s->isIncrementDecrementOp())
      changes(s->getSubExpr(), s);
    else if (s->getOpcode() == UO_AddrOf)
      changes(s->getSubExpr(), nullptr);
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    if (const auto *method = dyn_cast<CXXMemberCallExpr>(call)) {
      if (const CXXMethodDecl *callee = method->getMethodDecl();
          callee && !callee->isConst() && !callee->isStatic())
        changes(method->getImplicitObjectArgument(), nullptr);
    }
    const FunctionDecl *callee = call->getDirectCallee();
    const auto *asOperator = dyn_cast<CXXOperatorCallExpr>(call);
    for (unsigned i = 0; i < call->getNumArgs(); ++i) {
      bool isObject = asOperator && isa_and_nonnull<CXXMethodDecl>(callee);
      if (isObject && i == 0) {
        if (!cast<CXXMethodDecl>(callee)->isConst())
          changes(call->getArg(0), asOperator->isAssignmentOp() ? static_cast<Expr *>(call) : nullptr);
        continue;
      }
      unsigned index = i - (isObject ? 1 : 0);
      QualType type =
          callee && index < callee->getNumParams() ? callee->getParamDecl(index)->getType() : QualType();
      if (!type.isNull() && type->isReferenceType() && !type->getPointeeType().isConstQualified())
        changes(call->getArg(i), nullptr);
    }
    return true;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *s) override {
    for (unsigned i = 0; i < s->getNumOutputs(); ++i)
      changes(s->getOutputExpr(i), nullptr);
    return true;
  }
  bool VisitVarDecl(VarDecl *variable) override {
    // A reference to an outer variable may change it later on.
    QualType type = variable->getType();
    if (type->isReferenceType() && !type->getPointeeType().isConstQualified() && variable->getInit())
      changes(variable->getInit(), nullptr);
    return true;
  }

private:
  using Base = DynamicRecursiveASTVisitor;

  void oneTopLevel(const Stmt *statement) {
    if (const auto *cleanups = dyn_cast_or_null<ExprWithCleanups>(statement))
      statement = cleanups->getSubExpr();
    if (const auto *comma = dyn_cast_or_null<BinaryOperator>(statement); comma && comma->isCommaOp()) {
      oneTopLevel(comma->getLHS());
      oneTopLevel(comma->getRHS());
      return;
    }
    top = statement;
    TraverseStmt(const_cast<Stmt *>(statement));
    top = nullptr;
  }
  template <typename Visit> bool under(const Expr *condition, Visit visit) {
    conditions.push_back(condition);
    ++depth;
    bool on = visit();
    --depth;
    conditions.pop_back();
    return on;
  }
  template <typename Visit> bool inner(const Expr *condition, Visit visit) {
    ++innerLoops;
    bool on = under(condition, visit);
    --innerLoops;
    return on;
  }
  void changes(const Expr *target, const Expr *how) {
    Environment::Key key = keyOf(target, environment);
    if (!key.first)
      return;
    bool isTop = depth == 0 && how && how == top;
    found[key].push_back({how, conditions, isTop});
  }

  Modifications &found;
  const Environment &environment;
  bool &hasContinue, &hasExit;
  const Stmt *top = nullptr;
  unsigned depth = 0, innerLoops = 0, breakable = 0;
  std::vector<const Expr *> conditions;
};

} // namespace

Environment::Key keyOf(const Expr *expression, const Environment &environment) {
  expression = bare(expression);
  std::string path;
  while (const auto *member = dyn_cast_or_null<MemberExpr>(expression)) {
    if (member->isArrow())
      return {nullptr, ""};
    path = "." + member->getMemberDecl()->getNameAsString() + path;
    expression = bare(member->getBase());
  }
  const auto *reference = dyn_cast_or_null<DeclRefExpr>(expression);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (!variable || variable->hasGlobalStorage())
    return {nullptr, ""};
  if (auto at = environment.references.find(variable); at != environment.references.end()) {
    if (at->second.kind != LValue::Kind::Variable)
      return {nullptr, ""};
    return {at->second.variable, at->second.path + path};
  }
  return {variable, path};
}

std::optional<Stride> strideOf(const Expr *change, const Environment::Key &key,
                               const Environment &environment) {
  if (const auto *unary = dyn_cast<UnaryOperator>(change))
    return Stride{nullptr, true, unary->isDecrementOp()};
  const auto *binary = dyn_cast<BinaryOperator>(change);
  if (!binary)
    return std::nullopt;
  if (binary->getOpcode() == BO_AddAssign || binary->getOpcode() == BO_SubAssign)
    return Stride{binary->getRHS(), false, binary->getOpcode() == BO_SubAssign};
  const auto *sum = dyn_cast_or_null<BinaryOperator>(bare(binary->getRHS()));
  if (binary->getOpcode() != BO_Assign || !sum || !(sum->getOpcode() == BO_Add || sum->getOpcode() == BO_Sub))
    return std::nullopt;
  if (keyOf(sum->getLHS(), environment) == key)
    return Stride{sum->getRHS(), false, sum->getOpcode() == BO_Sub};
  if (sum->getOpcode() == BO_Add && keyOf(sum->getRHS(), environment) == key)
    return Stride{sum->getLHS(), false, false};
  return std::nullopt;
}

int growthOf(const std::vector<Modification> &changes) {
  int all = 2;
  for (const Modification &change : changes) {
    const auto *binary = dyn_cast_or_null<BinaryOperator>(change.expression);
    int one = 0;
    if (binary && (binary->getOpcode() == BO_ShrAssign || binary->getOpcode() == BO_DivAssign))
      one = -1;
    if (binary && (binary->getOpcode() == BO_ShlAssign || binary->getOpcode() == BO_MulAssign))
      one = 1;
    if (binary && binary->getOpcode() == BO_Assign)
      if (const auto *right = dyn_cast_or_null<BinaryOperator>(bare(binary->getRHS()))) {
        if (right->getOpcode() == BO_Shr || right->getOpcode() == BO_Div)
          one = -1;
        if (right->getOpcode() == BO_Shl || right->getOpcode() == BO_Mul)
          one = 1;
        if (keyOf(right->getLHS(), {}) != keyOf(binary->getLHS(), {}))
          one = 0;
      }
    if (one == 0 || (all != 2 && all != one))
      return 0;
    all = one;
  }
  return all == 2 ? 0 : all;
}

LoopChanges changesIn(const LoopParts &parts, const Environment &before, const SourceManager &sources) {
  Modifications found;
  bool hasContinue = false, hasExit = false;
  ModificationFinder finder(found, before, hasContinue, hasExit);
  finder.topLevel(parts.body);
  if (hasContinue) // the body may be left before it
    for (auto &entry : found)
      for (Modification &change : entry.second)
        change.isTopLevel = false;
  Modifications atEnd;
  ModificationFinder last(atEnd, before, hasContinue, hasExit);
  last.topLevel(parts.increment);
  last.nested(parts.condition);
  for (auto &[key, changes] : atEnd)
    found[key].insert(found[key].end(), changes.begin(), changes.end());
  if (hasContinue)
    for (auto &entry : found)
      for (Modification &change : entry.second)
        if (!change.isTopLevel)
          change.conditions.push_back(nullptr); // not known whether it happens
  // Variables that live only inside an iteration are set again in each.
  std::erase_if(found, [&](const auto &entry) {
    clang::SourceLocation at = entry.first.first->getLocation();
    return sources.isPointWithin(at, parts.body->getBeginLoc(), parts.body->getEndLoc()) &&
           !before.has(entry.first) && !isa<ParmVarDecl>(entry.first.first);
  });
  return {std::move(found), hasExit};
}

} // namespace heddle::analysis::walk
