// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::arch {

/// What one block of a kernel asks of a multiprocessor.
struct KernelResources {
  unsigned threadsPerBlock = 0;
  unsigned registersPerThread = 0;
  size_t staticSharedBytes = 0;
  size_t dynamicSharedBytes = 0;
  unsigned namedBarriers = 0; ///< how many the kernel uses, counting barrier 0; 0: not known, not a limit
  /// The program raises the limit with cudaFuncAttributeMaxDynamicSharedMemorySize where it must.
  bool sharedOptIn = true;

  size_t sharedBytes() const { return staticSharedBytes + dynamicSharedBytes; }
};

/// What can keep one more block away from a multiprocessor.
enum class Resource { Warps, Blocks, Registers, SharedMemory, Barriers };
std::string_view nameOf(Resource resource); ///< "warps", "blocks", "registers", "shared memory", "barriers"

/// How much of a multiprocessor a kernel can fill.
struct Occupancy {
  unsigned blocksPerSm = 0; ///< 0: it cannot be launched, and `impossible` says why
  unsigned warpsPerSm = 0;
  double percent = 0; ///< of the multiprocessor's warps

  /// The resources that allow no further block, in the order of the enum. Several when they tie.
  std::vector<Resource> limits;
  /// Why it cannot be launched at all; every reason, each a sentence for people.
  std::vector<std::string> impossible;

  /// What each resource alone would allow. Nothing: it is no limit (a kernel without shared memory).
  struct BlocksBy {
    unsigned warps = 0, blocks = 0;
    std::optional<unsigned> registers, sharedMemory, barriers;
  } blocksBy;

  unsigned registersPerBlock = 0;   ///< as allocated, after rounding
  size_t sharedBytesPerBlock = 0;   ///< as allocated, with what the system reserves
  unsigned sharedCarveoutBytes = 0; ///< what the SM's shared memory is set to
  bool needsSharedOptIn = false;    ///< more than a block gets without asking
};

/// NVIDIA's occupancy calculation. `carveoutPercent` is cudaFuncAttributePreferredSharedMemoryCarveout: the
/// share of the largest shared memory wanted, rounded up to a size the SM has and to what one block needs;
/// nothing means all of it, as the runtime's occupancy calls assume.
Occupancy occupancy(const Arch &arch, const KernelResources &kernel,
                    std::optional<unsigned> carveoutPercent = std::nullopt);

/// One step up: `blocksPerSm` blocks fit if the kernel comes down to these. Nothing: what it has is enough.
struct OccupancyStep {
  unsigned blocksPerSm = 0;
  unsigned warpsPerSm = 0;
  double percent = 0;
  std::optional<unsigned> registersPerThreadAtMost;
  std::optional<size_t> sharedBytesAtMost; ///< static and dynamic together
};

/// What would raise occupancy at this block size, one more block per step, up to what the number of warps and
/// blocks allows. Empty where only another block size could help.
std::vector<OccupancyStep> stepsUp(const Arch &arch, const KernelResources &kernel);

/// What cudaOccupancyMaxPotentialBlockSize answers: the block size with most threads per SM, the larger one
/// on a tie, and the smallest grid that fills the device.
struct BlockSizeChoice {
  unsigned threadsPerBlock = 0; ///< 0: no size can be launched
  unsigned blocksPerSm = 0;
  unsigned minGridSize = 0;
};
/// `kernel.threadsPerBlock` is not read. `dynamicSharedFor`, where given, says how many bytes of dynamic
/// shared memory a block size needs; `blockSizeLimit` (0: none) is the kernel's own bound.
BlockSizeChoice bestBlockSize(const Arch &arch, KernelResources kernel, unsigned blockSizeLimit = 0,
                              const std::function<size_t(unsigned)> &dynamicSharedFor = {});

/// The largest dynamic shared memory that still lets `blocks` blocks run on an SM, or nothing where they
/// cannot. `kernel.dynamicSharedBytes` is not read. cudaOccupancyAvailableDynamicSMemPerBlock of CUDA 13.0
/// forgets what the system reserves when it divides: for two blocks it says 1 KB more on an H200, and with
/// that much only one fits.
std::optional<size_t> availableDynamicShared(const Arch &arch, KernelResources kernel, unsigned blocks);

} // namespace heddle::arch
