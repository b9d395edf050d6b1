// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses to memory: which shadow notes them, and what they publish. Plain accesses of compiled code come as groups of lanes
// and are noted as such where nothing is to be reported.
#include "check/ArrayBounds.h"
#include "check/CheckerImpl.h"
#include "ptx/Module.h"
#include "vm/Counters.h"
#include "vm/Lanes.h"
#include "vm/NotedLoads.h"

#include <array>

namespace heddle::check {
namespace {

/// Whether an atomic's result says anything about what was there before.
bool needsOldValue(const vm::AccessEvent &event, const ptx::Instr *instruction) {
  return isAtomic(event) && instruction && instruction->mods.atom != ptx::AtomOp::Exch;
}

vm::AccessEvent asVolatile(vm::AccessEvent event) {
  if (event.ordering == vm::Ordering::Weak &&
      (event.kind == vm::AccessKind::Load || event.kind == vm::AccessKind::Store))
    event.ordering = vm::Ordering::Volatile;
  return event;
}

} // namespace

void Checker::access(const vm::WarpRef &ref, vm::SiteRef site, const vm::AccessEvent &given) {
  if (given.space == vm::Space::Constant || given.space == vm::Space::Param)
    return;
  const vm::AccessEvent event = impl->options.allVolatile ? asVolatile(given) : given;
  const Scene scene = impl->sceneOf(ref, site);
  impl->countAccess(scene, event.mask);
  if (event.space == vm::Space::Shared)
    return impl->accessShared(scene, event);
  if (event.space == vm::Space::Local)
    return impl->accessLocal(scene, event, site);
  impl->accessGlobal(scene, event, site);
}

namespace {

/// Whether all lanes are inside of the array that their addresses come from, if it is known.
bool isInside(const vm::PlainAccess &access, const SharedArrays::Array &array) {
  if (!array.variable)
    return true;
  const int64_t last = int64_t(access.stride) * (vm::Lanes / access.groups - 1);
  for (uint32_t group = 0; group < access.groups; ++group) {
    const auto at = int64_t(access.addresses[group]);
    if (std::min(at, at + last) < int64_t(array.begin) ||
        uint64_t(std::max(at, at + last)) + access.bytes > array.end)
      return false;
  }
  return true;
}

/// Whether each lane of a store has memory of its own, as far as can be seen at a glance.
bool isApart(const vm::PlainAccess &access) {
  if (!access.groups || access.stride < int64_t(access.bytes))
    return false;
  const uint64_t reach = uint64_t(access.stride) * (vm::Lanes / access.groups);
  for (unsigned a = 1; a < access.groups; ++a)
    for (unsigned b = 0; b < a; ++b)
      if (access.addresses[a] - access.addresses[b] + reach - 1 < 2 * reach - 1)
        return false;
  return true;
}

} // namespace

/// Loads need no values; stores do only where others have been, and then the interpreter reports them.
bool Checker::plainAccess(const vm::WarpRef &ref, vm::SiteRef site, const vm::PlainAccess &access) {
  if (impl->options.allVolatile || (access.isStore && !isApart(access)))
    return false;
  const Scene scene = impl->sceneOf(ref, site);
  if (access.isStore && access.groups &&
      (access.space == vm::Space::Shared ? impl->writeGroups(scene, access)
                                         : impl->writeGlobalGroups(scene, access)))
    return true;
  if (access.isStore || !access.groups)
    return impl->accessByLanes(scene, site, access);
  impl->act(scene, vm::AllLanes);
  impl->load(scene, impl->touchOf(scene), site, access);
  return true;
}

bool Checker::takesNotedLoads(uint64_t) const { return !impl->options.allVolatile; }

/// What is the same for all of them is asked once.
void Checker::notedLoads(const vm::WarpRef &ref, const vm::NotedLoads &loads) {
  Scene scene = impl->sceneOf(ref, {});
  const Touch touch = impl->touchOf(scene);
  impl->act(scene, vm::AllLanes);
  if (loads.space == vm::Space::Shared && impl->readAgain(scene, touch, loads))
    return;
  vm::eachLoad(loads, [&](vm::SiteRef site, const vm::PlainAccess &access) {
    scene.at.instrId = scene.launch.facts.firstInstrId + site.site;
    impl->load(scene, touch, site, access);
  });
}

/// A load by groups.
void Checker::Impl::load(const Scene &scene, const Touch &touch, const vm::SiteRef &site,
                         const vm::PlainAccess &access) {
  const bool isNoted = access.space == vm::Space::Shared ? readGroups(scene, touch, access)
                                                         : readGlobalGroups(scene, access, site);
  if (isNoted)
    scene.launch.counts.accesses += vm::Lanes;
  else
    accessByLanes(scene, site, access);
}

/// Loads from shared memory that the warp has made before, in the same way, where nothing is to be reported. False: nothing was noted.
bool Checker::Impl::readAgain(const Scene &scene, const Touch &touch, const vm::NotedLoads &loads) {
  if (scene.launch.facts.inClusters)
    return false;
  const auto [known, isNew] = scene.block.loadsOfWarp[scene.at.warp].find(loads);
  if (isNew)
    return false;
  if (!known) // for the second time
    known = readSetOf(scene, loads);
  if (!scene.block.shared.readSet(touch, known))
    return false;
  scene.launch.counts.accesses += known->reads.size() * vm::Lanes;
  return true;
}

/// Without reads if some of them are not of the usual kind.
std::shared_ptr<const ReadSet> Checker::Impl::readSetOf(const Scene &scene,
                                                        const vm::NotedLoads &loads) const {
  const LaunchFacts &launch = scene.launch.facts;
  std::vector<ReadSet::Read> reads;
  bool areUsual = true;
  vm::eachLoad(loads, [&](vm::SiteRef site, const vm::PlainAccess &access) {
    areUsual &= access.bytes % 4 == 0 && isInside(access, launch.code->arrays.of(site.site));
    reads.emplace_back(access, launch.firstInstrId + site.site);
  });
  return std::make_shared<const ReadSet>(areUsual ? std::move(reads) : std::vector<ReadSet::Read>());
}

/// False: nothing was noted, since values are needed.
bool Checker::Impl::accessByLanes(const Scene &scene, const vm::SiteRef &site,
                                  const vm::PlainAccess &access) {
  std::array<uint64_t, vm::Lanes> room;
  vm::AccessEvent event;
  event.space = access.space;
  event.kind = access.isStore ? vm::AccessKind::Store : vm::AccessKind::Load;
  event.mask = access.mask, event.bytes = access.bytes;
  event.addresses = vm::addressesOf(access, room);
  event.elements = site.instruction->mods.vectorWidth();
  if (access.isStore && !isQuiet(scene, event))
    return false;
  countAccess(scene, access.mask);
  if (access.space == vm::Space::Shared)
    accessShared(scene, event);
  else
    accessGlobal(scene, event, site);
  return true;
}

/// Lanes of a warp access memory.
void Checker::Impl::countAccess(const Scene &scene, uint32_t mask) {
  scene.launch.counts.accesses += vm::countLanes(mask);
  act(scene, mask);
}

void Checker::Impl::act(const Scene &scene, uint32_t mask) {
  scene.block.order.acted(scene.at.warp);
  scene.block.syncs.acted(scene.at.warp, mask);
}

/// Without an instruction and its lanes.
Touch Checker::Impl::touchOf(const Scene &scene) const {
  const BlockOrder &order = scene.block.order;
  Touch touch;
  touch.warp = scene.at.warp;
  touch.stamp = order.stampOf(touch.warp), touch.known = order.leastKnown(touch.warp);
  return touch;
}

/// A load from shared memory of which nothing is to be reported. False: nothing was noted.
bool Checker::Impl::readGroups(const Scene &scene, Touch touch, const vm::PlainAccess &access) {
  const Where &at = scene.at;
  CheckedBlock &block = scene.block;
  if (access.bytes % 4 || scene.launch.facts.inClusters ||
      !isInside(access, at.launch.code->arrays.of(at.instrId - at.launch.firstInstrId)))
    return false;
  touch.bytes = access.bytes, touch.instrId = at.instrId;
  touch.mask = block.shared.readGroups(touch, access);
  if (!touch.mask)
    return true;
  std::array<uint64_t, vm::Lanes> room;
  vm::AccessEvent event;
  event.space = access.space;
  event.mask = touch.mask, event.bytes = access.bytes;
  event.addresses = touch.addresses = vm::addressesOf(access, room);
  const SharedEvidence evidence = evidenceOf(block);
  SharedConflicts conflicts(at, event, evidence, {reporter, plainReads, block.unwritten});
  block.shared.read(touch, conflicts);
  return true;
}

/// A store to shared memory that comes after all that was done there before. False: nothing was noted.
bool Checker::Impl::writeGroups(const Scene &scene, const vm::PlainAccess &access) {
  const Where &at = scene.at;
  CheckedBlock &block = scene.block;
  block.settleReads();
  if (scene.launch.facts.inClusters || !block.mbarriers.empty() || !block.values.empty() ||
      !isInside(access, at.launch.code->arrays.of(at.instrId - at.launch.firstInstrId)))
    return false;
  Touch touch = touchOf(scene);
  touch.bytes = access.bytes, touch.instrId = at.instrId;
  if (!block.shared.writeGroups(touch, access))
    return false;
  countAccess(scene, vm::AllLanes);
  return true;
}

/// A load from global memory. False: nothing was noted.
bool Checker::Impl::readGlobalGroups(const Scene &scene, const vm::PlainAccess &access,
                                     const vm::SiteRef &site) {
  CheckedBlock &block = scene.block;
  if (access.bytes % 4 || access.space != vm::Space::Global || !options.globalMemory ||
      site.instruction->mods.has(ptx::Flag::NonCoherent) || block.copies.any() || !scene.launch.loose.empty())
    return false;
  vm::AccessEvent event;
  event.bytes = access.bytes;
  event.elements = site.instruction->mods.vectorWidth();
  const GlobalAccess what{&event, false, strengthOf(event), scopeOf(event), elementBytes(event)};
  const GlobalEvidence evidence = globalEvidenceOf(block);
  GlobalConflicts conflicts(scene.at, what, evidence, {reporter, plainReads, scene.launch.unwritten, this});
  GlobalTouch touch;
  touch.bytes = access.bytes;
  describe(touch, scene, what);
  std::lock_guard lock(shared.guard);
  event.mask = touch.mask = shared.global.readGroups(touch, access, conflicts);
  if (!touch.mask)
    return true;
  std::array<uint64_t, vm::Lanes> room;
  event.addresses = touch.addresses = vm::addressesOf(access, room);
  shared.global.read(touch, conflicts, true);
  return true;
}

/// A store to global memory that nobody else accesses in this launch, as far as is known. False: nothing was noted.
bool Checker::Impl::writeGlobalGroups(const Scene &scene, const vm::PlainAccess &access) {
  CheckedBlock &block = scene.block;
  if (access.space != vm::Space::Global || !options.globalMemory || block.copies.any() ||
      !scene.launch.loose.empty())
    return false;
  vm::AccessEvent event;
  event.kind = vm::AccessKind::Store;
  const GlobalAccess what{&event, true, Strength::Weak, vm::Scope::None, access.bytes};
  const GlobalEvidence evidence = globalEvidenceOf(block);
  GlobalConflicts conflicts(scene.at, what, evidence, {reporter, plainReads, scene.launch.unwritten, this});
  GlobalTouch touch;
  describe(touch, scene, what);
  std::lock_guard lock(shared.guard);
  if (!shared.values.empty() || !shared.global.writeGroups(touch, access, conflicts))
    return false;
  countAccess(scene, vm::AllLanes);
  return true;
}

/// Whether a store of lanes that do not meet each other comes after everything that is known of the memory: nobody will ask for values.
bool Checker::Impl::isQuiet(const Scene &scene, const vm::AccessEvent &event) {
  const BlockOrder &order = scene.block.order;
  const Stamp known = order.leastKnown(scene.at.warp);
  if (event.space == vm::Space::Shared) {
    scene.block.settleReads();
    return scene.block.shared.isQuiet(event.addresses, event.mask, event.bytes, known) &&
           scene.block.mbarriers.empty() && !scene.launch.facts.inClusters;
  }
  std::lock_guard lock(shared.guard);
  return shared.global.isQuiet(event.addresses, event.mask, event.bytes, scene.launch.facts.orderedBelow);
}

const uint8_t *Checker::watchedBranches(uint64_t launch) {
  return impl->launchOf(launch).facts.code->decides.data();
}

void Checker::remoteAccess(const vm::WarpRef &ref, vm::SiteRef site, const vm::AccessEvent &event,
                           uint64_t home) {
  const Scene scene = impl->sceneOf(ref, site);
  CheckedBlock &block = scene.block;
  scene.launch.counts.accesses += vm::countLanes(event.mask);
  block.order.acted(ref.warp);
  scene.launch.cluster.access(scene.at, event, home, !block.mbarriers.empty(), block.order, impl->reporter);
}

void Checker::Impl::accessShared(const Scene &scene, const vm::AccessEvent &event) {
  CheckedBlock &block = scene.block;
  checkArrayBounds(scene.at, event, reporter);
  const SharedEvidence evidence = evidenceOf(block);
  SharedConflicts conflicts(scene.at, event, evidence, {reporter, plainReads, block.unwritten});
  Touch touch;
  touch.warp = scene.at.warp, touch.mask = event.mask, touch.bytes = event.bytes;
  touch.addresses = event.addresses;
  touch.stamp = block.order.stampOf(scene.at.warp), touch.known = block.order.leastKnown(scene.at.warp);
  touch.instrId = scene.at.instrId;
  touch.strength = strengthOf(event);
  touch.returns = event.kind == vm::AccessKind::Atomic && polls.isResultRead(scene.at.instrId);
  if (!writes(event)) {
    block.shared.read(touch, conflicts);
  } else {
    if (!block.mbarriers.empty())
      block.mbarriers.overwritten(scene.at, event, reporter);
    if (isAtomic(event) && needsOldValue(event, instructions.instruction(scene.at.instrId)))
      vm::eachLane(event.mask, [&](unsigned lane) {
        Past past;
        if (!block.shared.lastWrite(uint32_t(event.addresses[lane]), past))
          conflicts.unwritten(lane, event.addresses[lane]);
      });
    block.settleReads();
    block.shared.write(touch, conflicts);
  }
  if (scene.launch.facts.inClusters)
    scene.launch.cluster.access(scene.at, event, block.index, !block.mbarriers.empty(), block.order,
                                reporter);
  publish(scene, event, block.values);
}

void Checker::Impl::accessGlobal(const Scene &scene, const vm::AccessEvent &event, const vm::SiteRef &site) {
  const Where &at = scene.at;
  const bool write = writes(event);
  if (scene.block.copies.any())
    scene.block.copies.check(at, event, write, names, reporter);
  scene.launch.loose.check(at, event, write, names, reporter);
  GlobalTouch touch;
  touch.mask = event.mask, touch.bytes = event.bytes, touch.addresses = event.addresses;
  touch.nonCoherent = site.instruction && site.instruction->mods.has(ptx::Flag::NonCoherent);
  const GlobalAccess access{&event, write, strengthOf(event), scopeOf(event), elementBytes(event)};
  touchGlobal(scene, touch, access,
              isAtomic(event) && needsOldValue(event, instructions.instruction(at.instrId)));
  if (!write && !isStrong(access.strength))
    return; // it publishes nothing
  std::lock_guard lock(shared.guard);
  publish(scene, event, shared.values);
}

/// Who accesses global memory, and what is known then.
void Checker::Impl::describe(GlobalTouch &touch, const Scene &scene, const GlobalAccess &access) const {
  const Where &at = scene.at;
  const BlockOrder &order = scene.block.order;
  touch.self = {at.actor,    order.stampOf(at.warp), at.instrId, uint16_t(at.thread(0)), access.strength,
                access.scope};
  touch.self.byCopy = access.event == nullptr;
  touch.self.returns =
      access.event && access.event->kind == vm::AccessKind::Atomic && polls.isResultRead(at.instrId);
  touch.known = order.leastKnown(at.warp);
  touch.orderedBelow = at.launch.orderedBelow;
  touch.firstActor = at.launch.firstActor;
  touch.knowsOthers = order.knowsOthers(at.warp);
}

void Checker::Impl::touchGlobal(const Scene &scene, GlobalTouch touch, const GlobalAccess &access,
                                bool reads) {
  if (!options.globalMemory)
    return;
  const GlobalEvidence evidence = globalEvidenceOf(scene.block);
  GlobalConflicts conflicts(scene.at, access, evidence, {reporter, plainReads, scene.launch.unwritten, this});
  describe(touch, scene, access);
  std::lock_guard lock(shared.guard);
  if (access.write)
    shared.global.write(touch, conflicts, reads);
  else
    shared.global.read(touch, conflicts, true);
}

void Checker::Impl::publish(const Scene &scene, const vm::AccessEvent &event, PublishedValues &values) {
  if (isAtomic(event) && plainReads.any())
    plainReads.swapped(scene.at, event, instructions.instruction(scene.at.instrId));
  if (isStrong(strengthOf(event)))
    scene.block.fences.access(scene.at, event, values, polls, scene.block.order);
  else if (writes(event))
    values.overwrite(event);
}

void Checker::Impl::accessLocal(const Scene &scene, const vm::AccessEvent &event, const vm::SiteRef &site) {
  if (writes(event))
    scene.block.local.write(scene.at.warp, event);
  // Results of calls that were not set are the compiler's business: it reads them to throw them away.
  else if (options.uninitialized && site.instruction->mods.space != ptx::Space::Param)
    scene.block.local.read(scene.at, event, reporter);
}

} // namespace heddle::check
