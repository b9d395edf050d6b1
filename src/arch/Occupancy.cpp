// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many blocks of a kernel a multiprocessor can hold at a time, as NVIDIA's occupancy calculator counts.
//
// Five resources each allow some number of blocks; the least of them is the answer.
//   warps      a block takes its threads rounded up to whole warps
//   blocks     a fixed number of block slots
//   registers  a warp takes its registers rounded up to the allocation unit. The file is split evenly among
//   the
//              SM's schedulers and a warp lives with one of them, so each part holds an integer number of warps:
//              64K registers in 4 parts at 11264 per warp hold 4 * floor(16384/11264) = 4 warps, not 5.
//   shared     a block takes what it declares, what it asks for at launch and what the system reserves in it,
//              rounded up to the allocation unit, out of the part of the SM's memory set aside as shared
//   barriers   since 9.0 the SM has a pool of named barriers (32 blocks of 2 each; fewer blocks of more)
//
// A launch can also be impossible outright, whatever else is on the SM: those checks come first and are
// reported as reasons, all of them.
//
// Not modelled: the partitioned global caching that 5.2 offers on request (it halves what a block may use),
// and the barrier-like "virtual resources" that 10.0 counts for cluster launches.
#include "arch/Occupancy.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::arch {
namespace {

constexpr size_t roundUp(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

unsigned warpsOf(const Arch &arch, const KernelResources &kernel) {
  return unsigned(roundUp(kernel.threadsPerBlock, arch.warpSize) / arch.warpSize);
}

size_t registersPerWarp(const Arch &arch, const KernelResources &kernel) {
  return roundUp(size_t(kernel.registersPerThread) * arch.warpSize, arch.registerAllocationUnit);
}

size_t sharedAllocated(const Arch &arch, const KernelResources &kernel) {
  return roundUp(kernel.sharedBytes() + arch.reservedSharedBytesPerBlock, arch.sharedAllocationUnit);
}

/// The size the SM's shared memory is set to: what is preferred, but at least what one block needs.
unsigned carveoutFor(const Arch &arch, size_t blockBytes, std::optional<unsigned> percent) {
  size_t wanted = size_t(std::min(percent.value_or(100), 100u)) * arch.sharedBytesPerSm / 100;
  for (unsigned size : arch.sharedCarveouts)
    if (size >= wanted && size >= blockBytes)
      return size;
  return arch.sharedBytesPerSm;
}

std::optional<unsigned> blocksByRegisters(const Arch &arch, const KernelResources &kernel) {
  size_t perWarp = registersPerWarp(arch, kernel);
  if (perWarp == 0)
    return std::nullopt;
  size_t perScheduler = arch.registersPerSm / arch.warpAllocationGranularity;
  size_t warps = perScheduler / perWarp * arch.warpAllocationGranularity;
  return unsigned(warps / warpsOf(arch, kernel));
}

std::optional<unsigned> blocksByBarriers(const Arch &arch, const KernelResources &kernel) {
  if (arch.namedBarriersPerSm == 0 || kernel.namedBarriers == 0)
    return std::nullopt;
  return arch.namedBarriersPerSm / kernel.namedBarriers;
}

void checkThreads(const Arch &arch, const KernelResources &kernel, std::vector<std::string> &reasons) {
  if (kernel.threadsPerBlock == 0)
    reasons.emplace_back("a block has no threads");
  if (kernel.threadsPerBlock > arch.maxThreadsPerBlock)
    reasons.push_back(fmt::format("a block has {} threads; {} allows {}", kernel.threadsPerBlock, arch.name,
                                  arch.maxThreadsPerBlock));
}

void checkRegisters(const Arch &arch, const KernelResources &kernel, std::vector<std::string> &reasons) {
  if (kernel.registersPerThread > arch.maxRegistersPerThread)
    reasons.push_back(fmt::format("a thread has {} registers; {} allows {}", kernel.registersPerThread,
                                  arch.name, arch.maxRegistersPerThread));
  size_t needed = registersPerWarp(arch, kernel) * roundUp(warpsOf(arch, kernel), arch.launchWarpGranularity);
  if (needed > arch.maxRegistersPerBlock)
    reasons.push_back(fmt::format(
        "{} threads of {} registers need {} registers after rounding; a block of {} gets {}",
        kernel.threadsPerBlock, kernel.registersPerThread, needed, arch.name, arch.maxRegistersPerBlock));
}

void checkShared(const Arch &arch, const KernelResources &kernel, std::vector<std::string> &reasons) {
  if (kernel.staticSharedBytes > arch.maxSharedBytesPerBlock)
    reasons.push_back(fmt::format("a block declares {} bytes of shared memory; {} is the most that can be "
                                  "declared (more must be asked for at launch)",
                                  kernel.staticSharedBytes, arch.maxSharedBytesPerBlock));
  else if (kernel.sharedBytes() > arch.maxSharedBytesPerBlockOptIn)
    reasons.push_back(fmt::format("a block needs {} bytes of shared memory; {} allows {}",
                                  kernel.sharedBytes(), arch.name, arch.maxSharedBytesPerBlockOptIn));
  else if (kernel.sharedBytes() > arch.maxSharedBytesPerBlock && !kernel.sharedOptIn)
    reasons.push_back(
        fmt::format("a block needs {} bytes of shared memory and gets {} unless the program sets "
                    "cudaFuncAttributeMaxDynamicSharedMemorySize",
                    kernel.sharedBytes(), arch.maxSharedBytesPerBlock));
}

void checkBarriers(const Arch &arch, const KernelResources &kernel, std::vector<std::string> &reasons) {
  if (kernel.namedBarriers > arch.namedBarriersPerBlock)
    reasons.push_back(fmt::format("a block uses {} barriers; {} has {}", kernel.namedBarriers, arch.name,
                                  arch.namedBarriersPerBlock));
}

std::vector<std::string> reasonsAgainstLaunch(const Arch &arch, const KernelResources &kernel) {
  std::vector<std::string> reasons;
  checkThreads(arch, kernel, reasons);
  checkRegisters(arch, kernel, reasons);
  checkShared(arch, kernel, reasons);
  checkBarriers(arch, kernel, reasons);
  return reasons;
}

void decide(const Arch &arch, Occupancy &result, unsigned warpsPerBlock) {
  const Occupancy::BlocksBy &by = result.blocksBy;
  constexpr unsigned none = ~0u;
  const std::pair<Resource, unsigned> allowed[] = {{Resource::Warps, by.warps},
                                                   {Resource::Blocks, by.blocks},
                                                   {Resource::Registers, by.registers.value_or(none)},
                                                   {Resource::SharedMemory, by.sharedMemory.value_or(none)},
                                                   {Resource::Barriers, by.barriers.value_or(none)}};
  unsigned least = none;
  for (auto &[resource, blocks] : allowed)
    least = std::min(least, blocks);
  for (auto &[resource, blocks] : allowed)
    if (blocks == least)
      result.limits.push_back(resource);
  result.blocksPerSm = least;
  result.warpsPerSm = least * warpsPerBlock;
  result.percent = 100.0 * result.warpsPerSm / arch.maxWarpsPerSm;
}

/// The largest value in [0, current] for which `fits` holds. It holds for all below one for which it does.
template <typename Number, typename Predicate>
std::optional<Number> largestThatFits(Number current, Predicate fits) {
  if (!fits(Number(0)))
    return std::nullopt;
  Number low = 0, high = current;
  while (low < high) {
    Number middle = low + (high - low + 1) / 2;
    if (fits(middle))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/// `kernel` with `bytes` of shared memory in all. What is declared beyond that is thought away.
KernelResources withShared(KernelResources kernel, size_t bytes) {
  kernel.staticSharedBytes = std::min(kernel.staticSharedBytes, bytes);
  kernel.dynamicSharedBytes = bytes - kernel.staticSharedBytes;
  return kernel;
}

OccupancyStep stepTo(const Arch &arch, const KernelResources &kernel, unsigned blocks) {
  OccupancyStep step;
  step.blocksPerSm = blocks;
  step.warpsPerSm = blocks * warpsOf(arch, kernel);
  step.percent = 100.0 * step.warpsPerSm / arch.maxWarpsPerSm;

  KernelResources trial = withShared(kernel, 0);
  unsigned registers = *largestThatFits(kernel.registersPerThread, [&](unsigned n) {
    trial.registersPerThread = n;
    return occupancy(arch, trial).blocksPerSm >= blocks;
  });
  if (registers != kernel.registersPerThread)
    step.registersPerThreadAtMost = registers;

  trial = kernel;
  trial.registersPerThread = 0;
  size_t shared = *largestThatFits(kernel.sharedBytes(), [&](size_t bytes) {
    return occupancy(arch, withShared(trial, bytes)).blocksPerSm >= blocks;
  });
  if (shared != kernel.sharedBytes())
    step.sharedBytesAtMost = shared;
  return step;
}

} // namespace

std::string_view nameOf(Resource resource) {
  switch (resource) {
  case Resource::Warps: return "warps";
  case Resource::Blocks: return "blocks";
  case Resource::Registers: return "registers";
  case Resource::SharedMemory: return "shared memory";
  case Resource::Barriers: return "barriers";
  }
  return "";
}

Occupancy occupancy(const Arch &arch, const KernelResources &kernel,
                    std::optional<unsigned> carveoutPercent) {
  Occupancy result;
  unsigned warpsPerBlock = warpsOf(arch, kernel);
  size_t shared = sharedAllocated(arch, kernel);
  result.registersPerBlock = unsigned(registersPerWarp(arch, kernel) * warpsPerBlock);
  result.sharedBytesPerBlock = shared;
  result.needsSharedOptIn = kernel.sharedBytes() > arch.maxSharedBytesPerBlock;
  result.impossible = reasonsAgainstLaunch(arch, kernel);
  if (!result.impossible.empty())
    return result;

  result.sharedCarveoutBytes = carveoutFor(arch, shared, carveoutPercent);
  result.blocksBy.warps = arch.maxWarpsPerSm / warpsPerBlock;
  result.blocksBy.blocks = arch.maxBlocksPerSm;
  result.blocksBy.registers = blocksByRegisters(arch, kernel);
  if (shared > 0)
    result.blocksBy.sharedMemory = unsigned(result.sharedCarveoutBytes / shared);
  result.blocksBy.barriers = blocksByBarriers(arch, kernel);
  decide(arch, result, warpsPerBlock);
  return result;
}

std::vector<OccupancyStep> stepsUp(const Arch &arch, const KernelResources &kernel) {
  // With neither registers nor shared memory only warps, blocks and barriers count: that is the ceiling.
  KernelResources least = withShared(kernel, 0);
  least.registersPerThread = 0;
  unsigned ceiling = occupancy(arch, least).blocksPerSm;
  std::vector<OccupancyStep> steps;
  for (unsigned blocks = occupancy(arch, kernel).blocksPerSm + 1; blocks <= ceiling; ++blocks)
    steps.push_back(stepTo(arch, kernel, blocks));
  return steps;
}

BlockSizeChoice bestBlockSize(const Arch &arch, KernelResources kernel, unsigned blockSizeLimit,
                              const std::function<size_t(unsigned)> &dynamicSharedFor) {
  unsigned limit =
      blockSizeLimit == 0 ? arch.maxThreadsPerBlock : std::min(blockSizeLimit, arch.maxThreadsPerBlock);
  BlockSizeChoice best;
  unsigned bestThreads = 0;
  // From the largest down, so that on a tie the larger block stays: fewer blocks to launch.
  for (size_t aligned = roundUp(limit, arch.warpSize); aligned > 0; aligned -= arch.warpSize) {
    kernel.threadsPerBlock = std::min(limit, unsigned(aligned));
    if (dynamicSharedFor)
      kernel.dynamicSharedBytes = dynamicSharedFor(kernel.threadsPerBlock);
    unsigned blocks = occupancy(arch, kernel).blocksPerSm;
    if (blocks * kernel.threadsPerBlock <= bestThreads)
      continue;
    bestThreads = blocks * kernel.threadsPerBlock;
    best = {kernel.threadsPerBlock, blocks, blocks * arch.deviceSms};
  }
  return best;
}

std::optional<size_t> availableDynamicShared(const Arch &arch, KernelResources kernel, unsigned blocks) {
  size_t limit = kernel.sharedOptIn ? arch.maxSharedBytesPerBlockOptIn : arch.maxSharedBytesPerBlock;
  if (blocks == 0 || kernel.staticSharedBytes > limit)
    return std::nullopt;
  return largestThatFits(limit - kernel.staticSharedBytes, [&](size_t bytes) {
    kernel.dynamicSharedBytes = bytes;
    return occupancy(arch, kernel).blocksPerSm >= blocks;
  });
}

} // namespace heddle::arch
