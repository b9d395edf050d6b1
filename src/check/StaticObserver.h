// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Checker.h"
#include "check/StaticGlobal.h"
#include "check/StaticSteering.h"
#include "vm/Lanes.h"

#include <cstdint>
#include <optional>
#include <unordered_map>

namespace heddle::check {

/// Filters events for the happens-before engine and lets through what is meant for it: shared memory and
/// synchronization by barriers, mbarriers and copies. Orders that fences and flags make depend on who saw
/// whose value, which is data.
class StaticObserver final : public vm::Observer {
public:
  /// `races` has the accesses to global memory, and what orders them; null where they are not needed.
  StaticObserver(Checker &engine, const StaticSteering &steering, bool onlyWhatIsCertain, Checker *races,
                 GlobalAccesses *global)
      : engine(engine), races(races), global(global), steering(steering), certain(onlyWhatIsCertain) {}

  /// Whether anything was reported, or left out, that depends on data.
  bool sawDoubt() const { return doubt; }
  /// Whether something was that may not happen.
  bool sawPerhaps() const { return perhaps; }
  /// Whether a write to shared memory was that may not happen.
  bool sawPerhapsWritten() const { return perhapsWritten; }
  uint64_t barriers() const { return completed; }
  /// Whether a block-wide barrier completed although some threads had ended before they came to any.
  bool completedWithoutEnded() const { return endedEarly; }
  /// A block-wide barrier that threads which took part in the block's work left to the others.
  std::optional<UndecidedReason> leftBarrier() const;
  /// A read of what another thread wrote, which may have left instead.
  std::optional<UndecidedReason> readOfOthers() const;

  uint32_t interests() const override { return engine.interests(); }
  bool oneCore() const override { return true; }

  void kernelBegin(const vm::LaunchRequest &r, const vm::KernelInfo &k, uint64_t launch) override {
    engine.kernelBegin(r, k, launch);
    if (races)
      races->kernelBegin(r, k, launch);
  }
  void kernelEnd(const vm::LaunchResult &result) override;
  void blockBegin(const vm::WarpRef &w) override {
    engine.blockBegin(w);
    if (races)
      races->blockBegin(w);
  }
  void blockEnd(const vm::WarpRef &w) override {
    engine.blockEnd(w);
    if (races)
      races->blockEnd(w);
  }
  void lanesExit(const vm::WarpRef &w, vm::SiteRef s, uint32_t mask) override;
  void branch(const vm::WarpRef &w, vm::SiteRef s, uint32_t mask, uint32_t taken) override {
    engine.branch(w, s, mask, taken);
  }
  void access(const vm::WarpRef &w, vm::SiteRef s, const vm::AccessEvent &e) override;
  void barrierReached(const vm::WarpRef &w, vm::SiteRef s, const vm::BarrierEvent &e) override;
  void barrierCompleted(const vm::WarpRef &w, unsigned barrier, uint64_t generation) override;
  void warpSync(const vm::WarpRef &w, vm::SiteRef s, const vm::WarpSyncEvent &e) override {
    if (steering.isPerhaps())
      return; // what may not happen orders nothing for certain
    engine.warpSync(w, s, e);
    if (races)
      races->warpSync(w, s, e);
  }
  void mbarrier(const vm::WarpRef &w, vm::SiteRef s, const vm::MbarrierEvent &e) override {
    completed += e.kind == vm::MbarrierEvent::Kind::Completed;
    sawCopies = true; // or may have
    engine.mbarrier(w, s, e);
    if (races)
      races->mbarrier(w, s, e);
  }
  void async(const vm::WarpRef &w, vm::SiteRef s, const vm::AsyncEvent &e) override;
  void fence(const vm::WarpRef &w, vm::SiteRef s, const vm::FenceEvent &e) override {
    if (e.proxy)
      engine.fence(w, s, e);
  }

private:
  /// Whether what happens now is to be reported.
  bool observes();
  void settleValues(uint32_t site, vm::AccessEvent &event);
  bool isStoredValueKnown(const vm::AccessEvent &event);
  bool mayHideAnother(const vm::AccessEvent &event) const;
  void rememberStored(const vm::AccessEvent &event);
  void forgetStored();
  bool writtenByAnother(uint32_t site, uint64_t address, uint32_t bytes) const;
  void rememberWriters(uint32_t site, const vm::AccessEvent &event);
  void followOwners(const vm::WarpRef &warp, vm::SiteRef site, const vm::AccessEvent &event);

  /// What a warp's lanes did.
  struct WarpWork {
    uint32_t worked = 0;                    ///< accessed memory, or came to a barrier
    uint32_t ended = 0;                     ///< left the kernel
    const ptx::Instr *left[vm::Lanes] = {}; ///< where
  };
  WarpWork &workOf(const vm::WarpRef &w);

  Checker &engine;
  Checker *const races;
  GlobalAccesses *const global;
  const StaticSteering &steering;
  const bool certain;
  bool doubt = false, perhaps = false, perhapsWritten = false;
  uint64_t completed = 0;
  std::vector<WarpWork> work;                                ///< by warp
  const ptx::Instr *wholeBarrier[vm::HardwareBarriers] = {}; ///< block-wide ones that threads wait at
  bool endedEarly = false;
  const ptx::Instr *leftAt = nullptr, *leftFrom = nullptr; ///< a barrier, and where threads ended without it
  std::vector<uint32_t>
      writers; ///< of each word of shared memory's unknown value: 1 + the site that stored it; 0: known
  std::vector<uint32_t> owners; ///< of each byte of shared memory: 1 + the thread that wrote it last; 0: none
  /// A byte of shared memory that was stored to since the last barrier of the block.
  struct Stored {
    uint8_t value = 0;
    bool isOnlyOne = false; ///< all stores had this value
  };
  std::unordered_map<uint64_t, Stored> stored;
  bool sawCopies = false; ///< asynchronous ones
  const ptx::Instr *othersReadAt = nullptr;
  uint8_t held[vm::Lanes][64] = {};
  uint8_t *heldAt[vm::Lanes] = {};
};

} // namespace heddle::check
