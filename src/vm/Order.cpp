// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A weak topological order (F. Bourdoncle, "Efficient chaotic iteration strategies with widenings", 1993):
// the strongly connected components in topological order; in each component with a loop, first the block by
// which it is entered, then the rest without that block in the same way. Irreducible graphs need no special
// handling. Nested loops are on a stack, without recursion.
#include "vm/Order.h"

#include "graph/Components.h"

#include <algorithm>
#include <numeric>

namespace heddle::vm {
namespace {

/// Components whose blocks are being numbered, one after the other.
struct Level {
  graph::Adjacency components;
  size_t next = 0;
  uint32_t head = ptx::kNone; ///< of the loop that this level is the rest of
};

bool loops(const std::vector<ptx::Block> &blocks, const std::vector<unsigned> &component) {
  return component.size() > 1 || std::ranges::count(blocks[component[0]].succs, component[0]);
}

} // namespace

BlockOrder orderBlocks(const std::vector<ptx::Block> &blocks) {
  BlockOrder order{std::vector<uint32_t>(blocks.size()), std::vector<uint32_t>(blocks.size(), ptx::kNone)};
  graph::ComponentFinder components(blocks.size(), [&](unsigned b) { return std::span(blocks[b].succs); });
  std::vector<unsigned> all(blocks.size());
  std::iota(all.begin(), all.end(), 0u);
  std::vector<Level> levels = {{components.of(all)}};
  uint32_t place = 0;
  while (!levels.empty()) {
    Level &level = levels.back();
    if (level.next == level.components.size()) {
      if (level.head != ptx::kNone)
        order.loopEnd[level.head] = place - 1;
      levels.pop_back();
      continue;
    }
    const std::vector<unsigned> component = std::move(level.components[level.next++]);
    order.place[component[0]] = place++;
    if (loops(blocks, component))
      levels.push_back({components.of(std::span(component).subspan(1)), 0, component[0]});
  }
  return order;
}

} // namespace heddle::vm
