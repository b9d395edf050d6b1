// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"
#include "vm/Limits.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::vm {

enum class FaultKind : uint8_t {
  OutOfBounds,
  UseAfterFree,
  Misaligned,
  WrongSpace,
  ReadOnly,
  StackOverflow,
  BarrierMisuse,
  MbarrierMisuse,
  WarpSyncMisuse,
  BadCall,
  Trap,
  AssertFailed,
  Unsupported,
  Deadlock,
  Timeout,
};

const char *nameOf(FaultKind kind);

/// Which rule a misuse of a barrier, an mbarrier or a warp-level operation breaks.
enum class Misuse : uint8_t {
  None,
  BarrierNumber,
  BarrierCount,     ///< no multiple of the warp, more than the block has, or not the count of other threads
  BarrierTwice,     ///< reached again by the same threads before it completed
  BarrierTooMany,   ///< more threads arrived than it expects
  MbarrierNotValid, ///< never initialized, invalidated or overwritten
  MbarrierArrivals, ///< more than the phase waits for
  MbarrierBytes,
  MbarrierOther,
  WarpMask,
};

/// A thread that stopped the launch, or that waits in a deadlock.
struct ThreadPlace {
  Dim3 block{0, 0, 0};
  Dim3 thread{0, 0, 0};
  unsigned warp = 0;
  unsigned lane = 0;
};

/// "0-3,7": the lanes of a mask.
std::string lanesText(uint32_t lanes);
/// "lane 3", "lanes 0-7,9".
std::string lanesWithWord(uint32_t lanes);

/// One group of lanes in a deadlock: what it waits for and where.
struct Waiting {
  Dim3 block{0, 0, 0};
  unsigned warp = 0;
  uint32_t lanes = 0;
  std::string what; ///< "barrier 1 (96 of 128 threads arrived)"
  enum class On : uint8_t { Barrier, Warp, Memory } on = On::Memory;
  unsigned barrier = 0;  ///< On::Barrier
  SourceLocation source; ///< CUDA source location, if known
  SourceLocation ptx;
};

/// The first fault of a launch, in block order, with everything that helps to find the mistake.
struct Fault {
  FaultKind kind = FaultKind::Trap;
  Misuse misuse = Misuse::None;
  std::string kernel;
  std::string text;        ///< what happened, without a location: "shared load of 4 bytes at 0x1804 is ..."
  std::string instruction; ///< PTX text
  SourceLocation source;   ///< from .loc, unknown without debug lines
  SourceLocation ptx;
  ThreadPlace where;
  std::optional<uint64_t> address;
  std::vector<Waiting> waiting;     ///< deadlock only
  std::vector<std::string> details; ///< what the address is near, which threads did not arrive

  /// The fault as one diagnostic, at the CUDA line if known, else at the PTX line.
  Diagnostic diagnostic() const;
};

} // namespace heddle::vm
