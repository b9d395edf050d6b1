// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations in which the lanes of a warp exchange values or synchronize: shfl, vote, match, redux, elect, bar.warp.sync.
//
// Operands of a warp-level operation: a is the value of a lane, b and c belong to it, d is the row of member masks, extra the
// second destination (a predicate).
#include "semantics/Integer.h"
#include "vm/Exec.h"
#include "vm/Grid.h"
#include "vm/WarpSyncs.h"

namespace heddle::vm {
namespace {

using Kind = WarpSyncEvent::Kind;
using ptx::Op;

/// Lanes that give the same mask synchronize with each other: tiles of a warp that arrive together do not.
void note(Warp &warp, const Inst &in, uint32_t mask, uint32_t here, Kind kind, uint32_t bad = 0) {
  if (!warp.block->grid->sees(Observer::Synchronization))
    return;
  const uint32_t *members = in.d == NoLoc ? nullptr : warp.row<uint32_t>(in.d);
  bool again = false;
  for (uint32_t left = mask; left; again = true) {
    uint32_t group = left, arrived = here;
    const uint32_t own = members ? members[firstLane(left)] : mask;
    if (members) {
      eachLane(left, [&](unsigned lane) { group &= ~(uint32_t(members[lane] != own) << lane); });
      eachLane(here & mask, [&](unsigned lane) { arrived &= ~(uint32_t(members[lane] != own) << lane); });
    }
    left &= ~group;
    warp.block->grid->observer->warpSync(warp.ref(), warp.siteOf(in),
                                         {kind, own, group, arrived, false, bad & group, again});
  }
}

/// The lanes whose values a lane uses: those of its own mask that participate.
uint32_t heardBy(Warp &warp, const Inst &in, unsigned lane, uint32_t here) {
  return in.d == NoLoc ? here : warp.row<uint32_t>(in.d)[lane] & here;
}

// --- bar.warp.sync
// ---------------------------------------------------------------------------------------------

Flow takeBarrier(Warp &warp, const Inst &in, uint32_t mask, uint32_t here) {
  note(warp, in, mask, here, Kind::Barrier);
  return Flow::Next;
}

// --- shfl
// ------------------------------------------------------------------------------------------------------

void showWord(Warp &warp, const Inst &in, uint32_t mask) {
  const uint32_t *value = warp.row<uint32_t>(in.a);
  eachLane(mask, [&](unsigned lane) { warp.exchange[lane][0] = value[lane]; });
}

struct Source {
  unsigned lane;
  bool inRange;
};

/// PTX ISA, "shfl.sync", the lane it reads from. c holds the segment mask in bits 8 to 12 and the clamp in 0
/// to 4.
Source sourceLane(unsigned lane, uint32_t b, uint32_t c, ptx::ShflMode mode) {
  const unsigned bval = b & 31, cval = c & 31, segment = c >> 8 & 31;
  const unsigned limit = (lane & segment) | (cval & ~segment), lowest = lane & segment;
  int from = 0;
  bool good = false;
  switch (mode) {
  case ptx::ShflMode::Up: from = int(lane) - int(bval), good = from >= int(limit); break;
  case ptx::ShflMode::Down: from = int(lane + bval), good = from <= int(limit); break;
  case ptx::ShflMode::Bfly: from = int(lane ^ bval), good = from <= int(limit); break;
  default: from = int(lowest | (bval & ~segment)), good = from <= int(limit); break;
  }
  return {good ? unsigned(from) & 31 : lane, good};
}

Flow takeShuffle(Warp &warp, const Inst &in, uint32_t mask, uint32_t here) {
  uint32_t *to = warp.row<uint32_t>(in.dst);
  const uint32_t *b = warp.row<uint32_t>(in.b), *c = warp.row<uint32_t>(in.c);
  uint32_t inRange = 0, bad = 0;
  eachLane(mask, [&](unsigned lane) {
    const Source source = sourceLane(lane, b[lane], c[lane], ptx::ShflMode(in.mode));
    to[lane] = here >> source.lane & 1 ? warp.exchange[source.lane][0] : 0;
    inRange |= uint32_t(source.inRange) << lane;
    bad |= uint32_t(!(heardBy(warp, in, lane, here) >> source.lane & 1)) << lane;
  });
  if (in.extra != NoLoc)
    writePred(warp.pred(in.extra), inRange, mask);
  note(warp, in, mask, here, Kind::Shuffle, bad);
  return Flow::Next;
}

// --- vote
// ------------------------------------------------------------------------------------------------------

void showPred(Warp &warp, const Inst &in, uint32_t mask) {
  const uint32_t holds = warp.pred(in.a);
  eachLane(mask, [&](unsigned lane) { warp.exchange[lane][0] = holds >> lane & 1; });
}

uint32_t shown(Warp &warp, uint32_t here) {
  uint32_t bits = 0;
  eachLane(here, [&](unsigned lane) { bits |= (warp.exchange[lane][0] & 1) << lane; });
  return bits;
}

Flow takeVote(Warp &warp, const Inst &in, uint32_t mask, uint32_t here) {
  const uint32_t bits = shown(warp, here);
  uint32_t holds = 0;
  eachLane(mask, [&](unsigned lane) {
    const uint32_t heard = heardBy(warp, in, lane, here), yes = bits & heard;
    switch (ptx::VoteMode(in.mode)) {
    case ptx::VoteMode::Ballot: warp.row<uint32_t>(in.dst)[lane] = yes; break;
    case ptx::VoteMode::All: holds |= uint32_t(yes == heard) << lane; break;
    case ptx::VoteMode::Any: holds |= uint32_t(yes != 0) << lane; break;
    default: holds |= uint32_t(yes == heard || yes == 0) << lane; break;
    }
  });
  if (ptx::VoteMode(in.mode) != ptx::VoteMode::Ballot)
    writePred(warp.pred(in.dst), holds, mask);
  note(warp, in, mask, here, Kind::Vote);
  return Flow::Next;
}

// --- match
// -----------------------------------------------------------------------------------------------------

void showMatch(Warp &warp, const Inst &in, uint32_t mask) {
  eachLane(mask, [&](unsigned lane) {
    uint64_t value = in.bytes == 8 ? warp.row<uint64_t>(in.a)[lane] : warp.row<uint32_t>(in.a)[lane];
    warp.exchange[lane][0] = uint32_t(value);
    warp.exchange[lane][1] = uint32_t(value >> 32);
  });
}

Flow takeMatch(Warp &warp, const Inst &in, uint32_t mask, uint32_t here) {
  const bool all = in.mode;
  uint32_t holds = 0;
  eachLane(mask, [&](unsigned lane) {
    const uint32_t heard = heardBy(warp, in, lane, here);
    uint32_t equal = 0;
    eachLane(heard, [&](unsigned other) {
      equal |= uint32_t(warp.exchange[other][0] == warp.exchange[lane][0] &&
                        warp.exchange[other][1] == warp.exchange[lane][1])
               << other;
    });
    const bool everybody = equal == heard;
    warp.row<uint32_t>(in.dst)[lane] = all && !everybody ? 0 : equal;
    holds |= uint32_t(everybody) << lane;
  });
  if (in.extra != NoLoc)
    writePred(warp.pred(in.extra), holds, mask);
  note(warp, in, mask, here, Kind::Match);
  return Flow::Next;
}

// --- redux
// -----------------------------------------------------------------------------------------------------

template <class T> uint32_t reduceInteger(ptx::AtomOp op, T a, T b) {
  switch (op) {
  case ptx::AtomOp::Add: return uint32_t(sem::add(a, b));
  case ptx::AtomOp::Min: return uint32_t(sem::min(a, b));
  case ptx::AtomOp::Max: return uint32_t(sem::max(a, b));
  case ptx::AtomOp::And: return uint32_t(a & b);
  case ptx::AtomOp::Or: return uint32_t(a | b);
  default: return uint32_t(a ^ b);
  }
}

enum ReduxType : uint8_t { OfUnsigned, OfSigned, OfFloat, OfFloatAbs, OfFloatNaN, OfFloatAbsNaN };

uint32_t reduceFloat(ptx::AtomOp op, uint32_t a, uint32_t b, bool nan) {
  const float x = sem::floatOf(a), y = sem::floatOf(b);
  const bool wantMax = op == ptx::AtomOp::Max;
  return sem::bitsOfFloat(nan ? sem::minMax<false, true>(x, y, wantMax) : sem::minMax<>(x, y, wantMax));
}

uint32_t reduceOne(const Inst &in, uint32_t a, uint32_t b) {
  const auto op = ptx::AtomOp(in.mode);
  switch (in.bytes) {
  case OfUnsigned: return reduceInteger<uint32_t>(op, a, b);
  case OfSigned: return reduceInteger<int32_t>(op, int32_t(a), int32_t(b));
  default: return reduceFloat(op, a, b, in.bytes >= OfFloatNaN);
  }
}

Flow takeRedux(Warp &warp, const Inst &in, uint32_t mask, uint32_t here) {
  const bool magnitudes = in.bytes == OfFloatAbs || in.bytes == OfFloatAbsNaN;
  auto value = [&](unsigned lane) { return warp.exchange[lane][0] & (magnitudes ? 0x7fffffffu : ~0u); };
  eachLane(mask, [&](unsigned lane) {
    const uint32_t heard = heardBy(warp, in, lane, here);
    uint32_t result = value(firstLane(heard));
    eachLane(heard & (heard - 1), [&](unsigned other) { result = reduceOne(in, result, value(other)); });
    warp.row<uint32_t>(in.dst)[lane] = result;
  });
  note(warp, in, mask, here, Kind::Reduce);
  return Flow::Next;
}

// --- elect
// -----------------------------------------------------------------------------------------------------

Flow takeElect(Warp &warp, const Inst &in, uint32_t mask, uint32_t here) {
  uint32_t chosen = 0;
  eachLane(mask, [&](unsigned lane) {
    const unsigned leader = firstLane(heardBy(warp, in, lane, here));
    warp.row<uint32_t>(in.dst)[lane] = leader;
    chosen |= uint32_t(leader == lane) << lane;
  });
  if (in.extra != NoLoc)
    writePred(warp.pred(in.extra), chosen, mask);
  note(warp, in, mask, here, Kind::Elect);
  return Flow::Next;
}

// --- the table of warp-level operations, and the handlers
// ----------------------------------------------------------------------

constexpr WarpSync WarpSyncs[] = {
    {nullptr, takeBarrier}, {showWord, takeShuffle}, {showPred, takeVote},  {showMatch, takeMatch},
    {showWord, takeRedux},  {nullptr, takeElect},    {nullptr, takeMatrix},
};
static_assert(unsigned(Kind::Matrix) == 6 && std::size(WarpSyncs) == 7);

Flow meet(Warp &warp, const Inst &in, uint32_t mask) {
  return warp.awaitMembers(in, mask, in.d, in.elements);
}

/// The forms without .sync: all active lanes participate.
Flow syncHere(Warp &warp, const Inst &in, uint32_t mask) {
  const WarpSync &m = meetOf(in);
  if (m.show)
    m.show(warp, in, mask);
  return m.take(warp, in, mask, mask);
}

struct Operands {
  const ptx::Operand *value = nullptr, *b = nullptr, *c = nullptr, *members = nullptr, *second = nullptr;
};

Inst &emitWarpSync(Lowering &lo, Kind kind, const Operands &o, unsigned valueBits) {
  Loc a = o.value ? lo.source(*o.value, valueBits) : NoLoc, b = o.b ? lo.source(*o.b, 32) : NoLoc;
  Loc c = o.c ? lo.source(*o.c, 32) : NoLoc, d = o.members ? lo.source(*o.members, 32) : NoLoc;
  const bool writes = kind != Kind::Barrier;
  Loc dst = writes ? lo.dest(lo.ops[0]) : NoLoc;
  Loc second = o.second && lo.isWritten(*o.second) ? lo.dest(*o.second) : NoLoc;
  Inst &in = lo.emit(o.members ? meet : syncHere);
  in.dst = dst, in.a = a, in.b = b, in.c = c, in.d = d, in.extra = second;
  in.elements = uint8_t(kind);
  return in;
}

uint8_t reduxType(Lowering &lo) {
  if (lo.type() == ptx::Type::F32) {
    const bool magnitudes = lo.has(ptx::Flag::Abs), nan = lo.has(ptx::Flag::PropagateNan);
    return nan ? (magnitudes ? OfFloatAbsNaN : OfFloatNaN) : (magnitudes ? OfFloatAbs : OfFloat);
  }
  return lo.type() == ptx::Type::S32 ? OfSigned : OfUnsigned;
}

} // namespace

const WarpSync &meetOf(const Inst &in) { return WarpSyncs[in.elements]; }
Handler warpSyncHandler() { return meet; }
unsigned shuffleSource(unsigned lane, uint32_t b, uint32_t c, ptx::ShflMode mode) {
  return sourceLane(lane, b, c, mode).lane;
}

bool lowerLanes(Lowering &lo) {
  const auto &ops = lo.ops;
  switch (lo.instr->op) {
  case Op::BarWarpSync: emitWarpSync(lo, Kind::Barrier, {.members = &ops[0]}, 32); return true;
  case Op::Shfl:
    emitWarpSync(lo, Kind::Shuffle, {.value = &ops[2], .b = &ops[3], .c = &ops[4], .second = &ops[1]}, 32)
        .mode = uint16_t(lo.instr->mods.shfl);
    return true;
  case Op::ShflSync:
    emitWarpSync(lo, Kind::Shuffle,
                 {.value = &ops[2], .b = &ops[3], .c = &ops[4], .members = &ops[5], .second = &ops[1]}, 32)
        .mode = uint16_t(lo.instr->mods.shfl);
    return true;
  case Op::Vote:
    emitWarpSync(lo, Kind::Vote, {.value = &ops[1]}, 1).mode = uint16_t(lo.instr->mods.vote);
    return true;
  case Op::VoteSync:
    emitWarpSync(lo, Kind::Vote, {.value = &ops[1], .members = &ops[2]}, 1).mode =
        uint16_t(lo.instr->mods.vote);
    return true;
  case Op::MatchSync: {
    Inst &in = emitWarpSync(lo, Kind::Match, {.value = &ops[1], .members = &ops[2]}, ptx::bitsOf(lo.type()));
    in.bytes = uint8_t(ptx::bytesOf(lo.type())), in.mode = 0;
    return true;
  }
  case Op::MatchAllSync: {
    Inst &in = emitWarpSync(lo, Kind::Match, {.value = &ops[2], .members = &ops[3], .second = &ops[1]},
                            ptx::bitsOf(lo.type()));
    in.bytes = uint8_t(ptx::bytesOf(lo.type())), in.mode = 1;
    return true;
  }
  case Op::ReduxSync: {
    Inst &in = emitWarpSync(lo, Kind::Reduce, {.value = &ops[1], .members = &ops[2]}, 32);
    in.bytes = reduxType(lo), in.mode = uint16_t(lo.instr->mods.atom);
    return true;
  }
  case Op::ElectSync: emitWarpSync(lo, Kind::Elect, {.members = &ops[2], .second = &ops[1]}, 32); return true;
  default: return false;
  }
}

} // namespace heddle::vm
