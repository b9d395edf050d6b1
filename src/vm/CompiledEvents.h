// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Compiled.h"

namespace heddle::vm {

class Block;

/// Begins to count for a block that an observer sees.
void beginCounts(Block &block);
/// What compiled code needs to report to the observer, the same for all warps of the block.
void prepareEvents(CompiledState &state, const Block &block);
/// Gives the observer the loads that compiled code has noted. Before every other event, and when compiled code has returned.
void deliverLoads(CompiledState &state);
/// Gives the observer what was counted; the block has ended.
void deliverCounts(Block &block);

} // namespace heddle::vm
