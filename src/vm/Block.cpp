// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scheduling the warps of a block.
//
// One core of the host runs a block at a time. The warps of the block run one after the other, each for a quantum
// of instructions, or until it ends, waits at a barrier or only polls:
//
// 1. In a round each warp runs one slice. A slice that executed its quantum, or ended for another reason than
//    polling, made progress ("moved").
// 2. If nothing moved and no warp polls, either a warp that ran late released an earlier one (another round),
//    or the block waits for its cluster (Stalled), or all warps wait for each other: a deadlock, reported as
//    a fault.
// 3. If warps only poll, they run for some more rounds, because another warp's next step may change what they
//    poll; then the core runs other blocks (Stalled). `idleEvidence` records that nothing in this block
//    changed memory meanwhile: if that is true of all blocks, the grid is in a deadlock.
// 4. Bulk copies are written to shared memory between slices, and complete their mbarriers then.
//
// With a seed, the first warp of a round and the lengths of slices are random, so that a program is run under
// many interleavings; the same seed produces the same schedule. A warp that polls always runs whole quanta: if
// its slices were cut short, they would count as progress, and a deadlock would never be detected. Time is not
// modelled: the order of warps is fair, but not that of the hardware.
#include "vm/Block.h"

#include "vm/Cluster.h"
#include "vm/CompiledEvents.h"
#include "vm/Grid.h"
#include "vm/Mbarrier.h"

#include <algorithm>
#include <cstring>

namespace heddle::vm {
namespace {

// Rounds over the warps between two checks whether the launch should stop.
constexpr unsigned RoundsPerLook = 64;
// Runs of blocks between two looks at the clock.
constexpr unsigned RunsPerClock = 16;
// Rounds in which warps only polled, before other blocks get the core.
constexpr unsigned EnoughStall = 64;

// Bytes of a block's shared memory that the driver reserves for cooperative groups.
constexpr uint32_t ReservedSharedBytes = 1024;

uint64_t nextRandom(uint64_t &state) {
  state += 0x9e3779b97f4a7c15u;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

} // namespace

void Block::findSpecials() {
  using enum ptx::SpecialReg;
  const std::vector<SpecialRow> &rows = grid->kernel.specials;
  const Dim3 &size = grid->cluster;
  specials.resize(rows.size());
  for (size_t i = 0; i < rows.size(); ++i)
    switch (rows[i].reg) {
    case CtaIdX: specials[i] = id.x; break;
    case CtaIdY: specials[i] = id.y; break;
    case CtaIdZ: specials[i] = id.z; break;
    case ClusterIdX: specials[i] = id.x / size.x; break;
    case ClusterIdY: specials[i] = id.y / size.y; break;
    case ClusterIdZ: specials[i] = id.z / size.z; break;
    case ClusterCtaIdX: specials[i] = id.x % size.x; break;
    case ClusterCtaIdY: specials[i] = id.y % size.y; break;
    case ClusterCtaIdZ: specials[i] = id.z % size.z; break;
    case ClusterCtaRank: specials[i] = rank; break;
    case SmId: specials[i] = uint32_t(index % grid->limits.multiprocessors); break;
    default: break;
    }
}

void Block::start(Grid &owner, Cluster &in, unsigned rankInCluster) {
  grid = &owner;
  cluster = &in;
  rank = rankInCluster;
  id = owner.positionOf(in.index, rank);
  index = owner.indexOf(id);
  findSpecials();
  sharedBytes = owner.kernel.dynamicSharedOffset + owner.request.dynamicSharedBytes;
  if (owner.kernel.reservesShared) {
    reservedShared = (sharedBytes + 127) & ~127u;
    sharedBytes = reservedShared + ReservedSharedBytes;
  }
  if (sharedBytes || sharedStorage.empty())
    sharedStorage.assign(sharedBytes + 128, 0);
  shared = reinterpret_cast<uint8_t *>((uintptr_t(sharedStorage.data()) + 127) & ~uintptr_t(127));
  eachBarrier(usedBarriers, [&](unsigned number) { barriers[number].reset(0); });
  usedBarriers = 0;
  arrivals.clear();
  output.clear();
  fault.reset();
  idleEvidence = hasMoved = isDone = false;
  warpInstructions = threadInstructions = 0;
  nextWarp = stallScore = 0;
  scheduleState = owner.request.scheduleSeed ? owner.request.scheduleSeed ^ (index * 0x2545f4914f6cdd1du) : 0;
  const unsigned threads = owner.threadsPerBlock;
  const unsigned count = (threads + Lanes - 1) / Lanes;
  while (warps.size() < count)
    warps.push_back(std::make_unique<Warp>());
  warps.resize(count);
  const bool areWhole = whole.start(*this);
  for (unsigned w = 0; !areWhole && w < count; ++w) {
    unsigned lanes = std::min(threads - w * Lanes, Lanes);
    warps[w]->start(*this, w, lanes == Lanes ? AllLanes : (1u << lanes) - 1);
  }
  beginCounts(*this);
  if (owner.sees(Observer::Lifetimes))
    owner.observer->blockBegin(warps[0]->ref());
}

/// Stores, and atomics that changed memory, so far: as long as this number does not change, no other block can
/// have seen anything new.
uint64_t Block::changes() const {
  uint64_t sum = 0;
  for (const auto &warp : warps)
    sum += warp->changes;
  return sum;
}

/// Whether its last slice ended because it polls memory that does not change.
static bool polledInVain(const Warp &warp) {
  bool ready = false;
  for (unsigned i = 0; i < warp.splitCount; ++i)
    if (warp.splits[i].state == SplitState::Ready) {
      if (!warp.splits[i].idle)
        return false;
      ready = true;
    }
  return ready;
}

/// A short slice, so that warps interleave in many ways. A warp that polls gets a whole one: a slice that is cut
/// short would count as progress, and a deadlock would never be detected.
static uint32_t randomQuantum(const Warp &warp, uint64_t &state) {
  const uint32_t quantum = uint32_t(1 + nextRandom(state) % (WarpQuantum / 8));
  return polledInVain(warp) ? WarpQuantum : quantum;
}

bool Block::mustStop(Core &core, unsigned round) {
  // A short block takes hardly longer than reading the clock.
  return round % RoundsPerLook == 0 && grid->mustStop(*this, round != 0 || core.runs++ % RunsPerClock == 0);
}

void Block::tellOfEnd(BlockEnd end) {
  deliverCounts(*this);
  if (end == BlockEnd::Done && grid->sees(Observer::Lifetimes))
    grid->observer->blockEnd(warps[0]->ref());
}

BlockEnd Block::run(Core &core) {
  const uint64_t changesBefore = whole.areActive ? 0 : changes();
  CompiledStart start;
  Round round;
  RestOfSlice rest;
  if (whole.areActive) {
    if (auto end = whole.run(*this, core, round, rest)) {
      tellOfEnd(*end);
      return *end;
    }
    nextWarp = unsigned(round.turn);
  }
  for (auto &warp : warps)
    warp->core = &core;
  hasMoved = round.number > 0;
  for (;; round = {.number = round.number + 1}) {
    if (!rest.isInside && mustStop(core, round.number)) {
      tellOfEnd(BlockEnd::Stopped);
      return BlockEnd::Stopped;
    }
    if (scheduleState)
      nextWarp = unsigned(nextRandom(scheduleState) % warps.size());
    for (; round.turn < warps.size(); ++round.turn) {
      Warp &warp = *warps[nextWarp];
      if (!rest.isInside) {
        const uint32_t quantum = scheduleState ? randomQuantum(warp, scheduleState) : WarpQuantum;
        rest = {false, quantum, warpInstructions, std::nullopt};
      }
      SliceEnd end = warp.splitCount ? warp.slice(rest.budget, start, rest.entered) : SliceEnd::Done;
      const uint64_t counted = warpInstructions - rest.countedBefore;
      rest.isInside = false;
      grid->count(counted);
      if (!arrivals.empty())
        landAll();
      if (end == SliceEnd::Faulted) {
        tellOfEnd(BlockEnd::Faulted);
        return BlockEnd::Faulted;
      }
      if (end == SliceEnd::AwaitOrder)
        return BlockEnd::AwaitOrder;
      round.done &= end == SliceEnd::Done;
      round.moved |=
          end == SliceEnd::Budget || (end != SliceEnd::Idle && end != SliceEnd::Deferred && counted != 0);
      round.deferred |= end == SliceEnd::Idle || end == SliceEnd::Deferred;
      round.idle &= end != SliceEnd::Deferred;
      nextWarp = nextWarp + 1 == warps.size() ? 0 : nextWarp + 1;
    }
    if (round.done) {
      tellOfEnd(BlockEnd::Done);
      return BlockEnd::Done;
    }
    if (round.moved) {
      hasMoved = true;
      stallScore = 0;
      continue;
    }
    if (!round.deferred) {
      // A warp that ran last may have released one that was checked before it.
      bool ready = false;
      for (auto &warp : warps)
        for (unsigned i = 0; i < warp->splitCount; ++i)
          ready |= warp->splits[i].state == SplitState::Ready;
      if (ready)
        continue;
      if (waitsForCluster()) {
        idleEvidence = !hasMoved && changes() == changesBefore;
        return BlockEnd::Stalled;
      }
      fault = deadlock();
      return BlockEnd::Faulted;
    }
    // Polling warps run for a few rounds, because the next step of another warp may change what they poll; and for
    // many if something did change, as between warps that pass work to each other.
    stallScore += round.idle ? EnoughStall / 4 : 1;
    if (stallScore < EnoughStall)
      continue;
    stallScore = 0;
    idleEvidence = round.idle && !hasMoved && changes() == changesBefore;
    return BlockEnd::Stalled;
  }
}

bool Block::waitsForCluster() const {
  if (!cluster->hasSeveral())
    return false;
  for (const auto &warp : warps)
    for (unsigned i = 0; i < warp->splitCount; ++i)
      if (warp->splits[i].state == SplitState::AtBarrier && warp->splits[i].barrier == ClusterBarrier)
        return true;
  return false;
}

bool Block::hasExited() const {
  return std::none_of(warps.begin(), warps.end(), [](const auto &warp) { return warp->alive(); });
}

Block *Block::homeOf(uint64_t sharedAddress) {
  const uint64_t named = sharedAddress >> RankShift;
  return named == 0 ? this : cluster->living(named - 1);
}

void Block::noteLanding(const PendingArrival &arrival) {
  uint64_t to[Lanes];
  std::fill_n(to, Lanes, arrival.to);
  AsyncEvent event{AsyncEvent::Kind::Complete, AsyncEvent::Copy::Bulk, 1u << arrival.lane,
                   uint32_t(arrival.bytes.size())};
  event.to = to;
  event.mbarrier = arrival.mbarrier;
  grid->observer->async(warps[arrival.warp]->ref(),
                        {&arrival.code->sourceOf(*arrival.inst), arrival.inst->site}, event);
}

void Block::landArrivals(uint32_t mbarrier) {
  for (size_t i = 0; i < arrivals.size();) {
    if (arrivals[i].mbarrier != mbarrier) {
      ++i;
      continue;
    }
    PendingArrival arrival = std::move(arrivals[i]);
    arrivals.erase(arrivals.begin() + long(i));
    std::memcpy(shared + arrival.to, arrival.bytes.data(), arrival.bytes.size());
    if (grid->sees(Observer::Synchronization) && !arrival.fromElsewhere)
      noteLanding(arrival);
    completeTx(*this, arrival);
  }
}

void Block::landAll() {
  while (!arrivals.empty())
    landArrivals(arrivals.front().mbarrier);
}

} // namespace heddle::vm
