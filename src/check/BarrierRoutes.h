// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that do not come to a barrier at which others do: see BarrierRoutes.cpp.
#pragma once

#include "check/Barriers.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace heddle::check {

/// Which ways the lanes of a block took at branches that decide about a barrier (BarrierPaths.h), and which
/// lanes were missing when others of their warp came to one.
class BarrierRoutes {
public:
  void begin(unsigned warps) { routes.assign(warps, {}); }

  void branch(unsigned warp, uint32_t site, uint32_t mask, uint32_t taken);
  /// Lanes come to a barrier. `joins`: other lanes of their warp have been counted there already.
  void reach(const Where &at, const vm::BarrierEvent &event, uint32_t alive, bool joins, Reporter &reporter);
  /// These lanes came to a barrier of the whole block: the ways they took to it led there.
  void reachedBlockBarrier(unsigned warp, uint32_t mask);
  void leave(unsigned warp, uint32_t mask) { routes[warp].passed &= ~mask; }

  /// Threads that took ways which do not lead to the barrier at which others came together. What is known of
  /// ways up to here has been used then.
  void reportMissing(const LaunchFacts &launch, uint64_t block, const BlockBarriers::Round &round,
                     const BlockOrder &order, Reporter &reporter);
  /// Lanes that were missing at a barrier and never come, in a deadlock. Those that poll have not gone past it.
  void reportPassed(const LaunchFacts &launch, uint64_t block,
                    const std::function<uint32_t(unsigned warp)> &polling, Reporter &reporter);

private:
  struct Branch {
    uint32_t site = 0;
    bool taken = false;
    uint32_t lanes = 0;
  };
  struct Route {
    uint32_t passed = 0;  ///< lanes that were not there when others of the warp reached a barrier
    uint32_t instrId = 0; ///< of that barrier
    std::vector<Branch> branches;
  };
  static void note(Route &route, uint32_t site, bool way, uint32_t lanes);
  static void reportPassed(const Where &at, Route &route, Reporter &reporter);

  std::vector<Route> routes; ///< by warp
};

} // namespace heddle::check
