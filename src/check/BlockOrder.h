// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Happens-before inside of a block: its time, and what each lane knows of what others did.
#pragma once

#include "check/Clock.h"

#include <array>
#include <cstdint>
#include <vector>

namespace heddle::check {

/// Warps beyond those of the block: one whose lanes are the sixteen barriers and the cluster's, and some
/// whose lanes are the copy engines, one for each mbarrier.
constexpr unsigned EngineWarps = 4, PseudoWarps = 1 + EngineWarps;

/// One counter of time for the block, a stamp and a clock for each warp. Accesses get the warp's stamp; a
/// release lets the warp's stamp go on, so that what comes later is not known to those who see the release.
/// Code that synchronizes lanes records here what they know afterwards; all other state of the checker only asks.
class BlockOrder {
public:
  /// A new block. Returns the time at which it starts, greater than all stamps used before: time goes on
  /// from block to block, so stamps of the block that ran here before are not mistaken for those of this one.
  Stamp begin(unsigned threads, uint32_t blockActor);

  uint32_t actor() const { return self; }
  unsigned warps() const { return unsigned(clocks.size()); }
  uint32_t present(unsigned warp) const { return clocks[warp].present; }
  uint32_t exited(unsigned warp) const { return clocks[warp].exited; }
  uint32_t alive(unsigned warp) const { return clocks[warp].alive(); }

  /// Of accesses now.
  Stamp stampOf(unsigned warp) const { return clocks[warp].stamp; }
  const KnownRef &known(unsigned warp, unsigned lane) const { return clocks[warp].known(lane); }
  /// All that happened up to this is known to each lane of the warp.
  Stamp leastKnown(unsigned warp) const;
  /// All that happened up to this is known to each thread of the block that is still there.
  Stamp knownToAll() const;
  /// Whether any lane of the warp knows of something that another block did.
  bool knowsOthers(unsigned warp) const;
  bool knows(unsigned warp, unsigned lane, unsigned thread, Stamp stamp) const {
    return known(warp, lane)->own.knows(thread / 32, thread % 32, stamp);
  }
  /// Whether all of its lanes know the same.
  bool isUniform(unsigned warp) const { return clocks[warp].uniform; }
  /// What everybody knows at the start.
  const KnownRef &nothing() const { return initial; }
  /// Adds what these lanes know.
  void gather(Known &into, unsigned warp, uint32_t mask) const;

  /// The warp did something that its lanes have to synchronize for.
  void acted(unsigned warp) { clocks[warp].dirty = true; }
  void leave(unsigned warp, uint32_t mask) { clocks[warp].exited |= mask; }
  /// The present moment, which is over then.
  Stamp tick() { return time++; }
  /// Others may know of everything this warp did so far: what it does from now on is later.
  Stamp release(unsigned warp) {
    const Stamp now = tick();
    clocks[warp].stamp = time;
    return now;
  }
  /// From now on these lanes know that.
  void learn(unsigned warp, uint32_t mask, const KnownRef &known);
  /// The same at the end of a barrier, which is later than all that the warp did before it.
  void synchronize(unsigned warp, uint32_t mask, const KnownRef &known);
  /// These lanes of a warp synchronize with each other.
  void synchronize(unsigned warp, uint32_t here);

  unsigned barrierWarp() const { return warps(); }
  unsigned engineThread(unsigned slot) const { return (warps() + 1) * 32 + slot % (EngineWarps * 32); }
  bool isEngine(unsigned thread) const { return thread / 32 > warps(); }

private:
  struct WarpClock {
    uint32_t present = 0, exited = 0;
    Stamp stamp = 0;
    bool uniform = true; ///< all lanes know `all`
    bool dirty = false;  ///< something happened since the lanes last met
    KnownRef all;
    std::array<KnownRef, 32> lanes;

    uint32_t alive() const { return present & ~exited; }
    const KnownRef &known(unsigned lane) const { return uniform ? all : lanes[lane]; }
  };

  uint32_t self = 0;
  Stamp time = 0;
  std::vector<WarpClock> clocks;
  KnownRef initial;
};

} // namespace heddle::check
