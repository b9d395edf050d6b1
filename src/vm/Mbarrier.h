// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Block.h"

#include <cstdint>

namespace heddle::vm {

/// The 64 bits of an mbarrier object in shared memory. It is opaque to programs, so the layout is our own:
///   0-19 arrivals still pending in this phase     20-39 arrivals of a phase
///   40-60 bytes still expected, two's complement  61-62 phase, counted modulo 4     63 set while it is an
///   mbarrier
struct MbarrierWord {
  uint64_t bits = 0;

  static constexpr uint32_t CountMask = (1u << 20) - 1;
  static constexpr int64_t MaxBytes = (1 << 20) - 1;

  bool isValid() const { return bits >> 63; }
  uint32_t pending() const { return uint32_t(bits) & CountMask; }
  uint32_t expected() const { return uint32_t(bits >> 20) & CountMask; }
  int64_t bytes() const { return int64_t(bits << 3) >> 43; }
  uint32_t phase() const { return uint32_t(bits >> 61) & 3; }

  static MbarrierWord make(uint32_t pending, uint32_t expected, int64_t bytes, uint32_t phase);
  /// A phase ends when nothing is pending: neither arrivals nor bytes.
  bool isComplete() const { return pending() == 0 && bytes() == 0; }
  MbarrierWord nextPhase() const { return make(expected(), expected(), 0, phase() + 1); }
};

/// Bytes of an asynchronous copy have arrived. Completes the phase if they were the last.
void completeTx(Block &block, const PendingArrival &arrival);
/// An arrival by another instruction than mbarrier.arrive (cp.async.mbarrier.arrive). False after reporting a fault.
bool arriveOn(Warp &warp, const Inst &in, unsigned lane, uint64_t offset, uint32_t count, bool increments);

} // namespace heddle::vm
