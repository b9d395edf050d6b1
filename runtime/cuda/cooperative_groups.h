// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of threads as objects: block, grid, cluster, tiles of a block, the lanes that are together.
#pragma once
#define _COOPERATIVE_GROUPS_H_ // programs ask by this name whether it was read

#include "heddle/cg/coalesced_group.h"
#include "heddle/cg/grid_group.h"
#include "heddle/cg/thread_block.h"
#include "heddle/cg/thread_block_tile.h"
#include "heddle/cg/thread_group.h"

namespace cooperative_groups {

template <class Group> HEDDLE_CG_MEMBER void sync(const Group &group) { group.sync(); }
template <class Group>
HEDDLE_CG_MEMBER auto thread_rank(const Group &group) -> decltype(group.thread_rank()) {
  return group.thread_rank();
}
template <class Group> HEDDLE_CG_MEMBER auto group_size(const Group &group) -> decltype(group.num_threads()) {
  return group.num_threads();
}

/// One thread of the group does it, the others go on.
template <class Group, class Function, class... Arguments>
HEDDLE_CG_MEMBER void invoke_one(const Group &group, Function &&function, Arguments &&...arguments) {
  if (group.thread_rank() == 0)
    function(static_cast<Arguments &&>(arguments)...);
}

} // namespace cooperative_groups
