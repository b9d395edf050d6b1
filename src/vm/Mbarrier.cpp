// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "mbarrier".
#include "vm/Mbarrier.h"

#include "vm/Exec.h"
#include "vm/Grid.h"

#include <cstring>

namespace heddle::vm {

MbarrierWord MbarrierWord::make(uint32_t pending, uint32_t expected, int64_t bytes, uint32_t phase) {
  return {uint64_t(pending & CountMask) | uint64_t(expected & CountMask) << 20 |
          (uint64_t(bytes) & 0x1fffff) << 40 | uint64_t(phase & 3) << 61 | uint64_t(1) << 63};
}

namespace {

using Kind = MbarrierEvent::Kind;
using ptx::Op;

enum WaitMode : uint16_t { ByParity = 1, Suspends = 2 };

MbarrierWord readWord(Block &block, uint64_t offset) {
  MbarrierWord word;
  std::memcpy(&word.bits, block.shared + offset, 8);
  return word;
}
void writeWord(Block &block, uint64_t offset, MbarrierWord word) {
  std::memcpy(block.shared + offset, &word.bits, 8);
}

/// Observers see the operations of a block on its own mbarriers.
void note(Warp &warp, const Inst &in, Kind kind, unsigned lane, const Block &home, uint64_t offset,
          int64_t count, uint32_t phase) {
  if (!warp.block->grid->sees(Observer::Synchronization) || &home != warp.block)
    return;
  uint64_t addresses[Lanes] = {};
  addresses[lane] = offset;
  const bool parity = (kind == Kind::Wait || kind == Kind::WaitFailed) && in.mode & ByParity;
  warp.block->grid->observer->mbarrier(warp.ref(), warp.siteOf(in),
                                       {kind, 1u << lane, addresses, count, phase, parity});
}

bool misuse(Warp &warp, const Inst &in, unsigned lane, uint64_t offset, std::string text,
            Misuse which = Misuse::MbarrierOther) {
  warp.faultAt(in, lane, FaultKind::MbarrierMisuse, offset, std::move(text));
  warp.block->fault->misuse = which;
  return false;
}

bool checkValid(Warp &warp, const Inst &in, unsigned lane, uint64_t offset, MbarrierWord word) {
  return word.isValid() ||
         misuse(warp, in, lane, offset,
                fmt::format("mbarrier at shared address {:#x} is used, but was never initialized, or "
                            "was invalidated or overwritten",
                            offset),
                Misuse::MbarrierNotValid);
}

/// Stores the word, and begins the next phase if this one is complete.
void settle(Warp &warp, const Inst &in, unsigned lane, Block &home, uint64_t offset, MbarrierWord word) {
  if (word.isComplete()) {
    note(warp, in, Kind::Completed, lane, home, offset, 0, word.phase());
    word = word.nextPhase();
  }
  writeWord(home, offset, word);
  ++warp.changes;
}

bool expectBytes(Warp &warp, const Inst &in, unsigned lane, const Block &home, uint64_t offset, int64_t bytes,
                 MbarrierWord &word) {
  const int64_t now = word.bytes() + bytes;
  if (now > MbarrierWord::MaxBytes || now < -MbarrierWord::MaxBytes)
    return misuse(warp, in, lane, offset,
                  fmt::format("mbarrier at {:#x} would expect {} bytes; its range is {}", offset, now,
                              MbarrierWord::MaxBytes),
                  Misuse::MbarrierBytes);
  note(warp, in, bytes >= 0 ? Kind::ExpectTx : Kind::CompleteTx, lane, home, offset, bytes, word.phase());
  word = MbarrierWord::make(word.pending(), word.expected(), now, word.phase());
  return true;
}

bool arrive(Warp &warp, const Inst &in, unsigned lane, const Block &home, uint64_t offset, uint32_t count,
            bool drops, MbarrierWord &word) {
  if (count > word.pending())
    return misuse(warp, in, lane, offset,
                  fmt::format("{} arrivals at the mbarrier at {:#x}, which waits for only {} more", count,
                              offset, word.pending()),
                  Misuse::MbarrierArrivals);
  note(warp, in, Kind::Arrive, lane, home, offset, count, word.phase());
  word = MbarrierWord::make(word.pending() - count, word.expected() - (drops ? count : 0), word.bytes(),
                            word.phase());
  return true;
}

// --- the instructions: a lane at a time
// -------------------------------------------------------------------------

/// An mbarrier of this block or of another of its cluster, as most instructions take either.
struct MbarrierPlace {
  Block *home = nullptr;
  uint64_t offset = 0;
};

MbarrierPlace placeOf(const Block &from, const uint8_t *pointer) {
  for (const auto &block : from.cluster->blocks)
    if (pointer >= block->shared && pointer < block->shared + block->sharedBytes)
      return {block.get(), uint64_t(pointer - block->shared)};
  return {};
}

/// The lanes' mbarriers; false after a fault.
bool placesOf(Warp &warp, const Inst &in, uint32_t mask, MbarrierPlace (&places)[Lanes]) {
  uint64_t address[Lanes];
  warp.addresses(in, address);
  Pointers pointers;
  if (!warp.locateAt(in, mask, address, in.space, 8, 8, true, pointers))
    return false;
  for (uint32_t left = mask; left; left &= left - 1) {
    const unsigned lane = firstLane(left);
    places[lane] = placeOf(*warp.block, pointers.at[lane]);
    if (!places[lane].home)
      return misuse(warp, in, lane, address[lane], "an mbarrier must lie in shared memory");
  }
  return true;
}

template <class F> Flow eachMbarrier(Warp &warp, const Inst &in, uint32_t mask, bool mustBeValid, F body) {
  MbarrierPlace places[Lanes];
  if (!placesOf(warp, in, mask, places))
    return Flow::Faulted;
  for (uint32_t left = mask; left; left &= left - 1) {
    const unsigned lane = firstLane(left);
    const auto [home, offset] = places[lane];
    MbarrierWord word = readWord(*home, offset);
    if ((mustBeValid && !checkValid(warp, in, lane, offset, word)) || !body(lane, *home, offset, word))
      return Flow::Faulted;
  }
  return Flow::Next;
}

Flow init(Warp &warp, const Inst &in, uint32_t mask) {
  return eachMbarrier(warp, in, mask, false, [&](unsigned lane, Block &home, uint64_t at, MbarrierWord) {
    const uint32_t count = warp.row<uint32_t>(in.b)[lane];
    if (count == 0 || count > MbarrierWord::CountMask)
      return misuse(warp, in, lane, at, fmt::format("an mbarrier cannot count {} arrivals", count));
    note(warp, in, Kind::Init, lane, home, at, count, 0);
    writeWord(home, at, MbarrierWord::make(count, count, 0, 0));
    ++warp.changes;
    return true;
  });
}

Flow invalidate(Warp &warp, const Inst &in, uint32_t mask) {
  return eachMbarrier(warp, in, mask, true, [&](unsigned lane, Block &home, uint64_t at, MbarrierWord word) {
    note(warp, in, Kind::Invalidate, lane, home, at, 0, word.phase());
    writeWord(home, at, {});
    ++warp.changes;
    return true;
  });
}

Flow expectTx(Warp &warp, const Inst &in, uint32_t mask) { // mode 1: complete_tx
  return eachMbarrier(warp, in, mask, true, [&](unsigned lane, Block &home, uint64_t at, MbarrierWord word) {
    const int64_t bytes = warp.row<uint32_t>(in.b)[lane];
    if (!expectBytes(warp, in, lane, home, at, in.mode ? -bytes : bytes, word))
      return false;
    if (in.mode)
      settle(warp, in, lane, home, at, word);
    else
      writeWord(home, at, word);
    return true;
  });
}

enum ArriveMode : uint16_t { Drops = 1, Expects = 2 };

Flow arriveLanes(Warp &warp, const Inst &in, uint32_t mask) {
  return eachMbarrier(warp, in, mask, true, [&](unsigned lane, Block &home, uint64_t at, MbarrierWord word) {
    const uint32_t operand = in.b == NoLoc ? 1 : warp.row<uint32_t>(in.b)[lane];
    const MbarrierWord before = word;
    if (in.mode & Expects && !expectBytes(warp, in, lane, home, at, operand, word))
      return false;
    if (!arrive(warp, in, lane, home, at, in.mode & Expects ? 1 : operand, in.mode & Drops, word))
      return false;
    settle(warp, in, lane, home, at, word);
    if (in.dst != NoLoc)
      warp.row<uint64_t>(in.dst)[lane] = before.bits;
    return true;
  });
}

/// test_wait and try_wait. A try_wait that fails yields to other lanes: on hardware it would sleep for a while.
Flow wait(Warp &warp, const Inst &in, uint32_t mask) {
  uint32_t done = 0;
  uint64_t seen = uint64_t(&in);
  Flow flow =
      eachMbarrier(warp, in, mask, true, [&](unsigned lane, Block &home, uint64_t at, MbarrierWord word) {
        if (!home.arrivals.empty()) {
          home.landArrivals(uint32_t(at));
          word = readWord(home, at);
        }
        const bool over = in.mode & ByParity
                              ? (word.phase() & 1) != (warp.row<uint32_t>(in.b)[lane] & 1)
                              : word.phase() != MbarrierWord{warp.row<uint64_t>(in.b)[lane]}.phase();
        done |= uint32_t(over) << lane;
        seen = (seen ^ word.bits ^ at) * 0x9e3779b97f4a7c15u;
        note(warp, in, over ? Kind::Wait : Kind::WaitFailed, lane, home, at,
             in.mode & ByParity ? warp.row<uint32_t>(in.b)[lane] & 1 : 0, word.phase());
        return true;
      });
  if (flow == Flow::Faulted)
    return flow;
  writePred(warp.pred(in.dst), done, mask);
  ++warp.polls;
  Split &split = warp.now();
  if (!(in.mode & Suspends) || done) {
    split.checkAt = std::min(split.checkAt, split.backEdges + 16);
    return Flow::Next;
  }
  split.jump(in, warp.code().pcOf(in) + 1);
  split.deferred = true;
  split.idle = split.stateHash == seen && split.changesSeen == warp.changes;
  split.stateHash = seen, split.changesSeen = warp.changes;
  split.backEdges = 0, split.checkAt = 1 << 20; // `idle` is exact here: delay spin detection
  return Flow::Yield;
}

Flow pendingCount(Warp &warp, const Inst &in, uint32_t mask) {
  eachLane(mask, [&](unsigned lane) {
    warp.row<uint32_t>(in.dst)[lane] = MbarrierWord{warp.row<uint64_t>(in.a)[lane]}.pending();
  });
  return Flow::Next;
}

// --- lowering
// --------------------------------------------------------------------------------------------------

ptx::Space spaceOf(Lowering &lo) { return lo.instr->mods.space; }

bool lowerArrive(Lowering &lo) {
  const bool hasResult = !lo.ops[0].isAddress();
  const size_t at = hasResult ? 1 : 0;
  Loc count = lo.ops.size() > at + 1 ? lo.source(lo.ops[at + 1], 32) : NoLoc;
  Loc dst = hasResult && lo.isWritten(lo.ops[0]) ? lo.dest(lo.ops[0]) : NoLoc;
  Inst &in = lo.emit(arriveLanes);
  lo.setAddress(in, lo.ops[at], spaceOf(lo));
  in.b = count, in.dst = dst;
  in.mode = uint16_t((lo.instr->op == Op::MbarrierArriveDrop ? Drops : 0) |
                     (lo.has(ptx::Flag::ExpectTx) ? Expects : 0));
  return true;
}

bool lowerWait(Lowering &lo) {
  const bool parity = lo.has(ptx::Flag::Parity);
  Loc b = lo.source(lo.ops[2], parity ? 32 : 64), dst = lo.dest(lo.ops[0]);
  Inst &in = lo.emit(wait);
  lo.setAddress(in, lo.ops[1], spaceOf(lo));
  in.b = b, in.dst = dst;
  in.mode = uint16_t((parity ? ByParity : 0) | (lo.instr->op == Op::MbarrierTryWait ? Suspends : 0));
  return true;
}

bool lowerSimple(Lowering &lo, Handler handler, uint16_t mode) {
  Loc b = lo.ops.size() > 1 ? lo.source(lo.ops[1], 32) : NoLoc;
  Inst &in = lo.emit(handler);
  lo.setAddress(in, lo.ops[0], spaceOf(lo));
  in.b = b, in.mode = mode;
  return true;
}

} // namespace

void completeTx(Block &block, const PendingArrival &arrival) {
  MbarrierWord word = readWord(block, arrival.mbarrier);
  if (!word.isValid())
    return; // invalidated meanwhile: no thread waits for it
  word = MbarrierWord::make(word.pending(), word.expected(), word.bytes() - int64_t(arrival.bytes.size()),
                            word.phase());
  writeWord(block, arrival.mbarrier, word.isComplete() ? word.nextPhase() : word);
  if (!word.isComplete() || !block.grid->sees(Observer::Synchronization))
    return;
  uint64_t addresses[Lanes];
  std::fill_n(addresses, Lanes, arrival.mbarrier);
  block.grid->observer->mbarrier(block.warps[arrival.warp]->ref(),
                                 {&arrival.code->sourceOf(*arrival.inst), arrival.inst->site},
                                 {Kind::Completed, 1u << arrival.lane, addresses, 0, word.phase(), false});
}

bool arriveOn(Warp &warp, const Inst &in, unsigned lane, uint64_t offset, uint32_t count, bool increments) {
  MbarrierWord word = readWord(*warp.block, offset);
  if (!checkValid(warp, in, lane, offset, word))
    return false;
  if (increments) // without .noinc the arrival is in addition to the expected ones
    word = MbarrierWord::make(word.pending() + count, word.expected(), word.bytes(), word.phase());
  if (!arrive(warp, in, lane, *warp.block, offset, count, false, word))
    return false;
  settle(warp, in, lane, *warp.block, offset, word);
  return true;
}

bool lowerMbarrier(Lowering &lo) {
  switch (lo.instr->op) {
  case Op::MbarrierInit: return lowerSimple(lo, init, 0);
  case Op::MbarrierInval: return lowerSimple(lo, invalidate, 0);
  case Op::MbarrierExpectTx: return lowerSimple(lo, expectTx, 0);
  case Op::MbarrierCompleteTx: return lowerSimple(lo, expectTx, 1);
  case Op::MbarrierArrive:
  case Op::MbarrierArriveDrop: return lowerArrive(lo);
  case Op::MbarrierTestWait:
  case Op::MbarrierTryWait: return lowerWait(lo);
  case Op::MbarrierPendingCount: {
    Loc a = lo.source(lo.ops[1], 64), dst = lo.dest(lo.ops[0]);
    Inst &in = lo.emit(pendingCount);
    in.a = a, in.dst = dst;
    return true;
  }
  default: return false;
  }
}

} // namespace heddle::vm
