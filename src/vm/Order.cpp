// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A weak topological order (F. Bourdoncle, "Efficient chaotic iteration strategies with widenings", 1993):
// the strongly connected components in topological order; in each component with a loop the block it is
// entered by first, then, without that block, the rest in the same way. Irreducible graphs need no special
// care.
//
// Everything is iterative: a kernel of megabytes of PTX has a depth-first search deeper than a stack.
#include "vm/Order.h"

#include <algorithm>

namespace heddle::vm {
namespace {

constexpr uint32_t Unseen = 0, Outside = ~0u;

struct Orderer {
  const std::vector<ptx::Block> &blocks;
  BlockOrder result;
  std::vector<uint32_t> region; ///< the component a block is being ordered in; Outside once placed
  std::vector<uint32_t> number, low;
  std::vector<uint8_t> onStack;
  uint32_t nextPlace = 0, nextRegion = 1;

  explicit Orderer(const std::vector<ptx::Block> &all)
      : blocks(all), region(all.size(), 0), number(all.size()), low(all.size()), onStack(all.size()) {
    result.place.assign(all.size(), 0);
    result.loopEnd.assign(all.size(), ptx::kNone);
  }

  struct Component {
    std::vector<uint32_t> blocks; ///< in the order they were entered
    bool loops = false;
  };

  bool inside(uint32_t block, uint32_t of) const { return region[block] == of; }

  /// Tarjan's algorithm over the blocks of one region, from `roots` on; components in topological order.
  std::vector<Component> components(const std::vector<uint32_t> &roots, uint32_t of) {
    std::vector<Component> found;
    std::vector<uint32_t> stack;
    struct Visit {
      uint32_t block;
      size_t next;
    };
    std::vector<Visit> visits;
    uint32_t counter = 0;
    for (uint32_t root : roots)
      number[root] = Unseen;
    for (uint32_t root : roots) {
      if (number[root] != Unseen)
        continue;
      visits.push_back({root, 0});
      while (!visits.empty()) {
        auto &[block, next] = visits.back();
        if (next == 0) {
          number[block] = low[block] = ++counter;
          stack.push_back(block);
          onStack[block] = 1;
        }
        const auto &succs = blocks[block].succs;
        bool descended = false;
        while (next < succs.size()) {
          uint32_t to = succs[next++];
          if (!inside(to, of))
            continue;
          if (number[to] == Unseen) {
            visits.push_back({to, 0});
            descended = true;
            break;
          }
          if (onStack[to])
            low[block] = std::min(low[block], number[to]);
        }
        if (descended)
          continue;
        const uint32_t done = block;
        visits.pop_back();
        if (!visits.empty())
          low[visits.back().block] = std::min(low[visits.back().block], low[done]);
        if (low[done] != number[done])
          continue;
        Component component;
        uint32_t member;
        do {
          member = stack.back();
          stack.pop_back();
          onStack[member] = 0;
          component.blocks.push_back(member);
        } while (member != done);
        std::reverse(component.blocks.begin(), component.blocks.end());
        const auto &own = blocks[done].succs;
        component.loops = component.blocks.size() > 1 || std::find(own.begin(), own.end(), done) != own.end();
        found.push_back(std::move(component));
      }
    }
    std::reverse(found.begin(), found.end());
    return found;
  }

  void run() {
    struct Level {
      std::vector<Component> parts;
      size_t next = 0;
      uint32_t head = ptx::kNone; ///< of the loop that this level is the rest of
    };
    std::vector<uint32_t> all(blocks.size());
    for (uint32_t i = 0; i < all.size(); ++i)
      all[i] = i;
    std::vector<Level> levels;
    levels.push_back({components(all, 0)});
    while (!levels.empty()) {
      Level &level = levels.back();
      if (level.next == level.parts.size()) {
        if (level.head != ptx::kNone)
          result.loopEnd[level.head] = nextPlace - 1;
        levels.pop_back();
        continue;
      }
      Component component = std::move(level.parts[level.next++]);
      const uint32_t head = component.blocks.front();
      result.place[head] = nextPlace++;
      region[head] = Outside;
      if (!component.loops)
        continue;
      std::vector<uint32_t> rest(component.blocks.begin() + 1, component.blocks.end());
      const uint32_t inner = nextRegion++;
      for (uint32_t block : rest)
        region[block] = inner, number[block] = Unseen;
      levels.push_back({components(rest, inner), 0, head});
    }
  }
};

} // namespace

BlockOrder orderBlocks(const std::vector<ptx::Block> &blocks) {
  Orderer orderer(blocks);
  orderer.run();
  return std::move(orderer.result);
}

} // namespace heddle::vm
