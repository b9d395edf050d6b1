// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Observer.h"

#include <cstdint>

namespace heddle::vm {

/// Two observers of one launch: each receives the events of its interests, the first one first. Compiled code is used if both take all
/// kinds of its events, and the second one every access: what the first one refuses must not have been noted by the other.
class ObserverPair final : public Observer {
public:
  ObserverPair(Observer &one, Observer &other)
      : first(one), second(other), ofFirst(one.interests()), ofSecond(other.interests()) {}

  uint32_t interests() const override { return ofFirst | ofSecond; }
  bool oneCore() const override { return first.oneCore() || second.oneCore(); }

  ObservedForm form() const override {
    const auto takesAll = [](ObservedForm form) {
      return form == ObservedForm::Blocks || form == ObservedForm::All;
    };
    return takesAll(first.form()) && takesAll(second.form()) && second.takesEveryPlainAccess()
               ? ObservedForm::All
               : ObservedForm::Nothing;
  }
  void codeBlocks(const WarpRef &at, const BlockOfCode &block, uint32_t mask, uint64_t times) override {
    notify(CodeBlocks, [&](Observer &o) { o.codeBlocks(at, block, mask, times); });
  }
  void branches(const WarpRef &at, SiteRef site, uint64_t times) override {
    notify(Branches, [&](Observer &o) { o.branches(at, site, times); });
  }
  bool takesEveryPlainAccess() const override {
    return first.takesEveryPlainAccess() && second.takesEveryPlainAccess();
  }
  bool plainAccess(const WarpRef &at, SiteRef site, const PlainAccess &access) override {
    if ((ofFirst & Accesses) && !first.plainAccess(at, site, access))
      return false;
    return !(ofSecond & Accesses) || second.plainAccess(at, site, access);
  }
  bool takesNotedLoads(uint64_t launch) const override {
    return first.takesNotedLoads(launch) && second.takesNotedLoads(launch);
  }
  void notedLoads(const WarpRef &at, const NotedLoads &loads) override {
    notify(Accesses, [&](Observer &o) { o.notedLoads(at, loads); });
  }

  void kernelBegin(const LaunchRequest &request, const KernelInfo &info, uint64_t launch) override {
    first.kernelBegin(request, info, launch), second.kernelBegin(request, info, launch);
  }
  void kernelEnd(const LaunchResult &result) override { first.kernelEnd(result), second.kernelEnd(result); }
  void blockBegin(const WarpRef &at) override {
    notify(Lifetimes, [&](Observer &o) { o.blockBegin(at); });
  }
  void blockEnd(const WarpRef &at) override {
    notify(Lifetimes, [&](Observer &o) { o.blockEnd(at); });
  }
  void lanesExit(const WarpRef &at, SiteRef site, uint32_t mask) override {
    notify(Lifetimes, [&](Observer &o) { o.lanesExit(at, site, mask); });
  }
  void instruction(const WarpRef &at, SiteRef site, uint32_t mask) override {
    notify(Instructions, [&](Observer &o) { o.instruction(at, site, mask); });
  }
  void codeBlock(const WarpRef &at, const BlockOfCode &block, uint32_t mask) override {
    notify(CodeBlocks, [&](Observer &o) { o.codeBlock(at, block, mask); });
  }
  void branch(const WarpRef &at, SiteRef site, uint32_t mask, uint32_t taken) override {
    notify(Branches, [&](Observer &o) { o.branch(at, site, mask, taken); });
  }
  void access(const WarpRef &at, SiteRef site, const AccessEvent &event) override {
    notify(Accesses, [&](Observer &o) { o.access(at, site, event); });
  }
  void barrierReached(const WarpRef &at, SiteRef site, const BarrierEvent &event) override {
    notify(Synchronization, [&](Observer &o) { o.barrierReached(at, site, event); });
  }
  void barrierCompleted(const WarpRef &at, unsigned barrier, uint64_t generation) override {
    notify(Synchronization, [&](Observer &o) { o.barrierCompleted(at, barrier, generation); });
  }
  void warpSync(const WarpRef &at, SiteRef site, const WarpSyncEvent &event) override {
    notify(Synchronization, [&](Observer &o) { o.warpSync(at, site, event); });
  }
  void mbarrier(const WarpRef &at, SiteRef site, const MbarrierEvent &event) override {
    notify(Synchronization, [&](Observer &o) { o.mbarrier(at, site, event); });
  }
  void async(const WarpRef &at, SiteRef site, const AsyncEvent &event) override {
    notify(Synchronization, [&](Observer &o) { o.async(at, site, event); });
  }
  void fence(const WarpRef &at, SiteRef site, const FenceEvent &event) override {
    notify(Synchronization, [&](Observer &o) { o.fence(at, site, event); });
  }

private:
  template <class Notify> void notify(Interest group, Notify one) {
    if (ofFirst & group)
      one(first);
    if (ofSecond & group)
      one(second);
  }

  Observer &first, &second;
  const uint32_t ofFirst, ofSecond;
};

} // namespace heddle::vm
