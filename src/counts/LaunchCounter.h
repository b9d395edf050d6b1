// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "counts/Extrapolation.h"
#include "counts/LaunchFacts.h"
#include "counts/SectorSet.h"
#include "counts/Spans.h"
#include "vm/NotedLoads.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace heddle::counts {

/// What is the same in each launch of a kernel.
struct KernelCode {
  std::vector<MergedLoad> loads; ///< by site
  std::vector<Span> spans;       ///< by basic block
};
KernelCode codeOf(const vm::Kernel &kernel, const arch::Arch &arch);

/// Watches one launch and gives its facts. Instructions are counted by basic block, which costs little;
/// accesses one by one.
class LaunchCounter final : public vm::Counters {
public:
  LaunchCounter(const vm::Kernel &watched, const KernelCode &itsCode) : kernel(watched), code(itsCode) {}

  uint32_t interests() const override {
    return CodeBlocks | Branches | Accesses | Synchronization | Lifetimes;
  }
  void kernelBegin(const vm::LaunchRequest &request, const vm::KernelInfo &info, uint64_t number) override;
  void blockBegin(const vm::WarpRef &at) override;
  void blockEnd(const vm::WarpRef &at) override;
  void codeBlock(const vm::WarpRef &at, const vm::BlockOfCode &block, uint32_t mask) override;
  vm::ObservedForm form() const override { return vm::ObservedForm::All; }
  void codeBlocks(const vm::WarpRef &at, const vm::BlockOfCode &block, uint32_t mask,
                  uint64_t times) override;
  void access(const vm::WarpRef &at, vm::SiteRef site, const vm::AccessEvent &event) override;
  bool plainAccess(const vm::WarpRef &at, vm::SiteRef site, const vm::PlainAccess &access) override;
  void notedLoads(const vm::WarpRef &at, const vm::NotedLoads &loads) override;

  /// If only some blocks are executed: the memory that the others may access.
  void expectIn(std::vector<vm::Allocation> live) { allocations = std::move(live); }
  /// After the launch. `registers`: of a thread, which the simulator does not know.
  LaunchFacts take(unsigned registers);

protected:
  void touched(const vm::WarpRef &at, std::span<const uint64_t> sectors, Touch touch) override;

private:
  struct BlockState {
    std::vector<uint64_t> entries; ///< of each warp, each basic block
    SectorSet read, written;
  };
  struct CodeCount {
    uint64_t entries = 0, lanes = 0;
  };
  /// In millionths, so that a sum is the same in whichever order blocks end and whichever cores they run on.
  struct ExactTime {
    int64_t cycles = 0, rounds = 0;
  };
  /// Of accesses to shared memory: passes, and bytes of fragments.
  struct SharedCost {
    uint64_t byParts = 0, byWords = 0;
    uint64_t fragmentBytes = 0; ///< of matrices that wmma loads from shared memory and stores to it

    void add(const SharedCost &other) {
      byParts += other.byParts, byWords += other.byWords, fragmentBytes += other.fragmentBytes;
    }
  };
  /// Each core counts by itself.
  struct alignas(128) OfCore {
    std::vector<CodeCount> codeBlocks;
    SampledSectors read, written;
    uint64_t blockSectors = 0, endedBlocks = 0;
    std::unordered_map<uint64_t, uint64_t> atomics; ///< sectors of requests, by page of 4 KB
    SharedCost shared;
    uint64_t passesOfAtomics = 0;
    vm::SeenNotes<SharedCost> seen;
    ExactTime sum, sumOfWarps;
    WarpTime longest;
  };

  OfCore &coreOf(const vm::WarpRef &at);
  SharedCost costOf(vm::SiteRef site, const uint64_t *addresses, uint32_t mask, unsigned bytes) const;
  SharedCost costOf(vm::SiteRef site, const vm::PlainAccess &access) const;
  /// Of the block: its slowest warp, and all of them added to `sum`.
  WarpTime slowestWarp(const BlockState &block, ExactTime &sum) const;
  void addSectors();
  void addInstructions(const std::vector<CodeCount> &counts);

  const vm::Kernel &kernel;
  const KernelCode &code;
  LaunchFacts facts;
  std::vector<vm::Allocation> allocations;
  std::vector<std::unique_ptr<BlockState>> running; ///< by thread block; null: not begun, or ended
  static constexpr unsigned MostCores = 256;
  std::unique_ptr<OfCore[]> cores = std::make_unique<OfCore[]>(MostCores);
};

} // namespace heddle::counts
