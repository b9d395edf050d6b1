// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/specialize/RoleTree.h"

#include "analysis/Barriers.h"
#include "analysis/CallEffects.h"
#include "analysis/PureFunctions.h"
#include "analysis/StatementShape.h"
#include "source/Unit.h"
#include "transform/tasks/TaskFunctions.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

using analysis::Access;
using analysis::Array;
using analysis::bodyOf;
using analysis::headerOf;
using analysis::plainStatement;
using analysis::Uses;

bool isBlockBarrier(const Stmt *statement, const ASTContext &context) {
  const Stmt *inner = plainStatement(statement);
  if (auto *expression = dyn_cast<Expr>(inner))
    inner = expression->IgnoreParenImpCasts();
  if (auto *cleanups = dyn_cast<ExprWithCleanups>(inner))
    inner = cleanups->getSubExpr();
  std::optional<analysis::Barrier> barrier = analysis::barrierAt(inner, context);
  return barrier && barrier->scope == analysis::Barrier::Scope::Block && barrier->ordersBlock() &&
         !barrier->votes && !barrier->ofUnknownGroup && !isa<AsmStmt>(inner);
}

/// Computes from its arguments, or loads through them.
static bool isHarmless(const source::Unit &unit, const FunctionDecl *callee) {
  using Kind = analysis::CallEffect::Kind;
  std::optional<analysis::CallEffect> effect = analysis::effectOf(callee);
  const bool isLoad = effect && (effect->kind == Kind::Load || effect->kind == Kind::ReadOnlyLoad);
  return isLoad || callee->isTrivial() || callee->isDefaulted() || analysis::isPureFunction(unit, callee);
}

static bool asksForThread(const source::Unit &unit, const FunctionDecl *function,
                          std::set<const FunctionDecl *> &seen) {
  using Kind = analysis::ThreadBuiltin::Kind;
  if (!seen.insert(function).second)
    return false;
  const Uses uses = Uses::of(function->getBody());
  for (const Uses::Builtin &builtin : uses.builtins)
    if (builtin.what.kind == Kind::ThreadIdx || builtin.what.kind == Kind::BlockDim)
      return true;
  return llvm::any_of(calledFunctions(unit, uses),
                      [&](const FunctionDecl *callee) { return asksForThread(unit, callee, seen); });
}

bool asksForThread(const source::Unit &unit, const FunctionDecl *function) {
  std::set<const FunctionDecl *> seen;
  return asksForThread(unit, function, seen);
}

bool RoleNode::isIn(const RoleNode *outer) const {
  for (const RoleNode *at = this; at; at = at->parent)
    if (at == outer)
      return true;
  return false;
}

std::vector<RoleNode *> RoleNode::all() {
  std::vector<RoleNode *> found = {this};
  for (const auto &child : children)
    for (RoleNode *each : child->all())
      found.push_back(each);
  return found;
}

bool RoleNode::stores(Array::Space space) const {
  return llvm::any_of(accesses, [&](const Access *a) { return a->isWrite() && a->array->space == space; });
}

bool RoleNode::loads(Array::Space space) const {
  return llvm::any_of(accesses, [&](const Access *a) { return a->isRead() && a->array->space == space; });
}

RoleTree::RoleTree(const LoopStudy &study) : study(study), definitions(*study.reachingDefinitions()) {
  top = build(study.kernel.function->getBody(), nullptr);
  findWriters();
}

const std::vector<RoleNode *> &RoleTree::writersOf(const VarDecl *variable) const {
  static const std::vector<RoleNode *> none;
  auto found = writers.find(variable);
  return found == writers.end() ? none : found->second;
}

RoleNode *RoleTree::nodeOf(const Stmt *statement) const {
  auto found = byStatement.find(plainStatement(statement));
  return found == byStatement.end() ? nullptr : found->second;
}

std::unique_ptr<RoleNode> RoleTree::build(const Stmt *statement, RoleNode *parent) {
  using Kind = RoleNode::Kind;
  auto node = std::make_unique<RoleNode>();
  node->statement = statement = plainStatement(statement);
  node->parent = parent;
  list.push_back(node.get());
  byStatement[statement] = node.get();
  if (auto *block = dyn_cast<CompoundStmt>(statement)) {
    addBlock(*node, block);
  } else if (isa<ForStmt, WhileStmt, DoStmt>(statement)) {
    node->kind = Kind::Loop;
    look(*node, headerOf(statement));
    node->children.push_back(build(bodyOf(statement), node.get()));
  } else if (auto *branch = dyn_cast<IfStmt>(statement); branch && !branch->isConstexpr()) {
    node->kind = Kind::Branch;
    look(*node, headerOf(statement));
    node->children.push_back(build(branch->getThen(), node.get()));
    if (branch->getElse())
      node->children.push_back(build(branch->getElse(), node.get()));
  } else if (isBlockBarrier(statement, study.unit.context())) {
    node->kind = Kind::Barrier;
    node->uses = Uses::of(statement);
  } else if (isa<BreakStmt, ContinueStmt, ReturnStmt>(statement)) {
    node->kind = Kind::Jump;
  } else {
    look(*node, {statement});
  }
  return node;
}

void RoleTree::addBlock(RoleNode &node, const CompoundStmt *block) {
  node.kind = RoleNode::Kind::Block;
  for (const Stmt *statement : block->body())
    node.children.push_back(build(statement, &node));
}

void RoleTree::look(RoleNode &node, const std::vector<const Stmt *> &code) {
  std::vector<const Stmt *> there;
  for (const Stmt *part : code)
    if (part)
      there.push_back(part);
  for (const Stmt *part : there)
    node.uses.add(part);
  for (const DeclRefExpr *reference : node.uses.locals)
    if (definitions.isRead(reference))
      node.reads.insert(cast<VarDecl>(reference->getDecl()));
  node.accesses = study.accessesIn(there);
  // Those of a head count as the whole statement's elsewhere.
  for (const Access &access : study.accesses().all())
    if (access.calls.empty() && node.uses.statements.contains(access.expression) &&
        std::ranges::find(node.accesses, &access) == node.accesses.end())
      node.accesses.push_back(&access);
  for (const Uses::Builtin &builtin : node.uses.builtins)
    node.asksThread |= builtin.what.kind == analysis::ThreadBuiltin::Kind::ThreadIdx;
  if (node.uses.assembly)
    node.unseen = node.uses.assembly;
  for (const CallExpr *call : node.uses.calls) {
    const FunctionDecl *callee = analysis::calleeOf(call);
    const FunctionDecl *body = nullptr;
    const bool isUsers = callee && callee->hasBody(body) && study.unit.isUserCode(body->getLocation());
    node.asksThread |= isUsers && asksForThread(study.unit, body);
    if (!isUsers && !node.unseen && (!callee || !isHarmless(study.unit, callee)))
      node.unseen = call;
  }
}

void RoleTree::findWriters() {
  const auto write = [&](RoleNode *node, const VarDecl *variable) {
    if (node->writes.insert(variable).second)
      writers[variable].push_back(node);
  };
  std::unordered_map<const Stmt *, RoleNode *> owner;
  for (RoleNode *node : list)
    for (const Stmt *part : node->uses.statements) {
      owner[part] = node;
      if (auto *declaration = dyn_cast<DeclStmt>(part)) // references, too
        for (const Decl *each : declaration->decls())
          if (auto *variable = dyn_cast<VarDecl>(each); variable && variable->hasLocalStorage())
            write(node, variable);
    }
  for (const VarDecl *variable : definitions.variables())
    for (const source::Definition *definition : definitions.definitionsOf(variable))
      if (auto found = owner.find(definition->statement); found != owner.end())
        write(found->second, variable);
}

} // namespace heddle::transform
