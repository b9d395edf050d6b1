// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector clocks whose unit is the warp.
//
// A block has one counter of time. An access is stamped with the time at which its warp last let others know
// of something (a barrier, an arrival, a fence), so all accesses between two such events carry the same
// stamp. What a thread knows of a warp is then one number: everything that the warp did up to that stamp
// happened before. Only where lanes of a warp diverge (a lone thread that takes a lock, __syncwarp of
// half a warp) is there a row of 32 numbers for that warp beside it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::check {

using Stamp = uint32_t;

/// What is known of the accesses of one block.
class BlockClock {
public:
  BlockClock() = default;
  /// `real` warps, then pseudo ones for things that act without a thread; everything up to `start` is known.
  BlockClock(unsigned real, unsigned pseudo, Stamp start) : realWarps(real), floors(real + pseudo, start) {}

  Stamp of(unsigned warp, unsigned lane) const {
    const Stamp floor = floors[warp];
    if (rows.empty() || !rows[warp])
      return floor;
    const Stamp own = (*rows[warp])[lane];
    return own > floor ? own : floor;
  }
  bool knows(unsigned warp, unsigned lane, Stamp stamp) const { return of(warp, lane) >= stamp; }
  Stamp floor(unsigned warp) const { return floors[warp]; }
  unsigned warps() const { return unsigned(floors.size()); }
  /// Everything that any real warp did up to this is known.
  Stamp least() const;

  void raiseWarp(unsigned warp, Stamp stamp);
  void raiseLanes(unsigned warp, uint32_t lanes, Stamp stamp);
  void join(const BlockClock &other);
  bool covers(const BlockClock &other) const;

private:
  using Row = std::array<Stamp, 32>;
  Row &rowOf(unsigned warp);

  unsigned realWarps = 0;
  std::vector<Stamp> floors;
  std::vector<std::shared_ptr<const Row>> rows; ///< empty while no warp has one
};

/// What is known of other blocks of the launch, by their number, sorted.
using Foreign = std::vector<std::pair<uint32_t, std::shared_ptr<const BlockClock>>>;

struct Known;
using KnownRef = std::shared_ptr<const Known>;

/// Everything that happened before a moment of a thread.
struct Known {
  BlockClock own;
  std::shared_ptr<const Foreign> foreign; ///< null: nothing
  /// What was known at a proxy fence on the way here: that much is ordered for asynchronous copies too.
  KnownRef fenced;
  /// What was known at memory fences on the way here, of that scope or a greater one: a write that follows publishes it.
  KnownRef flushedToBlock, flushedToDevice;
  Stamp least = 0; ///< of `own`, kept for speed: set by settle()

  const BlockClock *of(uint32_t block) const;
  /// Takes over what `other`, a moment of the same block, knows.
  void join(const Known &other);
  /// The same for a moment of another block.
  void joinForeign(uint32_t block, const Known &other);
  KnownRef settle() &&;
};

/// The union of both; one of them itself where it knows all that the other does.
KnownRef joined(const KnownRef &a, const KnownRef &b);

} // namespace heddle::check
