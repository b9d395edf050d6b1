// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Warp.h"

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
  uint32_t expected = 0;  ///< threads; 0: nobody came yet
  bool everybody = false; ///< no count was given: it is for all threads that are left
  uint32_t arrived = 0;   ///< threads, missing lanes of complete warps counted in
  uint64_t generation = 0;
  std::vector<uint32_t> lanes; ///< for each warp, who came in this generation
  std::vector<uint8_t> whole;  ///< for each warp, whether its missing lanes were counted in
  bool all = true, any = false;
  uint32_t count = 0; ///< bar.red: lanes whose predicate held
  const Inst *firstInst = nullptr;
  const Code *firstCode = nullptr;
};

/// A bulk copy on its way to shared memory; lands when somebody looks at its mbarrier, or at the end of a
/// slice.
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

/// How one block names the shared memory of another of its cluster: the other's rank plus one is above
/// the offset. Zero there is the block's own, so plain shared addresses are good everywhere.
constexpr unsigned RankShift = 24;
constexpr uint64_t SharedOffset = (uint64_t(1) << RankShift) - 1;

/// A thread block: shared memory, warps, barriers. It can be left whenever it waits for another block, and
/// taken up again later by any core.
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
  std::array<Barrier, HardwareBarriers + 1> barriers;
  std::vector<PendingArrival> arrivals;
  std::string output; ///< of printf
  std::optional<Fault> fault;
  bool idleEvidence = false; ///< last run: it only polled, and changed nothing
  bool hasMoved = false;     ///< last run: some warp got on
  bool isDone = false;
  uint64_t warpInstructions = 0, threadInstructions = 0;

  void start(Grid &owner, Cluster &in, unsigned rankInCluster);
  BlockEnd run(Core &core);

  // Barriers (Barrier.cpp)
  Flow reachBarrier(Warp &warp, const Inst &in, uint32_t mask, unsigned number, uint32_t expected, bool wait,
                    bool aligned, BarrierEvent::Kind kind, uint32_t votes);
  void releaseIfComplete(unsigned number);
  void release(unsigned number);
  void lanesExited();
  bool hasExited() const;
  /// Nobody of this block is awaited at the barrier of the cluster: all have come or exited.
  bool hasArrivedAtCluster() const;

  /// The block of the cluster that a shared address belongs to; nullptr where it is none that lives.
  Block *homeOf(uint64_t sharedAddress);

  void landArrivals(uint32_t mbarrier);
  void landAll();
  std::vector<Waiting> waiting() const;

private:
  void noteLanding(const PendingArrival &arrival);
  Fault deadlock() const;
  uint64_t changes() const;
  bool isComplete(const Barrier &barrier) const;
  bool waitsForCluster() const;
  uint32_t roundedThreads() const { return uint32_t(warps.size()) * Lanes; }

  std::vector<uint8_t> sharedStorage;
  unsigned nextWarp = 0;
  unsigned stallScore = 0;
  uint64_t scheduleState = 0; ///< random turns, 0: in order
};

std::string describeWait(const Block &block, const Warp &warp, const Split &split);

} // namespace heddle::vm
