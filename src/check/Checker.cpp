// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/Parts.h"
#include "vm/Code.h"
#include "vm/Lanes.h"

namespace heddle::check {
namespace {

std::atomic<uint64_t> checkersEver{0};

/// The launch and block of the last event of this host thread: nearly always those of the next one too.
struct Recent {
  uint64_t checker = 0, launch = 0;
  LaunchState *launchState = nullptr;
  uint64_t block = 0;
  BlockState *blockState = nullptr;
};
thread_local Recent recent;

} // namespace

// --- warps ------------------------------------------------------------------------------------------------

void WarpState::setLanes(uint32_t mask, const KnownRef &known) {
  if ((mask & alive()) == alive()) {
    all = known;
    uniform = true;
    return;
  }
  if (uniform) {
    lanes.fill(all);
    uniform = false;
  }
  vm::eachLane(mask, [&](unsigned lane) { lanes[lane] = known; });
  const uint32_t living = alive();
  const KnownRef &first = lanes[vm::firstLane(living ? living : 1)];
  bool same = true;
  vm::eachLane(living, [&](unsigned lane) { same &= lanes[lane] == first; });
  if (same)
    all = first, uniform = true;
}

Stamp WarpState::leastKnown() const {
  if (uniform)
    return all->least;
  Stamp least = ~Stamp(0);
  vm::eachLane(alive(), [&](unsigned lane) { least = std::min(least, lanes[lane]->least); });
  return least;
}

LaneSync &WarpState::syncOf(unsigned lane) {
  if (!sync)
    sync = std::make_unique<std::array<LaneSync, 32>>();
  return (*sync)[lane];
}

// --- launches and blocks ----------------------------------------------------------------------------------

Checker::Parts::Parts(CheckOptions given, FindingList &list)
    : options(std::move(given)), findings(list), id(++checkersEver) {}

LaunchState &Checker::Parts::launchOf(uint64_t number) {
  if (recent.checker == id && recent.launch == number)
    return *recent.launchState;
  std::lock_guard lock(guard);
  recent = {id, number, running.at(number).get(), 0, nullptr};
  return *recent.launchState;
}

const KernelFacts &Checker::Parts::factsOf(const vm::Kernel &kernel) {
  std::lock_guard lock(guard);
  std::unique_ptr<KernelFacts> &known = facts[&kernel];
  if (!known)
    known = std::make_unique<KernelFacts>(kernel);
  return *known;
}

void Checker::Parts::startBlock(BlockState &block, LaunchState &launch, uint64_t index) {
  const unsigned threads = unsigned(launch.block.count()), count = (threads + 31) / 32;
  block.index = index;
  block.actor = launch.firstActor + uint32_t(index);
  // Stamps of a block that ran here before must not be taken for ours.
  const Stamp start = ++block.time;
  block.time = start + 1;
  // What a block has at most; the machine has checked that accesses stay inside of what this one has.
  block.shared.begin(count, launch.kernel->dynamicSharedOffset + launch.dynamicShared + 2048, start);
  Known fresh;
  fresh.own = BlockClock(count, PseudoWarps, start);
  const KnownRef known = block.nothing = std::move(fresh).settle();
  block.warps.clear();
  block.warps.resize(count);
  for (unsigned w = 0; w < count; ++w) {
    WarpState &warp = block.warps[w];
    warp.index = w;
    warp.present = threads - w * 32 >= 32 ? ~0u : (1u << (threads - w * 32)) - 1;
    warp.stamp = block.time;
    warp.all = known;
  }
  block.barriers = {};
  block.mbarriers.clear();
  block.locations.clear();
  block.unwritten.clear();
  block.copies = 0;
}

BlockState &Checker::Parts::blockOf(const vm::WarpRef &ref, LaunchState &launch) {
  if (recent.checker == id && recent.launch == ref.launch && recent.blockState &&
      recent.block == ref.blockIndex)
    return *recent.blockState;
  std::unique_ptr<BlockState> &state = launch.states[ref.blockIndex];
  if (!state) {
    if (launch.spare.empty())
      state = std::make_unique<BlockState>();
    else
      state = std::move(launch.spare.back()), launch.spare.pop_back();
    startBlock(*state, launch, ref.blockIndex);
  }
  recent.block = ref.blockIndex;
  recent.blockState = state.get();
  return *state;
}

Scene Checker::Parts::sceneOf(const vm::WarpRef &ref, vm::SiteRef site) {
  LaunchState &launch = launchOf(ref.launch);
  BlockState &block = blockOf(ref, launch);
  return {launch, block, block.warps[ref.warp], launch.firstPlace + site.site};
}

// --- the observer -----------------------------------------------------------------------------------------

Checker::Checker(CheckOptions options, FindingList &findings)
    : parts(std::make_unique<Parts>(std::move(options), findings)) {}
Checker::~Checker() = default;

namespace {
thread_local std::pair<uint64_t, std::optional<WorkOrder>> nextOrder; ///< by checker
}

std::optional<WorkOrder> Checker::Parts::takeOrder() const {
  return nextOrder.first == id ? nextOrder.second : std::nullopt;
}

void Checker::setOrder(WorkOrder order) { nextOrder = {parts->id, std::move(order)}; }

void Checker::kernelBegin(const vm::LaunchRequest &request, const vm::KernelInfo &info, uint64_t number) {
  auto launch = std::make_unique<LaunchState>();
  launch->number = number;
  launch->kernel = request.kernel;
  launch->info = &info;
  launch->name = readableKernel(info.name);
  launch->grid = request.grid, launch->block = request.block;
  launch->dynamicShared = request.dynamicSharedBytes;
  launch->cluster = request.cluster;
  launch->inClusters = request.cluster.count() > 1;
  launch->parameters = request.parameters;
  launch->firstPlace = parts->places.add(*request.kernel);
  launch->facts = &parts->factsOf(*request.kernel);
  launch->cooperative = request.cooperative;
  launch->blocks = request.grid.count();
  launch->order = parts->takeOrder();
  std::lock_guard lock(parts->guard);
  launch->firstActor = parts->nextActor;
  parts->nextActor += uint32_t(launch->blocks);
  ++parts->total.launches;
  parts->kernels.insert(&info);
  // Launches are numbered by actor, and most programs have one stream: then all earlier ones are over and
  // ordered.
  launch->orderedBelow = launch->firstActor;
  for (const auto &[other, state] : parts->running)
    if (!parts->isOrdered(state->firstActor, *launch))
      launch->orderedBelow = std::min(launch->orderedBelow, state->firstActor);
  for (auto state = parts->ended.rbegin(); state != parts->ended.rend(); ++state) {
    const LaunchState &other = **state;
    if (!parts->isOrdered(other.firstActor, *launch))
      launch->orderedBelow = std::min(launch->orderedBelow, other.firstActor);
    else if (other.orderedBelow == other.firstActor)
      break; // all before it came before it, hence before us
  }
  if (launch->order)
    for (const Parts::HostWork &work : parts->hostWork)
      if (!launch->order->isAfter(work.order))
        launch->loose.push_back({work.begin, work.end, work.write, work.what});
  parts->running[number] = std::move(launch);
}

void Checker::kernelEnd(const vm::LaunchResult &result) {
  LaunchState *launch = nullptr;
  {
    std::lock_guard lock(parts->guard);
    auto found = parts->running.find(result.launch);
    if (found == parts->running.end())
      return;
    launch = found->second.get();
  }
  parts->launchEnded(*launch, result);
  recent = {};
  std::lock_guard lock(parts->guard);
  auto found = parts->running.find(result.launch);
  std::unique_ptr<LaunchState> over = std::move(found->second);
  parts->running.erase(found);
  parts->total.blocks += over->counts.blocks;
  parts->total.accesses += over->counts.accesses;
  parts->total.synchronizations += over->counts.synchronizations;
  over->running = false;
  over->states.clear();
  over->spare.clear();
  over->loose.clear();
  parts->ended.push_back(std::move(over));
}

void Checker::blockBegin(const vm::WarpRef &ref) {
  LaunchState &launch = parts->launchOf(ref.launch);
  parts->blockOf(ref, launch);
  ++launch.counts.blocks;
}

void Checker::blockEnd(const vm::WarpRef &ref) {
  LaunchState &launch = parts->launchOf(ref.launch);
  BlockState &block = parts->blockOf(ref, launch);
  parts->checkBytes(launch, block);
  parts->tellUnwritten(launch, block.unwritten, Rule::UninitializedShared);
  auto found = launch.states.find(ref.blockIndex);
  launch.spare.push_back(std::move(found->second));
  launch.states.erase(found);
  recent.blockState = nullptr;
}

void Checker::lanesExit(const vm::WarpRef &ref, vm::SiteRef site, uint32_t mask) {
  const Scene scene = parts->sceneOf(ref, site);
  parts->unwaited(scene, mask);
  parts->leave(scene, mask);
}

void Checker::branch(const vm::WarpRef &ref, vm::SiteRef site, uint32_t mask, uint32_t taken) {
  if (parts->launchOf(ref.launch).facts->paths.decides(site.site))
    parts->turn(parts->sceneOf(ref, site), site.site, mask, taken);
}

void Checker::access(const vm::WarpRef &ref, vm::SiteRef site, const vm::AccessEvent &given) {
  if (given.space == vm::Space::Constant || given.space == vm::Space::Param)
    return;
  vm::AccessEvent event = given;
  if (parts->options.allVolatile && event.ordering == vm::Ordering::Weak &&
      (event.kind == vm::AccessKind::Load || event.kind == vm::AccessKind::Store))
    event.ordering = vm::Ordering::Volatile;
  const Scene scene = parts->sceneOf(ref, site);
  scene.launch.counts.accesses += vm::countLanes(event.mask);
  scene.warp.dirty = true;
  scene.warp.busy |= scene.warp.awaited & event.mask;
  if (event.space == vm::Space::Shared)
    return parts->accessShared(scene, event);
  if (event.space == vm::Space::Local)
    return parts->accessLocal(scene, event, site);
  parts->accessGlobal(scene, event, site);
}

void Checker::remoteAccess(const vm::WarpRef &ref, vm::SiteRef site, const vm::AccessEvent &event,
                           uint64_t home) {
  const Scene scene = parts->sceneOf(ref, site);
  scene.launch.counts.accesses += vm::countLanes(event.mask);
  scene.warp.dirty = true;
  parts->accessCluster(scene, event, home);
}

void Checker::barrierReached(const vm::WarpRef &ref, vm::SiteRef site, const vm::BarrierEvent &event) {
  const Scene scene = parts->sceneOf(ref, site);
  ++scene.launch.counts.synchronizations;
  parts->reachBarrier(scene, event);
}

void Checker::barrierCompleted(const vm::WarpRef &ref, unsigned barrier, uint64_t) {
  LaunchState &launch = parts->launchOf(ref.launch);
  parts->completeBarrier(launch, parts->blockOf(ref, launch), barrier);
}

void Checker::warpSync(const vm::WarpRef &ref, vm::SiteRef site, const vm::WarpSyncEvent &event) {
  const Scene scene = parts->sceneOf(ref, site);
  ++scene.launch.counts.synchronizations;
  parts->meet(scene, event);
}

void Checker::mbarrier(const vm::WarpRef &ref, vm::SiteRef site, const vm::MbarrierEvent &event) {
  const Scene scene = parts->sceneOf(ref, site);
  ++scene.launch.counts.synchronizations;
  parts->onMbarrier(scene, event);
}

void Checker::async(const vm::WarpRef &ref, vm::SiteRef site, const vm::AsyncEvent &event) {
  parts->onCopy(parts->sceneOf(ref, site), event);
}

void Checker::fence(const vm::WarpRef &ref, vm::SiteRef site, const vm::FenceEvent &event) {
  const Scene scene = parts->sceneOf(ref, site);
  ++scene.launch.counts.synchronizations;
  parts->fence(scene, event);
}

CheckCounts Checker::counts() const {
  std::lock_guard lock(parts->guard);
  CheckCounts counts = parts->total;
  counts.kernels = parts->kernels.size();
  for (const auto &[number, launch] : parts->running) {
    counts.blocks += launch->counts.blocks;
    counts.accesses += launch->counts.accesses;
    counts.synchronizations += launch->counts.synchronizations;
  }
  return counts;
}

void Checker::hostWrote(uint64_t address, uint64_t bytes, const char *what) {
  parts->hostTouched(address, bytes, true, what);
}
void Checker::hostRead(uint64_t address, uint64_t bytes, const char *what) {
  parts->hostTouched(address, bytes, false, what);
}

void Checker::allocated(uint64_t address) {
  if (std::optional<vm::Allocation> piece =
          parts->options.memory ? parts->options.memory->find(address) : std::nullopt)
    parts->noteAllocation(*piece);
}

void Checker::freed(uint64_t address, uint64_t bytes) {
  std::lock_guard lock(parts->guard);
  parts->global.forget(address, bytes);
  auto &ranges = parts->hostWritten;
  for (auto at = ranges.lower_bound(address); at != ranges.end() && at->first < address + bytes;)
    at = ranges.erase(at);
  std::erase_if(parts->locations,
                [&](const auto &entry) { return entry.first >= address && entry.first < address + bytes; });
}

} // namespace heddle::check
