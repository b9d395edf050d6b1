// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ld, ldu, st and the hints that have no effect here (PTX ISA, "Data Movement and Conversion Instructions").
//
// Elements are copied by relaxed atomic loads and stores of the host, which cost nothing, so that a race of the
// simulated program is not undefined behaviour of the simulator.
#include "vm/Access.h"
#include "vm/Exec.h"
#include "vm/Grid.h"
#include "vm/LanePattern.h"

#include <cstring>

namespace heddle::vm {
namespace {

using ptx::Op;

struct alignas(16) Wide {
  uint64_t low, high;
};

template <class T> T readElement(const uint8_t *at) {
  if constexpr (sizeof(T) == 16) {
    Wide value;
    std::memcpy(&value, at, 16);
    return value;
  } else {
    return __atomic_load_n(reinterpret_cast<const T *>(at), __ATOMIC_RELAXED);
  }
}
template <class T> void writeElement(uint8_t *at, T value) {
  if constexpr (sizeof(T) == 16)
    std::memcpy(at, &value, 16);
  else
    __atomic_store_n(reinterpret_cast<T *>(at), value, __ATOMIC_RELAXED);
}

/// Whether the lanes' elements are consecutive, as in well-written kernels.
bool isContiguous(const Pointers &pointers, unsigned stride) {
  uint64_t wrong = 0;
  const uint64_t first = uint64_t(pointers.at[0]);
  HEDDLE_EACH_LANE(lane) wrong |= uint64_t(pointers.at[lane]) ^ (first + uint64_t(lane) * stride);
  return wrong == 0;
}

/// A register of type Reg from memory elements of type Mem: extended by sign or zeros as Mem says.
template <class Mem, class Reg> Reg extend(Mem value) {
  if constexpr (sizeof(Mem) == 16)
    return value;
  else if constexpr (std::is_signed_v<Mem>)
    return Reg(std::make_signed_t<Reg>(value));
  else
    return Reg(value);
}

template <class Mem, class Reg>
void gather(Warp &warp, Loc dst, const Pointers &from, uint32_t mask, unsigned offset, unsigned stride) {
  Reg *to = warp.row<Reg>(dst);
  if (mask != AllLanes) {
    eachLane(mask,
             [&](unsigned lane) { to[lane] = extend<Mem, Reg>(readElement<Mem>(from.at[lane] + offset)); });
    return;
  }
  if constexpr (sizeof(Mem) == sizeof(Reg) && sizeof(Mem) < 16)
    if (stride == sizeof(Mem) && isContiguous(from, stride)) {
      std::memcpy(to, from.at[0], sizeof(Mem) * Lanes);
      return;
    }
  for (unsigned lane = 0; lane < Lanes; ++lane)
    to[lane] = extend<Mem, Reg>(readElement<Mem>(from.at[lane] + offset));
}

template <class Mem, class Reg>
void scatter(Warp &warp, Loc src, const Pointers &to, uint32_t mask, unsigned offset, unsigned stride) {
  const Reg *from = warp.row<Reg>(src);
  auto chop = [](Reg value) {
    if constexpr (sizeof(Mem) == 16)
      return value;
    else
      return Mem(value);
  };
  if (mask != AllLanes) {
    eachLane(mask, [&](unsigned lane) { writeElement<Mem>(to.at[lane] + offset, chop(from[lane])); });
    return;
  }
  if constexpr (sizeof(Mem) == sizeof(Reg) && sizeof(Mem) < 16)
    if (stride == sizeof(Mem) && isContiguous(to, stride)) {
      std::memcpy(to.at[0], from, sizeof(Mem) * Lanes);
      return;
    }
  for (unsigned lane = 0; lane < Lanes; ++lane)
    writeElement<Mem>(to.at[lane] + offset, chop(from[lane]));
}

void note(Warp &warp, const Inst &in, uint32_t mask, AccessKind kind, const Pointers *at = nullptr,
          const StoredRows *stored = nullptr) {
  alignas(64) uint64_t address[Lanes];
  warp.addresses(in, address);
  warp.noteAccess(in, mask, address, in.space, in.bytes * in.elements, kind, scopeOf(in.mode),
                  orderingOf(in.mode), at, stored);
}

template <class Mem, class Reg>
void noteStore(Warp &warp, const Inst &in, uint32_t mask, const Pointers &to,
               const uint64_t *address = nullptr) {
  StoredRows stored;
  stored.elements = in.elements;
  stored.registerBytes = sizeof(Reg), stored.elementBytes = sizeof(Mem);
  for (unsigned e = 0; e < in.elements; ++e) {
    const Loc src = in.elements == 1 ? in.b : warp.code().locs[in.extra + e];
    stored.row[e] = src == NoLoc ? nullptr : warp.row<uint8_t>(src);
  }
  if (address)
    warp.noteAccess(in, mask, address, in.space, in.bytes * in.elements, AccessKind::Store, scopeOf(in.mode),
                    orderingOf(in.mode), &to, &stored);
  else
    note(warp, in, mask, AccessKind::Store, &to, &stored);
}

/// The most frequent access: a whole warp at 32-bit shared addresses. False for any other access, and for an
/// invalid address, which the general path reports.
/// `tell(addresses)` is called for observers.
template <class Mem, class Notify, class Move>
bool shortWayShared(Warp &warp, const Inst &in, uint32_t mask, Notify notify, Move move) {
  const Block &block = *warp.block;
  if (in.space != MemorySpace::Shared || in.address != AddressForm::Reg32 || mask != AllLanes)
    return false;
  alignas(64) uint32_t offset[Lanes];
  const uint32_t *base = warp.row<uint32_t>(in.a), add = uint32_t(in.imm), all = sizeof(Mem) * in.elements;
  uint32_t greatest = 0, bits = 0;
  HEDDLE_EACH_LANE(lane) {
    const uint32_t at = base[lane] + add;
    offset[lane] = at;
    greatest = at > greatest ? at : greatest;
    bits |= at;
  }
  if (bits & (all - 1) || uint64_t(greatest) + all > block.sharedBytes)
    return false;
  if (block.grid->sees(Observer::Accesses)) {
    alignas(64) uint64_t address[Lanes];
    HEDDLE_EACH_LANE(lane) address[lane] = offset[lane];
    notify(address);
  }
  for (unsigned e = 0; e < in.elements; ++e)
    move(e, block.shared + e * sizeof(Mem), offset);
  return true;
}

// --- the usual accesses, without observers
// --------------------------------------------------------------------------------
//
// A full warp whose addresses have a pattern (LanePattern.h) is checked once and moved by vectors; other lanes are
// checked by one loop over them all, and moved one by one. All of this is only for addresses inside the range that the
// instruction accessed last time, or inside the block's shared memory: whatever else happens, the general path
// finds out, and reports.

/// One group of lanes: `stride` bytes apart.
template <class Mem> HEDDLE_INLINE void loadGroup(Mem *to, const uint8_t *from, int64_t stride) {
  if (stride == sizeof(Mem)) {
    std::memcpy(to, from, sizeof(Mem) * GroupLanes);
    return;
  }
  for (unsigned i = 0; i < GroupLanes; ++i)
    to[i] = readElement<Mem>(from + int64_t(i) * stride);
}

template <class Mem> HEDDLE_INLINE void storeGroup(uint8_t *to, const Mem *from, int64_t stride) {
  if (stride == sizeof(Mem)) {
    std::memcpy(to, from, sizeof(Mem) * GroupLanes);
    return;
  }
  for (unsigned i = 0; i < GroupLanes; ++i) // in order: of lanes with one address, the last remains
    writeElement<Mem>(to + int64_t(i) * stride, from[i]);
}

/// Moves all elements of an access by `move(location, offset of the element)`.
template <class Mem, class Move>
HEDDLE_INLINE void eachElement(Warp &warp, const Inst &in, Loc one, Move move) {
  if (in.elements == 1)
    return move(one, 0);
  const Loc *locs = &warp.code().locs[in.extra];
  for (unsigned e = 0; e < in.elements; ++e)
    if (locs[e] != NoLoc)
      move(locs[e], e * unsigned(sizeof(Mem)));
}

/// How far the addresses of lanes may be from the begin of the valid memory; `base` is its host address.
template <class Address> struct Reach {
  Address begin, span;
  uintptr_t base;
};

template <class Mem, bool Store, class Address>
HEDDLE_INLINE bool accessWithin(Warp &warp, const Inst &in, uint32_t mask, const Reach<Address> &reach) {
  const Address *row = warp.row<Address>(in.a), add = Address(in.imm);
  const Address misaligned = Address(sizeof(Mem) * in.elements - 1);
  auto host = [&](Address at) HEDDLE_INLINE_LAMBDA {
    return reinterpret_cast<uint8_t *>(reach.base + (at - reach.begin));
  };
  LanePattern<Address> pattern;
  if (mask == AllLanes && findPattern(row, add, pattern)) {
    if (pattern.bits() & misaligned || !pattern.isWithin(reach.begin, reach.span))
      return false;
    const int64_t stride = std::make_signed_t<Address>(pattern.stride);
    eachElement<Mem>(warp, in, Store ? in.b : in.dst, [&](Loc loc, unsigned offset) HEDDLE_INLINE_LAMBDA {
      Mem *values = warp.row<Mem>(loc);
      for (unsigned g = 0; g < Groups; ++g)
        if constexpr (Store)
          storeGroup<Mem>(host(pattern.first[g]) + offset, values + g * GroupLanes, stride);
        else
          loadGroup<Mem>(values + g * GroupLanes, host(pattern.first[g]) + offset, stride);
    });
    return true;
  }
  // Addresses are copied: the first element of a load may go to the register that they are in.
  alignas(64) Address at[Lanes];
  uint32_t wrong = 0;
  HEDDLE_EACH_LANE(lane) {
    at[lane] = row[lane] + add;
    wrong |= uint32_t(at[lane] - reach.begin > reach.span || at[lane] & misaligned) << lane;
  }
  if (wrong & mask)
    return false;
  eachElement<Mem>(warp, in, Store ? in.b : in.dst, [&](Loc loc, unsigned offset) HEDDLE_INLINE_LAMBDA {
    Mem *values = warp.row<Mem>(loc);
    eachLane(mask, [&](unsigned lane) HEDDLE_INLINE_LAMBDA {
      if constexpr (Store)
        writeElement<Mem>(host(at[lane]) + offset, values[lane]);
      else
        values[lane] = readElement<Mem>(host(at[lane]) + offset);
    });
  });
  return true;
}

/// False for an access that the general path must handle; then nothing was done.
template <class Mem, bool Store> HEDDLE_INLINE bool accessQuickly(Warp &warp, const Inst &in, uint32_t mask) {
  const Block &block = *warp.block;
  const uint32_t all = sizeof(Mem) * in.elements;
  if (block.grid->sees(Observer::Accesses) || orderingOf(in.mode) != Ordering::Weak)
    return false;
  const bool isShared = in.space == MemorySpace::Shared && block.sharedBytes >= all;
  const auto shared = reinterpret_cast<uintptr_t>(block.shared);
  if (in.address == AddressForm::Reg32)
    return isShared &&
           accessWithin<Mem, Store, uint32_t>(warp, in, mask, {0, block.sharedBytes - all, shared});
  if (in.address != AddressForm::Reg64 || in.space == MemorySpace::Local)
    return false;
  if (in.space == MemorySpace::Shared)
    return isShared &&
           accessWithin<Mem, Store, uint64_t>(warp, in, mask, {0, block.sharedBytes - all, shared});
  const Core::Range range = (Store ? warp.core->stores : warp.core->loads)[in.site];
  return range.end > range.begin && range.end - range.begin >= all &&
         accessWithin<Mem, Store, uint64_t>(
             warp, in, mask, {range.begin, range.end - range.begin - all, uintptr_t(range.begin)});
}

template <class Mem, class Reg> Flow load(Warp &warp, const Inst &in, uint32_t mask) {
  Pointers from;
  const unsigned all = sizeof(Mem) * in.elements;
  auto notify = [&](const uint64_t *address) {
    warp.noteAccess(in, mask, address, in.space, all, AccessKind::Load, scopeOf(in.mode),
                    orderingOf(in.mode));
  };
  auto move = [&](unsigned e, const uint8_t *shared, const uint32_t *offset) {
    const Loc dst = in.elements == 1 ? in.dst : warp.code().locs[in.extra + e];
    if (dst == NoLoc)
      return;
    Reg *to = warp.row<Reg>(dst);
    for (unsigned lane = 0; lane < Lanes; ++lane)
      to[lane] = extend<Mem, Reg>(readElement<Mem>(shared + offset[lane]));
  };
  if (orderingOf(in.mode) == Ordering::Weak && shortWayShared<Mem>(warp, in, mask, notify, move))
    return Flow::Next;
  if (!warp.locate(in, mask, all, false, from))
    return Flow::Faulted;
  if (warp.block->grid->sees(Observer::Accesses))
    note(warp, in, mask, AccessKind::Load, &from);
  if (in.elements == 1) {
    gather<Mem, Reg>(warp, in.dst, from, mask, 0, all);
  } else {
    const Loc *dst = &warp.code().locs[in.extra];
    for (unsigned e = 0; e < in.elements; ++e)
      if (dst[e] != NoLoc)
        gather<Mem, Reg>(warp, dst[e], from, mask, e * sizeof(Mem), all);
  }
  if (const Ordering ordering = orderingOf(in.mode); ordering != Ordering::Weak) {
    ++warp.polls;
    fenceAfter(ordering);
  }
  return Flow::Next;
}

template <class Mem, class Reg> Flow store(Warp &warp, const Inst &in, uint32_t mask) {
  Pointers to;
  const unsigned all = sizeof(Mem) * in.elements;
  auto notify = [&](const uint64_t *address) {
    sharedPointers(*warp.block, address, to);
    noteStore<Mem, Reg>(warp, in, mask, to, address);
  };
  auto move = [&](unsigned e, uint8_t *shared, const uint32_t *offset) {
    const Loc src = in.elements == 1 ? in.b : warp.code().locs[in.extra + e];
    const Reg *from = warp.row<Reg>(src);
    for (unsigned lane = 0; lane < Lanes; ++lane)
      writeElement<Mem>(shared + offset[lane], Mem(from[lane]));
  };
  if (shortWayShared<Mem>(warp, in, mask, notify, move)) {
    ++warp.changes;
    return Flow::Next;
  }
  if (!warp.locate(in, mask, all, true, to))
    return Flow::Faulted;
  if (warp.block->grid->sees(Observer::Accesses))
    noteStore<Mem, Reg>(warp, in, mask, to);
  fenceBefore(orderingOf(in.mode));
  ++warp.changes;
  if (in.elements == 1) {
    scatter<Mem, Reg>(warp, in.b, to, mask, 0, all);
    return Flow::Next;
  }
  const Loc *src = &warp.code().locs[in.extra];
  for (unsigned e = 0; e < in.elements; ++e)
    if (src[e] != NoLoc)
      scatter<Mem, Reg>(warp, src[e], to, mask, e * sizeof(Mem), all);
  return Flow::Next;
}

template <class Mem> HEDDLE_INLINE Flow loadOrGiveUp(Warp &warp, const Inst &in, uint32_t mask) {
  return accessQuickly<Mem, false>(warp, in, mask) ? Flow::Next : load<Mem, Mem>(warp, in, mask);
}
template <class Mem> HEDDLE_INLINE Flow storeOrGiveUp(Warp &warp, const Inst &in, uint32_t mask) {
  if (!accessQuickly<Mem, true>(warp, in, mask))
    return store<Mem, Mem>(warp, in, mask);
  ++warp.changes;
  return Flow::Next;
}
template <class Mem> Flow quickLoad(Warp &warp, const Inst &in, uint32_t mask) {
  return loadOrGiveUp<Mem>(warp, in, mask);
}
template <class Mem> HEDDLE_WIDE Flow quickLoadWide(Warp &warp, const Inst &in, uint32_t mask) {
  return loadOrGiveUp<Mem>(warp, in, mask);
}
template <class Mem> Flow quickStore(Warp &warp, const Inst &in, uint32_t mask) {
  return storeOrGiveUp<Mem>(warp, in, mask);
}
template <class Mem> HEDDLE_WIDE Flow quickStoreWide(Warp &warp, const Inst &in, uint32_t mask) {
  return storeOrGiveUp<Mem>(warp, in, mask);
}

/// ld.param of a kernel at a fixed offset: one value for all lanes, and no check needed, since the offset was
/// checked when the instruction was lowered.
template <class Mem, class Reg> Flow loadParameter(Warp &warp, const Inst &in, uint32_t mask) {
  if (warp.block->grid->sees(Observer::Accesses))
    note(warp, in, mask, AccessKind::Load);
  const uint8_t *from = reinterpret_cast<const uint8_t *>(warp.block->grid->parameters + uint64_t(in.imm));
  for (unsigned e = 0; e < in.elements; ++e) {
    const Loc dst = in.elements == 1 ? in.dst : warp.code().locs[in.extra + e];
    if (dst == NoLoc)
      continue;
    Mem value;
    std::memcpy(&value, from + e * sizeof(Mem), sizeof(Mem));
    Reg *to = warp.row<Reg>(dst);
    const Reg wide = extend<Mem, Reg>(value);
    if (mask == AllLanes)
      HEDDLE_EACH_LANE(lane) to[lane] = wide;
    else
      eachLane(mask, [&](unsigned lane) { to[lane] = wide; });
  }
  return Flow::Next;
}

// --- choosing
// --------------------------------------------------------------------------------------------------

enum class Kind { Load, Store, Parameter };

/// Elements of the size of their registers, which most accesses have.
template <class Mem> Handler pickQuick(Kind kind) {
  return kind == Kind::Load ? HostVersions<Handler>{quickLoad<Mem>, quickLoadWide<Mem>}
                            : HostVersions<Handler>{quickStore<Mem>, quickStoreWide<Mem>};
}

template <class Mem, class Reg> Handler pickKind(Kind kind) {
  switch (kind) {
  case Kind::Load: return load<Mem, Reg>;
  case Kind::Store: return store<Mem, Reg>;
  case Kind::Parameter: return loadParameter<Mem, Reg>;
  }
  return nullptr;
}

template <class Mem> Handler pickRegister(Kind kind, unsigned bits) {
  if (bits == 16)
    if constexpr (sizeof(Mem) <= 2)
      return pickKind<Mem, uint16_t>(kind);
  if (bits == 32)
    if constexpr (sizeof(Mem) <= 4)
      return pickKind<Mem, uint32_t>(kind);
  if (bits == 64)
    if constexpr (sizeof(Mem) <= 8)
      return pickKind<Mem, uint64_t>(kind);
  return nullptr;
}

Handler pick(Kind kind, ptx::Type type, unsigned bits) {
  const bool isSigned = ptx::isSigned(type) && kind != Kind::Store;
  if (kind != Kind::Parameter && bits == 16 && ptx::bytesOf(type) == 2)
    return pickQuick<uint16_t>(kind);
  if (kind != Kind::Parameter && bits == 32 && ptx::bytesOf(type) == 4)
    return pickQuick<uint32_t>(kind);
  if (kind != Kind::Parameter && bits == 64 && ptx::bytesOf(type) == 8)
    return pickQuick<uint64_t>(kind);
  switch (ptx::bytesOf(type)) {
  case 1: return isSigned ? pickRegister<int8_t>(kind, bits) : pickRegister<uint8_t>(kind, bits);
  case 2: return isSigned ? pickRegister<int16_t>(kind, bits) : pickRegister<uint16_t>(kind, bits);
  case 4: return isSigned ? pickRegister<int32_t>(kind, bits) : pickRegister<uint32_t>(kind, bits);
  case 8: return pickRegister<uint64_t>(kind, bits);
  case 16: return bits == 128 ? pickKind<Wide, Wide>(kind) : nullptr;
  default: return nullptr;
  }
}

bool isFixedParameter(Lowering &lo, const ptx::Operand &address, uint32_t bytes) {
  if (!lo.function.isEntry || address.kind != ptx::OperandKind::AddrVar)
    return false;
  const ptx::Variable &v = lo.module.module->variables[address.index];
  return v.space == ptx::Space::Param && !lo.code.paramOffsets.contains(address.index) &&
         address.offset() >= 0 && uint64_t(address.offset()) + bytes <= v.bytes;
}

bool lowerAccess(Lowering &lo, bool isLoad) {
  const ptx::Operand &address = lo.ops[isLoad ? 1 : 0], &value = lo.ops[isLoad ? 0 : 1];
  auto values = lo.elements(value);
  unsigned bits = std::max(16u, ptx::bitsOf(lo.type()));
  for (const ptx::Operand &each : values)
    if (each.isReg())
      bits = lo.width(each);
  const unsigned bytes = ptx::bytesOf(lo.type());
  Kind kind = !isLoad                                                          ? Kind::Store
              : isFixedParameter(lo, address, bytes * unsigned(values.size())) ? Kind::Parameter
                                                                               : Kind::Load;
  Handler handler = pick(kind, lo.type(), bits);
  if (!handler)
    return false;
  std::vector<Loc> locs;
  for (const ptx::Operand &each : values)
    locs.push_back(!isLoad              ? (lo.isWritten(each) ? lo.source(each, bits) : NoLoc)
                   : lo.isWritten(each) ? lo.dest(each)
                                        : NoLoc);
  if (locs.size() == 1 && locs[0] == NoLoc)
    locs[0] = lo.dest(value);
  Inst &in = lo.emit(handler);
  lo.setAddress(in, address, lo.instr->mods.space);
  (isLoad ? in.dst : in.b) = locs[0];
  in.bytes = uint8_t(bytes);
  in.elements = uint8_t(locs.size());
  if (locs.size() > 1)
    in.extra = lo.addLocs(locs);
  Ordering ordering = orderingOf(lo.instr->mods.sem);
  if (lo.has(ptx::Flag::Mmio) || lo.instr->mods.cache == ptx::CacheOp::Cv)
    ordering = Ordering::Volatile;
  in.mode = packMode(ordering, scopeOf(lo.instr->mods.scope));
  return true;
}

Flow nothing(Warp &, const Inst &, uint32_t) { return Flow::Next; }

} // namespace

bool lowerMemory(Lowering &lo) {
  switch (lo.instr->op) {
  case Op::Ld:
  case Op::Ldu: return lowerAccess(lo, true);
  case Op::St: return lowerAccess(lo, false);
  // Caches are not modelled: instructions that only control them have no effect.
  case Op::Prefetch:
  case Op::PrefetchU:
  case Op::Discard:
  case Op::ApplyPriority:
  case Op::CpAsyncBulkPrefetch:
  case Op::SetMaxNReg:
  case Op::PmEvent:
  case Op::Brkpt: lo.emit(nothing); return true;
  case Op::CreatePolicy:
  case Op::CreatePolicyRange: {
    Loc zero = lo.constant(0, 64), dst = lo.dest(lo.ops[0]);
    Inst &in = lo.emit(perLane<Light, [](uint64_t a) { return a; }, uint64_t, uint64_t>);
    in.dst = dst, in.a = zero;
    return true;
  }
  default: return false;
  }
}

} // namespace heddle::vm
