// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Limits.h"

#include <cstdint>
#include <span>

namespace heddle::ptx {
struct Instr;
}

namespace heddle::vm {

struct Code;
struct KernelInfo;
struct LaunchRequest;
struct LaunchResult;

/// What an event belongs to. Threads count from 0 in the block, lane 0 of warp w is thread 32 w.
struct WarpRef {
  const KernelInfo *kernel = nullptr;
  Dim3 block{0, 0, 0};
  uint64_t blockIndex = 0; ///< x fastest
  unsigned warp = 0;
  unsigned core = 0; ///< host thread that executes it, from 0; one block stays on one core unless it waits
  uint64_t launch = 0;
  uint32_t lanes = 0; ///< those that are at the instruction, whether its guard holds or not
};

/// The instruction an event comes from: `site` is a dense number within the kernel (its functions included),
/// the same in each launch, so that observers can keep a table.
struct SiteRef {
  const ptx::Instr *instruction = nullptr;
  uint32_t site = 0;
};

/// A basic block of the lowered kernel, for basic-block vectors: dense within the kernel.
struct BlockOfCode {
  uint32_t index = 0;
  uint32_t firstSite = 0;
  uint32_t sites = 0;
};

enum class Space : uint8_t { Global, Constant, Shared, Local, Param };
enum class AccessKind : uint8_t { Load, Store, Atomic, Reduction, AsyncRead, AsyncWrite };
enum class Scope : uint8_t { None, Thread, Warp, Block, Cluster, Device, System };
enum class Ordering : uint8_t { Weak, Volatile, Relaxed, Acquire, Release, AcquireRelease, Sequential };

/// The registers a store takes its values from: row[e] holds element e of 32 lanes, `registerBytes` apart, of
/// which the first `elementBytes` go to memory. A null row: that element is not written.
struct StoredRows {
  const uint8_t *row[8] = {};
  uint8_t elements = 1, registerBytes = 4, elementBytes = 4;
};

/// Memory accessed by the lanes of `mask`; addresses of other lanes are meaningless. Shared and local
/// addresses are offsets into the block's or the thread's memory, others are addresses.
struct AccessEvent {
  Space space = Space::Global;
  AccessKind kind = AccessKind::Load;
  Scope scope = Scope::None;
  Ordering ordering = Ordering::Weak;
  uint32_t mask = 0;
  uint32_t bytes = 0; ///< each lane, all vector elements together
  const uint64_t *addresses = nullptr;
  uint32_t elements = 1;              ///< of a vector
  uint8_t *const *at = nullptr;       ///< host pointers of the lanes' memory; null if not provided
  const StoredRows *stored = nullptr; ///< plain stores: what will be written. The memory still holds the old
};

/// A plain load or store of compiled code, of lanes whose addresses are valid and aligned. Shared addresses are offsets.
struct PlainAccess {
  Space space = Space::Global;
  bool isStore = false;
  uint32_t mask = 0;
  uint32_t bytes = 0; ///< each lane, all vector elements together
  /// Zero: `addresses` has those of the 32 lanes. Else the lanes are all active and in this many groups of neighbours, and
  /// `addresses` has that of the first of each group; the others follow at `stride` bytes.
  uint32_t groups = 0;
  int32_t stride = 0;
  const uint64_t *addresses = nullptr;
};

/// Loads by groups that compiled code noted, of one kind of memory (vm/NotedLoads.h). Equal notes of the same code are of the same
/// instructions and addresses.
struct NotedLoads {
  const Code *code = nullptr;
  Space space = Space::Global; ///< Global: some may be of constant memory
  std::span<const uint64_t> notes;
};

/// What of its events an observer takes from compiled code, where they cost less (docs/design.md); it is compiled into the code.
enum class ObservedForm : uint8_t {
  Nothing, ///< single events: kernels are interpreted
  Blocks, ///< numbers of entries of basic blocks and of branches, divergent branches, accesses to global memory
  Accesses, ///< accesses, branches that are asked for, synchronization
  All,      ///< what Blocks has, all accesses, synchronization
};
constexpr unsigned ObservedForms = 4;

/// The number of barriers of a block, and the number that represents the barrier of the cluster.
constexpr unsigned HardwareBarriers = 16, ClusterBarrier = HardwareBarriers;

/// Hardware barriers 0..15. Sync waits, Arrive does not.
struct BarrierEvent {
  enum class Kind : uint8_t { Sync, Arrive, Reduce } kind = Kind::Sync;
  unsigned barrier = 0;
  uint32_t mask = 0;
  uint32_t expectedThreads = 0; ///< 0: the whole block
  uint64_t generation = 0;      ///< how often this barrier completed before
  bool aligned = true;
  bool divergent = false; ///< aligned, but other live lanes of the warp did not execute it with these
};

struct MbarrierEvent {
  enum class Kind : uint8_t {
    Init,
    Invalidate,
    Arrive,
    ExpectTx,
    CompleteTx,
    Wait,
    WaitFailed,
    Completed
  } kind;
  uint32_t mask = 0;
  const uint64_t *addresses = nullptr; ///< shared offsets
  int64_t count = 0;                   ///< arrivals, bytes, or the expected count of Init
  uint64_t phase = 0;                  ///< phase of the first lane's barrier, before the event
  bool parity = false; ///< Wait, WaitFailed: by parity (`count`), not by a state that the program stored
};

struct AsyncEvent {
  /// ArriveOn comes before the arrival that it represents, Complete before the bytes are subtracted from the
  /// mbarrier.
  enum class Kind : uint8_t { Issue, Commit, Wait, ArriveOn, Complete } kind;
  enum class Copy : uint8_t { CpAsync, Bulk } copy = Copy::CpAsync;
  uint32_t mask = 0;
  uint32_t bytes = 0;
  const uint64_t *from = nullptr;
  const uint64_t *to = nullptr;
  Space fromSpace = Space::Global, toSpace = Space::Shared;
  static constexpr uint32_t EvenUncommitted = ~0u;
  uint32_t groupsLeft = 0; ///< Wait: how many groups may stay pending; EvenUncommitted: nothing at all
  uint32_t reading = ~0u;  ///< Issue: lanes that read a source at all; others only fill with zeros
  bool sourceOnly =
      false; ///< Wait: the sources have been read (.read); what was written may not be visible yet
  uint32_t mbarrier = ~0u; ///< bulk Issue and Complete: shared offset of the mbarrier; ~0: by groups
};

struct FenceEvent {
  uint32_t mask = 0;
  Scope scope = Scope::None;
  Ordering ordering = Ordering::Sequential;
  bool proxy = false; ///< fence.proxy.async and its variants
};

/// Warp-level synchronization: bar.warp.sync, and the _sync forms of shuffle, vote, match, redux.
struct WarpSyncEvent {
  enum class Kind : uint8_t { Barrier, Shuffle, Vote, Match, Reduce, Elect, Matrix } kind = Kind::Barrier;
  uint32_t members = 0;    ///< mask given by the program
  uint32_t mask = 0;       ///< lanes that synchronized and are at this instruction
  uint32_t here = 0;       ///< all lanes that synchronized: one event for each instruction that they are at
  bool waits = false;      ///< not synchronized yet: these lanes wait for others of the mask
  uint32_t badSources = 0; ///< shuffle: lanes that read from a lane that does not participate
  bool again = false;      ///< lanes of the same execution as the event before, which give another mask
};

/// Observes the simulator. Every event has an empty default and is delivered only if the observer's interests()
/// name its group, so that events without an observer cost nothing. Events of one block are in the order of
/// execution; blocks on different cores call at the same time, unless oneCore() returns true.
class Observer {
public:
  enum Interest : uint32_t {
    Instructions = 1,
    Branches = 2,
    Accesses = 4,
    Synchronization = 8, ///< barriers, mbarriers, warp syncs, async copies, fences
    Lifetimes = 16,      ///< blocks, exits, calls
    CodeBlocks = 32,     ///< basic-block entries
    All = 63
  };

  virtual ~Observer() = default;
  virtual uint32_t interests() const { return All; }
  virtual bool oneCore() const { return false; }
  /// Nothing: compiled code is not used while this observes.
  virtual ObservedForm form() const { return ObservedForm::Nothing; }

  virtual void kernelBegin(const LaunchRequest &, const KernelInfo &, uint64_t launch) { (void)launch; }
  virtual void kernelEnd(const LaunchResult &) {}
  virtual void blockBegin(const WarpRef &) {}
  virtual void blockEnd(const WarpRef &) {}
  virtual void lanesExit(const WarpRef &, SiteRef, uint32_t mask) { (void)mask; }

  virtual void instruction(const WarpRef &, SiteRef, uint32_t mask) { (void)mask; }
  virtual void codeBlock(const WarpRef &, const BlockOfCode &, uint32_t mask) { (void)mask; }
  virtual void branch(const WarpRef &, SiteRef, uint32_t mask, uint32_t taken) { (void)mask, (void)taken; }
  virtual void access(const WarpRef &, SiteRef, const AccessEvent &) {}

  // Of compiled code, in place of codeBlock, branch and access.
  /// These lanes, all of the warp, entered the block so often since the thread block began; called at its end.
  virtual void codeBlocks(const WarpRef &at, const BlockOfCode &block, uint32_t mask, uint64_t times) {
    for (; times; --times)
      codeBlock(at, block, mask);
  }
  /// Warps of the block executed a branch so often with lanes that agreed; called at its end.
  virtual void branches(const WarpRef &at, SiteRef site, uint64_t times) {
    for (; times; --times)
      branch(at, site, ~0u, 0);
  }
  /// By site: whether each execution of a branch is reported, also if lanes agree. nullptr: none. Kept until the launch ends.
  virtual const uint8_t *watchedBranches(uint64_t launch) {
    (void)launch;
    return nullptr;
  }
  /// Whether plainAccess never returns false.
  virtual bool takesEveryPlainAccess() const { return false; }
  /// False: nothing was noted; the interpreter executes the instruction, and its event follows.
  virtual bool plainAccess(const WarpRef &, SiteRef, const PlainAccess &) { return false; }
  /// Whether it takes every load by groups of this launch, and later: compiled code notes them, and they are reported together before the
  /// next event of another kind, those of each kind of memory in their order.
  virtual bool takesNotedLoads(uint64_t launch) const {
    (void)launch;
    return false;
  }
  virtual void notedLoads(const WarpRef &, const NotedLoads &) {}

  virtual void barrierReached(const WarpRef &, SiteRef, const BarrierEvent &) {}
  /// The barrier completed; waiting lanes continue after this.
  virtual void barrierCompleted(const WarpRef &, unsigned barrier, uint64_t generation) {
    (void)barrier, (void)generation;
  }
  virtual void warpSync(const WarpRef &, SiteRef, const WarpSyncEvent &) {}
  virtual void mbarrier(const WarpRef &, SiteRef, const MbarrierEvent &) {}
  virtual void async(const WarpRef &, SiteRef, const AsyncEvent &) {}
  virtual void fence(const WarpRef &, SiteRef, const FenceEvent &) {}
};

} // namespace heddle::vm
