// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Launch.h"
#include "vm/Observer.h"

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

namespace heddle::vm {

/// Classes of instructions by their approximate cost on a device, as in latency tables and reports.
enum class InstructionClass : uint8_t {
#define HEDDLE_CLASS(NAME, TEXT) NAME,
#include "vm/Classes.def"
};
constexpr unsigned InstructionClasses = 0
#define HEDDLE_CLASS(NAME, TEXT) +1
#include "vm/Classes.def"
    ;

std::string_view nameOf(InstructionClass cls);
InstructionClass classOf(const ptx::Instr &instr);

/// Sums over one launch.
struct CounterSums {
  struct PerClass {
    uint64_t warp = 0;   ///< issued for a warp
    uint64_t thread = 0; ///< executed by threads
  };
  std::array<PerClass, InstructionClasses> classes{};
  uint64_t warps = 0, divergentWarps = 0; ///< warps that diverged at least once
  uint64_t branches = 0, divergentBranches = 0;
  uint64_t sharedRequests = 0, sharedWavefronts = 0; ///< wavefronts: passes over the banks; at least one
  uint64_t sharedConflicts = 0;                      ///< wavefronts beyond what the width of the access needs
  uint64_t globalRequests = 0, globalSectors = 0;    ///< sectors: 32-byte pieces touched by a warp's access
  uint64_t globalStoreSectors = 0;                   ///< of which written
  uint64_t globalLines = 0;                          ///< 128-byte lines touched by a warp's access
  uint64_t asyncBytes = 0;                           ///< global to shared memory, bypassing registers
  uint64_t sharedLoads = 0, sharedStores = 0, globalLoads = 0, globalStores = 0, localLoads = 0,
           localStores = 0,
           atomics = 0;                           ///< threads
  uint64_t barrierWaits = 0, barrierArrivals = 0; ///< splits of warps that arrived
  uint64_t warpSyncs = 0, shuffles = 0;

  uint64_t warpInstructions() const;
  uint64_t threadInstructions() const;
  void add(const CounterSums &other);
};

/// Passes that shared memory of 32 banks of 4 bytes needs for the lanes' addresses, and how many of them are
/// due to lanes that access different words of one bank.
struct BankUse {
  unsigned wavefronts = 0, conflicts = 0;
};
/// Lanes that access the same word share a pass, or, with atomics, take one each.
enum class Sharing { Words, Nothing };
BankUse bankUse(const uint64_t *addresses, uint32_t mask, unsigned bytes, Sharing sharing = Sharing::Words);

/// The most words of one bank that the lanes of a warp access: passes, if the lanes of wide accesses share them as others do.
unsigned passesOfWords(const uint64_t *addresses, uint32_t mask, unsigned bytes);

/// Distinct 32-byte sectors that the lanes touch.
unsigned sectors(const uint64_t *addresses, uint32_t mask, unsigned bytes);
/// The same as a list: each sector's address divided by 32, ascending. It is stored in `room`.
struct SectorBuffer {
  uint64_t few[64];
  std::vector<uint64_t> many; ///< of bulk copies
};
std::span<const uint64_t> sectorsOf(const uint64_t *addresses, uint32_t mask, unsigned bytes,
                                    SectorBuffer &buffer);

/// The same of an access of compiled code.
BankUse bankUse(const PlainAccess &access);
std::span<const uint64_t> sectorsOf(const PlainAccess &access, SectorBuffer &buffer);
unsigned sectors(const PlainAccess &access);
/// The addresses by lane, in `buffer` if they are not listed.
const uint64_t *addressesOf(const PlainAccess &access, std::array<uint64_t, 32> &buffer);

/// Counts launches. One entry for each launch, in the order they ended.
class Counters : public Observer {
public:
  Counters();
  ~Counters() override;
  struct Launch {
    std::string kernel;
    uint64_t number = 0;
    Dim3 grid, block;
    CounterSums sums;
  };

  uint32_t interests() const override {
    return Instructions | Branches | Accesses | Synchronization | Lifetimes;
  }
  void kernelBegin(const LaunchRequest &request, const KernelInfo &kernel, uint64_t number) override;
  void kernelEnd(const LaunchResult &result) override;
  void blockBegin(const WarpRef &at) override;
  void instruction(const WarpRef &at, SiteRef site, uint32_t mask) override;
  void branch(const WarpRef &at, SiteRef site, uint32_t mask, uint32_t taken) override;
  void access(const WarpRef &at, SiteRef site, const AccessEvent &event) override;
  void barrierReached(const WarpRef &at, SiteRef site, const BarrierEvent &event) override;
  void warpSync(const WarpRef &at, SiteRef site, const WarpSyncEvent &event) override;
  void branches(const WarpRef &at, SiteRef site, uint64_t times) override;
  bool takesEveryPlainAccess() const override { return true; }
  bool takesNotedLoads(uint64_t) const override { return true; }
  void notedLoads(const WarpRef &at, const NotedLoads &loads) override;
  bool plainAccess(const WarpRef &at, SiteRef site, const PlainAccess &access) override;
  void async(const WarpRef &at, SiteRef site, const AsyncEvent &event) override;

  const std::vector<Launch> &launches() const { return ended; }

protected:
  /// Receives the sectors of each access to global memory, as sectorsOf returns them.
  enum class Touch { Read, Write, Both };
  virtual void touched(const WarpRef &, std::span<const uint64_t>, Touch) {}

private:
  void countGlobal(const WarpRef &at, std::span<const uint64_t> sectors, unsigned lanes, Touch touch);

  struct SharedLoads; ///< what was counted of loads from shared memory that come again
  /// Each core has its own counters; no two cores share a cache line.
  struct alignas(128) PerCore {
    CounterSums sums;
    std::unique_ptr<SharedLoads> loads;
  };
  PerCore &of(const WarpRef &at) { return cores[at.core % MaxCores]; }

  static constexpr unsigned MaxCores = 256;
  std::unique_ptr<PerCore[]> cores = std::make_unique<PerCore[]>(MaxCores);
  std::mutex guard;
  Launch current;
  unsigned warpsPerBlock = 1;
  std::vector<uint8_t> divergent; ///< for each warp of the grid
  std::vector<Launch> ended;
};

/// How often each thread entered each basic block of the kernel (its callees included).
class BlockVectors : public Observer {
public:
  uint32_t interests() const override { return CodeBlocks; }
  void kernelBegin(const LaunchRequest &request, const KernelInfo &kernel, uint64_t number) override;
  void codeBlock(const WarpRef &at, const BlockOfCode &block, uint32_t mask) override;
  void codeBlocks(const WarpRef &at, const BlockOfCode &block, uint32_t mask, uint64_t times) override;
  ObservedForm form() const override { return ObservedForm::Blocks; }

  uint64_t threads() const { return threadCount; }
  uint32_t blocks() const { return blockCount; }
  /// Thread index: block index times threads per block, plus the thread in the block.
  uint32_t count(uint64_t thread, uint32_t block) const { return counts[thread * blockCount + block]; }

private:
  uint64_t threadCount = 0;
  uint32_t blockCount = 0, threadsPerBlock = 0;
  std::vector<uint32_t> counts;
};

} // namespace heddle::vm
