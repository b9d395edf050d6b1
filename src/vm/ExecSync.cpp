// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bar and barrier in all forms, barrier.cluster, membar and fence.
#include "vm/Access.h"
#include "vm/Exec.h"
#include "vm/Grid.h"

namespace heddle::vm {
namespace {

using ptx::Op;
using Kind = BarrierEvent::Kind;

enum Flags : uint8_t { Waits = 1, Aligned = 2, Reduces = 4 };

/// a: barrier number, b: thread count or NoLoc, c: predicate of bar.red; elements: Flags; mode: the
/// reduction.
Flow barrier(Warp &warp, const Inst &in, uint32_t mask) {
  const uint32_t *numbers = warp.row<uint32_t>(in.a);
  const uint32_t number = numbers[firstLane(mask)];
  if (number >= HardwareBarriers)
    return warp.misused(in, mask, Misuse::BarrierNumber,
                        fmt::format("barrier {} does not exist: a block has {}", number, HardwareBarriers));
  uint32_t differences = 0;
  HEDDLE_EACH_LANE(lane) differences |= numbers[lane] ^ number;
  uint32_t group = mask;
  if (differences) [[unlikely]]
    eachLane(mask, [&](unsigned lane) { group &= ~(uint32_t(numbers[lane] != number) << lane); });
  if (group != mask) { // the other lanes name another barrier: they arrive at it separately
    warp.flush(&in);
    warp.separate(in, mask & ~group, warp.code().pcOf(in));
    warp.segment = &in;
  }
  const uint32_t expected = in.b == NoLoc ? 0 : warp.uniform32(in.b, group);
  const uint32_t votes = in.elements & Reduces ? warp.pred(in.c) : 0;
  const bool waits = in.elements & Waits;
  const Kind kind = in.elements & Reduces ? Kind::Reduce : waits ? Kind::Sync : Kind::Arrive;
  Flow flow =
      warp.block->reachBarrier(warp, in, group, number, expected, waits, in.elements & Aligned, kind, votes);
  if (group == mask || flow != Flow::Next)
    return flow;
  warp.flush(&in);
  warp.now().jump(in, warp.code().pcOf(in) + 1);
  return Flow::Reschedule;
}

uint16_t reductionOf(ptx::BoolOp op) { return op == ptx::BoolOp::And ? 1 : op == ptx::BoolOp::Or ? 2 : 0; }

bool lowerBarrier(Lowering &lo, uint8_t flags) {
  const bool reduces = flags & Reduces;
  // bar.red: d, a, [b,] p
  const size_t first = reduces ? 1 : 0, count = lo.ops.size() - first;
  const bool hasCount = count > (reduces ? 2u : 1u);
  Loc number = lo.source(lo.ops[first], 32);
  Loc expected = hasCount ? lo.source(lo.ops[first + 1], 32) : NoLoc;
  Loc pred = reduces ? lo.source(lo.ops.back(), 1) : NoLoc, dst = reduces ? lo.dest(lo.ops[0]) : NoLoc;
  Inst &in = lo.emit(barrier);
  in.a = number, in.b = expected, in.c = pred, in.dst = dst;
  in.elements = flags;
  in.mode = reductionOf(lo.instr->mods.boolOp);
  const bool isFirst = lo.ops[first].kind == ptx::OperandKind::Imm && lo.ops[first].value == 0;
  if ((flags & Waits) && !reduces && !hasCount && isFirst)
    in.step = Step::Barrier;
  return true;
}

// --- clusters
// --------------------------------------------------------------------------------------------------

// Each block counts its own threads at the barrier of the cluster; the cluster releases all when every block
// is complete (Cluster.cpp).

Flow clusterArrive(Warp &warp, const Inst &in, uint32_t mask) {
  const uint64_t generation = warp.block->barriers[ClusterBarrier].generation;
  eachLane(mask, [&](unsigned lane) { warp.clusterGeneration[lane] = generation; });
  return warp.block->reachBarrier(warp, in, mask, ClusterBarrier, 0, false, in.elements & Aligned,
                                  Kind::Arrive, 0);
}

Flow clusterWait(Warp &warp, const Inst &in, uint32_t mask) {
  const uint64_t generation = warp.block->barriers[ClusterBarrier].generation;
  uint32_t early = 0;
  eachLane(mask,
           [&](unsigned lane) { early |= uint32_t(warp.clusterGeneration[lane] >= generation) << lane; });
  if (!early)
    return Flow::Next;
  warp.flush(&in);
  warp.segment = &in + 1;
  if (uint32_t passing = warp.now().mask & ~early)
    warp.separate(in, passing, warp.code().pcOf(in) + 1);
  warp.park(in, SplitState::AtBarrier);
  warp.now().barrier = ClusterBarrier;
  return Flow::Parked;
}

// --- fences
// ----------------------------------------------------------------------------------------------------

Flow fence(Warp &warp, const Inst &in, uint32_t mask) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (warp.block->grid->sees(Observer::Synchronization))
    warp.block->grid->observer->fence(warp.ref(), warp.siteOf(in),
                                      {mask, scopeOf(in.mode), orderingOf(in.mode), in.elements != 0});
  return Flow::Next;
}

bool lowerFence(Lowering &lo, bool proxy) {
  Inst &in = lo.emit(fence);
  Ordering ordering = orderingOf(lo.instr->mods.sem);
  // membar is fence.sc of its scope; fence without .sem is acq_rel.
  if (ordering == Ordering::Weak)
    ordering = lo.instr->op == Op::Membar ? Ordering::Sequential : Ordering::AcquireRelease;
  in.mode = packMode(ordering, scopeOf(lo.instr->mods.scope));
  in.elements = proxy;
  return true;
}

} // namespace

bool lowerSync(Lowering &lo) {
  const uint8_t aligned = lo.has(ptx::Flag::Aligned) ? Aligned : 0;
  switch (lo.instr->op) {
  case Op::BarSync:
  case Op::BarCtaSync: return lowerBarrier(lo, Waits | Aligned);
  case Op::BarArrive:
  case Op::BarCtaArrive: return lowerBarrier(lo, Aligned);
  case Op::BarRed:
  case Op::BarCtaRed: return lowerBarrier(lo, Waits | Aligned | Reduces);
  case Op::BarrierSync:
  case Op::BarrierCtaSync: return lowerBarrier(lo, Waits | aligned);
  case Op::BarrierArrive:
  case Op::BarrierCtaArrive: return lowerBarrier(lo, aligned);
  case Op::BarrierRed:
  case Op::BarrierCtaRed: return lowerBarrier(lo, Waits | Reduces | aligned);
  case Op::BarrierClusterArrive: lo.emit(clusterArrive).elements = aligned; return true;
  case Op::BarrierClusterWait: lo.emit(clusterWait); return true;
  case Op::Fence:
  case Op::Membar:
  case Op::FenceMbarrierInit: return lowerFence(lo, false);
  case Op::FenceProxy:
  case Op::MembarProxy: return lowerFence(lo, true);
  default: return false;
  }
}

} // namespace heddle::vm
