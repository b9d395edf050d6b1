// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equal pieces of a block, a power of two threads each: parts of a warp, or several warps.
#pragma once

#include "coalesced_group.h"
#include "thread_block.h"

namespace cooperative_groups {
namespace heddle {

template <unsigned int Size, bool WithinWarp = (Size <= 32)> class Tile;

/// A tile within a warp.
template <unsigned int Size> class Tile<Size, true> : public thread_group {
  static HEDDLE_CG_MEMBER unsigned int firstLane() { return laneId() & ~(Size - 1); }
  static HEDDLE_CG_MEMBER unsigned int lanesOfTile() {
    return (Size == 32 ? ~0u : (1u << Size) - 1) << firstLane();
  }

protected:
  HEDDLE_CG_MEMBER Tile(unsigned int tileRank, unsigned int tiles)
      : thread_group(Kind::Lanes, lanesOfTile(), thread_rank(), Size, tileRank, tiles) {}

public:
  static HEDDLE_CG_MEMBER constexpr unsigned int size() { return Size; }
  static HEDDLE_CG_MEMBER constexpr unsigned int num_threads() { return Size; }
  static HEDDLE_CG_MEMBER unsigned int thread_rank() { return laneId() & (Size - 1); }
  HEDDLE_CG_MEMBER void sync() const { __syncwarp(lanesOfTile()); }

#define HEDDLE_TILE_SHUFFLE(name, intrinsic, distance)                                                       \
  template <class T> HEDDLE_CG_MEMBER typename Plain<T>::type name(T &&value, distance by) const {           \
    return byWords(value, [&](unsigned int word) { return intrinsic(lanesOfTile(), word, by, (int)Size); }); \
  }
  HEDDLE_TILE_SHUFFLE(shfl, __shfl_sync, int)
  HEDDLE_TILE_SHUFFLE(shfl_up, __shfl_up_sync, unsigned int)
  HEDDLE_TILE_SHUFFLE(shfl_down, __shfl_down_sync, unsigned int)
  HEDDLE_TILE_SHUFFLE(shfl_xor, __shfl_xor_sync, int)
#undef HEDDLE_TILE_SHUFFLE

  HEDDLE_CG_MEMBER int any(int predicate) const { return __any_sync(lanesOfTile(), predicate); }
  HEDDLE_CG_MEMBER int all(int predicate) const { return __all_sync(lanesOfTile(), predicate); }
  HEDDLE_CG_MEMBER unsigned int ballot(int predicate) const {
    return __ballot_sync(lanesOfTile(), predicate) >> firstLane();
  }
  template <class T> HEDDLE_CG_MEMBER unsigned int match_any(T value) const {
    return __match_any_sync(lanesOfTile(), value) >> firstLane();
  }
  template <class T> HEDDLE_CG_MEMBER unsigned int match_all(T value, int &allEqual) const {
    return __match_all_sync(lanesOfTile(), value, &allEqual) >> firstLane();
  }
  HEDDLE_CG_MEMBER unsigned int heddleLanes() const { return lanesOfTile(); }
};

/// A tile of several warps: it can wait and vote, but has no shuffles.
template <unsigned int Size> class Tile<Size, false> : public thread_group {
protected:
  HEDDLE_CG_MEMBER Tile(unsigned int tileRank, unsigned int tiles)
      : thread_group(Kind::Warps, 0, thread_rank(), Size, tileRank, tiles) {}

public:
  static HEDDLE_CG_MEMBER constexpr unsigned int size() { return Size; }
  static HEDDLE_CG_MEMBER constexpr unsigned int num_threads() { return Size; }
  static HEDDLE_CG_MEMBER unsigned int thread_rank() { return rankInBlock() & (Size - 1); }
  HEDDLE_CG_MEMBER void sync() const { syncWarps(tileRank, Size); }
  HEDDLE_CG_MEMBER int any(int predicate) const { return vote(predicate) != 0; }
  HEDDLE_CG_MEMBER int all(int predicate) const { return vote(predicate) == (int)Size; }

private:
  HEDDLE_CG_MEMBER int vote(int predicate) const {
    int yes;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; barrier.red.popc.u32 %0, %2, %3, p; }"
                 : "=r"(yes)
                 : "r"(predicate), "r"((tileRank + 1) & 15u), "r"(Size)
                 : "memory");
    return yes;
  }
};

} // namespace heddle

template <unsigned int Size, class Parent = void> class thread_block_tile : public heddle::Tile<Size> {
  static_assert((Size & (Size - 1)) == 0 && Size > 0 && Size <= 1024, "a tile has 1, 2, 4, ... 1024 threads");

public:
  HEDDLE_CG_MEMBER thread_block_tile(unsigned int tileRank, unsigned int tiles)
      : heddle::Tile<Size>(tileRank, tiles) {}
  template <class OtherParent>
  HEDDLE_CG_MEMBER thread_block_tile(const thread_block_tile<Size, OtherParent> &other)
      : heddle::Tile<Size>(other.meta_group_rank(), other.meta_group_size()) {}

  HEDDLE_CG_MEMBER unsigned int meta_group_rank() const { return this->tileRank; }
  HEDDLE_CG_MEMBER unsigned int meta_group_size() const { return this->tiles; }
};

template <unsigned int Size, class Parent>
HEDDLE_CG_MEMBER thread_block_tile<Size, Parent> tiled_partition(const Parent &parent) {
  return thread_block_tile<Size, Parent>((unsigned int)parent.thread_rank() / Size,
                                         ((unsigned int)parent.num_threads() + Size - 1) / Size);
}

/// The size at run time. A block's tiles of up to a warp are lanes; larger ones are warps.
HEDDLE_CG_MEMBER thread_group tiled_partition(const thread_group &parent, unsigned int size) {
  unsigned int mine = parent.rank / size, tiles = (parent.count + size - 1) / size,
               within = parent.rank % size;
  if (parent.kind == heddle::Kind::Lanes && parent.count != 32) {
    // Lanes that need not be neighbours: keep those of the same piece.
    unsigned int lanes = 0, at = 0;
    for (unsigned int left = parent.lanes; left; left &= left - 1, ++at)
      if (at / size == mine)
        lanes |= left & (0u - left);
    return thread_group(heddle::Kind::Lanes, lanes, within, __popc(lanes), mine, tiles);
  }
  if (size > 32)
    return thread_group(heddle::Kind::Warps, 0, within, size, mine, tiles);
  unsigned int lanes = (size == 32 ? ~0u : (1u << size) - 1) << (heddle::laneId() / size * size);
  return thread_group(heddle::Kind::Lanes, lanes, within, size, mine, tiles);
}

/// The threads that answered as this one did.
template <class Group> HEDDLE_CG_MEMBER coalesced_group binary_partition(const Group &group, bool predicate) {
  unsigned int yes = __ballot_sync(group.heddleLanes(), predicate) & group.heddleLanes();
  return coalesced_group(predicate ? yes : group.heddleLanes() & ~yes, predicate, 2);
}
template <class Group, class Label>
HEDDLE_CG_MEMBER coalesced_group labeled_partition(const Group &group, Label label) {
  return coalesced_group(__match_any_sync(group.heddleLanes(), label));
}

} // namespace cooperative_groups
