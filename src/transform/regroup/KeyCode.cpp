// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A key is computed by a kernel of its own, before the one that is regrouped. It must leave no trace there, and it must distinguish
// threads: one that does not depend on the index of the thread, such as a sum that is zero before the loop, groups nothing.
#include "transform/regroup/KeyCode.h"

#include "analysis/CallEffects.h"
#include "analysis/Execution.h"
#include "analysis/StatementShape.h"
#include "analysis/Uses.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <set>

using namespace clang;

namespace heddle::transform {

using analysis::ThreadBuiltin;
using analysis::Uses;

bool KeyCode::mayBeDoneTwice(const Stmt *code) const {
  const Uses uses = Uses::of(code);
  const bool changesSomething = std::ranges::any_of(uses.statements, [](const Stmt *statement) {
    return analysis::assigns(statement) || isa<LambdaExpr, GCCAsmStmt, CXXNewExpr>(statement);
  });
  return !changesSomething && makesNoObjects(code) &&
         std::ranges::all_of(uses.calls, [&](const CallExpr *call) { return isHarmless(call); });
}

/// Constructors, destructors and similar functions of the user's own are not looked into.
bool KeyCode::makesNoObjects(const Stmt *code) const {
  using How = analysis::Executed::How;
  for (const analysis::Executed &each : analysis::executedBy(code)) {
    const bool isCall = each.how == How::Call || each.how == How::Member || each.how == How::Operator;
    const bool isLibrary = each.function && !unit.isUserCode(each.function->getLocation());
    if (!isCall && !isLibrary && !(each.function && each.function->isTrivial()))
      return false;
  }
  return true;
}

bool KeyCode::isHarmless(const CallExpr *call) const {
  const FunctionDecl *callee = analysis::calleeOf(call);
  if (!callee || !callee->getIdentifier() || callee->getName().starts_with("atomic") ||
      callee->getName().contains("printf") || callee->getName() == "malloc")
    return false;
  if (!unit.isUserCode(callee->getLocation()))
    return true;
  for (const ParmVarDecl *parameter : callee->parameters()) {
    const QualType type = parameter->getType();
    if ((type->isPointerType() || type->isReferenceType()) && !type->getPointeeType().isConstQualified())
      return false;
  }
  return callee->hasBody() && Uses::of(callee->getBody()).builtins.empty() && mayBeDoneTwice(callee);
}

/// An assignment to a variable of the program, or through a pointer that is one.
static bool writesGlobal(const Stmt *statement) {
  if (!analysis::assigns(statement))
    return false;
  const Stmt *part = *statement->child_begin();
  while (part && !isa<DeclRefExpr>(part))
    part = part->child_begin() == part->child_end() ? nullptr : *part->child_begin();
  const auto *variable = part ? dyn_cast<VarDecl>(cast<DeclRefExpr>(part)->getDecl()) : nullptr;
  return variable && variable->hasGlobalStorage();
}

/// A function's own variables are its own; what it calls is looked at in turn.
bool KeyCode::mayBeDoneTwice(const FunctionDecl *function) const {
  const Uses uses = Uses::of(function->getBody());
  return std::ranges::none_of(uses.statements, writesGlobal) && makesNoObjects(function->getBody()) &&
         std::ranges::all_of(uses.calls, [&](const CallExpr *call) {
           return analysis::calleeOf(call) == function || isHarmless(call);
         });
}

namespace {

/// By the built-in variables, or by a library function, which may read them; through variables too.
bool dependsOnThread(const source::Unit &unit, const Stmt *key) {
  std::vector<const Stmt *> parts = {key};
  std::set<const VarDecl *> seen;
  while (!parts.empty()) {
    const Uses uses = Uses::of(parts.back());
    parts.pop_back();
    const bool isByLibrary = std::ranges::any_of(uses.calls, [&](const CallExpr *call) {
      const FunctionDecl *callee = analysis::calleeOf(call);
      return !callee || !unit.isUserCode(callee->getLocation());
    });
    if (isByLibrary || uses.lambda || uses.assembly || uses.mentions(ThreadBuiltin::Kind::ThreadIdx) ||
        uses.mentions(ThreadBuiltin::Kind::BlockIdx))
      return true;
    for (const VarDecl *variable : uses.variables())
      if (!isa<ParmVarDecl>(variable) && variable->getInit() && seen.insert(variable).second)
        parts.push_back(variable->getInit());
  }
  return false;
}

/// What the function of this name returns at its end; null if it is a template, whose calls are not resolved.
const Expr *resultOf(const source::Unit &unit, const std::string &function) {
  struct Finder : DynamicRecursiveASTVisitor {
    const std::string *name = nullptr;
    const FunctionDecl *found = nullptr;
    bool VisitFunctionDecl(FunctionDecl *each) override {
      if (each->getDeclName().isIdentifier() && each->getName() == *name && each->hasBody())
        found = each;
      return true;
    }
  } finder;
  finder.name = &function;
  finder.TraverseDecl(unit.context().getTranslationUnitDecl());
  const auto *body = finder.found && !finder.found->isDependentContext()
                         ? dyn_cast<CompoundStmt>(finder.found->getBody())
                         : nullptr;
  const auto *last = body && !body->body_empty() ? dyn_cast<ReturnStmt>(body->body_back()) : nullptr;
  return last ? last->getRetValue() : nullptr;
}

} // namespace

std::optional<KeyFault> faultOfKey(const source::Unit &unit, const std::string &function) {
  const Expr *key = resultOf(unit, function);
  if (!key)
    return std::nullopt;
  if (!KeyCode(unit).mayBeDoneTwice(key))
    return KeyFault{
        "writes to memory or to a variable, or calls a function that may do so or that reads the index of "
        "the thread",
        "a key is computed by a kernel of its own, which must not change what the program computes"};
  if (!dependsOnThread(unit, key))
    return KeyFault{"is the same for all threads at the kernel's start, so it groups nothing",
                    "by=profile (the default) counts what each thread executes; a key depends on the index "
                    "of the thread"};
  return std::nullopt;
}

} // namespace heddle::transform
