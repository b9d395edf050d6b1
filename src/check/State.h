// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the checker keeps of launches, blocks and warps while they run.
#pragma once

#include "check/BarrierPaths.h"
#include "check/Checker.h"
#include "check/Clock.h"
#include "check/GlobalShadow.h"
#include "check/Places.h"
#include "check/SharedArrays.h"
#include "check/SharedShadow.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace heddle::check {

/// Warps beyond those of the block: one whose lanes are the sixteen barriers and the cluster's, and some
/// whose lanes are the copy engines, one for each mbarrier.
constexpr unsigned EngineWarps = 4, PseudoWarps = 1 + EngineWarps;

/// What a release let everybody know who sees the value that was written after it.
struct Published {
  uint32_t actor = 0;
  KnownRef known; ///< null: nothing
};

/// An address through which threads publish: what its present value carries, by scope.
struct Location {
  Published device, block;
  bool isFlag = false; ///< its writer's first write after a fence: it tells others that something is ready
};

/// Values seen with a relaxed read. They count from the reader's next fence on.
struct Seen {
  Published what;
  bool atomic = false; ///< by a read-modify-write
};

struct LaneSync {
  struct Fence {
    KnownRef known;
    Stamp time = 0;
    bool used = false; ///< a strong write followed
  };
  Fence block, device; ///< the last fence of at least that scope
  std::vector<Seen> seen;
  uint64_t polled = ~uint64_t(0); ///< the address that was polled last
};

/// A copy that a lane started and did not wait for.
struct PendingCopy {
  unsigned lane = 0;
  vm::AsyncEvent::Copy kind = vm::AsyncEvent::Copy::CpAsync;
  uint32_t group = 0;
  uint32_t place = 0;
  bool intoShared = true;
  uint32_t shared = 0, bytes = 0;          ///< target or source in shared memory
  uint64_t globalBegin = 0, globalEnd = 0; ///< the other side; empty where it reads nothing
  bool sourceDone = false;
};

struct WarpState {
  unsigned index = 0;
  uint32_t present = 0, exited = 0;
  Stamp stamp = 0; ///< of accesses now
  bool uniform = true;
  bool dirty = false; ///< something happened since the lanes last met
  KnownRef all;       ///< while uniform
  std::array<KnownRef, 32> lanes;
  std::unique_ptr<std::array<LaneSync, 32>> sync;
  std::vector<PendingCopy> copies;
  std::array<uint32_t, 32> copyGroup{}, bulkGroup{};
  std::vector<uint32_t> localWritten; ///< for each byte of the stack the lanes that wrote it
  uint32_t passedBarrier = 0;         ///< lanes that were not there when others of the warp reached a barrier
  uint32_t passedPlace = 0;
  /// Ways that lanes took since their last block barrier at branches that decide about one.
  struct Turn {
    uint32_t site = 0;
    bool taken = false;
    uint32_t lanes = 0;
  };
  std::vector<Turn> turns;
  uint32_t awaited = 0; ///< lanes that others of the warp wait for
  uint32_t busy = 0;    ///< those of them that were seen doing something else meanwhile

  uint32_t alive() const { return present & ~exited; }
  const KnownRef &known(unsigned lane) const { return uniform ? all : lanes[lane]; }
  void setLanes(uint32_t mask, const KnownRef &known);
  Stamp leastKnown() const;
  LaneSync &syncOf(unsigned lane);
};

/// A read of memory that nothing had written by then. It counts once it is clear that no write races with it.
struct UnwrittenRead {
  uint32_t place = 0;
  std::string text;
};
using UnwrittenReads = std::map<uint64_t, UnwrittenRead>; ///< by address

struct BarrierState {
  std::optional<Known> gathered;
  std::vector<uint32_t> waiting, arrived; ///< lanes of each warp in this generation
  std::vector<uint32_t> last;             ///< who took part in the generation before
  Stamp completed = 0;                    ///< when that was; 0: never
  uint32_t lastPlace = 0;
  uint32_t firstPlace = 0;
  std::vector<uint32_t> places; ///< where threads of this generation came to it
  uint32_t expected = 0;        ///< threads, 0: the whole block
  bool whole = false, anyWaits = false;
};

struct Mbarrier {
  unsigned slot = 0;
  bool valid = false, wasValid = false;
  uint64_t phases = 0;     ///< completed
  std::vector<Stamp> ends; ///< when
  bool bytesTold = false;
  bool told = false;                ///< something else was wrong with it, and explains what follows
  std::set<unsigned> arriving;      ///< threads, of this phase
  std::set<unsigned> phaseArrivers; ///< threads, of the newest phase that ended
  std::optional<Known> gathered;
  KnownRef done;
  int64_t expected = 0, pending = 0, bytes = 0;
  unsigned initThread = 0;
  Stamp initStamp = 0;
  uint32_t initPlace = 0, expectPlace = 0;
  std::set<unsigned> arrivers; ///< warps
  struct Wait {
    int64_t target = -1; ///< the phase whose end it waits for, from 0; -1: one before the first
    uint32_t place = 0;
    Stamp stamp = 0;
    bool byParity = false;
    bool known = false;  ///< the thread knew that this phase was over: it means to pass at once
    bool failed = false; ///< has not passed yet
    bool bad = false;
    uint32_t freshPlace = 0; ///< where it once passed before the first phase was over
  };
  std::map<unsigned, Wait> waits; ///< by thread
  struct Flight {
    uint32_t to = 0, bytes = 0, place = 0;
    uint64_t phase = 0;
  };
  std::vector<Flight> flights;
};

struct BlockState {
  uint32_t actor = 0;
  uint64_t index = 0;
  Stamp time = 0;
  std::vector<WarpState> warps;
  SharedShadow shared;
  std::array<BarrierState, 17> barriers;
  std::map<uint32_t, Mbarrier> mbarriers; ///< by shared offset
  std::unordered_map<uint32_t, Location> locations;
  unsigned copies = 0; ///< pending in all warps

  UnwrittenReads unwritten; ///< of shared memory
  KnownRef nothing;         ///< what everybody knows at the start

  Mbarrier &mbarrierAt(uint32_t offset) {
    auto [at, fresh] = mbarriers.try_emplace(offset);
    if (fresh)
      at->second.slot = unsigned(mbarriers.size() - 1);
    return at->second;
  }
  unsigned barrierWarp() const { return unsigned(warps.size()); }
  unsigned engineThread(unsigned slot) const {
    return (unsigned(warps.size()) + 1) * 32 + slot % (EngineWarps * 32);
  }
  bool isEngine(unsigned thread) const { return thread / 32 > warps.size(); }
  /// Others may know of everything this warp did so far: what it does from now on is later.
  Stamp release(WarpState &warp) {
    const Stamp now = time++;
    warp.stamp = time;
    return now;
  }
};

/// What the code of a kernel says before it runs.
struct KernelFacts {
  explicit KernelFacts(const vm::Kernel &kernel) : paths(kernel), arrays(kernel) {}
  BarrierPaths paths;
  SharedArrays arrays;
};

/// Where a piece of work stands among all streams.
struct LaunchState {
  uint64_t number = 0;
  const vm::Kernel *kernel = nullptr;
  const vm::KernelInfo *info = nullptr;
  const KernelFacts *facts = nullptr;
  bool cooperative = false;
  std::string name;
  vm::Dim3 grid, block;
  uint32_t dynamicShared = 0;
  vm::Dim3 cluster;
  bool inClusters = false;    ///< other blocks may access a block's shared memory
  GlobalShadow clusterShared; ///< then: shared memory of all blocks, as Clusters.cpp numbers it
  bool clusterFlagged =
      false; ///< blocks synchronize through each other's shared memory, which is not followed
  std::vector<uint8_t> parameters;
  uint32_t firstPlace = 0;
  uint32_t firstActor = 0;
  uint64_t blocks = 0;
  uint32_t orderedBelow = 0; ///< actors below ran before this launch
  std::optional<WorkOrder> order;
  bool running = true;
  std::unordered_map<uint64_t, std::unique_ptr<BlockState>> states;
  std::vector<std::unique_ptr<BlockState>> spare;
  struct LooseCopy {
    uint64_t begin = 0, end = 0;
    bool write = false;
    std::string what;
  };
  UnwrittenReads unwritten; ///< of global memory
  bool roleTold = false;    ///< a barrier in one role explains those that follow
  bool countTold = false;
  std::vector<LooseCopy> loose; ///< copies of other streams that nothing orders with it
  CheckCounts counts;
};

} // namespace heddle::check
