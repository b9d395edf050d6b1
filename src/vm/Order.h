// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Module.h"

#include <cstdint>
#include <vector>

namespace heddle::vm {

/// Positions of basic blocks in an order for the scheduling of diverged lanes: a block precedes all that it can
/// lead to, except by back edges; the blocks of a loop are adjacent, head first. Lanes that wait at the immediate
/// post-dominator of a branch therefore run after every lane that has not reached it yet.
struct BlockOrder {
  std::vector<uint32_t> place;   ///< for each block
  std::vector<uint32_t> loopEnd; ///< of the head of a loop: position of the loop's last block; else kNone
};

BlockOrder orderBlocks(const std::vector<ptx::Block> &blocks);

} // namespace heddle::vm
