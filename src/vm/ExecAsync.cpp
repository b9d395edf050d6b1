// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous copies (PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy").
//
// A copy is not executed when it is issued: cp.async is executed when its group is waited for, a bulk copy to
// shared memory when a thread accesses its mbarrier (or the warp's slice ends), one to global memory when its
// bulk group is waited for. A program that does not wait therefore sees old data here, as it may on a device.
// Addresses are checked at issue, where the mistake is.
#include "vm/Exec.h"
#include "vm/Grid.h"
#include "vm/Mbarrier.h"

#include <algorithm>
#include <cstring>

namespace heddle::vm {
namespace {

using Kind = AsyncEvent::Kind;
using ptx::Op;

struct Ends {
  MemorySpace to, from;
};

void note(Warp &warp, const Inst &in, AsyncEvent event) {
  if (warp.block->grid->sees(Observer::Synchronization))
    warp.block->grid->observer->async(warp.ref(), warp.siteOf(in), event);
}

// --- cp.async
// --------------------------------------------------------------------------------------------------

/// a: rows of shared addresses, b: of global ones; c: bytes to read or NoLoc; d: ignore-source predicate or
/// NoLoc.
Flow copyAsync(Warp &warp, const Inst &in, uint32_t mask) {
  const uint64_t *to = warp.row<uint64_t>(in.a), *from = warp.row<uint64_t>(in.b);
  Pointers target, source;
  if (!warp.locateAt(in, mask, to, MemorySpace::Shared, in.bytes, in.bytes, true, target))
    return Flow::Faulted;
  const uint32_t ignored = in.d == NoLoc ? 0 : warp.pred(in.d);
  uint32_t reading = 0;
  eachLane(mask, [&](unsigned lane) {
    const uint32_t wanted = in.c == NoLoc ? in.bytes : warp.row<uint32_t>(in.c)[lane];
    reading |= uint32_t(wanted != 0 && !(ignored >> lane & 1)) << lane;
  });
  // An address that is not read need not be valid: edges of tiles are copied with a length of zero.
  for (uint32_t left = reading; left; left &= left - 1) {
    const unsigned lane = firstLane(left);
    const uint32_t wanted =
        in.c == NoLoc ? in.bytes : std::min<uint32_t>(in.bytes, warp.row<uint32_t>(in.c)[lane]);
    if (!warp.locateAt(in, 1u << lane, from, in.space, wanted, in.c == NoLoc ? in.bytes : 1, false, source))
      return Flow::Faulted;
  }
  eachLane(mask, [&](unsigned lane) {
    PendingCopy copy;
    copy.to = target.at[lane];
    copy.bytes = in.bytes;
    copy.lane = uint8_t(lane);
    copy.group = warp.copyGroup[lane];
    if (reading >> lane & 1) {
      copy.from = reinterpret_cast<const uint8_t *>(from[lane]);
      copy.fromBytes =
          uint8_t(in.c == NoLoc ? in.bytes : std::min<uint32_t>(in.bytes, warp.row<uint32_t>(in.c)[lane]));
    }
    warp.copies.push_back(copy);
  });
  AsyncEvent event{Kind::Issue, AsyncEvent::Copy::CpAsync, mask, in.bytes, from, to};
  event.reading = reading;
  note(warp, in, event);
  return Flow::Next;
}

Flow commitGroup(Warp &warp, const Inst &in, uint32_t mask) {
  eachLane(mask, [&](unsigned lane) { ++warp.copyGroup[lane]; });
  note(warp, in, {Kind::Commit, AsyncEvent::Copy::CpAsync, mask});
  return Flow::Next;
}

/// imm: groups that may stay pending; -1: none, not even copies that were not committed.
Flow waitGroup(Warp &warp, const Inst &in, uint32_t mask) {
  eachLane(mask, [&](unsigned lane) {
    if (in.imm < 0)
      ++warp.copyGroup[lane];
    warp.finishCopies(lane, in.imm < 0 ? 0 : uint32_t(in.imm));
  });
  AsyncEvent event{Kind::Wait, AsyncEvent::Copy::CpAsync, mask};
  event.groupsLeft = in.imm < 0 ? AsyncEvent::EvenUncommitted : uint32_t(in.imm);
  note(warp, in, event);
  return Flow::Next;
}

/// The arrival follows the completion of all copies that this thread has issued; here both happen now.
Flow arriveOnCopies(Warp &warp, const Inst &in, uint32_t mask) {
  uint64_t offset[Lanes];
  warp.addresses(in, offset);
  Pointers pointers;
  if (!warp.locateAt(in, mask, offset, in.space, 8, 8, true, pointers))
    return Flow::Faulted;
  for (uint32_t left = mask; left; left &= left - 1) {
    const unsigned lane = firstLane(left);
    ++warp.copyGroup[lane];
    warp.finishCopies(lane, 0);
    const uint64_t mbarrier = uint64_t(pointers.at[lane] - warp.block->shared);
    AsyncEvent event{Kind::ArriveOn, AsyncEvent::Copy::CpAsync, 1u << lane};
    event.mbarrier = uint32_t(mbarrier);
    note(warp, in, event);
    if (!arriveOn(warp, in, lane, mbarrier, 1, in.mode))
      return Flow::Faulted;
  }
  return Flow::Next;
}

// --- cp.async.bulk
// ---------------------------------------------------------------------------------------------

constexpr uint32_t BulkUnit = 16;

bool checkBulkSize(Warp &warp, const Inst &in, unsigned lane, uint32_t bytes) {
  if (bytes % BulkUnit == 0)
    return true;
  warp.fault(in, 1u << lane, FaultKind::Misaligned,
             fmt::format("bulk copy of {} bytes: the size must be a multiple of {}", bytes, BulkUnit));
  return false;
}

/// The blocks that a copy goes to: that of the target address, or (.multicast::cluster) those whose rank the mask names.
/// Empty, with a fault, if one of them does not exist.
std::vector<Block *> bulkTargets(Warp &warp, const Inst &in, unsigned lane, uint64_t to, uint64_t mbarrier) {
  const uint32_t one = 1u << lane;
  if (!in.mode) {
    Block *home = warp.block->homeOf(to);
    if (home == warp.block->homeOf(mbarrier))
      return {home};
    warp.fault(in, one, FaultKind::MbarrierMisuse,
               "bulk copy to one block of the cluster with the mbarrier of another");
    return {};
  }
  std::vector<Block *> targets;
  const uint32_t ranks = warp.row<uint16_t>(in.extra)[lane];
  for (uint32_t left = ranks; left; left &= left - 1) {
    const unsigned rank = firstLane(left);
    Block *target = warp.block->cluster->living(rank);
    if (!target) {
      warp.fault(in, one, FaultKind::MbarrierMisuse,
                 fmt::format("bulk copy with multicast to block {} of the cluster, which {}", rank,
                             rank < warp.block->cluster->blocks.size() ? "has exited" : "has no such block"));
      return {};
    }
    targets.push_back(target);
  }
  return targets;
}

/// Global (or shared) to shared memory; a: to, b: from, c: bytes, d: mbarrier, all shared ones as offsets. In every
/// target block the bytes and the mbarrier are at the same offset.
Flow bulkIn(Warp &warp, const Inst &in, uint32_t mask) {
  const uint64_t *to = warp.row<uint64_t>(in.a), *from = warp.row<uint64_t>(in.b),
                 *bar = warp.row<uint64_t>(in.d);
  const uint32_t *bytes = warp.row<uint32_t>(in.c);
  for (uint32_t left = mask; left; left &= left - 1) {
    const unsigned lane = firstLane(left);
    const uint32_t one = 1u << lane, size = bytes[lane];
    Pointers target, source, barrier;
    if (!checkBulkSize(warp, in, lane, size) ||
        !warp.locateAt(in, one, bar, MemorySpace::Shared, 8, 8, true, barrier))
      return Flow::Faulted;
    if (size == 0)
      continue;
    if (!warp.locateAt(in, one, to, MemorySpace::Shared, size, BulkUnit, true, target) ||
        !warp.locateAt(in, one, from, in.space, size, BulkUnit, false, source))
      return Flow::Faulted;
    const std::vector<Block *> homes = bulkTargets(warp, in, lane, to[lane], bar[lane]);
    if (homes.empty() && warp.block->fault)
      return Flow::Faulted;
    for (Block *home : homes) {
      PendingArrival arrival;
      arrival.to = uint32_t(to[lane] & SharedOffset);
      arrival.bytes.assign(source.at[lane], source.at[lane] + size);
      arrival.mbarrier = uint32_t(bar[lane] & SharedOffset);
      arrival.warp = warp.index, arrival.lane = lane;
      arrival.fromElsewhere = home != warp.block;
      arrival.inst = &in;
      arrival.code = &warp.code();
      home->arrivals.push_back(std::move(arrival));
      AsyncEvent event{Kind::Issue, AsyncEvent::Copy::Bulk, one, size, from, to};
      event.fromSpace = in.space == MemorySpace::Shared ? Space::Shared : Space::Global;
      event.mbarrier = uint32_t(bar[lane]);
      if (home == warp.block)
        note(warp, in, event);
    }
  }
  ++warp.changes;
  return Flow::Next;
}

/// Shared to global memory, in the bulk group of its thread.
Flow bulkOut(Warp &warp, const Inst &in, uint32_t mask) {
  const uint64_t *to = warp.row<uint64_t>(in.a), *from = warp.row<uint64_t>(in.b);
  const uint32_t *bytes = warp.row<uint32_t>(in.c);
  for (uint32_t left = mask; left; left &= left - 1) {
    const unsigned lane = firstLane(left);
    const uint32_t one = 1u << lane, size = bytes[lane];
    Pointers target, source;
    if (!checkBulkSize(warp, in, lane, size))
      return Flow::Faulted;
    if (size == 0)
      continue;
    if (!warp.locateAt(in, one, from, MemorySpace::Shared, size, BulkUnit, false, source) ||
        !warp.locateAt(in, one, to, in.space, size, BulkUnit, true, target))
      return Flow::Faulted;
    warp.bulks.push_back({to[lane], uint32_t(from[lane]), size, lane, warp.bulkGroup[lane]});
    AsyncEvent event{Kind::Issue, AsyncEvent::Copy::Bulk, one, size, from, to};
    event.fromSpace = Space::Shared, event.toSpace = Space::Global;
    note(warp, in, event);
  }
  return Flow::Next;
}

Flow commitBulk(Warp &warp, const Inst &in, uint32_t mask) {
  eachLane(mask, [&](unsigned lane) { ++warp.bulkGroup[lane]; });
  note(warp, in, {Kind::Commit, AsyncEvent::Copy::Bulk, mask});
  return Flow::Next;
}

Flow waitBulk(Warp &warp, const Inst &in, uint32_t mask) {
  eachLane(mask, [&](unsigned lane) { warp.finishBulks(lane, uint32_t(in.imm)); });
  ++warp.changes;
  AsyncEvent event{Kind::Wait, AsyncEvent::Copy::Bulk, mask};
  event.groupsLeft = uint32_t(in.imm);
  event.sourceOnly = in.mode;
  note(warp, in, event);
  return Flow::Next;
}

// --- lowering
// --------------------------------------------------------------------------------------------------

MemorySpace globalOrGeneric(ptx::Space space) {
  return space == ptx::Space::Global ? MemorySpace::Global
         : space == ptx::Space::None ? MemorySpace::Generic
                                     : MemorySpace::Shared;
}

bool lowerCopyAsync(Lowering &lo) {
  Loc to = lo.addressRow(lo.ops[0], ptx::Space::Shared), from = lo.addressRow(lo.ops[1], ptx::Space::Global);
  Loc bytes = NoLoc, ignore = NoLoc;
  for (size_t i = 3; i < lo.ops.size(); ++i) {
    const unsigned width = lo.width(lo.ops[i]);
    if (width == 64)
      continue; // a cache policy
    (width == 1 ? ignore : bytes) = lo.source(lo.ops[i], width == 1 ? 1 : 32);
  }
  Inst &in = lo.emit(copyAsync);
  in.a = to, in.b = from, in.c = bytes, in.d = ignore;
  in.bytes = uint8_t(lo.ops[2].value);
  in.space = MemorySpace::Global;
  return true;
}

bool lowerBulk(Lowering &lo) {
  const ptx::Space to = lo.instr->mods.space, from = lo.instr->mods.space2;
  const bool outward = to == ptx::Space::Global;
  const bool multicasts = lo.has(ptx::Flag::Multicast);
  if (lo.has(ptx::Flag::CpMask))
    return lo.unsupported("bulk copies with a byte mask are not supported");
  if (!outward && (lo.ops.size() < 4u + multicasts || !lo.ops[3].isAddress()))
    return false;
  if (multicasts && (outward || (!lo.ops[4].isImm() && lo.width(lo.ops[4]) != 16)))
    return lo.unsupported("a multicast needs a 16-bit mask of blocks and goes to shared memory");
  Loc a = lo.addressRow(lo.ops[0], to), b = lo.addressRow(lo.ops[1], from), c = lo.source(lo.ops[2], 32);
  Loc d = outward ? NoLoc : lo.addressRow(lo.ops[3], ptx::Space::Shared);
  Loc ranks = multicasts ? lo.source(lo.ops[4], 16) : NoLoc;
  Inst &in = lo.emit(outward ? bulkOut : bulkIn);
  in.a = a, in.b = b, in.c = c, in.d = d;
  in.extra = ranks;
  in.mode = multicasts;
  in.space = globalOrGeneric(outward ? to : from);
  return true;
}

} // namespace

void Warp::finishCopies(unsigned lane, uint32_t groupsLeft) {
  const uint32_t done = copyGroup[lane] - std::min(copyGroup[lane], groupsLeft);
  std::erase_if(copies, [&](const PendingCopy &copy) {
    if (copy.lane != lane || copy.group >= done)
      return false;
    if (copy.fromBytes)
      std::memcpy(copy.to, copy.from, copy.fromBytes);
    std::memset(copy.to + copy.fromBytes, 0, size_t(copy.bytes - copy.fromBytes));
    return true;
  });
}

void Warp::finishBulks(unsigned lane, uint32_t groupsLeft) {
  const uint32_t done = bulkGroup[lane] - std::min(bulkGroup[lane], groupsLeft);
  std::erase_if(bulks, [&](const PendingBulk &bulk) {
    if (bulk.lane != lane || bulk.group >= done)
      return false;
    std::memcpy(reinterpret_cast<void *>(bulk.to), block->shared + bulk.from, bulk.bytes);
    return true;
  });
}

bool lowerAsync(Lowering &lo) {
  switch (lo.instr->op) {
  case Op::CpAsync: return lowerCopyAsync(lo);
  case Op::CpAsyncCommitGroup: lo.emit(commitGroup); return true;
  case Op::CpAsyncWaitGroup: lo.emit(waitGroup).imm = int64_t(lo.ops[0].value); return true;
  case Op::CpAsyncWaitAll: lo.emit(waitGroup).imm = -1; return true;
  case Op::CpAsyncMbarrierArrive: {
    Inst &in = lo.emit(arriveOnCopies);
    lo.setAddress(in, lo.ops[0], lo.instr->mods.space);
    in.mode = !lo.has(ptx::Flag::NoInc);
    return true;
  }
  case Op::CpAsyncBulk: return lowerBulk(lo);
  case Op::CpAsyncBulkCommitGroup: lo.emit(commitBulk); return true;
  case Op::CpAsyncBulkWaitGroup: {
    Inst &in = lo.emit(waitBulk);
    in.imm = int64_t(lo.ops[0].value);
    in.mode = lo.has(ptx::Flag::Read);
    return true;
  }
  default: return false;
  }
}

} // namespace heddle::vm
