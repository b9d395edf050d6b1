// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of the producer's work differs from thread to thread. Producers are fewer than the threads whose loads
// they make, so that part is done in a loop over threads in each iteration; what it needs of earlier statements is
// computed again there (`sunk`). Where that is not possible a producer can load for one thread only, its own.
#include "source/ReachingDefinitions.h"
#include "transform/specialize/SplitSteps.h"

#include <clang/AST/Stmt.h>

using namespace clang;

namespace heddle::transform {
namespace {

using analysis::Array;
using NodeKind = KernelNode::Kind;

bool varies(const KernelNode &node, const RoleSplit &split, const RoleView &view) {
  const analysis::CodeFacts &facts = view.facts(node);
  if (facts.asksThread)
    return true;
  for (const VarDecl *variable : facts.reads)
    if (split.varyingVariables.contains(variable))
      return true;
  for (const KernelNode *up = node.parent; up; up = up->parent)
    if ((up->kind == NodeKind::Branch || up->kind == NodeKind::Loop) && split.varying.contains(up))
      return true;
  return false;
}

/// In the block that the node is a statement of, after it.
bool comesLater(const KernelNode &writer, const KernelNode &node) {
  bool behind = false;
  for (const auto &sibling : node.parent->children) {
    if (behind && writer.isIn(sibling.get()))
      return true;
    behind |= sibling.get() == &node;
  }
  return false;
}

class VariationChecker {
public:
  VariationChecker(RoleSplit &split, const RoleView &view) : split(split), view(view) {}

  LegalityFailure check() {
    for (const TileLoop &loop : split.loops)
      for (const KernelNode *up = loop.loop; up; up = up->parent)
        if (split.varying.contains(up) && (up->kind == NodeKind::Loop || up->kind == NodeKind::Branch))
          return refusalAt(view, *up, "whether there is another iteration differs from thread to thread");
    for (const TileLoop &loop : split.loops)
      checkBetween(loop);
    for (const KernelNode *jump : split.jumps)
      if (split.varying.contains(jump))
        return refusalAt(view, *nearestHead(*jump), "individual threads leave here, and the others continue");
    for (const KernelNode *node : view.nodes()) {
      const bool isOfInterest = split.producer.contains(node) && split.varying.contains(node);
      if (!isOfInterest)
        continue;
      if (split.loopWithLoad(node))
        checkInLoad(*node);
      else if (view.isStatement(*node))
        checkSinking(*node);
    }
    return std::nullopt;
  }

private:
  bool isOfThreads(const KernelNode &statement) const {
    return llvm::any_of(view.all(statement), [&](const KernelNode *node) {
      return split.producer.contains(node) &&
             (split.varying.contains(node) || analysis::storesTo(view.facts(*node), split.tiles));
    });
  }

  /// Among statements that producers carry out thread by thread, those that are the same for all can be
  /// brought forward only if they do no more than declare.
  void checkBetween(const TileLoop &loop) {
    std::optional<size_t> first, last;
    for (size_t i = loop.loadBegin; i < loop.fill; ++i)
      if (isOfThreads(*loop.statement(i))) {
        first = first.value_or(i);
        last = i;
      }
    for (size_t i = first.value_or(0); last && i < *last; ++i) {
      const KernelNode &statement = *loop.statement(i);
      if (split.producer.contains(&statement) && !isOfThreads(statement) &&
          !isa<DeclStmt>(statement.statement) && !split.onlyOneToOne)
        split.onlyOneToOne =
            refusalAt(view, statement,
                      "this uniform statement is between per-thread loads, so a consumer group "
                      "needs as many producer warps as it has warps");
    }
  }

  /// A load must not set what lives longer than it.
  void checkInLoad(const KernelNode &node) {
    const TileLoop &loop = *split.loopWithLoad(&node);
    for (const VarDecl *variable : view.facts(node).writes)
      if (!view.study.isInside(variable, loop.body->statement))
        needOneToOne(node, variable);
    if (!analysis::storesTo(view.facts(node), split.tiles))
      return;
    for (const KernelNode *up = node.parent; up != loop.body; up = up->parent)
      if (up->kind == NodeKind::Branch && up->children.size() == 1)
        return split.partial.push_back(&node);
  }

  void needOneToOne(const KernelNode &node, const VarDecl *variable) {
    if (!split.onlyOneToOne)
      split.onlyOneToOne =
          refusalAt(view, node,
                    "{} differs from thread to thread and is carried from iteration to "
                    "iteration, so a consumer group needs as many producer warps as it has warps",
                    quoted(variable));
  }

  /// A value of the thread's that is set before the load is computed again in each iteration, for each thread:
  /// only right for what stays the same meanwhile.
  void checkSinking(const KernelNode &node) {
    const analysis::CodeFacts &facts = view.facts(node);
    const VarDecl *first = facts.writes.empty() ? nullptr : *facts.writes.begin();
    if (!isa<DeclStmt>(node.statement) || node.parent->kind != NodeKind::Block) {
      if (first)
        needOneToOne(node, first);
      return;
    }
    for (const VarDecl *variable : facts.writes)
      if (!view.definitions.isNeverReassigned(variable) && !variable->getType()->isReferenceType())
        return needOneToOne(node, variable);
    for (const VarDecl *variable : facts.reads)
      for (const KernelNode *writer : view.writersOf(variable))
        if (comesLater(*writer, node))
          return needOneToOne(node, variable);
    if (facts.loads(Array::Space::Global) || facts.loads(Array::Space::Unknown))
      return needOneToOne(node, first); // a load in each iteration is not what the author wrote
    split.sunk.insert(&node);
  }

  RoleSplit &split;
  const RoleView &view;
};

} // namespace

/// To a fixed point: a variable may depend on itself around a loop.
Split findVarying(RoleSplit split, const RoleView &view) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const KernelNode *node : split.producer) {
      if (split.varying.contains(node) || !varies(*node, split, view))
        continue;
      changed = true;
      split.varying.insert(node);
      split.varyingVariables.insert(view.facts(*node).writes.begin(), view.facts(*node).writes.end());
    }
  }
  return split;
}

Split checkVarying(RoleSplit split, const RoleView &view) {
  if (LegalityFailure refused = VariationChecker(split, view).check())
    return *refused;
  return split;
}

} // namespace heddle::transform
