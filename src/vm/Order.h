// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Module.h"

#include <cstdint>
#include <vector>

namespace heddle::vm {

/// Places of basic blocks in an order for the scheduling of diverged lanes: a block comes before all it can
/// lead to, back edges apart; the blocks of a loop are neighbours, head first. So lanes that wait at the
/// immediate post-dominator of a branch follow every lane still on its way there.
struct BlockOrder {
  std::vector<uint32_t> place;   ///< for each block
  std::vector<uint32_t> loopEnd; ///< for the head of a loop: the place of the loop's last block; else kNone
};

BlockOrder orderBlocks(const std::vector<ptx::Block> &blocks);

} // namespace heddle::vm
