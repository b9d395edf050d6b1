// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Data Movement": mov in all its forms, cvta, isspacep, and the special registers whose value
// changes while a warp runs.
#include "vm/Exec.h"
#include "vm/Grid.h"

#include <chrono>
#include <cstring>

namespace heddle::vm {
namespace {

using ptx::Op;
using ptx::OperandKind;
using ptx::Type;

template <class T> Handler copyRow() {
  return perLane<Light, [](T a) { return a; }, T, T>;
}

struct Wide {
  uint64_t low, high;
};

Flow movePred(Warp &warp, const Inst &in, uint32_t mask) {
  writePred(warp.pred(in.dst), warp.pred(in.a), mask);
  return Flow::Next;
}

Handler pickCopy(unsigned bits) {
  switch (bits) {
  case 1: return movePred;
  case 16: return copyRow<uint16_t>();
  case 32: return copyRow<uint32_t>();
  case 64: return copyRow<uint64_t>();
  case 128: return perLane<Heavy, [](Wide a) { return a; }, Wide, Wide>;
  default: return nullptr;
  }
}

// --- packing: mov.b64 %rd, {%r1, %r2} and back
// -----------------------------------------------------------------

template <class Whole, class Part> Flow pack(Warp &warp, const Inst &in, uint32_t mask) {
  constexpr unsigned N = sizeof(Whole) / sizeof(Part);
  uint8_t *to = warp.row<uint8_t>(in.dst);
  const Loc *parts = &warp.code().locs[in.extra];
  for (unsigned i = 0; i < N; ++i) {
    const Part *from = warp.row<Part>(parts[i]);
    eachLane(mask, [&](unsigned lane) {
      std::memcpy(to + lane * sizeof(Whole) + i * sizeof(Part), from + lane, sizeof(Part));
    });
  }
  return Flow::Next;
}

template <class Whole, class Part> Flow unpack(Warp &warp, const Inst &in, uint32_t mask) {
  constexpr unsigned N = sizeof(Whole) / sizeof(Part);
  const Loc *parts = &warp.code().locs[in.extra];
  // All parts are read before any is written: a destination may be the register that is split.
  alignas(64) Whole whole[Lanes];
  std::memcpy(whole, warp.row<Whole>(in.a), sizeof whole);
  for (unsigned i = 0; i < N; ++i) {
    if (parts[i] == NoLoc)
      continue;
    Part *to = warp.row<Part>(parts[i]);
    eachLane(mask, [&](unsigned lane) {
      std::memcpy(to + lane, reinterpret_cast<uint8_t *>(&whole[lane]) + i * sizeof(Part), sizeof(Part));
    });
  }
  return Flow::Next;
}

Handler pickPacking(unsigned whole, unsigned count, bool packs) {
  auto choose = [&]<class W, class P>(Tag<W>, Tag<P>) -> Handler {
    return packs ? Handler(pack<W, P>) : Handler(unpack<W, P>);
  };
  if (whole == 32 && count == 2)
    return choose(Tag<uint32_t>{}, Tag<uint16_t>{});
  if (whole == 64 && count == 2)
    return choose(Tag<uint64_t>{}, Tag<uint32_t>{});
  if (whole == 64 && count == 4)
    return choose(Tag<uint64_t>{}, Tag<uint16_t>{});
  if (whole == 128 && count == 2)
    return choose(Tag<Wide>{}, Tag<uint64_t>{});
  if (whole == 128 && count == 4)
    return choose(Tag<Wide>{}, Tag<uint32_t>{});
  return nullptr;
}

/// mov.b32 {%b0, %b1, %b2, %b3}: four bytes in 16-bit registers.
template <bool Packs> Flow bytes(Warp &warp, const Inst &in, uint32_t mask) {
  const Loc *parts = &warp.code().locs[in.extra];
  eachLane(mask, [&](unsigned lane) {
    uint32_t whole = Packs              ? 0
                     : in.elements == 2 ? warp.row<uint16_t>(in.a)[lane]
                                        : warp.row<uint32_t>(in.a)[lane];
    for (unsigned i = 0; i < in.elements; ++i) {
      if (parts[i] == NoLoc)
        continue;
      uint16_t &part = warp.row<uint16_t>(parts[i])[lane];
      if (Packs)
        whole |= uint32_t(uint8_t(part)) << (8 * i);
      else
        part = uint8_t(whole >> (8 * i));
    }
    if (Packs)
      in.elements == 2 ? void(warp.row<uint16_t>(in.dst)[lane] = uint16_t(whole))
                       : void(warp.row<uint32_t>(in.dst)[lane] = whole);
  });
  return Flow::Next;
}

bool lowerPacking(Lowering &lo, bool packs) {
  auto parts = lo.elements(lo.ops[packs ? 1 : 0]);
  const unsigned whole = ptx::bitsOf(lo.type()), each = whole / unsigned(parts.size());
  std::vector<Loc> locs;
  for (const ptx::Operand &part : parts)
    locs.push_back(packs ? lo.source(part, std::max(16u, each)) : lo.isWritten(part) ? lo.dest(part) : NoLoc);
  Handler handler =
      each == 8 ? (packs ? bytes<true> : bytes<false>) : pickPacking(whole, unsigned(parts.size()), packs);
  if (!handler)
    return false;
  Loc one = packs ? lo.dest(lo.ops[0]) : lo.source(lo.ops[1], whole);
  uint32_t extra = lo.addLocs(locs);
  Inst &in = lo.emit(handler);
  (packs ? in.dst : in.a) = one;
  in.extra = extra;
  in.elements = uint8_t(parts.size());
  return true;
}

/// Both sides vectors, as old PTX has it: element by element.
bool lowerVectorCopy(Lowering &lo) {
  auto to = lo.elements(lo.ops[0]), from = lo.elements(lo.ops[1]);
  if (to.size() != from.size())
    return false;
  for (size_t i = 0; i < to.size(); ++i) {
    const unsigned bits = lo.width(to[i]);
    Handler handler = pickCopy(bits);
    if (!handler)
      return false;
    Loc a = lo.source(from[i], bits), dst = lo.dest(to[i]);
    Inst &in = lo.emit(handler);
    in.dst = dst, in.a = a, in.counts = i == 0;
  }
  return true;
}

bool lowerMov(Lowering &lo) {
  const bool vectorTo = lo.ops[0].kind == OperandKind::Vector,
             vectorFrom = lo.ops[1].kind == OperandKind::Vector;
  if (vectorTo && vectorFrom)
    return lowerVectorCopy(lo);
  if (vectorTo || vectorFrom)
    return lowerPacking(lo, vectorFrom);
  unsigned bits = std::max(lo.type() == Type::Pred ? 1u : 16u, ptx::bitsOf(lo.type()));
  if (lo.ops[1].kind == OperandKind::Special) {
    // A special register narrower or wider than the type: mov.u32 %r, %clock64 takes the low half.
    const bool wide = ptx::bitsOf(ptx::SpecialReg(lo.ops[1].index)) == 64;
    if (wide != (bits == 64)) {
      Loc a = lo.source(lo.ops[1], wide ? 64 : 32), dst = lo.dest(lo.ops[0]);
      Inst &in =
          lo.emit(bits == 1    ? Handler([](Warp &w, const Inst &i, uint32_t m) {
            writePred(w.pred(i.dst), w.row<uint32_t>(i.a)[0] ? AllLanes : 0, m);
            return Flow::Next;
          })
                  : wide       ? perLane<Light, [](uint64_t v) { return uint32_t(v); }, uint32_t, uint64_t>
                  : bits == 64 ? perLane<Light, [](uint32_t v) { return uint64_t(v); }, uint64_t, uint32_t>
                  : bits == 16 ? perLane<Light, [](uint32_t v) { return uint16_t(v); }, uint16_t, uint32_t>
                               : copyRow<uint32_t>());
      in.dst = dst, in.a = a;
      return true;
    }
  }
  Handler handler = pickCopy(bits);
  if (!handler)
    return false;
  Loc a = lo.source(lo.ops[1], bits), dst = lo.dest(lo.ops[0]);
  Inst &in = lo.emit(handler);
  in.dst = dst, in.a = a;
  return true;
}

// --- generic addresses
// -----------------------------------------------------------------------------------------

uint64_t windowOf(ptx::Space space, bool inFunction) {
  switch (space) {
  case ptx::Space::Shared:
  case ptx::Space::SharedCluster: return SharedWindow;
  case ptx::Space::Local: return LocalWindow;
  case ptx::Space::Param: return inFunction ? LocalWindow : 0;
  default: return 0;
  }
}

/// To generic: the window is added. From generic: it is removed, if there is one. The window is a constant row.
Handler pickCvta(bool isFrom, bool hasWindow) {
  using A = uint64_t;
  if (!isFrom)
    return perLane<Light, [](A at, A window) { return at + window; }, A, A, A>;
  if (hasWindow)
    return perLane<Light, [](A at) { return at & WindowOffset; }, A, A>;
  return copyRow<A>();
}

bool lowerCvta(Lowering &lo) {
  if (ptx::bitsOf(lo.type()) != 64)
    return lo.unsupported("32-bit generic addresses are not supported");
  const uint64_t window = windowOf(lo.instr->mods.space, !lo.function.isEntry);
  const bool isFrom = lo.has(ptx::Flag::To);
  Loc a = lo.source(lo.ops[1], 64), b = isFrom ? NoLoc : lo.constant(window, 64), dst = lo.dest(lo.ops[0]);
  Inst &in = lo.emit(pickCvta(isFrom, window != 0));
  in.dst = dst, in.a = a, in.b = b, in.imm = int64_t(window);
  return true;
}

/// What isspacep tests besides the window.
enum SpaceMode : uint16_t { AnyOfWindow, NotConstant, IsConstant, OwnShared };

Flow isSpace(Warp &warp, const Inst &in, uint32_t mask) {
  const uint64_t *from = warp.row<uint64_t>(in.a);
  const Memory &memory = warp.block->grid->memory;
  uint32_t holds = 0;
  eachLane(mask, [&](unsigned lane) {
    bool is = (from[lane] >> WindowShift) == uint64_t(in.imm) >> WindowShift;
    if (is && in.mode == OwnShared) {
      is = warp.block->homeOf(from[lane] & WindowOffset) == warp.block;
    } else if (is && in.mode) { // global, const and param share the host's addresses: the allocation
                                // distinguishes them
      auto found = memory.find(from[lane]);
      const bool constant = found && found->kind == AllocationKind::Constant;
      is = in.mode == NotConstant ? !constant : constant;
    }
    holds |= uint32_t(is) << lane;
  });
  writePred(warp.pred(in.dst), holds, mask);
  return Flow::Next;
}

bool lowerIsSpace(Lowering &lo) {
  const ptx::Space space = lo.instr->mods.space;
  Loc a = lo.source(lo.ops[1], 64), dst = lo.dest(lo.ops[0]);
  Inst &in = lo.emit(isSpace);
  in.dst = dst, in.a = a, in.imm = int64_t(windowOf(space, !lo.function.isEntry));
  in.mode = space == ptx::Space::Global                                ? NotConstant
            : space == ptx::Space::Const || space == ptx::Space::Param ? IsConstant
            : space == ptx::Space::Shared                              ? OwnShared
                                                                       : AnyOfWindow;
  return true;
}

// --- addresses in a cluster
// ------------------------------------------------------------------------------------

/// The address in another block's shared memory that corresponds to one in this block's (or in a third's).
template <class T> Flow mapa(Warp &warp, const Inst &in, uint32_t mask) {
  constexpr T RankBits = T(0xff) << RankShift;
  const Block &block = *warp.block;
  const uint32_t *rank = warp.row<uint32_t>(in.b);
  for (uint32_t left = mask; left; left &= left - 1) {
    const unsigned lane = firstLane(left);
    if (rank[lane] >= block.cluster->blocks.size())
      return warp.fault(
          in, 1u << lane, FaultKind::OutOfBounds,
          fmt::format("mapa asks for block {} of a cluster of {}", rank[lane], block.cluster->blocks.size()));
    const T named = rank[lane] == block.rank ? 0 : T(rank[lane] + 1) << RankShift;
    warp.row<T>(in.dst)[lane] = (warp.row<T>(in.a)[lane] & ~RankBits) | named;
  }
  return Flow::Next;
}

bool lowerMapa(Lowering &lo) {
  const unsigned bits = ptx::bitsOf(lo.type());
  Loc a = lo.source(lo.ops[1], bits), b = lo.source(lo.ops[2], 32), dst = lo.dest(lo.ops[0]);
  Inst &in = lo.emit(bits == 64 ? mapa<uint64_t> : mapa<uint32_t>);
  in.dst = dst, in.a = a, in.b = b;
  return true;
}

template <class T> Flow getCtaRank(Warp &warp, const Inst &in, uint32_t mask) {
  eachLane(mask, [&](unsigned lane) {
    const uint32_t named = uint32_t(warp.row<T>(in.a)[lane] >> RankShift) & 0xff;
    warp.row<uint32_t>(in.dst)[lane] = named ? named - 1 : warp.block->rank;
  });
  return Flow::Next;
}

bool lowerGetCtaRank(Lowering &lo) {
  const unsigned bits = ptx::bitsOf(lo.type());
  Loc a = lo.source(lo.ops[1], bits), dst = lo.dest(lo.ops[0]);
  Inst &in = lo.emit(bits == 64 ? getCtaRank<uint64_t> : getCtaRank<uint32_t>);
  in.dst = dst, in.a = a;
  return true;
}

// --- clocks
// ----------------------------------------------------------------------------------------------------

/// Instructions that this block has issued represent a clock: the number always increases, and does not depend on
/// the host.
uint64_t ticks(Warp &warp, const Inst &in) {
  return warp.block->warpInstructions + (in.ordinal - warp.segment->ordinal) + 1;
}
uint64_t nanoseconds() {
  return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::system_clock::now().time_since_epoch())
                      .count());
}

template <class T, auto Value, unsigned Shift> Flow readClock(Warp &warp, const Inst &in, uint32_t mask) {
  T *to = warp.row<T>(in.dst);
  const T now = T(Value(warp, in) >> Shift);
  eachLane(mask, [&](unsigned lane) { to[lane] = now; });
  return Flow::Next;
}

uint64_t timeNow(Warp &, const Inst &) { return nanoseconds(); }

Flow activeMask(Warp &warp, const Inst &in, uint32_t mask) {
  uint32_t *to = warp.row<uint32_t>(in.dst);
  eachLane(mask, [&](unsigned lane) { to[lane] = mask; });
  return Flow::Next;
}

} // namespace

Handler readSpecial(ptx::SpecialReg reg) {
  using enum ptx::SpecialReg;
  switch (reg) {
  case Clock: return readClock<uint32_t, ticks, 0>;
  case ClockHi: return readClock<uint32_t, ticks, 32>;
  case Clock64: return readClock<uint64_t, ticks, 0>;
  case GlobalTimer: return readClock<uint64_t, timeNow, 0>;
  case GlobalTimerLo: return readClock<uint32_t, timeNow, 0>;
  case GlobalTimerHi: return readClock<uint32_t, timeNow, 32>;
  default: return nullptr;
  }
}

bool lowerMove(Lowering &lo) {
  switch (lo.instr->op) {
  case Op::Mov: return lowerMov(lo);
  case Op::Cvta: return lowerCvta(lo);
  case Op::IsSpaceP: return lowerIsSpace(lo);
  case Op::Mapa: return lowerMapa(lo);
  case Op::GetCtaRank: return lowerGetCtaRank(lo);
  case Op::ActiveMask: {
    Loc dst = lo.dest(lo.ops[0]);
    lo.emit(activeMask).dst = dst;
    return true;
  }
  default: return false;
  }
}

} // namespace heddle::vm
