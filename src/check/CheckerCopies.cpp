// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous copies: they access memory from their start until a thread waits for them, or an mbarrier's phase does.
#include "check/CheckerImpl.h"
#include "vm/Lanes.h"

namespace heddle::check {

/// They are over: their targets count as written by their threads now, the sources as read.
void CheckedBlock::endCopies(const Where &at, const std::vector<PendingCopy> &over) {
  const Stamp now = order.stampOf(at.warp);
  for (const PendingCopy &copy : over)
    if (copy.intoShared)
      shared.endCopyTo(copy.shared, copy.bytes, at.thread(copy.lane), now, copy.instrId, false);
    else if (!copy.sourceDone)
      shared.endCopyFrom(copy.shared, copy.bytes, at.thread(copy.lane), now, copy.instrId);
}

void Checker::async(const vm::WarpRef &ref, vm::SiteRef site, const vm::AsyncEvent &event) {
  using Kind = vm::AsyncEvent::Kind;
  const Scene scene = impl->sceneOf(ref, site);
  switch (event.kind) {
  case Kind::Issue:
    scene.block.order.acted(ref.warp);
    return vm::eachLane(event.mask, [&](unsigned lane) { impl->startCopy(scene, event, lane); });
  case Kind::Commit: return scene.block.copies.commit(ref.warp, event);
  case Kind::Wait: return impl->waitForCopies(scene, event);
  case Kind::ArriveOn: return impl->handOverCopies(scene, event);
  case Kind::Complete: return impl->completeCopy(scene, event);
  }
}

void Checker::Impl::startCopy(const Scene &scene, const vm::AsyncEvent &event, unsigned lane) {
  CheckedBlock &block = scene.block;
  const Where &at = scene.at;
  const PendingCopy copy = block.copies.describe(at, event, lane);
  const SharedEvidence evidence = evidenceOf(block);
  CopyConflicts conflicts(at, copy.intoShared, event.copy == vm::AsyncEvent::Copy::Bulk, evidence,
                          {reporter, plainReads, block.unwritten});
  Touch touch;
  touch.warp = at.warp;
  touch.stamp = block.order.stampOf(at.warp), touch.known = block.order.leastKnown(at.warp);
  touch.instrId = at.instrId;
  conflicts.checkProxy(copy, block.shared);
  if (copy.intoShared)
    block.shared.beginCopyTo(touch, lane, copy.shared, copy.bytes, conflicts);
  else
    block.shared.beginCopyFrom(touch, lane, copy.shared, copy.bytes, conflicts);
  if (copy.globalEnd) {
    if (copy.intoShared) {
      std::lock_guard lock(shared.guard);
      conflicts.checkGlobalProxy(copy, shared.global, names);
    }
    uint64_t addresses[32];
    addresses[lane] = copy.globalBegin;
    GlobalTouch globalTouch;
    globalTouch.mask = 1u << lane, globalTouch.bytes = copy.bytes, globalTouch.addresses = addresses;
    touchGlobal(scene, globalTouch, {.write = !copy.intoShared}, false);
  }
  if (event.mbarrier == ~0u)
    block.copies.start(at.warp, copy);
  else
    block.mbarriers.copyStarts(event.mbarrier, copy.shared, copy.bytes, at.instrId);
}

void Checker::Impl::waitForCopies(const Scene &scene, const vm::AsyncEvent &event) {
  CheckedBlock &block = scene.block;
  const unsigned warp = scene.at.warp;
  block.order.acted(warp);
  block.endCopies(scene.at, event.sourceOnly ? block.copies.sourcesDone(warp, event)
                                             : block.copies.waited(warp, event));
}

/// Their bytes count for an mbarrier from now on: a thread that waits for its phase waits for them.
void Checker::Impl::handOverCopies(const Scene &scene, const vm::AsyncEvent &event) {
  CheckedBlock &block = scene.block;
  const unsigned engine = block.mbarriers.engineOf(event.mbarrier, block.order);
  const Stamp now = block.order.release(scene.at.warp);
  const std::vector<PendingCopy> copies = block.copies.handedOver(scene.at.warp, event.mask);
  for (const PendingCopy &copy : copies)
    block.shared.endCopyTo(copy.shared, copy.bytes, engine, now, copy.instrId, true);
  if (!copies.empty())
    block.mbarriers.gatherEngine(event.mbarrier, now, block.order);
}

void Checker::Impl::completeCopy(const Scene &scene, const vm::AsyncEvent &event) {
  CheckedBlock &block = scene.block;
  const uint32_t to = uint32_t(event.to[vm::firstLane(event.mask)]);
  const unsigned engine = block.mbarriers.engineOf(event.mbarrier, block.order);
  const Stamp now = block.order.release(scene.at.warp);
  block.mbarriers.copyEnds(scene.at.launch, event.mbarrier, to, event.bytes, reporter);
  block.shared.endCopyTo(to, event.bytes, engine, now, scene.at.instrId, true);
  block.mbarriers.gatherEngine(event.mbarrier, now, block.order);
}

} // namespace heddle::check
