// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Warp.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::vm {

class Grid;

/// One of the sixteen hardware barriers of a block (and one more for barrier.cluster).
struct Barrier {
  uint32_t expected = 0; ///< threads; 0: nobody came yet
  uint32_t arrived = 0;  ///< threads, missing lanes of complete warps counted in
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
  unsigned warp = 0;
  const Inst *inst = nullptr;
  const Code *code = nullptr;
};

enum class BlockEnd : uint8_t { Done, Stalled, AwaitTurn, Faulted, Stopped };

constexpr unsigned HardwareBarriers = 16, ClusterBarrier = 16;

/// A thread block: shared memory, warps, barriers. It can be left whenever it waits for another block, and
/// taken up again later by any core.
class Block {
public:
  Grid *grid = nullptr;
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
  uint64_t idleEpoch = 0;    ///< of the grid, at the last such stall
  unsigned idleStreak = 0;
  uint64_t warpInstructions = 0, threadInstructions = 0;

  void start(Grid &owner, uint64_t blockIndex);
  BlockEnd run(Core &core);

  // Barriers (Barrier.cpp)
  Flow reachBarrier(Warp &warp, const Inst &in, uint32_t mask, unsigned number, uint32_t expected, bool wait,
                    bool aligned, BarrierEvent::Kind kind, uint32_t votes);
  void releaseIfComplete(unsigned number);
  void lanesExited();

  void landArrivals(uint32_t mbarrier);
  void landAll();
  std::vector<Waiting> waiting() const;

private:
  Fault deadlock() const;
  uint64_t changes() const;
  bool isComplete(const Barrier &barrier) const;
  bool needsEverybody(const Barrier &barrier) const;
  void release(unsigned number);
  uint32_t roundedThreads() const { return uint32_t(warps.size()) * Lanes; }

  std::vector<uint8_t> sharedStorage;
  unsigned nextWarp = 0;
  unsigned stallScore = 0;
  uint64_t scheduleState = 0; ///< random turns, 0: in order
};

std::string describeWait(const Block &block, const Warp &warp, const Split &split);

} // namespace heddle::vm
