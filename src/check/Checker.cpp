// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checker is a number of parts, each with its own small state, and this file, which says who hears of which
// event and in which order:
//
//   happens-before   BlockOrder (Clock.h): what each lane of a block knows of what others did
//   synchronization  BlockBarriers, BarrierRoutes, WarpSyncs, Mbarriers, Fences with PublishedValues, Clusters:
//                    each keeps what it needs of its kind of operation, and says to BlockOrder who learns what
//   memory           SharedShadow, GlobalShadow, LocalMemory, AsyncCopies, HostWrites: who accessed what
//   decisions        Conflicts.h: whether two accesses that meet in a shadow are a race
//   findings         Reporter, PlainReads, UnwrittenReads, Ends
//
// An access goes to its shadow first and publishes afterwards: what it lets others know includes itself. Parts of
// a block are used by the one host thread that runs the block; what launches share (Shared) is locked here.
#include "check/AccessEvents.h"
#include "check/ArrayBounds.h"
#include "check/BarrierRoutes.h"
#include "check/Clusters.h"
#include "check/Conflicts.h"
#include "check/Ends.h"
#include "check/LocalMemory.h"
#include "check/WarpSyncs.h"
#include "ptx/Module.h"
#include "vm/Code.h"
#include "vm/Counters.h"
#include "vm/Lanes.h"

#include <array>
#include <atomic>
#include <unordered_map>

namespace heddle::check {
namespace {

struct Block {
  uint64_t index = 0;
  BlockOrder order;
  SharedShadow shared;
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
};

/// While it runs.
struct Launch {
  explicit Launch(const LaunchFacts &launch) : facts(launch) {}
  const LaunchFacts &facts;
  std::unordered_map<uint64_t, std::unique_ptr<Block>> blocks;
  std::vector<std::unique_ptr<Block>> spare;
  UnwrittenReads unwritten; ///< of global memory
  LooseCopies loose;
  ClusterMemory cluster;
  bool countReported = false; ///< a barrier was given two counts of threads
  CheckCounts counts;
};

/// What launches share. Users hold the guard.
struct Shared {
  explicit Shared(const vm::Memory *memory) : hostWrites(memory) {}
  std::mutex guard;
  std::map<uint64_t, std::unique_ptr<Launch>> running;
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
  Launch &launch;
  Block &block;
  Where at;
};

std::atomic<uint64_t> checkersEver{0};

/// The launch and block of the last event of this host thread: nearly always those of the next one too.
struct Recent {
  uint64_t checker = 0, launch = 0;
  Launch *launchState = nullptr;
  uint64_t block = 0;
  Block *blockState = nullptr;
};
thread_local Recent recent;
thread_local std::pair<uint64_t, std::optional<WorkOrder>> nextOrder; ///< by checker

void Block::begin(const LaunchFacts &launch, uint64_t number) {
  const unsigned threads = unsigned(launch.block.count()), warps = (threads + 31) / 32;
  index = number;
  const Stamp start = order.begin(threads, launch.firstActor + uint32_t(number));
  // What a block has at most; the simulator has checked that accesses stay inside of what this one has.
  shared.begin(warps, launch.kernel->dynamicSharedOffset + launch.dynamicShared + 2048, start);
  barriers.begin();
  routes.begin(warps);
  syncs.begin(warps);
  mbarriers.begin();
  copies.begin(warps);
  fences.begin(warps);
  values.clear();
  local.begin(warps);
  unwritten.clear();
}

/// They are over: their targets count as written by their threads now, the sources as read.
void Block::endCopies(const Where &at, const std::vector<PendingCopy> &over) {
  const Stamp now = order.stampOf(at.warp);
  for (const PendingCopy &copy : over)
    if (copy.intoShared)
      shared.endCopyTo(copy.shared, copy.bytes, at.thread(copy.lane), now, copy.instrId, false);
    else if (!copy.sourceDone)
      shared.endCopyFrom(copy.shared, copy.bytes, at.thread(copy.lane), now, copy.instrId);
}

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

struct Checker::Impl final : LateWrites {
  Impl(CheckOptions given, FindingList &list)
      : options(std::move(given)), id(++checkersEver), reporter(instructions, list), polls(instructions),
        names(options.memory, options.allocator), shared(options.memory) {}

  const CheckOptions options;
  const uint64_t id; ///< of this checker among all that ever were
  InstructionTable instructions;
  Reporter reporter;
  PollInstructions polls;
  GlobalNames names;
  PlainReads plainReads;
  Shared shared;

  std::optional<WorkOrder> takeOrder() const {
    return nextOrder.first == id ? nextOrder.second : std::nullopt;
  }
  const KernelFacts &codeOf(const vm::Kernel &kernel);
  Launch &launchOf(uint64_t number);
  Block &blockOf(const vm::WarpRef &ref, Launch &launch);
  Scene sceneOf(const vm::WarpRef &ref, vm::SiteRef site);

  SharedEvidence evidenceOf(const Block &block) const {
    return {options, block.order, block.fences, block.values, polls, block.mbarriers};
  }
  Touch touchOf(const Scene &scene, const vm::PlainAccess &access) const;
  void countGroups(const Scene &scene);
  bool readGroups(const Scene &scene, const vm::PlainAccess &access);
  bool writeGroups(const Scene &scene, const vm::PlainAccess &access);
  bool readGlobalGroups(const Scene &scene, const vm::PlainAccess &access, const vm::SiteRef &site);
  bool isQuiet(const Scene &scene, const vm::AccessEvent &event);
  void accessShared(const Scene &scene, const vm::AccessEvent &event);
  void accessLocal(const Scene &scene, const vm::AccessEvent &event, const vm::SiteRef &site);
  void accessGlobal(const Scene &scene, const vm::AccessEvent &event, const vm::SiteRef &site);
  GlobalEvidence globalEvidenceOf(const Block &block) const {
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

  void completeBarrier(Launch &launch, Block &block, unsigned number);
  void hostTouched(HostCopy copy);
  /// The guard is held.
  void wroteAfter(const LaunchFacts &reader, uint64_t begin, uint64_t end) override;
  void launchEnded(Launch &launch, const vm::LaunchResult &result);
  void reportFault(Launch &launch, const vm::Fault &fault);
  void reportDeadlock(Launch &launch, const vm::Fault &fault);
  bool isExplained(const Launch &launch, Block &block);
};

// --- launches and blocks ----------------------------------------------------------------------------------

Launch &Checker::Impl::launchOf(uint64_t number) {
  if (recent.checker == id && recent.launch == number)
    return *recent.launchState;
  std::lock_guard lock(shared.guard);
  recent = {id, number, shared.running.at(number).get(), 0, nullptr};
  return *recent.launchState;
}

const KernelFacts &Checker::Impl::codeOf(const vm::Kernel &kernel) {
  std::lock_guard lock(shared.guard);
  std::unique_ptr<KernelFacts> &known = shared.code[&kernel];
  if (!known)
    known = std::make_unique<KernelFacts>(kernel);
  return *known;
}

Block &Checker::Impl::blockOf(const vm::WarpRef &ref, Launch &launch) {
  if (recent.checker == id && recent.launch == ref.launch && recent.blockState &&
      recent.block == ref.blockIndex)
    return *recent.blockState;
  std::unique_ptr<Block> &block = launch.blocks[ref.blockIndex];
  if (!block) {
    if (launch.spare.empty())
      block = std::make_unique<Block>();
    else
      block = std::move(launch.spare.back()), launch.spare.pop_back();
    block->begin(launch.facts, ref.blockIndex);
  }
  recent.block = ref.blockIndex;
  recent.blockState = block.get();
  return *block;
}

Scene Checker::Impl::sceneOf(const vm::WarpRef &ref, vm::SiteRef site) {
  Recent &last = recent;
  const bool isSame =
      last.checker == id && last.launch == ref.launch && last.blockState && last.block == ref.blockIndex;
  Launch &launch = isSame ? *last.launchState : launchOf(ref.launch);
  Block &block = isSame ? *last.blockState : blockOf(ref, launch);
  return {
      launch,
      block,
      {launch.facts, ref.blockIndex, block.order.actor(), ref.warp, launch.facts.firstInstrId + site.site}};
}

Checker::Checker(CheckOptions options, FindingList &findings)
    : impl(std::make_unique<Impl>(std::move(options), findings)) {}
Checker::~Checker() = default;

void Checker::setOrder(WorkOrder order) { nextOrder = {impl->id, std::move(order)}; }

void Checker::kernelBegin(const vm::LaunchRequest &request, const vm::KernelInfo &info, uint64_t number) {
  LaunchFacts facts;
  facts.number = number;
  facts.kernel = request.kernel;
  facts.info = &info;
  facts.name = readableKernel(info.name);
  facts.grid = request.grid, facts.block = request.block;
  facts.dynamicShared = request.dynamicSharedBytes;
  facts.cluster = request.cluster;
  facts.inClusters = request.cluster.count() > 1;
  facts.parameters = request.parameters;
  facts.firstInstrId = impl->instructions.add(*request.kernel);
  facts.code = &impl->codeOf(*request.kernel);
  facts.cooperative = request.cooperative;
  facts.blocks = request.grid.count();
  facts.order = impl->takeOrder();
  Shared &shared = impl->shared;
  std::lock_guard lock(shared.guard);
  ++shared.total.launches;
  const uint64_t begun = ++shared.kernels[&info];
  facts.ofKernel = facts.order && facts.order->ofKernel ? facts.order->ofKernel : begun;
  auto launch = std::make_unique<Launch>(shared.launches.begin(std::move(facts)));
  if (launch->facts.order)
    for (HostCopy &copy : shared.hostWork.unorderedWith(*launch->facts.order))
      launch->loose.add(std::move(copy));
  shared.running[number] = std::move(launch);
}

void Checker::kernelEnd(const vm::LaunchResult &result) {
  Shared &shared = impl->shared;
  Launch *launch = nullptr;
  {
    std::lock_guard lock(shared.guard);
    auto found = shared.running.find(result.launch);
    if (found == shared.running.end())
      return;
    launch = found->second.get();
  }
  impl->launchEnded(*launch, result);
  recent = {};
  std::lock_guard lock(shared.guard);
  shared.total.blocks += launch->counts.blocks;
  shared.total.accesses += launch->counts.accesses;
  shared.total.synchronizations += launch->counts.synchronizations;
  shared.launches.end(result.launch);
  shared.running.erase(result.launch);
}

void Checker::blockBegin(const vm::WarpRef &ref) {
  Launch &launch = impl->launchOf(ref.launch);
  impl->blockOf(ref, launch);
  ++launch.counts.blocks;
}

void Checker::blockEnd(const vm::WarpRef &ref) {
  Launch &launch = impl->launchOf(ref.launch);
  Block &block = impl->blockOf(ref, launch);
  block.mbarriers.reportBytes(launch.facts, block.index, impl->reporter);
  block.unwritten.report(Rule::UninitializedShared, launch.facts, impl->reporter);
  auto found = launch.blocks.find(ref.blockIndex);
  launch.spare.push_back(std::move(found->second));
  launch.blocks.erase(found);
  recent.blockState = nullptr;
}

void Checker::lanesExit(const vm::WarpRef &ref, vm::SiteRef site, uint32_t mask) {
  const Scene scene = impl->sceneOf(ref, site);
  scene.block.endCopies(scene.at, scene.block.copies.unwaited(scene.at, mask, impl->reporter));
  scene.block.routes.leave(ref.warp, mask);
  scene.block.order.leave(ref.warp, mask);
}

void Checker::branch(const vm::WarpRef &ref, vm::SiteRef site, uint32_t mask, uint32_t taken) {
  Launch &launch = impl->launchOf(ref.launch);
  if (launch.facts.code->paths.decides(site.site))
    impl->blockOf(ref, launch).routes.branch(ref.warp, site.site, mask, taken);
}

// --- accesses ---------------------------------------------------------------------------------------------

void Checker::access(const vm::WarpRef &ref, vm::SiteRef site, const vm::AccessEvent &given) {
  if (given.space == vm::Space::Constant || given.space == vm::Space::Param)
    return;
  const vm::AccessEvent event = impl->options.allVolatile ? asVolatile(given) : given;
  const Scene scene = impl->sceneOf(ref, site);
  scene.launch.counts.accesses += vm::countLanes(event.mask);
  scene.block.order.acted(ref.warp);
  scene.block.syncs.acted(ref.warp, event.mask);
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
  const bool isNoted =
      access.space == vm::Space::Shared
          ? access.isStore ? impl->writeGroups(scene, access) : impl->readGroups(scene, access)
          : !access.isStore && impl->readGlobalGroups(scene, access, site);
  if (isNoted)
    return true;
  std::array<uint64_t, vm::Lanes> room;
  vm::AccessEvent event;
  event.space = access.space;
  event.kind = access.isStore ? vm::AccessKind::Store : vm::AccessKind::Load;
  event.mask = access.mask, event.bytes = access.bytes;
  event.addresses = vm::addressesOf(access, room);
  event.elements = site.instruction->mods.vectorWidth();
  if (access.isStore && !impl->isQuiet(scene, event))
    return false;
  scene.launch.counts.accesses += vm::countLanes(access.mask);
  scene.block.order.acted(ref.warp);
  scene.block.syncs.acted(ref.warp, access.mask);
  if (access.space == vm::Space::Shared)
    impl->accessShared(scene, event);
  else
    impl->accessGlobal(scene, event, site);
  return true;
}

/// All lanes of a warp have accessed memory.
void Checker::Impl::countGroups(const Scene &scene) {
  scene.launch.counts.accesses += vm::Lanes;
  scene.block.order.acted(scene.at.warp);
  scene.block.syncs.acted(scene.at.warp, vm::AllLanes);
}

/// Without lanes.
Touch Checker::Impl::touchOf(const Scene &scene, const vm::PlainAccess &access) const {
  const BlockOrder &order = scene.block.order;
  Touch touch;
  touch.warp = scene.at.warp, touch.bytes = access.bytes;
  touch.stamp = order.stampOf(touch.warp), touch.known = order.leastKnown(touch.warp);
  touch.instrId = scene.at.instrId;
  return touch;
}

/// A load from shared memory of which nothing is to be reported. False: nothing was noted.
bool Checker::Impl::readGroups(const Scene &scene, const vm::PlainAccess &access) {
  const Where &at = scene.at;
  Block &block = scene.block;
  if (!access.groups || access.bytes % 4 || scene.launch.facts.inClusters ||
      !isInside(access, at.launch.code->arrays.of(at.instrId - at.launch.firstInstrId)))
    return false;
  Touch touch = touchOf(scene, access);
  touch.mask = block.shared.readGroups(touch, access);
  countGroups(scene);
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
  Block &block = scene.block;
  if (!access.groups || scene.launch.facts.inClusters || !block.mbarriers.empty() || !block.values.empty() ||
      !isInside(access, at.launch.code->arrays.of(at.instrId - at.launch.firstInstrId)) ||
      !block.shared.writeGroups(touchOf(scene, access), access))
    return false;
  countGroups(scene);
  return true;
}

/// A load from global memory. False: nothing was noted.
bool Checker::Impl::readGlobalGroups(const Scene &scene, const vm::PlainAccess &access,
                                     const vm::SiteRef &site) {
  Block &block = scene.block;
  if (!access.groups || access.bytes % 4 || access.space != vm::Space::Global || !options.globalMemory ||
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
  countGroups(scene);
  std::lock_guard lock(shared.guard);
  event.mask = touch.mask = shared.global.readGroups(touch, access, conflicts);
  if (!touch.mask)
    return true;
  std::array<uint64_t, vm::Lanes> room;
  event.addresses = touch.addresses = vm::addressesOf(access, room);
  shared.global.read(touch, conflicts, true);
  return true;
}

/// Whether a store of lanes that do not meet each other comes after everything that is known of the memory: nobody will ask for values.
bool Checker::Impl::isQuiet(const Scene &scene, const vm::AccessEvent &event) {
  const BlockOrder &order = scene.block.order;
  const Stamp known = order.leastKnown(scene.at.warp);
  if (event.space == vm::Space::Shared)
    return scene.block.shared.isQuiet(event.addresses, event.mask, event.bytes, known) &&
           scene.block.mbarriers.empty() && !scene.launch.facts.inClusters;
  std::lock_guard lock(shared.guard);
  return shared.global.isQuiet(event.addresses, event.mask, event.bytes, scene.launch.facts.orderedBelow);
}

const uint8_t *Checker::watchedBranches(uint64_t launch) {
  return impl->launchOf(launch).facts.code->decides.data();
}

void Checker::remoteAccess(const vm::WarpRef &ref, vm::SiteRef site, const vm::AccessEvent &event,
                           uint64_t home) {
  const Scene scene = impl->sceneOf(ref, site);
  Block &block = scene.block;
  scene.launch.counts.accesses += vm::countLanes(event.mask);
  block.order.acted(ref.warp);
  scene.launch.cluster.access(scene.at, event, home, !block.mbarriers.empty(), block.order, impl->reporter);
}

void Checker::Impl::accessShared(const Scene &scene, const vm::AccessEvent &event) {
  Block &block = scene.block;
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

// --- asynchronous copies ----------------------------------------------------------------------------------

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
  Block &block = scene.block;
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
  Block &block = scene.block;
  const unsigned warp = scene.at.warp;
  block.order.acted(warp);
  block.endCopies(scene.at, event.sourceOnly ? block.copies.sourcesDone(warp, event)
                                             : block.copies.waited(warp, event));
}

/// Their bytes count for an mbarrier from now on: a thread that waits for its phase waits for them.
void Checker::Impl::handOverCopies(const Scene &scene, const vm::AsyncEvent &event) {
  Block &block = scene.block;
  const unsigned engine = block.mbarriers.engineOf(event.mbarrier, block.order);
  const Stamp now = block.order.release(scene.at.warp);
  const std::vector<PendingCopy> copies = block.copies.handedOver(scene.at.warp, event.mask);
  for (const PendingCopy &copy : copies)
    block.shared.endCopyTo(copy.shared, copy.bytes, engine, now, copy.instrId, true);
  if (!copies.empty())
    block.mbarriers.gatherEngine(event.mbarrier, now, block.order);
}

void Checker::Impl::completeCopy(const Scene &scene, const vm::AsyncEvent &event) {
  Block &block = scene.block;
  const uint32_t to = uint32_t(event.to[vm::firstLane(event.mask)]);
  const unsigned engine = block.mbarriers.engineOf(event.mbarrier, block.order);
  const Stamp now = block.order.release(scene.at.warp);
  block.mbarriers.copyEnds(scene.at.launch, event.mbarrier, to, event.bytes, reporter);
  block.shared.endCopyTo(to, event.bytes, engine, now, scene.at.instrId, true);
  block.mbarriers.gatherEngine(event.mbarrier, now, block.order);
}

// --- synchronization --------------------------------------------------------------------------------------

void Checker::barrierReached(const vm::WarpRef &ref, vm::SiteRef site, const vm::BarrierEvent &event) {
  const Scene scene = impl->sceneOf(ref, site);
  Block &block = scene.block;
  ++scene.launch.counts.synchronizations;
  const BlockBarriers::Round *round = block.barriers.open(event.barrier);
  block.routes.reach(scene.at, event, block.order.alive(ref.warp), round && round->waiting[ref.warp],
                     impl->reporter);
  scene.launch.countReported |= block.barriers.inspect(scene.at, event, block.order, impl->reporter);
  block.fences.barrier(ref.warp, event.mask, block.order);
  block.barriers.arrive(scene.at, event, block.order);
  block.fences.carry(block.barriers.gathering(event.barrier), ref.warp, event.mask);
  if (block.barriers.open(event.barrier)->whole)
    block.routes.reachedBlockBarrier(ref.warp, event.mask);
}

void Checker::barrierCompleted(const vm::WarpRef &ref, unsigned barrier, uint64_t) {
  Launch &launch = impl->launchOf(ref.launch);
  impl->completeBarrier(launch, impl->blockOf(ref, launch), barrier);
}

void Checker::Impl::completeBarrier(Launch &launch, Block &block, unsigned number) {
  const BlockBarriers::Round *round = block.barriers.open(number);
  if (!round)
    return;
  if (number == vm::ClusterBarrier && launch.facts.inClusters) {
    std::vector<ClusterMate> cluster;
    for (uint64_t index : clusterOf(launch.facts, block.index))
      if (auto mate = launch.blocks.find(index); mate != launch.blocks.end())
        cluster.push_back({mate->second->barriers, mate->second->order});
    return completeClusterBarrier(cluster);
  }
  if (round->whole)
    block.routes.reportMissing(launch.facts, block.index, *round, block.order, reporter);
  block.barriers.complete(launch.facts, block.index, number, block.order, reporter);
}

void Checker::warpSync(const vm::WarpRef &ref, vm::SiteRef site, const vm::WarpSyncEvent &event) {
  const Scene scene = impl->sceneOf(ref, site);
  ++scene.launch.counts.synchronizations;
  BlockOrder &order = scene.block.order;
  if (!scene.block.syncs.sync(scene.at, event, order.alive(ref.warp), impl->reporter))
    return;
  order.synchronize(ref.warp, event.here);
  scene.block.fences.carryInWarp(ref.warp, event.here, order);
}

void Checker::mbarrier(const vm::WarpRef &ref, vm::SiteRef site, const vm::MbarrierEvent &event) {
  const Scene scene = impl->sceneOf(ref, site);
  Block &block = scene.block;
  ++scene.launch.counts.synchronizations;
  block.mbarriers.on(scene.at, event, impl->instructions, block.order, impl->reporter);
  if (event.kind == vm::MbarrierEvent::Kind::Init)
    block.shared.markWritten(uint32_t(event.addresses[vm::firstLane(event.mask)]), 8);
}

void Checker::fence(const vm::WarpRef &ref, vm::SiteRef site, const vm::FenceEvent &event) {
  const Scene scene = impl->sceneOf(ref, site);
  ++scene.launch.counts.synchronizations;
  scene.block.fences.fence(ref.warp, event, scene.block.order);
}

// --- how launches end -------------------------------------------------------------------------------------

void Checker::Impl::launchEnded(Launch &launch, const vm::LaunchResult &result) {
  for (auto &[index, block] : launch.blocks)
    block->unwritten.report(Rule::UninitializedShared, launch.facts, reporter);
  {
    std::lock_guard lock(shared.guard);
    launch.unwritten.report(Rule::UninitializedGlobal, launch.facts, reporter, &shared.reportedReads);
  }
  plainReads.reportLeft(reporter);
  if (!result.fault || (result.fault->misuse == vm::Misuse::BarrierCount && launch.countReported))
    return;
  if (result.fault->kind == vm::FaultKind::Timeout) { // it may be slow only: nothing is decided
    std::lock_guard lock(shared.guard);
    ++shared.total.stopped;
  } else if (result.fault->kind == vm::FaultKind::Deadlock) {
    reportDeadlock(launch, *result.fault);
  } else {
    reportFault(launch, *result.fault);
  }
}

void Checker::Impl::reportFault(Launch &launch, const vm::Fault &fault) {
  Finding finding = faultFinding(launch.facts, fault);
  // The simulator cannot distinguish an mbarrier that was never one from one that is none any more.
  if (fault.misuse == vm::Misuse::MbarrierNotValid && fault.address)
    for (auto &[index, block] : launch.blocks) {
      const Mbarriers::Fate fate = block->mbarriers.fateOf(uint32_t(*fault.address));
      if (fate.wasValid && fate.isReported)
        return;
      if (fate.wasValid)
        finding.rule = Rule::MbarrierInvalid;
    }
  reporter.add(withDetails(std::move(finding), fault));
}

/// Whether something that has been reported is why the block's threads wait.
bool Checker::Impl::isExplained(const Launch &launch, Block &block) {
  return block.mbarriers.reportBytes(launch.facts, block.index, reporter) ||
         block.mbarriers.anyWaitIsExplained();
}

void Checker::Impl::reportDeadlock(Launch &launch, const vm::Fault &fault) {
  Deadlock deadlock;
  deadlock.blocksLeft = launch.blocks.size();
  for (auto &[index, block] : launch.blocks) {
    if (isExplained(launch, *block))
      return;
    deadlock.pollsMbarrier |= block->mbarriers.anyWaits();
    reportRoleBarriers(launch.facts, fault, block->barriers, block->order, reporter);
    if (const BlockBarriers::Round *round = block->barriers.open(0); round && round->whole)
      block->routes.reportMissing(launch.facts, index, *round, block->order, reporter);
    block->routes.reportPassed(
        launch.facts, index,
        [&, number = index](unsigned warp) { return lanesThatPoll(launch.facts, fault, number, warp); },
        reporter);
    for (std::string &text : block->mbarriers.waitedFor(launch.facts, index))
      deadlock.mbarriers.push_back(std::move(text));
  }
  reporter.add(withDetails(deadlockFinding(launch.facts, fault, deadlock), fault));
}

// --- the host ---------------------------------------------------------------------------------------------

CheckCounts Checker::counts() const {
  Shared &shared = impl->shared;
  std::lock_guard lock(shared.guard);
  CheckCounts counts = shared.total;
  counts.kernels = shared.kernels.size();
  for (const auto &[number, launch] : shared.running) {
    counts.blocks += launch->counts.blocks;
    counts.accesses += launch->counts.accesses;
    counts.synchronizations += launch->counts.synchronizations;
  }
  return counts;
}

void Checker::hostWrote(uint64_t address, uint64_t bytes, const char *what) {
  impl->hostTouched({address, address + bytes, true, what});
}
void Checker::hostRead(uint64_t address, uint64_t bytes, const char *what) {
  impl->hostTouched({address, address + bytes, false, what});
}

void Checker::Impl::hostTouched(HostCopy copy) {
  const uint64_t bytes = copy.end - copy.begin;
  if (!bytes)
    return;
  const std::optional<WorkOrder> order = takeOrder();
  std::unique_lock lock(shared.guard);
  if (copy.write) {
    shared.global.hostWrote(copy.begin, bytes);
    shared.hostWrites.wrote(copy.begin, bytes);
  }
  if (!order)
    return;
  shared.hostWork.add(*order, copy);
  // Launches that nothing orders with this: did they touch the range, or will they?
  const std::vector<const LaunchFacts *> loose = shared.launches.unorderedWith(*order);
  if (loose.empty())
    return;
  for (const LaunchFacts *launch : loose)
    if (auto at = shared.running.find(launch->number); at != shared.running.end())
      at->second->loose.add(copy);
  for (const LaunchFacts *launch : loose)
    if (copy.write)
      wroteAfter(*launch, copy.begin, copy.end);
  std::optional<GlobalPast> found;
  const LaunchFacts *whose = nullptr;
  bool wrote = false;
  shared.global.each(copy.begin, bytes, [&](const GlobalPast &past, bool isWrite) {
    if (found || (!isWrite && !copy.write))
      return;
    for (const LaunchFacts *launch : loose)
      if (launch->has(past.actor))
        found = past, wrote = isWrite, whose = launch;
  });
  lock.unlock();
  if (found)
    reporter.report(
        Rule::RaceLaunches, *whose, found->instrId,
        fmt::format("kernel {} {} memory here that a {} of another stream {}; nothing orders the two",
                    whose->name, wrote ? "writes" : "reads", copy.what, copy.write ? "writes" : "reads"),
        0, {}, "record an event after the one and let the other's stream wait for it, or use one stream");
}

void Checker::Impl::wroteAfter(const LaunchFacts &reader, uint64_t begin, uint64_t end) {
  if (auto at = shared.running.find(reader.number); at != shared.running.end())
    at->second->unwritten.forget(begin, end);
  shared.reportedReads.wroteAfter(reader, begin, end, reporter);
}

void Checker::allocated(uint64_t address) { impl->names.noteAllocation(address); }

void Checker::freed(uint64_t address, uint64_t bytes) {
  Shared &shared = impl->shared;
  std::lock_guard lock(shared.guard);
  shared.global.forget(address, bytes);
  shared.hostWrites.freed(address, bytes);
  shared.values.forget(address, bytes);
}

} // namespace heddle::check
