// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Finding.h"
#include "vm/ClusterObserver.h"
#include "vm/Observer.h"
#include "vm/Simulator.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::check {

/// Findings as they come, from several host threads, in groups: what has the same rule and the same source
/// lines is counted and not repeated.
class FindingList {
public:
  /// Two findings with the same key are one: the first is kept, and counts.
  void add(Finding finding, const std::string &key);
  /// Rule and lines make the key.
  void add(Finding finding);
  /// The finding of that key happened again.
  void again(const std::string &key);
  /// Sorted by location, so that the order does not depend on the schedule.
  std::vector<Finding> all() const;
  bool empty() const;
  /// The finding of that key, if there is one, follows from another.
  void withdraw(const std::string &key);
  /// How often a finding was new, or withdrawn.
  uint64_t changes() const;

private:
  mutable std::mutex guard;
  std::map<std::string, Finding> byKey;
  uint64_t changed = 0;
};

struct CheckOptions {
  /// Names what global addresses belong to, and says which memory has not been written. Without it global
  /// addresses stay bare and count as written.
  const vm::Memory *memory = nullptr;
  bool uninitialized = true; ///< rules of class uninitialized
  bool globalMemory = true;  ///< races in global memory (a single block with unknown data has none to offer)
  /// Lanes of a warp execute each instruction together, as before Volta: what one instruction does is seen by
  /// the next, in all lanes.
  bool lockstep = false;
  /// For tests: every ordinary load and store counts as volatile. No verdict may change.
  bool allVolatile = false;
  /// "cudaMalloc" in "made by cudaMalloc #2".
  std::string allocator = "cudaMalloc";
};

/// What has been looked at, for the one line of a clean run.
struct CheckCounts {
  uint64_t launches = 0, kernels = 0, blocks = 0, accesses = 0, synchronizations = 0;
  uint64_t stopped = 0; ///< launches that ran into the time limit: what they would have done is not checked
};

/// Where a piece of work (a launch, a copy) is among all streams: it is number `index` of `stream`, and
/// comes after the first seen[s] pieces of work of stream s. Streams count from 0, work from 1.
struct WorkOrder {
  unsigned stream = 0;
  uint32_t index = 0;
  std::vector<uint32_t> seen;
  uint64_t ofKernel = 0; ///< of a launch: its number among those of its kernel, from 1; 0: as they begin

  bool isAfter(const WorkOrder &other) const {
    if (stream == other.stream)
      return index >= other.index;
    return other.stream < seen.size() && seen[other.stream] >= other.index;
  }
};

/// Happens-before over the events of the simulator: give it to Simulator::launch as the observer. One checker
/// serves any number of launches, one after the other or, from different host threads, at the same time.
/// Events of a launch are to come from one host thread at a time (oneCore()).
///
///     FindingList findings;
///     Checker checker({.memory = &simulator.memory()}, findings);
///     simulator.launch(request, &checker);
class Checker final : public vm::Observer, public vm::ClusterObserver {
public:
  Checker(CheckOptions options, FindingList &findings);
  ~Checker() override;

  uint32_t interests() const override { return Accesses | Synchronization | Lifetimes | Branches; }
  bool oneCore() const override { return true; }
  vm::ObservedForm form() const override { return vm::ObservedForm::Accesses; }

  void kernelBegin(const vm::LaunchRequest &, const vm::KernelInfo &, uint64_t launch) override;
  void kernelEnd(const vm::LaunchResult &) override;
  void blockBegin(const vm::WarpRef &) override;
  void blockEnd(const vm::WarpRef &) override;
  void lanesExit(const vm::WarpRef &, vm::SiteRef, uint32_t mask) override;
  void branch(const vm::WarpRef &, vm::SiteRef, uint32_t mask, uint32_t taken) override;
  void access(const vm::WarpRef &, vm::SiteRef, const vm::AccessEvent &) override;
  bool plainAccess(const vm::WarpRef &, vm::SiteRef, const vm::PlainAccess &) override;
  bool takesNotedLoads(uint64_t launch) const override;
  void notedLoads(const vm::WarpRef &, const vm::NotedLoads &) override;
  const uint8_t *watchedBranches(uint64_t launch) override;
  void remoteAccess(const vm::WarpRef &, vm::SiteRef, const vm::AccessEvent &, uint64_t home) override;
  void barrierReached(const vm::WarpRef &, vm::SiteRef, const vm::BarrierEvent &) override;
  void barrierCompleted(const vm::WarpRef &, unsigned barrier, uint64_t generation) override;
  void warpSync(const vm::WarpRef &, vm::SiteRef, const vm::WarpSyncEvent &) override;
  void mbarrier(const vm::WarpRef &, vm::SiteRef, const vm::MbarrierEvent &) override;
  void async(const vm::WarpRef &, vm::SiteRef, const vm::AsyncEvent &) override;
  void fence(const vm::WarpRef &, vm::SiteRef, const vm::FenceEvent &) override;

  CheckCounts counts() const;

  /// The order of what this host thread gives to the checker next: launches and copies. Without it each
  /// launch comes after all that ended before it began.
  void setOrder(WorkOrder order);
  /// The host, or a copy or fill in a stream, wrote or read memory that kernels see.
  void hostWrote(uint64_t address, uint64_t bytes, const char *what);
  void hostRead(uint64_t address, uint64_t bytes, const char *what);
  /// An allocation of the program's, for "cudaMalloc #2".
  void allocated(uint64_t address);
  void freed(uint64_t address, uint64_t bytes);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace heddle::check
