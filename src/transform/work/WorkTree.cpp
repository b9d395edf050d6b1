// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first step of a plan: how far the kernel's tree is cut open. What holds a barrier must be, since work
// loops end there; the rest is done as a whole unless something speaks for cutting.
//
//     for (...) {                          Structure: holds a barrier
//       for (...) sum += a[i][k];            Item, as a whole; Structure with `isJammed` where items meet in it
//       if (n == k) break;                   Structure: all items agree, and the jump is the outer loop's
//       __syncthreads();                     Fixed
//     }
#include "analysis/MemoryHabits.h"
#include "analysis/StatementShape.h"
#include "source/Unit.h"
#include "transform/InlineCalls.h"
#include "transform/work/WorkSteps.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

using analysis::bodyOf;
using analysis::headerOf;
using analysis::isLoop;
using analysis::Jumps;
using analysis::jumpsOf;
using Kind = KernelNode::Kind;
using Role = Work::Role;

namespace {

/// True where no break or continue of this loop is taken by some items only.
bool leavesTogether(const Stmt *statement, const analysis::UniformWork &uniform, bool agreed = true) {
  if (!statement)
    return true;
  if (isa<BreakStmt, ContinueStmt>(statement))
    return agreed;
  if (isLoop(statement) || isa<LambdaExpr, Expr>(statement))
    return true; // its jumps are its own; a loop's `break` inside a switch is looked at as the switch's
  if (isa<IfStmt, SwitchStmt>(statement))
    agreed &= uniform.agreeOn(statement);
  for (const Stmt *child : statement->children())
    if (!leavesTogether(child, uniform, agreed))
      return false;
  return true;
}

/// A lambda in it holds something. One that does not is a function, independent of its position.
bool holdsCapture(const Uses &uses) {
  return std::ranges::any_of(uses.statements, [](const Stmt *statement) {
    auto *lambda = dyn_cast<LambdaExpr>(statement);
    return lambda && lambda->capture_begin() != lambda->capture_end();
  });
}

class TreeCutter {
public:
  explicit TreeCutter(const WorkQuestion &question)
      : question(question), facts(question.facts), uniform(question.uniform) {
    plan.tree = facts.tree.get();
    plan.work.resize(plan.tree->nodes().size());
  }

  Planned cut() {
    addBody(plan.tree->root(), nullptr);
    if (refused)
      return *refused;
    return std::move(plan);
  }

private:
  void refuse(const Stmt *where, std::string why, std::string hint = {}) {
    if (!refused)
      refused = legalityFailure(question.location(where), std::move(why)).withHint(std::move(hint));
  }

  void addBody(const KernelNode &owner, const KernelNode *parent) {
    WorkBody body;
    body.owner = &owner;
    if (owner.kind != Kind::Block)
      addStatement(body, owner, parent);
    else
      for (const auto &child : owner.children)
        addStatement(body, *child, parent);
    plan.bodies.emplace(owner.id, std::move(body));
  }

  Work &decide(WorkBody &body, const KernelNode &node, const KernelNode *parent, Role role) {
    body.nodes.push_back(&node);
    plan.nodes.push_back(&node);
    Work &work = plan.of(node);
    work.role = role;
    work.parent = parent;
    return work;
  }

  void addStatement(WorkBody &body, const KernelNode &node, const KernelNode *parent) {
    const Stmt *statement = node.statement;
    if (isa<NullStmt>(statement))
      return;
    if (node.kind == Kind::Case && (node.holdsBarrier || parent)) {
      decide(body, node, parent, Role::Fixed);
      return addStatement(body, *node.children[0], parent);
    }
    if (node.holdsBarrier)
      return addHolder(body, node, parent);
    const bool uniformWork = uniform.isUniformWork(statement);
    if ((!uniformWork || question.forbidden.leaf.contains(statement)) && mustBeStructure(question, statement))
      return addStructure(body, node, parent);
    if (!uniformWork && node.kind == Kind::Loop && mayJam(node)) {
      const bool hasReuse = readsTheSame(node);
      if (hasReuse || analysis::streams(facts, statement)) {
        addStructure(body, node, parent);
        plan.of(node).isJammed = true;
        plan.of(node).hasReuse = hasReuse;
        return;
      }
    }
    addLeaf(body, node, parent, uniformWork);
  }

  void addLeaf(WorkBody &body, const KernelNode &node, const KernelNode *parent, bool uniformWork) {
    const Uses &uses = plan.tree->whole(node).uses;
    const bool mayBeOnce =
        uniformWork && !question.forbidden.once.contains(node.statement) && !hasDiscarded(uses);
    const bool isJump = isa<BreakStmt, ContinueStmt, ReturnStmt>(node.statement);
    decide(body, node, parent, isJump ? Role::Fixed : mayBeOnce ? Role::Once : Role::Item);
    if (uses.lambda && holdsCapture(uses))
      refuse(uses.lambda, "what a lambda captures cannot be distinguished by work item");
  }

  /// Something in it is left out here, and nothing is known of it.
  bool hasDiscarded(const Uses &uses) const {
    return std::ranges::any_of(question.discarded, [&](const analysis::DiscardedCode &code) {
      return uses.statements.contains(code.branch);
    });
  }

  void addHolder(WorkBody &body, const KernelNode &node, const KernelNode *parent) {
    const analysis::BarrierPoint *call = nullptr;
    bool isPart = false, isWhole = false;
    for (const analysis::BarrierPoint &point : node.barriers) {
      if (point.statement != node.statement)
        continue; // in what a head begins with
      call = point.call ? &point : call;
      (point.isPartOfStatement ? isPart : isWhole) = true;
    }
    if (call)
      return refuse(
          call->call,
          "there is a barrier inside the function called here, which cannot be inlined: " +
              reasonNotToInline(facts, call->call, node.statement).value_or("it is called in too many ways"));
    if (std::optional<BlockVote> vote = isPart ? votedIn(node.statement) : std::nullopt) {
      decide(body, node, parent, Role::Fixed).vote = vote;
      return;
    }
    if (isPart)
      return refuse(node.statement,
                    "the barrier here is part of a larger statement, which cannot be split there",
                    "assign a vote of the block to a variable in a statement of its own, before it is used");
    if (isWhole) {
      decide(body, node, parent, Role::Fixed);
      return;
    }
    addStructure(body, node, parent);
  }

  void addStructure(WorkBody &body, const KernelNode &node, const KernelNode *parent) {
    decide(body, node, parent, Role::Structure);
    if (isa<CXXForRangeStmt>(node.statement))
      return; // its head is taken apart first
    switch (node.kind) {
    case Kind::Block: return addBody(node, &node);
    case Kind::Loop:
    case Kind::Branch:
    case Kind::Switch:
      for (const auto &child : node.children)
        addBody(*child, &node);
      return;
    default: refuse(node.statement, "a statement of this kind cannot be split at a barrier");
    }
  }

  /// A loop that all items go through together: work loops may be inside.
  bool mayJam(const KernelNode &node) const {
    const Stmt *loop = node.statement;
    if (question.forbidden.jam.contains(loop) || isa<CXXForRangeStmt>(loop) || !uniform.agreeOn(loop) ||
        jumpsOf(loop).returns || !leavesTogether(bodyOf(loop), uniform) || hasDivergentReturn())
      return false;
    for (const Stmt *part : headerOf(loop))
      if (!uniform.isUniformWork(part))
        return false;
    return true;
  }

  /// Merged threads read the same elements in it.
  bool readsTheSame(const KernelNode &node) const {
    const Uses &inside = plan.tree->whole(node).uses;
    for (const analysis::Reuse &reuse : facts.reuse.all()) {
      const analysis::Access &access = facts.accesses->all()[reuse.first];
      const bool isMerged = std::ranges::any_of(
          question.axes, [&](const Axis &axis) { return axis.dimension == reuse.dimension; });
      if (isMerged && access.kind == analysis::Access::Kind::Read &&
          inside.statements.contains(access.expression))
        return true;
    }
    return false;
  }

  /// Some items may be gone before others: they cannot go through loops side by side without asking.
  bool hasDivergentReturn() const {
    return std::ranges::any_of(plan.tree->nodes(), [&](const KernelNode *node) {
      const bool decides =
          node->kind == Kind::Branch || node->kind == Kind::Switch || node->kind == Kind::Loop;
      return decides && !uniform.agreeOn(node->statement) && jumpsOf(node->statement).returns;
    });
  }

  const WorkQuestion &question;
  const KernelFacts &facts;
  const analysis::UniformWork &uniform;
  WorkPlan plan;
  std::optional<Diagnostic> refused;
};

} // namespace

bool mustBeStructure(const WorkQuestion &question, const Stmt *statement) {
  const Jumps jumps = jumpsOf(statement);
  if (!jumps.leavesLoop && !(jumps.returns && question.facts.regions->hasBarrier()))
    return false;
  if (!leavesTogether(statement, question.uniform))
    return false; // items leave one by one: each by a jump in its work loop
  if (isa<CompoundStmt>(statement))
    return true;
  return isa<IfStmt, SwitchStmt>(statement) && question.uniform.agreeOn(statement);
}

Planned cutTree(const WorkQuestion &question) { return TreeCutter(question).cut(); }

} // namespace heddle::transform
