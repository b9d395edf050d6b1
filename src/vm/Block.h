// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Warp.h"
#include "vm/WholeWarps.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::vm {

class Grid;
class Cluster;

/// One of the sixteen hardware barriers of a block (and one more for barrier.cluster).
struct Barrier {
  uint32_t expected = 0;  ///< threads; 0: none arrived yet
  bool everybody = false; ///< no count was given: for all threads that have not exited
  uint32_t arrived = 0;   ///< threads, including missing lanes of complete warps
  uint64_t generation = 0;
  std::vector<uint32_t> lanes; ///< for each warp, lanes that arrived in this generation
  std::vector<uint8_t> whole;  ///< for each warp, whether its missing lanes were counted in
  bool all = true, any = false;
  uint32_t count = 0; ///< bar.red: lanes whose predicate held
  const Inst *firstInst = nullptr;
  const Code *firstCode = nullptr;

  /// As if nobody had arrived yet; its storage is kept, since most blocks of a launch use the same barriers.
  void reset(uint64_t nextGeneration);
};

/// Calls f(number) for each barrier of the set.
template <class F> inline void eachBarrier(uint32_t set, F f) { eachLane(set, f); }

/// A bulk copy to shared memory that is pending: it is executed when a thread accesses its mbarrier, or at the
/// end of a slice.
struct PendingArrival {
  uint32_t to = 0;
  std::vector<uint8_t> bytes;
  uint32_t mbarrier = 0;
  unsigned warp = 0, lane = 0;
  bool fromElsewhere = false; ///< another block of the cluster sent it
  const Inst *inst = nullptr;
  const Code *code = nullptr;
};

enum class BlockEnd : uint8_t { Done, Stalled, AwaitOrder, Faulted, Stopped };

/// How one block addresses the shared memory of another of its cluster: the other's rank plus one is in the
/// bits above the offset. Zero is the block's own memory, so plain shared addresses are valid too.
constexpr unsigned RankShift = 24;
constexpr uint64_t SharedOffset = (uint64_t(1) << RankShift) - 1;

/// A thread block: shared memory, warps, barriers. It can be suspended whenever it waits for another block, and
/// resumed later by any core.
class Block {
public:
  Grid *grid = nullptr;
  Cluster *cluster = nullptr;
  unsigned rank = 0; ///< in its cluster
  uint64_t index = 0;
  Dim3 id{0, 0, 0};
  uint8_t *shared = nullptr;
  uint32_t sharedBytes = 0;
  uint32_t reservedShared = 0; ///< where the reserved part begins
  std::vector<std::unique_ptr<Warp>> warps;
  WholeWarps whole; ///< while they are active, of a warp only `polls` and `changes` are valid
  std::array<Barrier, HardwareBarriers + 1> barriers;
  uint32_t usedBarriers = 0; ///< a bit for each barrier that a thread has reached
  std::vector<PendingArrival> arrivals;
  std::vector<uint32_t> specials; ///< by special register of the kernel: the values that depend on the block
  std::vector<uint64_t> enteredBlocks, agreedBranches; ///< counted by compiled code (CompiledEvents.cpp)
  std::string output;                                  ///< of printf
  std::optional<Fault> fault;
  bool idleEvidence = false; ///< last run: it only polled, and changed nothing
  bool hasMoved = false;     ///< last run: some warp made progress
  bool isDone = false;
  uint64_t warpInstructions = 0, threadInstructions = 0;

  void start(Grid &owner, Cluster &in, unsigned rankInCluster);
  BlockEnd run(Core &core);
  bool mustStop(Core &core, unsigned round);
  void tellOfEnd(BlockEnd end);

  // Barriers (Barrier.cpp)
  Flow reachBarrier(Warp &warp, const Inst &in, uint32_t mask, unsigned number, uint32_t expected, bool wait,
                    bool aligned, BarrierEvent::Kind kind, uint32_t votes);
  void releaseIfComplete(unsigned number);
  void release(unsigned number);
  void lanesExited();
  bool hasExited() const;
  /// No thread of this block is missing at the barrier of the cluster: all have arrived or exited.
  bool hasArrivedAtCluster() const;

  /// The block of the cluster that a shared address belongs to; nullptr if there is none, or it has exited.
  Block *homeOf(uint64_t sharedAddress);

  void landArrivals(uint32_t mbarrier);
  void landAll();
  std::vector<Waiting> waiting() const;

private:
  void findSpecials();
  void noteLanding(const PendingArrival &arrival);
  Fault deadlock() const;
  uint64_t changes() const;
  bool isComplete(const Barrier &barrier) const;
  bool waitsForCluster() const;
  uint32_t roundedThreads() const { return uint32_t(warps.size()) * Lanes; }

  std::vector<uint8_t> sharedStorage;
  unsigned nextWarp = 0;
  unsigned stallScore = 0;
  uint64_t scheduleState = 0; ///< random order of warps, 0: in order
};

/// Where shared addresses are on the host. Lanes outside the mask may hold any number, so the sum is one of integers,
/// which may wrap, not of a pointer and an offset, which must not.
inline void sharedPointers(const Block &block, const uint64_t *address, Pointers &out) {
  const auto base = reinterpret_cast<uintptr_t>(block.shared);
  HEDDLE_EACH_LANE(lane) out.at[lane] = reinterpret_cast<uint8_t *>(base + address[lane]);
}

std::string describeWait(const Block &block, const Warp &warp, const Split &split);

} // namespace heddle::vm
