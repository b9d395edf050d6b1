// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which core runs which block, and when.
//
// Cores take blocks in order of their index and run each to its end. A block is set aside in two cases:
//  - It is about to execute an atomic whose result depends on the order of blocks (a float sum, an exchange, any
//    whose old value is used), while a block with a lower index is unfinished. It waits until the blocks
//    before it have finished, so that atomics are executed in the order of block indices, whatever the
//    number of cores.
//  - All its warps poll. Other blocks run meanwhile, also new ones, since they may write what it polls. If this
//    is the unfinished block with the lowest index, the order is given up for the rest of the launch: blocks
//    that wait for each other cannot also run in the order of their indices.
//    Then only the program's own synchronization orders atomics, as on
//    a device.
//
// If only polling blocks are left and none of them changed anything for many rounds, they are in a deadlock. If
// host code may still write what they poll, this is reported only after HostPatience.
#include "vm/Grid.h"

#include <thread>

namespace heddle::vm {
namespace {

// Blocks per core that are set aside to wait for blocks before them: enough to keep cores busy with uneven blocks.
constexpr size_t AsidePerCore = 16;
// How many times in a row all blocks must have been found idle.
constexpr unsigned IdleRounds = 8;
// How long blocks may only poll while host code might change what they poll.
constexpr std::chrono::seconds HostPatience(10);

/// The cluster that the kernel is compiled for, if the launch does not set one.
Dim3 clusterOf(const LaunchRequest &request) {
  const Dim3 &required = infoOf(*request.kernel).requiredCluster;
  return request.cluster.count() == 1 && required.x ? required : request.cluster;
}

BlockSample sampleOf(const LaunchRequest &request, const Dim3 &cluster) {
  const uint64_t most = request.cooperative || !request.sampleBlocks
                            ? 0
                            : std::max<uint64_t>(1, request.sampleBlocks / cluster.count());
  return BlockSample::of(request.grid.count() / cluster.count(), most);
}

} // namespace

void Core::forget() {
  std::fill(loads.begin(), loads.end(), Range{});
  std::fill(stores.begin(), stores.end(), Range{});
  recentLoads.fill({});
  recentStores.fill({});
}

Grid::Grid(const LaunchRequest &launchRequest, const Limits &simulatorLimits, Memory &globalMemory,
           Services &hostServices, Observer *watcher, uint64_t launchNumber, uint32_t stack,
           std::atomic<uint64_t> &heap, uint64_t heapLimit)
    : request(launchRequest), kernel(*launchRequest.kernel), limits(simulatorLimits), memory(globalMemory),
      services(hostServices), observer(watcher), interests(watcher ? watcher->interests() : 0),
      number(launchNumber), stackBytes(stack), heapUsed(heap), heapBytes(heapLimit),
      cluster(clusterOf(launchRequest)), sample(sampleOf(launchRequest, cluster)), clusters(sample.taken),
      threadsPerBlock(unsigned(launchRequest.block.count())),
      ordered(launchRequest.orderedAtomics && !launchRequest.cooperative),
      began(std::chrono::steady_clock::now()), lastProgress(began) {
  residentLimit = request.cooperative ? size_t(clusters)
                                      : size_t(limits.multiprocessors) * limits.maxBlocksPerMultiprocessor;
}

namespace {

Dim3 unfold(uint64_t index, uint64_t x, uint64_t y) {
  if (index <= UINT32_MAX) { // for which processors divide in a third of the time
    const auto at = uint32_t(index), inX = uint32_t(x), inY = uint32_t(y);
    return {at % inX, at / inX % inY, at / inX / inY};
  }
  return {uint32_t(index % x), uint32_t(index / x % y), uint32_t(index / x / y)};
}

} // namespace

/// Clusters are executed, set aside and ordered by their place in the sample, which is that in the grid if all are executed.
Dim3 Grid::positionOf(uint64_t clusterIndex, unsigned rank) const {
  const Dim3 at = unfold(sample.at(clusterIndex), request.grid.x / cluster.x, request.grid.y / cluster.y),
             inside = unfold(rank, cluster.x, cluster.y);
  return {at.x * cluster.x + inside.x, at.y * cluster.y + inside.y, at.z * cluster.z + inside.z};
}

uint64_t Grid::indexOf(const Dim3 &block) const {
  return (uint64_t(block.z) * request.grid.y + block.y) * request.grid.x + block.x;
}

bool Grid::mustStop(const Block &block, bool looksAtClock) {
  if (faultCluster.load(std::memory_order_relaxed) < block.cluster->index ||
      timedOut.load(std::memory_order_relaxed) || stopped.load(std::memory_order_relaxed))
    return true;
  bool late =
      request.maxWarpInstructions && executed.load(std::memory_order_relaxed) > request.maxWarpInstructions;
  late |= request.cancel && request.cancel->load(std::memory_order_relaxed);
  if (!late && looksAtClock && request.maxSeconds > 0)
    late =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() > request.maxSeconds;
  if (late)
    timedOut.store(true);
  return late;
}

bool Grid::isOver() const {
  return timedOut.load() || stopped.load() ||
         (nextCluster >= std::min(clusters, faultCluster.load()) && awaiting.empty() && stalled.empty());
}

std::unique_ptr<Cluster> Grid::fresh() {
  if (nextCluster >= std::min(clusters, faultCluster.load()))
    return nullptr;
  std::unique_ptr<Cluster> made;
  if (spare.empty())
    made = std::make_unique<Cluster>();
  else
    made = std::move(spare.back()), spare.pop_back();
  made->index = nextCluster++;
  made->idleEpoch = made->idleStreak = 0;
  made->started = false; // that is done outside the lock
  return made;
}

/// The next cluster to run, waiting until there is one; nullptr when the launch is over.
std::unique_ptr<Cluster> Grid::next(std::unique_lock<std::mutex> &lock) {
  for (;;) {
    if (isOver() && running == 0)
      return nullptr;
    for (auto it = awaiting.begin(); it != awaiting.end(); ++it)
      if (isNextInOrder(**it) || (*it)->index > faultCluster.load()) {
        std::unique_ptr<Cluster> found = std::move(*it);
        awaiting.erase(it);
        return found;
      }
    const bool canSetAside = awaiting.size() < AsidePerCore * coreCount;
    if (!timedOut && !stopped && canSetAside && stalled.size() < residentLimit)
      if (auto made = fresh())
        return made;
    if (!stalled.empty()) {
      std::unique_ptr<Cluster> found = std::move(stalled.front());
      stalled.pop_front();
      return found;
    }
    if (timedOut || stopped)
      return nullptr;
    changed.wait(lock);
  }
}

void Grid::work(Core &core) {
  core.loads.resize(kernel.info.sites);
  core.stores.resize(kernel.info.sites);
  core.forget();
  core.epoch = memory.epoch();
  std::unique_lock lock(guard);
  while (auto taken = next(lock)) {
    ++running;
    runningClusters.push_back(taken.get());
    lock.unlock();
    if (core.epoch != memory.epoch()) {
      core.epoch = memory.epoch();
      core.forget();
    }
    if (!taken->started)
      taken->start(*this);
    BlockEnd end = taken->run(core);
    lock.lock();
    --running;
    const bool idles = end == BlockEnd::Stalled && taken->idleEvidence;
    settle(std::move(taken), end);
    changed.notify_all();
    if (idles && memory.hasHostVisible()) { // the host thread that changes what is polled may need this core
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::microseconds(20));
      lock.lock();
    }
  }
  changed.notify_all();
}

void Grid::settle(std::unique_ptr<Cluster> ran, BlockEnd end) {
  std::erase(runningClusters, ran.get());
  if (end == BlockEnd::Stalled && ran->idleEvidence) {
    ran->idleStreak = ran->idleEpoch == progressEpoch ? ran->idleStreak + 1 : 1;
    ran->idleEpoch = progressEpoch;
  } else {
    ++progressEpoch;
    if (memory.hasHostVisible()) // asked for by checkDeadlock only then
      lastProgress = std::chrono::steady_clock::now();
  }
  switch (end) {
  case BlockEnd::AwaitOrder: awaiting.push_back(std::move(ran)); return;
  case BlockEnd::Stalled:
    if (ran->index == oldest.load())
      ordered.store(false); // see the head of this file
    stalled.push_back(std::move(ran));
    checkDeadlock();
    return;
  case BlockEnd::Faulted: recordFault(*ran->faulted().fault, ran->index); break;
  case BlockEnd::Done: break;
  case BlockEnd::Stopped: break;
  }
  finish(*ran);
  spare.push_back(std::move(ran));
}

void Grid::count(const Cluster &ran) {
  for (const auto &block : ran.blocks) {
    warpInstructions += block->warpInstructions;
    threadInstructions += block->threadInstructions;
  }
}

void Grid::finish(Cluster &ran) {
  count(ran);
  for (const auto &block : ran.blocks)
    if (!block->output.empty())
      outputs[ran.index] += block->output;
  uint64_t first = oldest.load();
  if (ran.index == first)
    ++first;
  else
    doneAhead.insert(ran.index);
  while (!doneAhead.empty() && *doneAhead.begin() == first) {
    doneAhead.erase(doneAhead.begin());
    ++first;
  }
  while (!outputs.empty() && outputs.begin()->first < first) {
    services.print(outputs.begin()->second);
    outputs.erase(outputs.begin());
  }
  oldest.store(first, std::memory_order_release);
}

void Grid::recordFault(const Fault &found, uint64_t clusterIndex) {
  if (clusterIndex >= faultCluster.load())
    return;
  faultCluster.store(clusterIndex);
  fault = found;
}

void Grid::checkDeadlock() {
  // A block that is running counts too if it has only polled since any block last made progress: nothing that it
  // reads can have changed.
  auto isIdle = [&](const Cluster &some) {
    return some.idleEpoch == progressEpoch && some.idleStreak >= IdleRounds;
  };
  bool allIdle = awaiting.empty() && nextCluster >= std::min(clusters, faultCluster.load());
  for (const auto &some : stalled)
    allIdle &= isIdle(*some);
  for (const Cluster *some : runningClusters)
    allIdle &= isIdle(*some);
  if (!allIdle)
    return;
  if (memory.hasHostVisible() && std::chrono::steady_clock::now() - lastProgress < HostPatience)
    return;
  Fault f;
  f.kind = FaultKind::Deadlock;
  f.kernel = kernel.info.name;
  f.text = fmt::format(
      "deadlock: every remaining thread waits or polls memory that no thread changes ({} block{})",
      stalled.size() * cluster.count(), stalled.size() * cluster.count() == 1 ? "" : "s");
  constexpr size_t Enough = 16;
  for (const auto &some : stalled)
    for (const auto &block : some->blocks)
      if (f.waiting.size() <= Enough)
        for (Waiting &w : block->waiting())
          f.waiting.push_back(std::move(w));
  f.where.block = stalled.front()->blocks.front()->id;
  f.source = f.waiting.front().source;
  f.ptx = f.waiting.front().ptx;
  fault = fault ? fault : std::move(f);
  stopped.store(true);
  for (auto &some : stalled)
    finish(*some);
  stalled.clear();
}

LaunchResult Grid::result() {
  LaunchResult r;
  r.launch = number;
  for (auto &[index, text] : outputs)
    services.print(text);
  outputs.clear();
  for (auto *list : {&awaiting, &stalled})
    for (auto &some : *list)
      count(*some);
  r.warpInstructions = warpInstructions;
  r.threadInstructions = threadInstructions;
  r.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  if (fault) {
    r.status = fault->kind == FaultKind::Deadlock ? LaunchStatus::Deadlock : LaunchStatus::Fault;
    r.fault = fault;
  } else if (timedOut) {
    r.status = LaunchStatus::Timeout;
    Fault f;
    f.kind = FaultKind::Timeout;
    f.kernel = kernel.info.name;
    f.text = fmt::format("did not end within {}",
                         request.maxWarpInstructions && executed > request.maxWarpInstructions
                             ? fmt::format("{} warp instructions", request.maxWarpInstructions)
                         : request.maxSeconds > 0 ? fmt::format("{} s", request.maxSeconds)
                                                  : std::string("the time given"));
    r.fault = std::move(f);
  }
  return r;
}

} // namespace heddle::vm
