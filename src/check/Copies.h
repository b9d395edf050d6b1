// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous copies that threads started and did not wait for: see Copies.cpp.
#pragma once

#include "check/GlobalNames.h"
#include "check/Reporter.h"

#include <array>
#include <cstdint>
#include <vector>

namespace heddle::check {

struct PendingCopy {
  unsigned lane = 0;
  vm::AsyncEvent::Copy kind = vm::AsyncEvent::Copy::CpAsync;
  uint32_t group = 0;
  uint32_t instrId = 0;
  bool intoShared = true;
  uint32_t shared = 0, bytes = 0;          ///< target or source in shared memory
  uint64_t globalBegin = 0, globalEnd = 0; ///< the other side; empty where it reads nothing
  bool sourceDone = false;
};

/// The copies of a block, by warp. What is over is returned, for the shadow of shared memory.
class AsyncCopies {
public:
  void begin(unsigned warpCount) { warps.assign(warpCount, {}), count = 0; }
  bool any() const { return count != 0; }

  /// What this lane starts; it is not pending yet.
  PendingCopy describe(const Where &at, const vm::AsyncEvent &event, unsigned lane) const;
  void start(unsigned warp, const PendingCopy &copy);
  void commit(unsigned warp, const vm::AsyncEvent &event);
  /// Those that a wait ends; of a wait for sources, those whose source may be written again.
  std::vector<PendingCopy> waited(unsigned warp, const vm::AsyncEvent &event);
  std::vector<PendingCopy> sourcesDone(unsigned warp, const vm::AsyncEvent &event);
  /// Those that report to an mbarrier from now on.
  std::vector<PendingCopy> handedOver(unsigned warp, uint32_t mask);
  /// These lanes end: reports their copies, and returns them.
  std::vector<PendingCopy> unwaited(const Where &at, uint32_t mask, Reporter &reporter);

  /// Reports copies under way that a lane's access to global memory meets.
  void check(const Where &at, const vm::AccessEvent &event, bool write, const GlobalNames &names,
             Reporter &reporter) const;

private:
  struct Warp {
    std::vector<PendingCopy> pending;
    std::array<uint32_t, 32> copyGroup{}, bulkGroup{};
    uint32_t groupOf(vm::AsyncEvent::Copy kind, unsigned lane) const {
      return (kind == vm::AsyncEvent::Copy::Bulk ? bulkGroup : copyGroup)[lane];
    }
  };
  template <class F> std::vector<PendingCopy> take(unsigned warp, F isOver);

  std::vector<Warp> warps;
  unsigned count = 0; ///< of all warps
};

} // namespace heddle::check
