// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lanes run next.
//
// Every instruction has a position in an order (Order.h) in which a block precedes all blocks that it may lead to,
// and loops precede their exits. The split with the lowest position runs first, so it reaches the others where
// they wait, at the latest at the immediate post-dominator of the branch at which they diverged; splits at the
// same position reconverge.
//
// That alone would hang if lanes further ahead hold what those behind poll for (a lock, a flag). A split that
// iterates a polling loop and changes nothing is therefore scheduled after all others for the rest of the slice.
// A loop whose registers are the same after many iterations changes nothing; a loop that counts its iterations
// is detected later, by a limit on their number.
#include "vm/Block.h"
#include "vm/Grid.h"
#include "vm/Warp.h"

#include <algorithm>
#include <cstring>

namespace heddle::vm {
namespace {

// Iterations after which lanes that poll let others run first although something changed.
constexpr uint32_t PollingRounds = 8192;

bool goesBefore(const Split &a, const Split &b) {
  if (a.frame->depth != b.frame->depth)
    return a.frame->depth > b.frame->depth; // callees return before the other lanes of their caller continue
  return a.order < b.order;
}

/// Which of two splits is picked first; of those at the same position, in the same way however they are stored.
bool isPickedBefore(const Split &a, const Split &b) {
  return goesBefore(a, b) || (!goesBefore(b, a) && firstLane(a.mask) < firstLane(b.mask));
}

} // namespace

bool Warp::pick() {
  bool found = false;
  for (unsigned i = 0; i < splitCount; ++i) {
    if (splits[i].state != SplitState::Ready || splits[i].deferred)
      continue;
    if (!found || isPickedBefore(splits[i], splits[current]))
      current = i;
    found = true;
  }
  if (found && splitCount > 1)
    absorbEqual();
  return found;
}

/// Lanes at the same instruction of the same activation become one split.
void Warp::absorbEqual() {
  for (unsigned i = 0; i < splitCount;) {
    Split &other = splits[i], &mine = splits[current];
    if (i == current || other.state != SplitState::Ready || other.frame != mine.frame ||
        other.pc != mine.pc) {
      ++i;
      continue;
    }
    mine.absorb(other);
    const unsigned last = --splitCount;
    if (current == last)
      current = i;
    splits[i] = splits[last];
    if (i == current) // the selected split was moved here: check the rest from the start
      i = 0;
  }
}

/// At the start of a basic block: is another split here already, or further back?
bool Warp::mustReschedule() {
  const Split &mine = splits[current];
  for (unsigned i = 0; i < splitCount; ++i) {
    const Split &other = splits[i];
    if (i == current || other.state != SplitState::Ready)
      continue;
    if (other.frame == mine.frame && other.pc == mine.pc)
      return true;
    if (!other.deferred && goesBefore(other, mine))
      return true;
  }
  return false;
}

/// The least position in the order at which another split may have to go first, or reconverge with the current one.
uint32_t Warp::orderLimit() const {
  const Split &mine = splits[current];
  uint32_t limit = ~0u;
  for (unsigned i = 0; i < splitCount; ++i) {
    const Split &other = splits[i];
    if (i == current || other.state != SplitState::Ready)
      continue;
    if (other.frame == mine.frame)
      limit = std::min({limit, other.order, other.frame->code->insts[other.pc].order});
    else if (!other.deferred && other.frame->depth >= mine.frame->depth)
      limit = other.frame->depth > mine.frame->depth ? 0 : std::min(limit, other.order);
  }
  return limit;
}

void Warp::separate(const Inst &in, uint32_t lanes, uint32_t pc) {
  Split &mine = now();
  Split &fresh = splits[splitCount++];
  fresh = mine;
  fresh.mask = lanes;
  fresh.jump(in, pc);
  fresh.state = SplitState::Ready;
  mine.mask &= ~lanes;
  mayHaveOtherRows = true;
}

void Warp::removeCurrent() {
  if (current != --splitCount)
    splits[current] = splits[splitCount];
  current = 0;
}

void Warp::park(const Inst &in, SplitState state) {
  now().pc = code().pcOf(in);
  now().order = in.order;
  now().state = state;
}

void Warp::lanesExit(const Inst &in, uint32_t mask) {
  if (block->grid->sees(Observer::Lifetimes))
    block->grid->observer->lanesExit(ref(), siteOf(in), mask);
  if (!copies.empty() || !bulks.empty())
    eachLane(mask, [&](unsigned lane) {
      finishCopies(lane, 0);
      finishBulks(lane, 0);
    });
  flush(&in);
  segment = &in + 1;
  for (Frame *frame = now().frame; frame; frame = frame->caller) {
    frame->live &= ~mask;
    if (frame->live == 0 && frame->caller)
      dropFrame(frame);
  }
  exited |= mask;
  now().mask &= ~mask;
  if (now().mask == 0)
    removeCurrent();
  completeWarpSyncs();
  block->lanesExited();
}

// --- warp-level synchronization
// -------------------------------------------------------------------------------------------

/// `members` is the program's mask for each lane. All live lanes of it must arrive; lanes that arrive early wait.
/// Lanes may arrive at different instructions of the program (PTX requires the same operation and mask, not the
/// same instruction).
Flow Warp::awaitMembers(const Inst &in, uint32_t mask, Loc membersLoc, uint16_t kind) {
  const uint32_t *members = row<uint32_t>(membersLoc);
  const uint32_t first = members[firstLane(mask)];
  uint32_t wanted = 0, group = 0, outside = 0;
  eachLane(mask, [&](unsigned lane) {
    wanted |= members[lane];
    group |= uint32_t(members[lane] == first) << lane;
    outside |= uint32_t(!(members[lane] >> lane & 1)) << lane;
  });
  if (outside)
    return misused(
        in, outside, Misuse::WarpMask,
        fmt::format("lane {} takes part in a warp-level operation whose mask {:#010x} does not name it",
                    firstLane(outside), members[firstLane(outside)]));
  const WarpSync &meet = meetOf(in);
  if ((wanted & alive() & ~mask) == 0) {
    if (meet.show)
      meet.show(*this, in, mask);
    return meet.take(*this, in, mask, mask);
  }
  flush(&in);
  segment = &in + 1;
  const uint32_t pc = code().pcOf(in);
  if (uint32_t passing = now().mask & ~mask)
    separate(in, passing, pc + 1);
  if (uint32_t others = mask & ~group)
    separate(in, others, pc);
  if (meet.show)
    meet.show(*this, in, group);
  if (block->grid->sees(Observer::Synchronization))
    block->grid->observer->warpSync(ref(), siteOf(in),
                                    {WarpSyncEvent::Kind(kind), first, group, group, true, 0});
  park(in, SplitState::AtWarpSync);
  now().members = first;
  now().syncKind = kind;
  for (unsigned i = 0; i < splitCount; ++i) {
    Split &other = splits[i];
    if (i != current && other.state == SplitState::AtWarpSync && other.frame == now().frame &&
        other.pc == pc && other.members == first) {
      other.absorb(now());
      removeCurrent();
      break;
    }
  }
  return tryCompleteWarpSync(first, kind) ? Flow::Parked : Flow::Faulted;
}

/// False after a fault.
bool Warp::tryCompleteWarpSync(uint32_t members, uint16_t kind) {
  uint32_t here = 0;
  unsigned parts = 0;
  for (unsigned i = 0; i < splitCount; ++i)
    if (splits[i].state == SplitState::AtWarpSync && splits[i].members == members &&
        splits[i].syncKind == kind) {
      here |= splits[i].mask;
      ++parts;
    }
  if (!here || (members & alive() & ~here))
    return true;
  for (unsigned i = 0; i < splitCount; ++i) {
    Split &split = splits[i];
    if (split.state != SplitState::AtWarpSync || split.members != members || split.syncKind != kind)
      continue;
    const unsigned before = current;
    current = i;
    useFrame(split.frame);
    const Inst &in = split.frame->code->insts[split.pc];
    if (parts > 1 && kind == uint16_t(WarpSyncEvent::Kind::Matrix)) {
      fault(in, split.mask, FaultKind::WarpSyncMisuse,
            "lanes of one warp execute a matrix operation at different places");
      return false;
    }
    if (meetOf(in).take(*this, in, split.mask, here) == Flow::Faulted)
      return false;
    split.state = SplitState::Ready;
    split.jump(in, split.pc + 1);
    current = before;
  }
  return true;
}

void Warp::completeWarpSyncs() {
  for (unsigned i = 0; i < splitCount; ++i)
    if (splits[i].state == SplitState::AtWarpSync)
      tryCompleteWarpSync(splits[i].members, splits[i].syncKind);
}

// --- spinning
// --------------------------------------------------------------------------------------------------

/// What the lanes of a split depend on at the head of a loop, apart from memory: registers that may be read from there on. Others
/// are left out, since compiled code does not store what nobody reads; so are other lanes, which may have them.
uint64_t Warp::hashState(const Split &split) const {
  uint64_t hash = split.pc;
  auto mix = [&](uint64_t word) { hash = (hash ^ word) * 0x9e3779b97f4a7c15u + (hash >> 29); };
  mix(split.mask);
  for (const RegisterRow &each : split.frame->code->stateOfLoop.at(split.pc)) {
    const uint8_t *row = split.frame->regs + each.row;
    auto words = [&](const uint8_t *from, size_t bytes) {
      // Rows of whole warps in four sums, since each step needs the one before.
      uint64_t sums[4] = {};
      for (uint64_t some[4]; bytes >= sizeof some; from += sizeof some, bytes -= sizeof some) {
        std::memcpy(some, from, sizeof some);
        for (unsigned i = 0; i < 4; ++i)
          sums[i] = (sums[i] ^ some[i]) * 0x9e3779b97f4a7c15u + (sums[i] >> 29);
      }
      for (uint64_t sum : sums)
        mix(sum);
      for (uint64_t word = 0; bytes; from += sizeof word, bytes -= std::min(bytes, sizeof word), word = 0) {
        std::memcpy(&word, from, std::min(bytes, sizeof word));
        mix(word);
      }
    };
    if (each.bits == 1)
      mix(*reinterpret_cast<const uint32_t *>(row) & split.mask);
    else if (split.mask == AllLanes)
      words(row, each.bits / 8 * Lanes);
    else
      eachLane(split.mask, [&](unsigned lane) { words(row + each.bits / 8 * lane, each.bits / 8); });
  }
  return hash;
}

bool Warp::considerSpin(Split &split) {
  const bool polled = polls != split.pollsSeen;
  split.pollsSeen = polls;
  if (!polled) {
    split.checkAt = split.backEdges + RarestLook;
    if (split.backEdges < PlainRounds)
      return false;
    split.backEdges = 0, split.checkAt = FirstLook;
    split.deferred = splitCount > 1;
    return split.deferred;
  }
  const uint64_t hash = hashState(split);
  const bool same = hash == split.stateHash;
  split.stateHash = hash;
  split.checkEvery = same ? FirstLook : std::clamp(split.checkEvery * 2, FirstLook, RarestLook);
  split.checkAt = split.backEdges + split.checkEvery;
  if (same) {
    split.deferred = true;
    split.idle = changes == split.changesSeen;
  } else if (split.backEdges >= PollingRounds) {
    split.deferred = true;
    split.backEdges = 0, split.checkAt = FirstLook;
  }
  split.changesSeen = changes;
  return split.deferred;
}

} // namespace heddle::vm
