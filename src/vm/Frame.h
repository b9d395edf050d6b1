// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Code.h"
#include "vm/Lanes.h"

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

namespace heddle::vm {

/// One activation of a function by some lanes of a warp. Lanes that diverge inside it share it; lanes that call
/// the same function separately have one each, so that register rows never mix lanes of different calls.
struct Frame {
  const Code *code = nullptr;
  uint8_t *regs = nullptr;
  Frame *caller = nullptr;
  const Inst *call = nullptr; ///< in the caller's code; nullptr for the kernel itself
  const CallSite *site = nullptr;
  uint32_t live = 0; ///< lanes that have not returned
  uint32_t localBase = 0;
  uint32_t localTop = 0; ///< end of this frame's local memory, allocas included
  unsigned depth = 0;
  std::unique_ptr<uint8_t[]> storage; ///< rows start at the next multiple of 64
  size_t storageBytes = 0;
};

/// Backward jumps until a split is checked for polling (Splits.cpp) for the first time: few enough to detect it early, many
/// enough to cost little.
constexpr uint32_t FirstLook = 16;
/// Most of them between two checks.
constexpr uint32_t RarestLook = 1024;
/// How many of a loop without polls until other splits run first.
constexpr uint32_t PlainRounds = 1 << 20;

/// Why lanes do not run.
enum class SplitState : uint8_t { Ready, AtBarrier, AtWarpSync, AtCluster };

/// Lanes of a warp that are at the same instruction of the same activation.
struct Split {
  uint32_t mask = 0;
  uint32_t pc = 0;
  Frame *frame = nullptr;
  SplitState state = SplitState::Ready;
  bool deferred = false; ///< polls something that does not change, or sleeps: others run first in this slice
  bool idle = false;     ///< deferred because nothing at all changed in its loop
  uint8_t barrier = 0;
  uint32_t members = 0; ///< AtWarpSync: mask given by the program
  uint16_t syncKind = 0;
  uint32_t backEdges = 0, checkAt = 0, checkEvery = 0; ///< spin detection, see Splits.cpp
  uint32_t pollsSeen = 0, changesSeen = 0;
  uint64_t stateHash = 0;
  uint32_t order = 0; ///< position in the order of its code

  /// Sets the pc by a jump from an instruction. Lanes that return to the head of a loop run after all that
  /// are still inside, so that the whole loop body reconverges before the next iteration.
  void jump(const Inst &from, uint32_t to) {
    const Inst &target = frame->code->insts[to];
    pc = to;
    order = target.order <= from.order && target.loopEnd ? target.loopEnd : target.order;
  }

  /// Lanes at the same instruction join this split. It is checked for polling when the first of the two would be: so lanes that
  /// reconverge in each iteration of a loop are checked, and when does not depend on the order of splits.
  void absorb(const Split &other) {
    mask |= other.mask;
    auto rank = [](const Split &split) {
      return std::tuple(split.checkAt - split.backEdges, split.backEdges, split.checkEvery, split.pollsSeen,
                        split.changesSeen, split.stateHash);
    };
    if (rank(other) >= rank(*this))
      return;
    backEdges = other.backEdges, checkAt = other.checkAt, checkEvery = other.checkEvery;
    pollsSeen = other.pollsSeen, changesSeen = other.changesSeen, stateHash = other.stateHash;
  }
};

} // namespace heddle::vm
