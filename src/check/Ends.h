// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How launches end: what the simulator stopped becomes a finding.
#pragma once

#include "check/Barriers.h"
#include "check/Reporter.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::check {

/// What the parts of the checker know about a deadlock.
struct Deadlock {
  bool pollsMbarrier = false;
  uint64_t blocksLeft = 0;
  std::vector<std::string> mbarriers; ///< those that threads wait for
};

/// Of a fault other than a deadlock.
Finding faultFinding(const LaunchFacts &launch, const vm::Fault &fault);
/// With the wait-for picture.
Finding deadlockFinding(const LaunchFacts &launch, const vm::Fault &fault, const Deadlock &deadlock);
/// What the simulator adds, and the hint of the rule where there is no better one.
Finding withDetails(Finding finding, const vm::Fault &fault);

/// Reports block barriers that some wait at while others of the block wait at another one, in a deadlock.
void reportRoleBarriers(const LaunchFacts &launch, const vm::Fault &fault, const BlockBarriers &barriers,
                        const BlockOrder &order, Reporter &reporter);
/// Lanes that have not gone past a barrier: they come to it when what they poll changes.
uint32_t lanesThatPoll(const LaunchFacts &launch, const vm::Fault &fault, uint64_t block, unsigned warp);

} // namespace heddle::check
