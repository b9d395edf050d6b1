// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/BlockSample.h"
#include "vm/Cluster.h"
#include "vm/Compiled.h"
#include "vm/Simulator.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <set>

namespace heddle::vm {

/// What one host thread stores while it executes blocks: memory ranges that were recently found valid.
struct Core {
  /// At first a range without addresses. Compiled code compares addresses with `begin`, and with `end` less the bytes of an access.
  struct Range {
    uint64_t begin = uint64_t(1) << 63, end = uint64_t(1) << 62;
  };
  static constexpr unsigned Recent = 256;

  unsigned index = 0;
  uint64_t epoch = 0;
  unsigned runs = 0;                                   ///< of blocks, from the beginning or continued
  std::vector<Range> loads, stores;                    ///< for each site, the range of its last access
  std::array<Range, Recent> recentLoads, recentStores; ///< by page
  bool alone = true;                                   ///< no other core runs blocks of this launch

  void forget();
};

/// State of one launch: which blocks have not begun, run, or wait. Cores call work() until it returns.
///
/// Clusters (of one block if the launch has none) are assigned to cores in order. One that must wait for earlier
/// blocks before an atomic whose order matters, or that only polls, is set aside, and the core continues with
/// another.
class Grid {
public:
  Grid(const LaunchRequest &request, const Limits &limits, Memory &memory, Services &services,
       Observer *observer, uint64_t number, uint32_t stackBytes, std::atomic<uint64_t> &heapUsed,
       uint64_t heapBytes);

  void work(Core &core);
  LaunchResult result();

  const LaunchRequest &request;
  const Kernel &kernel;
  const Limits &limits;
  Memory &memory;
  Services &services;
  Observer *const observer;
  const uint32_t interests;
  const uint64_t number;
  const uint32_t stackBytes;
  std::atomic<uint64_t> &heapUsed;
  const uint64_t heapBytes;
  const Dim3 cluster;       ///< blocks per cluster
  const BlockSample sample; ///< of the clusters of the launch; indices of clusters are ordinals of it
  const uint64_t clusters;  ///< that are executed
  const unsigned threadsPerBlock;
  uint64_t parameters = 0;    ///< address of the parameter buffer
  uint64_t gridWorkspace = 0; ///< cooperative launches: where cooperative groups keep their grid barrier
  unsigned coreCount = 1;
  CompiledFor compiledFor;
  bool compiles = false;    ///< compiled code is used where there is some
  bool compilesHot = false; ///< and what is interpreted often is compiled

  /// Whether the kernel or the launch specifies clusters.
  bool isExplicitCluster() const { return kernel.info.requiredCluster.x || cluster.count() > 1; }
  bool sees(Observer::Interest group) const { return interests & group; }
  bool isNextInOrder(const Cluster &who) const {
    return !ordered.load(std::memory_order_relaxed) || oldest.load(std::memory_order_acquire) == who.index;
  }
  /// Called from time to time while a block runs.
  bool mustStop(const Block &block, bool looksAtClock);
  void count(uint64_t instructions) {
    if (request.maxWarpInstructions) // an atomic after every slice costs as much as a short slice
      executed.fetch_add(instructions, std::memory_order_relaxed);
  }
  Dim3 positionOf(uint64_t clusterIndex, unsigned rank) const;
  uint64_t indexOf(const Dim3 &block) const;

private:
  std::unique_ptr<Cluster> next(std::unique_lock<std::mutex> &lock);
  std::unique_ptr<Cluster> fresh();
  void settle(std::unique_ptr<Cluster> cluster, BlockEnd end);
  void finish(Cluster &cluster);
  void count(const Cluster &cluster);
  void recordFault(const Fault &fault, uint64_t clusterIndex);
  void checkDeadlock();
  bool isOver() const;

  std::mutex guard;
  std::condition_variable changed;
  // These are all by index of the cluster:
  uint64_t nextCluster = 0;
  std::deque<std::unique_ptr<Cluster>> awaiting, stalled;
  std::vector<std::unique_ptr<Cluster>> spare;
  std::set<uint64_t> doneAhead; ///< finished, but an earlier one is not
  std::map<uint64_t, std::string> outputs;
  std::atomic<uint64_t> oldest{0};
  std::atomic<bool> ordered{true};
  std::atomic<uint64_t> faultCluster{~uint64_t(0)};
  std::optional<Fault> fault;
  std::atomic<uint64_t> executed{0};
  std::atomic<bool> timedOut{false}, stopped{false};
  unsigned running = 0;
  std::vector<Cluster *> runningClusters;
  uint64_t progressEpoch = 1; ///< increases whenever a block did more than poll
  std::chrono::steady_clock::time_point began, lastProgress;
  uint64_t warpInstructions = 0, threadInstructions = 0;
  size_t residentLimit = 0;
};

} // namespace heddle::vm
