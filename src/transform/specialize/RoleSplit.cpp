// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The split goes by slices: what do the stores to the tiles need? Without regard to the order of statements:
// whatever may set a variable that is needed is needed. That may take more than necessary, never less.
//
// Each step takes the split so far and gives it back with what it finds: see SplitSteps.h.
#include "transform/specialize/RoleSplit.h"

#include "transform/specialize/GlobalOrder.h"
#include "transform/specialize/SplitSteps.h"

using namespace clang;

namespace heddle::transform {

const TileLoop *RoleSplit::loopWithLoad(const KernelNode *node) const {
  for (const TileLoop &loop : loops)
    if (loop.isInLoad(node))
      return &loop;
  return nullptr;
}

const TileLoop *RoleSplit::loopOf(const KernelNode *node) const {
  for (const TileLoop &loop : loops)
    if (node->isIn(loop.body))
      return &loop;
  return nullptr;
}

static Split withLoops(RoleSplit split, const RoleView &view) {
  auto loops = analysis::findTileLoops(view.study.kernel, view);
  if (auto *refused = std::get_if<Diagnostic>(&loops))
    return *refused;
  split.loops = std::move(std::get<0>(loops));
  for (const TileLoop &loop : split.loops)
    split.tiles.insert(loop.tiles.begin(), loop.tiles.end());
  for (const TileLoop &outer : split.loops)
    for (const TileLoop &inner : split.loops)
      if (&outer != &inner && inner.loop->isIn(outer.loop))
        return refusalAt(view, *inner.loop, "a loop over tiles inside a loop over tiles");
  return split;
}

static Split withOrder(RoleSplit split, const RoleView &view) {
  auto order = orderOfGlobalMemory(view, split);
  if (auto *refused = std::get_if<Diagnostic>(&order))
    return *refused;
  split.meets = std::get<GlobalOrder>(order).meets;
  return split;
}

std::variant<RoleSplit, Diagnostic> splitRoles(const RoleView &view) {
  Split split = RoleSplit();
  for (auto *step :
       {withLoops, checkTiles, takeJumps, sliceProducer, findVarying, sliceConsumer, checkVarying, withOrder})
    if (auto *found = std::get_if<RoleSplit>(&split))
      split = step(std::move(*found), view);
  return split;
}

} // namespace heddle::transform
