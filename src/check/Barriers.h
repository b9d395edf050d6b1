// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hardware barriers of a block, and the cluster's: see Barriers.cpp.
#pragma once

#include "check/BlockOrder.h"
#include "check/Reporter.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace heddle::check {

/// Rounds of each barrier: who came so far and what they know together. What a round orders goes to the block's
/// order when it completes.
class BlockBarriers {
public:
  /// Threads that have come to a barrier which is not complete.
  struct Round {
    std::optional<Known> gathered;          ///< nothing: no thread has arrived yet
    KnownRef contained;                     ///< what the first of them knew
    std::vector<uint32_t> waiting, arrived; ///< lanes of each warp
    uint32_t expected = 0;                  ///< threads, 0: the whole block
    uint32_t firstInstrId = 0;
    std::vector<uint32_t> instrIds; ///< where threads came to it; of rounds of the whole block
    bool whole = false, anyWaits = false;
  };

  void begin() { barriers = {}; }

  /// Null where no thread has arrived since the last one completed.
  const Round *open(unsigned number) const;
  /// What the threads know together that have come to an open round.
  Known &gathering(unsigned number) { return *barriers[number].now.gathered; }
  /// Reports what is wrong with coming to a barrier as it is now. Returns whether those who are there already
  /// gave another number of threads.
  bool inspect(const Where &at, const vm::BarrierEvent &event, const BlockOrder &order,
               Reporter &reporter) const;
  void arrive(const Where &at, const vm::BarrierEvent &event, BlockOrder &order);
  /// All have arrived: waiting threads continue.
  void complete(const LaunchFacts &launch, uint64_t block, unsigned number, BlockOrder &order,
                Reporter &reporter);
  /// Ends the round of the cluster's barrier: what this block brings to it.
  KnownRef takeGathered(unsigned number);
  /// Lanes of each warp that waited in the round that ended last.
  const std::vector<uint32_t> &waited(unsigned number) const { return barriers[number].now.waiting; }

private:
  struct Barrier {
    Round now;
    std::vector<uint32_t> last; ///< who took part in the round before
    Stamp completed = 0;        ///< when that was; 0: never
    uint32_t lastInstrId = 0;
  };

  void inspectLastRound(const Where &at, const vm::BarrierEvent &event, const BlockOrder &order,
                        Reporter &reporter) const;
  std::array<Barrier, vm::HardwareBarriers + 1> barriers;
};

} // namespace heddle::check
