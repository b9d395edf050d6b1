// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counts/LaunchFacts.h"

#include "model/Thresholds.h"

#include <algorithm>
#include <cmath>

namespace heddle::counts {

LaunchFacts scaled(LaunchFacts launch, double factor) {
  auto times = [&](auto &count) {
    count = std::remove_reference_t<decltype(count)>(std::llround(double(count) * factor));
  };
  launch.timesGrid *= factor;
  vm::CounterSums &s = launch.sums;
  for (vm::CounterSums::PerClass &cls : s.classes)
    times(cls.warp), times(cls.thread);
  for (uint64_t *sum : {&s.warps,
                        &s.divergentWarps,
                        &s.branches,
                        &s.divergentBranches,
                        &s.sharedRequests,
                        &s.sharedWavefronts,
                        &s.sharedConflicts,
                        &s.globalRequests,
                        &s.globalSectors,
                        &s.globalStoreSectors,
                        &s.globalLines,
                        &s.asyncBytes,
                        &s.sharedLoads,
                        &s.sharedStores,
                        &s.globalLoads,
                        &s.globalStores,
                        &s.localLoads,
                        &s.localStores,
                        &s.atomics,
                        &s.barrierWaits,
                        &s.barrierArrivals,
                        &s.warpSyncs,
                        &s.shuffles,
                        &launch.distinctSectors,
                        &launch.readSectors,
                        &launch.writtenSectors,
                        &launch.blockSectors,
                        &launch.atomicSectors,
                        &launch.hottestAtomics,
                        &launch.sharedPasses.byParts,
                        &launch.sharedPasses.byWords,
                        &launch.sharedPasses.ofAtomics})
    times(*sum);
  for (auto &[cls, count] : launch.instructions)
    times(count);
  for (WarpTime *sum : {&launch.blockTime, &launch.warpTime})
    sum->cycles *= factor, sum->rounds *= factor;
  return launch;
}

void extrapolate(LaunchFacts &launch) {
  const LaunchFacts counted = launch;
  launch = scaled(std::move(launch), counted.blocks() / double(counted.countedBlocks));
  launch.timesGrid = counted.timesGrid;
  launch.distinctSectors = counted.distinctSectors;
  launch.readSectors = counted.readSectors;
  launch.writtenSectors = counted.writtenSectors;
}

model::LaunchWork workOf(const LaunchFacts &launch) {
  const vm::CounterSums &sums = launch.sums;
  const auto issued = [&](vm::InstructionClass cls) { return double(sums.classes[unsigned(cls)].warp); };
  model::LaunchWork work;
  work.blocks = launch.blocks();
  work.threadsPerBlock = launch.threadsPerBlock();
  work.registers = launch.registers;
  work.spillBytes = launch.spillBytes;
  work.sharedBytes = launch.sharedBytes;
  work.warps = double(sums.warps);
  work.instructions = launch.instructions;
  constexpr double BankBytes = 128; // of all banks together: copies that bypass registers pass over them once
  const SharedPasses &passes = launch.sharedPasses;
  const double further = double(passes.byParts) - double(passes.byWords);
  work.bankPasses = double(passes.byWords) + further * model::threshold::launch::widePassShare +
                    double(sums.asyncBytes) / BankBytes;
  work.atomicPasses = double(launch.sharedPasses.ofAtomics);
  work.lines = double(sums.globalLines);
  work.loadSectors = double(sums.globalSectors - sums.globalStoreSectors);
  work.storeSectors = double(sums.globalStoreSectors);
  work.localAccesses = issued(vm::InstructionClass::LocalLoad) + issued(vm::InstructionClass::LocalStore);
  work.distinctSectors = double(launch.distinctSectors);
  work.readSectors = double(launch.readSectors);
  work.writtenSectors = double(launch.writtenSectors);
  work.blockSectors = double(launch.blockSectors);
  work.atomicSectors = double(launch.atomicSectors);
  work.hottestAtomics = double(launch.hottestAtomics);
  work.barriers = double(sums.barrierWaits);
  work.blockTime = launch.blockTime;
  work.longestBlock = launch.longestBlock;
  return work;
}

double factorToFill(const LaunchFacts &launch, const arch::Arch &arch) {
  return std::max(1.0, model::blocksToFill(workOf(launch), arch) / launch.blocks());
}

model::Estimate estimate(const LaunchFacts &launch, const arch::Arch &arch) {
  return model::estimate(workOf(launch), arch);
}

} // namespace heddle::counts
