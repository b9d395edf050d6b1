// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jumps that decide whether a tile loop has another iteration, or is reached at all. Both roles must take them, and
// between the load and the end of the computation neither may: the other would never continue.
#include "analysis/StatementShape.h"
#include "source/Unit.h"
#include "transform/specialize/SplitSteps.h"

using namespace clang;

namespace heddle::transform {

using analysis::jumpsOf;
using NodeKind = KernelNode::Kind;

namespace {

const KernelNode *nearest(NodeKind kind, const KernelNode &node) {
  const KernelNode *at = node.parent;
  while (at && at->kind != kind)
    at = at->parent;
  return at;
}

bool mayComeAfter(const KernelNode &node, const TileLoop &loop, const RoleView &view) {
  if (node.isIn(loop.loop))
    return true;
  for (const KernelNode *at = &node; at; at = at->parent)
    if (at->kind == NodeKind::Loop && loop.loop->isIn(at))
      return true;
  return view.study.unit.sources().isBeforeInTranslationUnit(node.statement->getBeginLoc(),
                                                             loop.loop->statement->getBeginLoc());
}

bool concerns(const KernelNode &jump, const TileLoop &loop, const RoleView &view) {
  return isa<ReturnStmt>(jump.statement) ? mayComeAfter(jump, loop, view)
                                         : loop.loop->isIn(nearest(NodeKind::Loop, jump));
}

/// Before anything of the tile is stored, or after it was given back.
bool isBetweenIterations(const KernelNode &node, const TileLoop &loop, const RoleSplit &split,
                         const RoleView &view) {
  const size_t index = loop.indexOf(&node).value_or(0);
  const size_t first = loop.before.value_or(loop.loadBegin);
  if (index > loop.release)
    return true;
  if (index >= loop.fill)
    return false;
  for (size_t i = first; i <= index; ++i)
    for (const KernelNode *each : view.all(*loop.statement(i)))
      if (analysis::storesTo(view.facts(*each), split.tiles))
        return false;
  return true;
}

} // namespace

const KernelNode *nearestHead(const KernelNode &jump) {
  const KernelNode *head = nearest(NodeKind::Branch, jump);
  return head ? head : &jump;
}

Split takeJumps(RoleSplit split, const RoleView &view) {
  for (const KernelNode *node : view.nodes()) {
    if (view.isStatement(*node) && jumpsOf(node->statement).any())
      return refusalAt(view, *node,
                       "this may leave the loop or the kernel from inside, which is not analyzed");
    const bool isOfInterest =
        node->kind == NodeKind::Jump &&
        llvm::any_of(split.loops, [&](const TileLoop &loop) { return concerns(*node, loop, view); });
    if (!isOfInterest)
      continue;
    if (const TileLoop *loop = split.loopOf(node); loop && !isBetweenIterations(*node, *loop, split, view))
      return refusalAt(view, *nearestHead(*node),
                       "the iteration is left here, between the load and the end of the computation: the "
                       "other role would wait forever");
    split.jumps.push_back(node);
  }
  return split;
}

} // namespace heddle::transform
