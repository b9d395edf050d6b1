// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the checker keeps for each block, for each launch, and for all launches. Private to Checker*.cpp.
#pragma once

#include "check/AccessEvents.h"
#include "check/BarrierRoutes.h"
#include "check/Clusters.h"
#include "check/Conflicts.h"
#include "check/LocalMemory.h"
#include "check/WarpSyncs.h"
#include "vm/NotedLoads.h"

#include <unordered_map>

namespace heddle::check {

struct CheckedBlock {
  uint64_t index = 0;
  BlockOrder order;
  SharedShadow shared;
  /// Loads from shared memory that a warp has made, with the reads of those that it made again. For the whole launch.
  std::vector<vm::SeenNotes<std::shared_ptr<const ReadSet>>> loadsOfWarp;
  BlockBarriers barriers;
  BarrierRoutes routes;
  WarpSyncs syncs;
  Mbarriers mbarriers;
  AsyncCopies copies;
  Fences fences;
  PublishedValues values; ///< in shared memory
  LocalMemory local;
  UnwrittenReads unwritten; ///< of shared memory

  void begin(const LaunchFacts &launch, uint64_t number);
  void endCopies(const Where &at, const std::vector<PendingCopy> &over);
  /// Before a write to shared memory: what all threads know of does not matter to it, nor to a later one.
  void settleReads() {
    if (shared.hasPendingReads())
      shared.settle(order.knownToAll());
  }
};

/// While it runs.
struct CheckedLaunch {
  explicit CheckedLaunch(const LaunchFacts &launch) : facts(launch) {}
  const LaunchFacts &facts;
  std::unordered_map<uint64_t, std::unique_ptr<CheckedBlock>> blocks;
  std::vector<std::unique_ptr<CheckedBlock>> spare;
  UnwrittenReads unwritten; ///< of global memory
  LooseCopies loose;
  ClusterMemory cluster;
  bool countReported = false; ///< a barrier was given two counts of threads
  CheckCounts counts;
};

/// What launches share. Users hold the guard.
struct SharedState {
  explicit SharedState(const vm::Memory *memory) : hostWrites(memory) {}
  std::mutex guard;
  std::map<uint64_t, std::unique_ptr<CheckedLaunch>> running;
  std::map<const vm::Kernel *, std::unique_ptr<KernelFacts>> code;
  Launches launches;
  GlobalShadow global;
  PublishedValues values; ///< in global memory
  HostWrites hostWrites;
  HostWork hostWork;
  ReportedReads reportedReads;
  std::map<const vm::KernelInfo *, uint64_t> kernels; ///< with the number of launches so far
  CheckCounts total;
};

/// An event, with what it belongs to.
struct Scene {
  CheckedLaunch &launch;
  CheckedBlock &block;
  Where at;
};

struct Checker::Impl final : LateWrites {
  Impl(CheckOptions given, FindingList &list);

  const CheckOptions options;
  const uint64_t id; ///< of this checker among all that ever were
  InstructionTable instructions;
  Reporter reporter;
  PollInstructions polls;
  GlobalNames names;
  PlainReads plainReads;
  SharedState shared;

  std::optional<WorkOrder> takeOrder() const;
  const KernelFacts &codeOf(const vm::Kernel &kernel);
  CheckedLaunch &launchOf(uint64_t number);
  CheckedBlock &blockOf(const vm::WarpRef &ref, CheckedLaunch &launch);
  Scene sceneOf(const vm::WarpRef &ref, vm::SiteRef site);

  SharedEvidence evidenceOf(const CheckedBlock &block) const {
    return {options, block.order, block.fences, block.values, polls, block.mbarriers};
  }
  Touch touchOf(const Scene &scene) const;
  void countAccess(const Scene &scene, uint32_t mask);
  void act(const Scene &scene, uint32_t mask);
  bool accessByLanes(const Scene &scene, const vm::SiteRef &site, const vm::PlainAccess &access);
  void load(const Scene &scene, const Touch &touch, const vm::SiteRef &site, const vm::PlainAccess &access);
  bool readAgain(const Scene &scene, const Touch &touch, const vm::NotedLoads &loads);
  std::shared_ptr<const ReadSet> readSetOf(const Scene &scene, const vm::NotedLoads &loads) const;
  bool readGroups(const Scene &scene, Touch touch, const vm::PlainAccess &access);
  bool writeGroups(const Scene &scene, const vm::PlainAccess &access);
  bool readGlobalGroups(const Scene &scene, const vm::PlainAccess &access, const vm::SiteRef &site);
  bool writeGlobalGroups(const Scene &scene, const vm::PlainAccess &access);
  bool isQuiet(const Scene &scene, const vm::AccessEvent &event);
  void accessShared(const Scene &scene, const vm::AccessEvent &event);
  void accessLocal(const Scene &scene, const vm::AccessEvent &event, const vm::SiteRef &site);
  void accessGlobal(const Scene &scene, const vm::AccessEvent &event, const vm::SiteRef &site);
  GlobalEvidence globalEvidenceOf(const CheckedBlock &block) const {
    return {options, block.order,     block.fences,      shared.values,
            polls,   shared.launches, shared.hostWrites, names};
  }
  void describe(GlobalTouch &touch, const Scene &scene, const GlobalAccess &access) const;
  void touchGlobal(const Scene &scene, GlobalTouch touch, const GlobalAccess &access, bool reads);
  void publish(const Scene &scene, const vm::AccessEvent &event, PublishedValues &values);

  void startCopy(const Scene &scene, const vm::AsyncEvent &event, unsigned lane);
  void waitForCopies(const Scene &scene, const vm::AsyncEvent &event);
  void handOverCopies(const Scene &scene, const vm::AsyncEvent &event);
  void completeCopy(const Scene &scene, const vm::AsyncEvent &event);

  void completeBarrier(CheckedLaunch &launch, CheckedBlock &block, unsigned number);
  void hostTouched(HostCopy copy);
  /// The guard is held.
  void wroteAfter(const LaunchFacts &reader, uint64_t begin, uint64_t end) override;
  void launchEnded(CheckedLaunch &launch, const vm::LaunchResult &result);
  void reportFault(CheckedLaunch &launch, const vm::Fault &fault);
  void reportDeadlock(CheckedLaunch &launch, const vm::Fault &fault);
  bool isExplained(const CheckedLaunch &launch, CheckedBlock &block);
};

} // namespace heddle::check
