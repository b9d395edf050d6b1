// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop that executes instructions. It runs one split until it is parked, ends, or another split must run
// first; Splits.cpp determines which is next.
#include "vm/Warp.h"

#include "vm/Block.h"
#include "vm/Engine.h"
#include "vm/Grid.h"
#include "vm/Steering.h"

#include <algorithm>
#include <cstring>

namespace heddle::vm {
namespace {

uint8_t *alignedRows(uint8_t *p) { return reinterpret_cast<uint8_t *>((uintptr_t(p) + 63) & ~uintptr_t(63)); }

template <class T> void fillRow(uint8_t *at, T value) {
  std::fill_n(reinterpret_cast<T *>(at), Lanes, value);
}

} // namespace

// --- starting
// --------------------------------------------------------------------------------------------------

void Warp::start(Block &owner, unsigned warpIndex, uint32_t lanes) {
  block = &owner;
  index = warpIndex;
  present = lanes;
  exited = polls = changes = carry = 0;
  mayHaveOtherRows = false;
  splitCount = 1;
  current = 0;
  splits[0].mask = lanes;
  splits[0].state = SplitState::Ready;
  splits[0].idle = splits[0].deferred = false;
  hasBegun = false;
  if (specialRows.empty()) // a warp is used again for the same position in other blocks of its launch only
    fillSpecials();
  if (Steering *steering = owner.grid->request.steering) {
    begin(rootFrame());
    steering->warpBegins(*this);
  }
}

/// A frame for the kernel itself; all others are idle.
Frame *Warp::rootFrame() {
  const Code &entry = block->grid->kernel.entry();
  if (unusedRoot && entry.zeroed.empty() && unusedRoot->live == present)
    return unusedRoot;
  idleFrames.clear();
  for (auto &frame : frames)
    idleFrames.push_back(frame.get());
  return pushFrame(entry, nullptr, present);
}

/// What a warp needs that does not just run to its end in compiled code.
void Warp::begin(Frame *root) {
  const Code &entry = *root->code;
  hasBegun = true;
  unusedRoot = nullptr;
  const std::vector<SpecialRow> &specials = block->grid->kernel.specials;
  for (size_t i = 0; i < specials.size(); ++i)
    if (const SpecialRow &special = specials[i]; dependsOnBlock(special.reg))
      fillRow<uint32_t>(base[2] + special.offset, block->specials[i]);
  awaited = nullptr;
  copies.clear();
  bulks.clear();
  copyGroup.fill(0);
  bulkGroup.fill(0);
  localStride = (entry.localBytes + 15) & ~15u;
  // What a thread reads from its stack before writing must not depend on which block ran here before.
  local.assign(size_t(localStride) * Lanes, 0);
  splits[0] = {};
  splits[0].mask = present;
  splits[0].frame = root;
  splits[0].pc = entry.entryPc;
  splits[0].checkAt = FirstLook;
  useFrame(root);
}

void Warp::useFrame(Frame *frame) {
  base[0] = frame->regs;
  base[1] = const_cast<uint8_t *>(alignedRows(const_cast<uint8_t *>(frame->code->constants.data())));
}

Frame *Warp::pushFrame(const Code &callee, Frame *caller, uint32_t mask) {
  Frame *frame = nullptr;
  for (size_t i = 0; i < idleFrames.size() && !frame; ++i)
    if (idleFrames[i]->storageBytes >= callee.frameBytes) {
      frame = idleFrames[i];
      idleFrames.erase(idleFrames.begin() + long(i));
    }
  if (!frame) {
    frame = frames.emplace_back(std::make_unique<Frame>()).get();
    frame->storageBytes = callee.frameBytes;
    frame->storage = std::make_unique<uint8_t[]>(callee.frameBytes + 64);
    frame->regs = alignedRows(frame->storage.get());
  }
  frame->code = &callee;
  frame->caller = caller;
  frame->call = nullptr;
  frame->site = nullptr;
  frame->live = mask;
  frame->localBase = caller ? (caller->localTop + 15) & ~15u : 0;
  frame->localTop = frame->localBase + callee.localBytes;
  frame->depth = caller ? caller->depth + 1 : 0;
  for (auto [offset, bytes] : callee.zeroed)
    std::memset(frame->regs + offset, 0, bytes);
  return frame;
}

void Warp::dropFrame(Frame *frame) { idleFrames.push_back(frame); }

void Warp::fillSpecials() {
  using enum ptx::SpecialReg;
  const Grid &grid = *block->grid;
  specialRows.resize(grid.kernel.specialBytes + 64);
  base[2] = alignedRows(specialRows.data());
  const Dim3 &size = grid.request.block, &blocks = grid.request.grid;
  const Dim3 &cluster = grid.cluster;
  const unsigned warps = unsigned(block->warps.size());
  const uint64_t sharedBytes = block->sharedBytes;
  for (const SpecialRow &special : grid.kernel.specials) {
    if (dependsOnBlock(special.reg)) // Warp::begin
      continue;
    uint8_t *at = base[2] + special.offset;
    uint32_t *row = reinterpret_cast<uint32_t *>(at);
    uint64_t value = 0;
    auto perLane = [&](auto f) {
      for (unsigned lane = 0; lane < Lanes; ++lane)
        row[lane] = f(lane, index * Lanes + lane);
    };
    switch (special.reg) {
    case TidX: perLane([&](unsigned, uint32_t t) { return t % size.x; }); continue;
    case TidY: perLane([&](unsigned, uint32_t t) { return t / size.x % size.y; }); continue;
    case TidZ: perLane([&](unsigned, uint32_t t) { return t / size.x / size.y; }); continue;
    case LaneId: perLane([](unsigned lane, uint32_t) { return lane; }); continue;
    case LaneMaskEq: perLane([](unsigned lane, uint32_t) { return 1u << lane; }); continue;
    case LaneMaskLt: perLane([](unsigned lane, uint32_t) { return (1u << lane) - 1; }); continue;
    case LaneMaskLe: perLane([](unsigned lane, uint32_t) { return (2u << lane) - 1; }); continue;
    case LaneMaskGt: perLane([](unsigned lane, uint32_t) { return ~((2u << lane) - 1); }); continue;
    case LaneMaskGe: perLane([](unsigned lane, uint32_t) { return ~((1u << lane) - 1); }); continue;
    case NTidX: value = size.x; break;
    case NTidY: value = size.y; break;
    case NTidZ: value = size.z; break;
    case NCtaIdX: value = blocks.x; break;
    case NCtaIdY: value = blocks.y; break;
    case NCtaIdZ: value = blocks.z; break;
    case NClusterIdX: value = blocks.x / cluster.x; break;
    case NClusterIdY: value = blocks.y / cluster.y; break;
    case NClusterIdZ: value = blocks.z / cluster.z; break;
    case ClusterNCtaIdX: value = cluster.x; break;
    case ClusterNCtaIdY: value = cluster.y; break;
    case ClusterNCtaIdZ: value = cluster.z; break;
    case ClusterNCtaRank: value = cluster.count(); break;
    case IsExplicitCluster: value = grid.isExplicitCluster() ? AllLanes : 0; break;
    case WarpId: value = index; break;
    case NWarpId: value = warps; break;
    case WarpSize: value = Lanes; break;
    case NSmId: value = grid.limits.multiprocessors; break;
    case GridId: value = grid.number; break;
    case TotalSmemSize:
    case AggrSmemSize: value = grid.kernel.dynamicSharedOffset + grid.request.dynamicSharedBytes; break;
    case DynamicSmemSize: value = grid.request.dynamicSharedBytes; break;
    case ReservedSmemBegin:
    case ReservedSmem0:
    case ReservedSmem1: value = block->reservedShared; break;
    case ReservedSmemEnd:
    case ReservedSmemCap: value = sharedBytes; break;
    case EnvReg1: value = grid.gridWorkspace >> 32; break;
    case EnvReg2: value = uint32_t(grid.gridWorkspace); break;
    default: break;
    }
    special.wide ? fillRow<uint64_t>(at, value) : fillRow<uint32_t>(at, uint32_t(value));
  }
}

// --- running
// ---------------------------------------------------------------------------------------------------

void Warp::flush(const Inst *last) {
  uint64_t n = last->ordinal - segment->ordinal + last->counts;
  block->warpInstructions += n;
  block->threadInstructions += n * countLanes(now().mask);
}

void Warp::noteBlock(const Inst &leader) {
  const Grid &grid = *block->grid;
  grid.observer->codeBlock(ref(), grid.kernel.codeBlocks[code().codeBlock[code().pcOf(leader)]], now().mask);
}

template <Warp::Watch W> Flow Warp::run(uint32_t &budget) {
  Split &split = now();
  useFrame(split.frame);
  const Inst *insts = split.frame->code->insts.data();
  const Inst *ip = insts + split.pc;
  segment = ip;
  for (;;) {
    Flow flow;
    if constexpr (W == Watch::Steering) {
      flow = block->grid->request.steering->step(*this, *ip);
    } else {
      uint32_t mask = split.mask;
      if (ip->guard != NoLoc) {
        uint32_t holds = *reinterpret_cast<const uint32_t *>(base[0] + ip->guard);
        mask &= ip->guardNegated ? ~holds : holds;
      }
      if constexpr (W == Watch::Observer) {
        if (ip != awaited) {
          if (ip->leader && block->grid->sees(Observer::CodeBlocks))
            noteBlock(*ip);
          if (ip->counts && block->grid->sees(Observer::Instructions))
            block->grid->observer->instruction(ref(), siteOf(*ip), mask);
        }
        awaited = nullptr;
      }
      flow = mask ? ip->run(*this, *ip, mask) : Flow::Next;
    }
    if (flow == Flow::Next) {
      ++ip;
      if (ip->leader && splitCount > 1) [[unlikely]] {
        split.jump(ip[-1], uint32_t(ip - insts));
        if (mustReschedule()) {
          flush(ip - 1);
          return Flow::Reschedule;
        }
      }
      continue;
    }
    if (flow != Flow::Jumped) {
      // Handlers that park, split or end lanes have counted already, while the mask was still complete.
      if (flow == Flow::Yield || flow == Flow::Faulted)
        flush(ip);
      if (flow == Flow::AwaitOrder) {
        awaited = ip;
        if (ip != segment)
          flush(ip - 1);
      }
      return flow;
    }
    flush(ip);
    const Inst *target = insts + split.pc;
    uint32_t spent = uint32_t(ip - segment) + 1;
    const bool backward = target->order <= ip->order;
    segment = ip = target;
    if (backward && ++split.backEdges >= split.checkAt && considerSpin(split))
      return Flow::Yield;
    if (spent >= budget) {
      budget = 0;
      return Flow::Yield;
    }
    budget -= spent;
    if (splitCount > 1 && mustReschedule())
      return Flow::Reschedule;
  }
}

SliceEnd Warp::slice(uint32_t budget, CompiledStart &start, std::optional<EnteredCode> entered) {
  if (!hasBegun) {
    entered = enterFromStart(start, budget);
    if (splitCount == 0)
      return SliceEnd::Done;
  }
  for (unsigned i = 0; i < splitCount; ++i)
    splits[i].deferred = splits[i].idle = false;
  const bool observed =
      block->grid->observer && block->grid->interests & (Observer::Instructions | Observer::CodeBlocks);
  for (;;) {
    if (!entered && !pick())
      break;
    const Code &ran = code();
    noteExecuted(ran);
    const CompiledCode *compiled = compiledFor(ran, *block->grid);
    const uint64_t before = block->warpInstructions;
    const bool forAllLanes = now().mask == AllLanes;
    Flow flow = compiled                        ? runCompiled(*compiled, std::exchange(entered, {}), budget)
                : block->grid->request.steering ? run<Watch::Steering>(budget)
                : observed                      ? run<Watch::Observer>(budget)
                                                : run<Watch::Nobody>(budget);
    if (!compiled) {
      noteInterpreted(ran, *block->grid, block->warpInstructions - before, forAllLanes);
      mayHaveOtherRows |= block->grid->compilesHot; // nobody looked whether an index wraps around
    }
    if (flow == Flow::Faulted)
      return SliceEnd::Faulted;
    if (flow == Flow::AwaitOrder)
      return SliceEnd::AwaitOrder;
    if (budget == 0)
      return SliceEnd::Budget;
    // Parks, calls and warp-level synchronization use budget too; otherwise two splits could occupy the core forever.
    --budget;
  }
  if (splitCount == 0)
    return SliceEnd::Done;
  bool ready = false, idle = true;
  for (unsigned i = 0; i < splitCount; ++i)
    if (splits[i].state == SplitState::Ready) {
      ready = true;
      idle &= splits[i].idle;
    }
  return !ready ? SliceEnd::Blocked : idle ? SliceEnd::Idle : SliceEnd::Deferred;
}

} // namespace heddle::vm
