// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checker is a number of parts, each with its own small state, and Checker*.cpp, which say who hears of which
// event and in which order (accesses and copies in files of their own):
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
#include "check/CheckerImpl.h"
#include "check/Ends.h"
#include "ptx/Module.h"
#include "vm/Code.h"
#include "vm/Counters.h"
#include "vm/Lanes.h"

#include <atomic>

namespace heddle::check {
namespace {

std::atomic<uint64_t> checkersEver{0};

/// The launch and block of the last event of this host thread: nearly always those of the next one too.
struct Recent {
  uint64_t checker = 0, launch = 0;
  CheckedLaunch *launchState = nullptr;
  uint64_t block = 0;
  CheckedBlock *blockState = nullptr;
};
thread_local Recent recent;
thread_local std::pair<uint64_t, std::optional<WorkOrder>> nextOrder; ///< by checker

} // namespace

// --- launches and blocks ----------------------------------------------------------------------------------

void CheckedBlock::begin(const LaunchFacts &launch, uint64_t number) {
  const unsigned threads = unsigned(launch.block.count()), warps = (threads + 31) / 32;
  index = number;
  const Stamp start = order.begin(threads, launch.firstActor + uint32_t(number));
  // What a block has at most; the simulator has checked that accesses stay inside of what this one has.
  shared.begin(warps, launch.kernel->dynamicSharedOffset + launch.dynamicShared + 2048, start);
  loadsOfWarp.resize(warps);
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

Checker::Impl::Impl(CheckOptions given, FindingList &list)
    : options(std::move(given)), id(++checkersEver), reporter(instructions, list), polls(instructions),
      names(options.memory, options.allocator), shared(options.memory) {}

std::optional<WorkOrder> Checker::Impl::takeOrder() const {
  return nextOrder.first == id ? nextOrder.second : std::nullopt;
}

CheckedLaunch &Checker::Impl::launchOf(uint64_t number) {
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

CheckedBlock &Checker::Impl::blockOf(const vm::WarpRef &ref, CheckedLaunch &launch) {
  if (recent.checker == id && recent.launch == ref.launch && recent.blockState &&
      recent.block == ref.blockIndex)
    return *recent.blockState;
  std::unique_ptr<CheckedBlock> &block = launch.blocks[ref.blockIndex];
  if (!block) {
    if (launch.spare.empty())
      block = std::make_unique<CheckedBlock>();
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
  CheckedLaunch &launch = isSame ? *last.launchState : launchOf(ref.launch);
  CheckedBlock &block = isSame ? *last.blockState : blockOf(ref, launch);
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
  SharedState &shared = impl->shared;
  std::lock_guard lock(shared.guard);
  ++shared.total.launches;
  const uint64_t begun = ++shared.kernels[&info];
  facts.ofKernel = facts.order && facts.order->ofKernel ? facts.order->ofKernel : begun;
  auto launch = std::make_unique<CheckedLaunch>(shared.launches.begin(std::move(facts)));
  if (const std::optional<WorkOrder> &order = launch->facts.order)
    for (HostCopy &copy : shared.hostWork.unorderedWith(*order))
      launch->loose.add(std::move(copy));
  shared.running[number] = std::move(launch);
}

void Checker::kernelEnd(const vm::LaunchResult &result) {
  SharedState &shared = impl->shared;
  CheckedLaunch *launch = nullptr;
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
  CheckedLaunch &launch = impl->launchOf(ref.launch);
  impl->blockOf(ref, launch);
  ++launch.counts.blocks;
}

void Checker::blockEnd(const vm::WarpRef &ref) {
  CheckedLaunch &launch = impl->launchOf(ref.launch);
  CheckedBlock &block = impl->blockOf(ref, launch);
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
  CheckedLaunch &launch = impl->launchOf(ref.launch);
  if (launch.facts.code->paths.decides(site.site))
    impl->blockOf(ref, launch).routes.branch(ref.warp, site.site, mask, taken);
}

// --- synchronization --------------------------------------------------------------------------------------

void Checker::barrierReached(const vm::WarpRef &ref, vm::SiteRef site, const vm::BarrierEvent &event) {
  const Scene scene = impl->sceneOf(ref, site);
  CheckedBlock &block = scene.block;
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
  CheckedLaunch &launch = impl->launchOf(ref.launch);
  impl->completeBarrier(launch, impl->blockOf(ref, launch), barrier);
}

void Checker::Impl::completeBarrier(CheckedLaunch &launch, CheckedBlock &block, unsigned number) {
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
  CheckedBlock &block = scene.block;
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

void Checker::Impl::launchEnded(CheckedLaunch &launch, const vm::LaunchResult &result) {
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

/// Whether the details of the fault say which allocation its address is in or near.
static bool namesAllocation(const vm::Fault &fault) {
  const bool isGlobal = !fault.text.starts_with("shared ") && !fault.text.starts_with("local ");
  return isGlobal && fault.address && !fault.details.empty() &&
         (fault.kind == vm::FaultKind::OutOfBounds || fault.kind == vm::FaultKind::UseAfterFree);
}

void Checker::Impl::reportFault(CheckedLaunch &launch, const vm::Fault &fault) {
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
  finding = withDetails(std::move(finding), fault);
  if (namesAllocation(fault))
    if (const std::string which = names.nearestTo(launch.facts, *fault.address); !which.empty())
      finding.notes.push_back({{}, which});
  reporter.add(std::move(finding));
}

/// Whether something that has been reported is why the block's threads wait.
bool Checker::Impl::isExplained(const CheckedLaunch &launch, CheckedBlock &block) {
  return block.mbarriers.reportBytes(launch.facts, block.index, reporter) ||
         block.mbarriers.anyWaitIsExplained();
}

void Checker::Impl::reportDeadlock(CheckedLaunch &launch, const vm::Fault &fault) {
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
  SharedState &shared = impl->shared;
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
        0, {},
        "record an event after the first and make the stream of the second wait for it "
        "(cudaStreamWaitEvent), or use one stream");
}

void Checker::Impl::wroteAfter(const LaunchFacts &reader, uint64_t begin, uint64_t end) {
  if (auto at = shared.running.find(reader.number); at != shared.running.end())
    at->second->unwritten.forget(begin, end);
  shared.reportedReads.wroteAfter(reader, begin, end, reporter);
}

void Checker::allocated(uint64_t address) { impl->names.noteAllocation(address); }

void Checker::freed(uint64_t address, uint64_t bytes) {
  SharedState &shared = impl->shared;
  std::lock_guard lock(shared.guard);
  shared.global.forget(address, bytes);
  shared.hostWrites.freed(address, bytes);
  shared.values.forget(address, bytes);
}

} // namespace heddle::check
