// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some lanes of a warp: those that are converged here, or those that gave the same answer.
#pragma once

#include "shuffle.h"

namespace cooperative_groups {

class coalesced_group : public thread_group {
  /// The lane of the group's n-th member.
  HEDDLE_CG_MEMBER unsigned int laneOf(unsigned int n) const {
    return count == 32 ? n : __fns(lanes, 0, (int)n + 1);
  }
  /// A mask of lanes as a mask of ranks.
  HEDDLE_CG_MEMBER unsigned int toRanks(unsigned int laneMask) const {
    unsigned int ranks = 0, at = 0;
    for (unsigned int left = lanes; left; left &= left - 1, ++at)
      if (laneMask & left & (0u - left))
        ranks |= 1u << at;
    return ranks;
  }

public:
  HEDDLE_CG_MEMBER explicit coalesced_group(unsigned int lanes, unsigned int tileRank = 0,
                                            unsigned int tiles = 1)
      : thread_group(heddle::Kind::Lanes, lanes, __popc(lanes & heddle::lanesBelow()), __popc(lanes),
                     tileRank, tiles) {}

  HEDDLE_CG_MEMBER unsigned int size() const { return count; }
  HEDDLE_CG_MEMBER unsigned int num_threads() const { return count; }
  HEDDLE_CG_MEMBER unsigned int thread_rank() const { return rank; }
  HEDDLE_CG_MEMBER unsigned int meta_group_rank() const { return tileRank; }
  HEDDLE_CG_MEMBER unsigned int meta_group_size() const { return tiles; }
  HEDDLE_CG_MEMBER void sync() const { __syncwarp(lanes); }

  template <class T>
  HEDDLE_CG_MEMBER typename heddle::Plain<T>::type shfl(T &&value, unsigned int from) const {
    unsigned int lane = laneOf(from % count);
    return heddle::byWords(value, [&](unsigned int word) { return __shfl_sync(lanes, word, (int)lane); });
  }
  // Beyond the group's end a thread gets its own value back.
  template <class T>
  HEDDLE_CG_MEMBER typename heddle::Plain<T>::type shfl_down(T &&value, unsigned int delta) const {
    unsigned int lane = rank + delta < count ? laneOf(rank + delta) : heddle::laneId();
    return heddle::byWords(value, [&](unsigned int word) { return __shfl_sync(lanes, word, (int)lane); });
  }
  template <class T>
  HEDDLE_CG_MEMBER typename heddle::Plain<T>::type shfl_up(T &&value, unsigned int delta) const {
    unsigned int lane = rank >= delta ? laneOf(rank - delta) : heddle::laneId();
    return heddle::byWords(value, [&](unsigned int word) { return __shfl_sync(lanes, word, (int)lane); });
  }

  HEDDLE_CG_MEMBER int any(int predicate) const { return __any_sync(lanes, predicate); }
  HEDDLE_CG_MEMBER int all(int predicate) const { return __all_sync(lanes, predicate); }
  HEDDLE_CG_MEMBER unsigned int ballot(int predicate) const {
    return toRanks(__ballot_sync(lanes, predicate));
  }
  template <class T> HEDDLE_CG_MEMBER unsigned int match_any(T value) const {
    return toRanks(__match_any_sync(lanes, value));
  }
  template <class T> HEDDLE_CG_MEMBER unsigned int match_all(T value, int &allEqual) const {
    return toRanks(__match_all_sync(lanes, value, &allEqual));
  }

  /// The part of the group, cut into pieces of `size`, that this thread is in.
  HEDDLE_CG_MEMBER coalesced_group tile(unsigned int size) const {
    unsigned int mine = 0, at = 0;
    for (unsigned int left = lanes; left; left &= left - 1, ++at)
      if (at / size == rank / size)
        mine |= left & (0u - left);
    return coalesced_group(mine, rank / size, (count + size - 1) / size);
  }
  HEDDLE_CG_MEMBER unsigned int heddleLanes() const { return lanes; }
};

HEDDLE_CG_MEMBER coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

HEDDLE_CG_MEMBER coalesced_group tiled_partition(const coalesced_group &parent, unsigned int size) {
  return parent.tile(size);
}

} // namespace cooperative_groups
