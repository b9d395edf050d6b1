// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// atom and red (PTX ISA, "Parallel Synchronization and Communication Instructions").
//
// Lanes execute one after the other, lowest first. In global memory another host thread may update the same cell,
// so every update is a compare-and-swap there; shared memory belongs to one core at a time. If the result depends
// on the order of blocks, the block first waits until all blocks before it have finished (Grid.cpp).
#include "semantics/Float.h"
#include "semantics/Integer.h"
#include "vm/Access.h"
#include "vm/Exec.h"
#include "vm/Grid.h"

#include <cstring>
#include <mutex>

namespace heddle::vm {
namespace {

using ptx::AtomOp;
using ptx::Op;
using ptx::Type;

struct alignas(16) Wide {
  uint64_t low, high;
  bool operator==(const Wide &) const = default;
};

// --- one cell
// --------------------------------------------------------------------------------------------------

/// Replaces the cell by change(old); returns the old value. `changed` receives whether the bits differ now.
template <class Bits, class F> Bits update(uint8_t *cell, bool alone, bool &changed, F change) {
  Bits *at = reinterpret_cast<Bits *>(cell);
  if (alone) {
    Bits old = *at, next = change(old);
    changed |= old != next;
    *at = next;
    return old;
  }
  Bits old = __atomic_load_n(at, __ATOMIC_RELAXED), next;
  do
    next = change(old);
  while (!__atomic_compare_exchange_n(at, &old, next, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  changed |= old != next;
  return old;
}

/// 128-bit cells exist only for cas and exch; a lock is enough, since nothing else touches 16 bytes at once.
template <class F> Wide updateWide(uint8_t *cell, bool &changed, F change) {
  static std::mutex guard;
  std::lock_guard lock(guard);
  Wide old;
  std::memcpy(&old, cell, 16);
  Wide next = change(old);
  changed |= !(old == next);
  std::memcpy(cell, &next, 16);
  return old;
}

// --- what the operations do
// ------------------------------------------------------------------------------------

template <class T> T fromCell(sem::BitsOf<T> bits) { return sem::fromBits<T>(bits); }

template <AtomOp O, class T> T applyInteger(T old, T b) {
  if constexpr (O == AtomOp::Add)
    return sem::add(old, b);
  else if constexpr (O == AtomOp::Min)
    return sem::min(old, b);
  else if constexpr (O == AtomOp::Max)
    return sem::max(old, b);
  else if constexpr (O == AtomOp::And)
    return T(old & b);
  else if constexpr (O == AtomOp::Or)
    return T(old | b);
  else if constexpr (O == AtomOp::Xor)
    return T(old ^ b);
  else if constexpr (O == AtomOp::Inc)
    return old >= b ? T(0) : T(old + 1);
  else if constexpr (O == AtomOp::Dec)
    return old == 0 || old > b ? b : T(old - 1);
  else
    return b; // exch
}

/// Ftz of f32: global atomics keep subnormals, those in shared memory flush them on hardware only where .ftz
/// is implied by very old targets; all current ones keep them, and so does the simulator.
template <AtomOp O, class T> T applyFloat(T old, T b) {
  if constexpr (O == AtomOp::Add)
    return sem::add<>(old, b);
  else if constexpr (O == AtomOp::Min)
    return sem::minMax<>(old, b, false);
  else
    return sem::minMax<>(old, b, true);
}

template <AtomOp O, class T> uint32_t applyPacked(uint32_t old, uint32_t b) {
  return sem::perHalf<T>([](T x, T y) { return applyFloat<O, T>(x, y); }, old, b);
}

// --- a warp
// ----------------------------------------------------------------------------------------------------

enum ModeBits : uint16_t { NeedsOrder = 1 << 12, HasResult = 1 << 13 };

bool inGlobal(const Inst &in) { return in.space == MemorySpace::Global || in.space == MemorySpace::Generic; }

/// The steps common to all: order of blocks, pointers, event, fences. `each(lane, pointer, alone)` does the work.
template <class F> Flow atomically(Warp &warp, const Inst &in, uint32_t mask, F each) {
  if (in.mode & NeedsOrder && inGlobal(in) && !warp.block->grid->isNextInOrder(*warp.block->cluster)) {
    warp.now().pc = warp.code().pcOf(in);
    return Flow::AwaitOrder;
  }
  alignas(64) uint64_t address[Lanes];
  warp.addresses(in, address);
  const uint32_t bytes = in.bytes * in.elements;
  Pointers cells;
  if (!warp.locateAt(in, mask, address, in.space, bytes, bytes, true, cells))
    return Flow::Faulted;
  if (warp.block->grid->sees(Observer::Accesses))
    warp.noteAccess(in, mask, address, in.space, bytes,
                    in.mode & HasResult ? AccessKind::Atomic : AccessKind::Reduction, scopeOf(in.mode),
                    orderingOf(in.mode), &cells);
  const bool alone = warp.core->alone || in.space == MemorySpace::Shared;
  fenceBefore(orderingOf(in.mode));
  bool changed = false;
  eachLane(mask, [&](unsigned lane) { each(lane, cells.at[lane], alone, changed); });
  fenceAfter(orderingOf(in.mode));
  ++warp.polls;
  warp.changes += changed;
  return Flow::Next;
}

/// Bits is the cell's integer type, F(old bits, operand bits) the operation.
template <class Bits, auto F> Flow atom(Warp &warp, const Inst &in, uint32_t mask) {
  return atomically(warp, in, mask, [&](unsigned lane, uint8_t *cell, bool alone, bool &changed) {
    const Bits operand = warp.row<Bits>(in.b)[lane];
    Bits old = update<Bits>(cell, alone, changed, [&](Bits bits) { return F(bits, operand); });
    if (in.dst != NoLoc)
      warp.row<Bits>(in.dst)[lane] = old;
  });
}

/// Vector forms (.v2, .v4, .v8): element by element; each is atomic by itself. Locs: operands, then
/// results.
template <class Bits, auto F> Flow atomVector(Warp &warp, const Inst &in, uint32_t mask) {
  const Loc *locs = &warp.code().locs[in.extra];
  return atomically(warp, in, mask, [&](unsigned lane, uint8_t *cell, bool alone, bool &changed) {
    for (unsigned e = 0; e < in.elements; ++e) {
      const Bits operand = warp.row<Bits>(locs[e])[lane];
      Bits old =
          update<Bits>(cell + e * sizeof(Bits), alone, changed, [&](Bits bits) { return F(bits, operand); });
      if (in.mode & HasResult && locs[in.elements + e] != NoLoc)
        warp.row<Bits>(locs[in.elements + e])[lane] = old;
    }
  });
}

template <class Bits> Flow compareAndSwap(Warp &warp, const Inst &in, uint32_t mask) {
  return atomically(warp, in, mask, [&](unsigned lane, uint8_t *cell, bool alone, bool &changed) {
    const Bits compare = warp.row<Bits>(in.b)[lane], value = warp.row<Bits>(in.c)[lane];
    Bits old = update<Bits>(cell, alone, changed, [&](Bits bits) { return bits == compare ? value : bits; });
    if (in.dst != NoLoc)
      warp.row<Bits>(in.dst)[lane] = old;
  });
}

Flow wideCompareAndSwap(Warp &warp, const Inst &in, uint32_t mask) {
  return atomically(warp, in, mask, [&](unsigned lane, uint8_t *cell, bool, bool &changed) {
    const Wide compare = warp.row<Wide>(in.b)[lane], value = warp.row<Wide>(in.c)[lane];
    Wide old = updateWide(cell, changed, [&](Wide bits) { return bits == compare ? value : bits; });
    if (in.dst != NoLoc)
      warp.row<Wide>(in.dst)[lane] = old;
  });
}
Flow wideExchange(Warp &warp, const Inst &in, uint32_t mask) {
  return atomically(warp, in, mask, [&](unsigned lane, uint8_t *cell, bool, bool &changed) {
    Wide old = updateWide(cell, changed, [&](Wide) { return warp.row<Wide>(in.b)[lane]; });
    if (in.dst != NoLoc)
      warp.row<Wide>(in.dst)[lane] = old;
  });
}

// --- choosing
// --------------------------------------------------------------------------------------------------

template <class Bits, auto F> Handler scalarOrVector(bool vector) {
  return vector ? Handler(atomVector<Bits, F>) : Handler(atom<Bits, F>);
}

template <AtomOp O> Handler pickInteger(Type type, bool vector) {
  return forWord(type, [&]<class T>(Tag<T>) -> Handler {
    using Bits = std::make_unsigned_t<T>;
    return scalarOrVector<Bits, [](Bits old, Bits b) { return Bits(applyInteger<O, T>(T(old), T(b))); }>(
        vector);
  });
}

template <AtomOp O> Handler pickFloat(Type type, bool vector) {
  auto plain = [&]<class T>(Tag<T>) -> Handler {
    using Bits = sem::BitsOf<T>;
    return scalarOrVector<Bits, [](Bits old, Bits b) {
      return sem::toBits(applyFloat<O, T>(fromCell<T>(old), fromCell<T>(b)));
    }>(vector);
  };
  switch (type) {
  case Type::F32: return plain(Tag<float>{});
  case Type::F64: return plain(Tag<double>{});
  case Type::F16: return plain(Tag<sem::Half>{});
  case Type::BF16: return plain(Tag<sem::BFloat16>{});
  case Type::F16X2: return scalarOrVector<uint32_t, applyPacked<O, sem::Half>>(vector);
  case Type::BF16X2: return scalarOrVector<uint32_t, applyPacked<O, sem::BFloat16>>(vector);
  default: return nullptr;
  }
}

bool isFloatLike(Type type) {
  auto kind = ptx::kindOf(type);
  return kind == ptx::TypeKind::Float || kind == ptx::TypeKind::PackedFloat;
}

Handler pick(AtomOp op, Type type, bool vector) {
  if (type == Type::B128)
    return op == AtomOp::Exch ? wideExchange : nullptr;
  if (isFloatLike(type) && op != AtomOp::Exch) {
    switch (op) {
    case AtomOp::Add: return pickFloat<AtomOp::Add>(type, vector);
    case AtomOp::Min: return pickFloat<AtomOp::Min>(type, vector);
    case AtomOp::Max: return pickFloat<AtomOp::Max>(type, vector);
    default: return nullptr;
    }
  }
  switch (op) {
  case AtomOp::Add: return pickInteger<AtomOp::Add>(type, vector);
  case AtomOp::Min: return pickInteger<AtomOp::Min>(type, vector);
  case AtomOp::Max: return pickInteger<AtomOp::Max>(type, vector);
  case AtomOp::And: return pickInteger<AtomOp::And>(type, vector);
  case AtomOp::Or: return pickInteger<AtomOp::Or>(type, vector);
  case AtomOp::Xor: return pickInteger<AtomOp::Xor>(type, vector);
  case AtomOp::Inc: return pickInteger<AtomOp::Inc>(type, vector);
  case AtomOp::Dec: return pickInteger<AtomOp::Dec>(type, vector);
  case AtomOp::Exch: {
    const bool wide = ptx::bitsOf(type) == 64;
    return pickInteger<AtomOp::Exch>(wide ? Type::U64 : Type::U32, vector);
  }
  default: return nullptr;
  }
}

Handler pickSwap(Type type) {
  switch (ptx::bitsOf(type)) {
  case 16: return compareAndSwap<uint16_t>;
  case 32: return compareAndSwap<uint32_t>;
  case 64: return compareAndSwap<uint64_t>;
  case 128: return wideCompareAndSwap;
  default: return nullptr;
  }
}

/// Whether the result depends on the order of blocks: a rounded sum, a value that the last block leaves, an old
/// value that is used. Float min and max, and integer sums whose old value is not read, do not depend on it.
bool orderShows(AtomOp op, Type type, bool resultUsed) {
  return resultUsed || op == AtomOp::Exch || op == AtomOp::Cas || (op == AtomOp::Add && isFloatLike(type));
}

void setCommon(Lowering &lo, Inst &in, const ptx::Operand &address, AtomOp op, bool resultUsed,
               bool hasResult) {
  lo.setAddress(in, address, lo.instr->mods.space);
  in.bytes = uint8_t(ptx::bytesOf(lo.type()));
  // Without .sem an atomic is relaxed; without .scope it is for the whole device.
  ptx::Semantics semantics =
      lo.instr->mods.sem == ptx::Semantics::None ? ptx::Semantics::Relaxed : lo.instr->mods.sem;
  ptx::Scope scope = lo.instr->mods.scope == ptx::Scope::None ? ptx::Scope::Gpu : lo.instr->mods.scope;
  in.mode = packMode(orderingOf(semantics), scopeOf(scope));
  in.mode |= orderShows(op, lo.type(), resultUsed) ? NeedsOrder : 0;
  in.mode |= hasResult ? HasResult : 0;
}

bool anyRead(Lowering &lo, const ptx::Operand &result) {
  for (const ptx::Operand &element : lo.elements(result))
    if (lo.isRead(element))
      return true;
  return false;
}

bool lowerVector(Lowering &lo, const ptx::Operand *result, const ptx::Operand &address,
                 const ptx::Operand &value) {
  AtomOp op = lo.instr->mods.atom;
  Handler handler = pick(op, lo.type(), true);
  if (!handler)
    return false;
  std::vector<Loc> locs;
  for (const ptx::Operand &element : lo.elements(value))
    locs.push_back(lo.source(element, lo.type()));
  const size_t count = locs.size();
  if (result)
    for (const ptx::Operand &element : lo.elements(*result))
      locs.push_back(lo.isWritten(element) ? lo.dest(element) : NoLoc);
  locs.resize(2 * count, NoLoc);
  uint32_t extra = lo.addLocs(locs);
  Inst &in = lo.emit(handler);
  setCommon(lo, in, address, op, result && anyRead(lo, *result), result != nullptr);
  in.extra = extra;
  in.elements = uint8_t(count);
  return true;
}

} // namespace

bool lowerAtomic(Lowering &lo) {
  const bool isSwap =
      lo.instr->op == Op::AtomCas || (lo.instr->op == Op::Atom && lo.instr->mods.atom == AtomOp::Cas);
  if (!isSwap && lo.instr->op != Op::Atom && lo.instr->op != Op::Red)
    return false;
  const bool hasResult = lo.instr->op != Op::Red;
  const size_t at = hasResult ? 1 : 0;
  if (lo.ops[at + 1].kind == ptx::OperandKind::Vector)
    return lowerVector(lo, hasResult ? &lo.ops[0] : nullptr, lo.ops[at], lo.ops[at + 1]);
  const AtomOp op = isSwap ? AtomOp::Cas : lo.instr->mods.atom;
  Handler handler = isSwap ? pickSwap(lo.type()) : pick(op, lo.type(), false);
  if (!handler)
    return false;
  Loc b = lo.source(lo.ops[at + 1], lo.type()), c = isSwap ? lo.source(lo.ops[at + 2], lo.type()) : NoLoc;
  Loc dst = hasResult && lo.isWritten(lo.ops[0]) ? lo.dest(lo.ops[0]) : NoLoc;
  Inst &in = lo.emit(handler);
  in.b = b, in.c = c, in.dst = dst;
  setCommon(lo, in, lo.ops[at], op, hasResult && lo.isRead(lo.ops[0]), hasResult);
  return true;
}

} // namespace heddle::vm
