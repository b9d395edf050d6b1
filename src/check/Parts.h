// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inside of the checker. The work is spread over files by what is watched: Accesses.cpp, Publication.cpp
// (fences and what they order), Barriers.cpp, Clusters.cpp, Mbarriers.cpp, Copies.cpp, Ends.cpp (faults and
// deadlocks), Host.cpp.
#pragma once

#include "check/State.h"

#include <atomic>
#include <cstdint>

namespace heddle::check {

/// The warp that an event belongs to, with everything around it.
struct Scene {
  LaunchState &launch;
  BlockState &block;
  WarpState &warp;
  uint32_t place = 0;
};

/// An access of now and one of the past to the same address, both strong, that nothing orders.
struct Meeting {
  uint64_t address = 0;
  bool inShared = false;
  Strength mine = Strength::Weak, theirs = Strength::Weak;
  uint32_t myPlace = 0, theirPlace = 0;
  bool iWrite = false, theyWrite = false;
};

/// One side of a race as a story tells it.
struct Side {
  const LaunchState *launch = nullptr; ///< null: gone
  uint64_t block = 0;
  unsigned thread = 0;
  uint32_t place = 0;
  bool write = false;
  bool atomic = false;
  bool copy = false; ///< by an asynchronous copy
};

struct Checker::Parts {
  Parts(CheckOptions given, FindingList &list);

  const CheckOptions options;
  FindingList &findings;
  const uint64_t id; ///< of this checker among all that ever were
  Places places;

  // --- launches and blocks (Checker.cpp)
  LaunchState &launchOf(uint64_t number);
  BlockState &blockOf(const vm::WarpRef &ref, LaunchState &launch);
  Scene sceneOf(const vm::WarpRef &ref, vm::SiteRef site);
  void startBlock(BlockState &block, LaunchState &launch, uint64_t index);
  const KernelFacts &factsOf(const vm::Kernel &kernel);

  // --- Accesses.cpp
  void accessShared(const Scene &scene, const vm::AccessEvent &event);
  void accessGlobal(const Scene &scene, const vm::AccessEvent &event, const vm::SiteRef &site);
  void checkArray(const Scene &scene, const vm::AccessEvent &event, const SharedArrays::Array &array);
  void accessLocal(const Scene &scene, const vm::AccessEvent &event, const vm::SiteRef &site);
  void touchGlobal(const Scene &scene, uint32_t mask, uint32_t bytes, const uint64_t *addresses,
                   Strength strength, vm::Scope scope, bool write, bool reads, const vm::AccessEvent *event,
                   bool nonCoherent = false);

  // --- Clusters.cpp
  void accessCluster(const Scene &scene, const vm::AccessEvent &event, uint64_t home);
  void completeClusterBarrier(LaunchState &launch, const BlockState &block);
  std::vector<BlockState *> clusterOf(LaunchState &launch, const BlockState &block) const;

  // --- Publication.cpp
  void publishAndSee(const Scene &scene, const vm::AccessEvent &event);
  void forgetLocations(const Scene &scene, const vm::AccessEvent &event);
  void fence(const Scene &scene, const vm::FenceEvent &event);
  KnownRef acquired(const BlockState &block, const KnownRef &known, const Published &what) const;
  void takeSeen(const Scene &scene, unsigned lane, vm::Scope scope, bool atomicsOnly);
  /// Whether two strong accesses may meet unordered: see Publication.cpp.
  bool mayMeet(const Scene &scene, unsigned lane, const Meeting &meeting);
  bool isPoll(uint32_t place);

  // --- Barriers.cpp
  void reachBarrier(const Scene &scene, const vm::BarrierEvent &event);
  void completeBarrier(LaunchState &launch, BlockState &block, unsigned number);
  void meet(const Scene &scene, const vm::WarpSyncEvent &event);
  void passedBy(const Scene &scene);
  void turn(const Scene &scene, uint32_t site, uint32_t mask, uint32_t taken);
  /// Threads that went round a barrier at which others came together. Who has not come by `ended` has gone.
  void tellWhoWentRound(LaunchState &launch, BlockState &block, const BarrierState &barrier);
  void leave(const Scene &scene, uint32_t mask);

  // --- Mbarriers.cpp
  void onMbarrier(const Scene &scene, const vm::MbarrierEvent &event);
  void arriveFor(const Scene &scene, unsigned lane, Mbarrier &mbarrier);
  /// Whether the thread's last wait at a barrier that should order it with `other` went wrong, and how.
  bool badWait(const Scene &scene, unsigned thread, unsigned other) const;
  /// Bytes that are left over when nothing more can come; whether there were any.
  bool checkBytes(LaunchState &launch, BlockState &block);
  void badWaitTold(const Scene &scene, Mbarrier &mbarrier, const std::set<unsigned> &arrivers,
                   unsigned thread, Mbarrier::Wait &wait);
  void checkOverwritten(const Scene &scene, const vm::AccessEvent &event);

  // --- Copies.cpp
  void onCopy(const Scene &scene, const vm::AsyncEvent &event);
  void checkPending(const Scene &scene, uint64_t begin, uint64_t end, bool write, unsigned lane);
  void unwaited(const Scene &scene, uint32_t mask);

  // --- Ends.cpp
  void launchEnded(LaunchState &launch, const vm::LaunchResult &result);

  // --- Stories.cpp
  void noteUnwritten(UnwrittenReads &reads, uint64_t address, uint32_t place, std::string text);
  /// A write races with a read of these bytes: then that is what is wrong.
  static void forgetUnwritten(UnwrittenReads &reads, uint64_t address);
  void tellUnwritten(const LaunchState &launch, UnwrittenReads &reads, Rule rule);
  void tell(Rule rule, const LaunchState &launch, uint32_t place, std::string text, uint32_t otherPlace = 0,
            std::string otherText = {}, std::string hint = {});
  void tellRace(Rule rule, const Side &a, const Side &b, const std::string &what, std::string hint,
                std::string detail = {});
  /// A plain read races with atomics. That is how loops around a compare-and-swap begin, and then harmless:
  /// it is told only when no thread that read there goes on to swap.
  void deferPlainRead(Rule rule, const Side &reader, const Side &updater, uint64_t address,
                      const std::string &what, std::string hint);
  void swapped(const Scene &scene, const vm::AccessEvent &event);
  void tellPlainReads();
  std::string keyOf(Rule rule, uint32_t a, uint32_t b) const;
  bool isNew(Rule rule, uint32_t a, uint32_t b);
  /// The same where nothing is to be told now: asked first, since words are slow to make.
  bool wasTold(Rule rule, uint32_t a, uint32_t b);
  std::string raceHint(const Side &a, const Side &b, std::string hint) const;
  std::string madeBy(const vm::Allocation &piece) const;
  void noteAllocation(const vm::Allocation &piece);
  std::string globalName(const LaunchState &launch, uint64_t address, uint32_t elementBytes) const;

  /// What setOrder said on this host thread.
  std::optional<WorkOrder> takeOrder() const;

  // --- Host.cpp
  const LaunchState *launchOfActor(uint32_t actor) const;
  bool isOrdered(uint32_t actor, const LaunchState &launch) const;
  bool hostHasWritten(uint64_t address, uint64_t bytes) const;
  bool startsWritten(uint64_t address, uint64_t bytes) const;
  void hostTouched(uint64_t address, uint64_t bytes, bool write, const char *what);

  mutable std::mutex guard; ///< of what follows
  std::map<uint64_t, std::unique_ptr<LaunchState>> running;
  std::vector<std::unique_ptr<LaunchState>> ended; ///< without their blocks
  std::set<const vm::KernelInfo *> kernels;
  uint32_t nextActor = 1;
  CheckCounts total;
  GlobalShadow global;
  std::map<const vm::Kernel *, std::unique_ptr<KernelFacts>> facts;
  std::unordered_map<uint64_t, Location> locations;
  std::map<uint64_t, uint64_t> hostWritten; ///< ranges: begin to end
  struct HostWork {
    WorkOrder order;
    uint64_t begin = 0, end = 0;
    bool write = false;
    std::string what;
  };
  std::deque<HostWork> hostWork; ///< the newest ones that had an order
  struct PlainRead {
    Rule rule = Rule::RaceGlobal;
    Side reader, updater;
    std::string what, hint;
    std::set<std::tuple<uint64_t, uint64_t, unsigned, uint64_t>> readers; ///< launch, block, thread, address
  };
  std::mutex pollGuard;                     ///< of what follows
  std::map<uint32_t, bool> polls;           ///< by place
  std::mutex plainGuard;                    ///< of what follows
  std::map<uint32_t, PlainRead> plainReads; ///< by the place of the read
  std::set<uint32_t> guardedReads;          ///< places that are followed by a swap
  std::atomic<bool> hasPlainReads{false};
  mutable std::mutex toldGuard;           ///< of what follows
  std::map<uint64_t, std::string> makers; ///< " #2", by allocation
  std::map<vm::AllocationKind, unsigned> made;
  std::map<std::tuple<Rule, uint32_t, uint32_t>, std::string> told;
};

} // namespace heddle::check
