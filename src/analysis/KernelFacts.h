// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Accesses.h"
#include "analysis/BarrierRegions.h"
#include "analysis/Dependences.h"
#include "analysis/KernelTree.h"
#include "analysis/LiveValues.h"
#include "analysis/RegisterPressure.h"
#include "analysis/Reuse.h"
#include "analysis/TrueRegisters.h"
#include "analysis/Uniformity.h"
#include "arch/Occupancy.h"
#include "source/Program.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::analysis {

/// Where the block shape that the facts are drawn for comes from.
enum class BlockOrigin { Launch, Asked, NotKnown };

/// What the launches in the file say about a kernel.
enum class LaunchesSeen {
  First, ///< facts are about the first of them
  All,   ///< there are no others: facts hold for each
  Some,  ///< there may be others: nothing is known of their grids, blocks and arguments
};

/// What to assume where the file does not say.
struct FactOptions {
  std::optional<std::array<int64_t, 3>> block; ///< --block: instead of what the launches say
  const arch::Arch *arch = nullptr;            ///< for occupancy; none without
  LaunchesSeen launches = LaunchesSeen::First;
  bool isWholeProgram = false;       ///< the user vouches that no other file calls the file's functions
  bool pointersDoNotOverlap = false; ///< the user vouches that memory which a kernel is given is disjoint
  /// True counts of this kernel from ptxas, where they were asked for and could be had.
  std::optional<KernelResources> compiled;
  std::optional<unsigned> likelyRegisters; ///< by the PTX of this kernel
};

/// What launches, or the user, say about the memory that the kernel is given.
std::shared_ptr<const PointersApart> pointersApart(const source::Program &program,
                                                   const source::Kernel &kernel, const FactOptions &options);

/// Everything the analyses know about one kernel, put together. Changes nothing.
struct KernelFacts {
  static std::unique_ptr<KernelFacts> of(const source::Program &program, const source::Kernel &kernel,
                                         const FactOptions &options);

  const source::Kernel *kernel = nullptr;
  std::vector<const source::Launch *> launches;
  LaunchFacts launch; ///< what was assumed of grid and block
  BlockOrigin blockOrigin = BlockOrigin::NotKnown;
  bool launchesDisagree = false; ///< on the block; the first launch's is used

  std::unique_ptr<Uniformity> uniformity;
  /// Branches that differ within a block, also those of the functions the kernel calls; `function` is empty
  /// for the kernel's own.
  struct BranchInFunction {
    std::string function;
    const DivergentBranch *branch = nullptr;
  };
  std::vector<BranchInFunction> divergentBranches;
  std::unique_ptr<BarrierRegions> regions;
  std::unique_ptr<Accesses> accesses;
  std::unique_ptr<KernelTree> tree;
  std::vector<LiveAcross> liveAcross;
  InterThreadReuse reuse;
  RegisterEstimate registers;
  std::optional<KernelResources> compiled; ///< ptxas' counts
  int64_t staticSharedBytes = 0;
  std::optional<int64_t> dynamicSharedBytes; ///< nothing: a launch decides at run time
  std::optional<arch::Occupancy> occupancy;  ///< needs a known block
  Diagnostics barrierFindings;               ///< what looks like a bug of the input, of its barriers

  std::optional<int64_t> threadsPerBlock() const;
  /// The block of all launches, where it is known and they agree on it.
  std::optional<std::array<int64_t, 3>> knownBlock() const;
  std::optional<int64_t> blocksOfGrid() const;
  /// What a block of so many threads needs of a multiprocessor.
  arch::KernelResources resources(unsigned threads, unsigned registers) const;
  /// ptxas' count where there is one, else the estimate.
  unsigned registersPerThread() const;

  /// Computed when first asked for: they cost more than all other facts, and few directives ask.
  const Dependences &dependences() const;
  /// Named barriers, mbarriers or waits for copies: they may order accesses that no barrier of the block orders.
  bool hasPartialBarriers() const;
  /// All that looks like a bug of the input: barriers that some threads miss, and races, unless partial barriers may order them.
  Diagnostics findings() const;

private:
  mutable std::optional<Dependences> knownDependences;
};

} // namespace heddle::analysis
