// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the CUDA toolkit is, its own calculator (cuda_occupancy.h, a header of plain C) is asked the same
// questions. It knows 3.0 and later.
#include "Tables.h"
#include "arch/Occupancy.h"

#if __has_include(<cuda_occupancy.h>)
#define HAVE_CALCULATOR 1
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-function"
#include <cuda_occupancy.h>
#pragma clang diagnostic pop
#endif

#include <random>

using namespace heddle;
using namespace heddle::arch;

#ifndef HAVE_CALCULATOR

TEST(NvidiaCalculator, AgreesOnRandomKernels) { GTEST_SKIP() << "no CUDA toolkit"; }

#else

namespace {

cudaOccDeviceProp propertiesOf(const Arch &arch) {
  cudaOccDeviceProp p;
  p.computeMajor = int(arch.major);
  p.computeMinor = int(arch.minor);
  p.maxThreadsPerBlock = int(arch.maxThreadsPerBlock);
  p.maxThreadsPerMultiprocessor = int(arch.maxThreadsPerSm);
  p.regsPerBlock = int(arch.maxRegistersPerBlock);
  p.regsPerMultiprocessor = int(arch.registersPerSm);
  p.warpSize = int(arch.warpSize);
  p.sharedMemPerBlock = arch.maxSharedBytesPerBlock;
  p.sharedMemPerMultiprocessor = arch.sharedBytesPerSm;
  p.numSms = int(arch.deviceSms);
  p.sharedMemPerBlockOptin = arch.maxSharedBytesPerBlockOptIn;
  p.reservedSharedMemPerBlock = arch.reservedSharedBytesPerBlock;
  return p;
}

cudaOccFuncAttributes attributesOf(const Arch &arch, const KernelResources &kernel) {
  cudaOccFuncAttributes a;
  a.maxThreadsPerBlock = int(arch.maxThreadsPerBlock);
  a.numRegs = int(kernel.registersPerThread);
  a.sharedSizeBytes = kernel.staticSharedBytes;
  a.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  a.maxDynamicSharedSizeBytes = kernel.dynamicSharedBytes;
  a.numBlockBarriers = int(kernel.namedBarriers);
  return a;
}

KernelResources randomKernel(const Arch &arch, std::mt19937 &random) {
  auto below = [&](unsigned n) { return unsigned(random() % n); };
  KernelResources kernel;
  kernel.threadsPerBlock = 1 + below(1056); // a few beyond what is allowed
  kernel.registersPerThread = below(256);
  kernel.staticSharedBytes = below(3) ? below(49153) : 0;
  kernel.dynamicSharedBytes = below(3) == 0 ? below(arch.maxSharedBytesPerBlockOptIn) : 0;
  kernel.namedBarriers = below(4) == 0 ? 1 + below(16) : 0;
  return kernel;
}

unsigned limitBits(const Occupancy &o) {
  unsigned bits = 0;
  for (Resource resource : o.limits)
    switch (resource) {
    case Resource::Warps: bits |= OCC_LIMIT_WARPS; break;
    case Resource::Blocks: bits |= OCC_LIMIT_BLOCKS; break;
    case Resource::Registers: bits |= OCC_LIMIT_REGISTERS; break;
    case Resource::SharedMemory: bits |= OCC_LIMIT_SHARED_MEMORY; break;
    case Resource::Barriers: bits |= OCC_LIMIT_BARRIERS; break;
    }
  return bits;
}

std::string describe(const Arch &arch, const KernelResources &k, unsigned carveout) {
  return fmt::format("{}: {} threads, {} registers, {} + {} bytes, {} barriers, carveout {} %", arch.name,
                     k.threadsPerBlock, k.registersPerThread, k.staticSharedBytes, k.dynamicSharedBytes,
                     k.namedBarriers, carveout);
}

} // namespace

TEST(NvidiaCalculator, AgreesOnRandomKernels) {
  unsigned seed = 20240607;
  std::mt19937 random(seed);
  SCOPED_TRACE(fmt::format("seed {}", seed));
  for (const Arch &arch : tables()) {
    if (arch.major < 3)
      continue;
    cudaOccDeviceProp properties = propertiesOf(arch);
    for (int i = 0; i < 5000; ++i) {
      KernelResources kernel = randomKernel(arch, random);
      unsigned carveout = random() % 101;
      // Before Volta the calculator knows three settings instead of a percentage; leave them at "all".
      if (arch.major < 7)
        carveout = 100;
      cudaOccFuncAttributes attributes = attributesOf(arch, kernel);
      cudaOccDeviceState state;
      state.carveoutConfig = int(carveout);
      cudaOccResult theirs;
      ASSERT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(&theirs, &properties, &attributes, &state,
                                                        int(kernel.threadsPerBlock),
                                                        kernel.dynamicSharedBytes),
                CUDA_OCC_SUCCESS);
      Occupancy ours = occupancy(arch, kernel, carveout);
      ASSERT_EQ(int(ours.blocksPerSm), theirs.activeBlocksPerMultiprocessor)
          << describe(arch, kernel, carveout);
      ASSERT_EQ(ours.sharedBytesPerBlock, theirs.allocatedSharedMemPerBlock);
      ASSERT_EQ(int(ours.registersPerBlock), theirs.allocatedRegistersPerBlock);
      ASSERT_EQ(ours.blocksPerSm == 0, !ours.impossible.empty());
      // Theirs names the other limits before it looks at barriers, and keeps them named when barriers allow
      // less.
      bool byBarriers = theirs.limitingFactors & OCC_LIMIT_BARRIERS;
      if (ours.blocksPerSm > 0 && !byBarriers)
        ASSERT_EQ(limitBits(ours), theirs.limitingFactors) << describe(arch, kernel, carveout);
      ASSERT_EQ(byBarriers && ours.blocksPerSm > 0, bool(limitBits(ours) & OCC_LIMIT_BARRIERS));
    }
  }
}

TEST(NvidiaCalculator, AgreesOnTheBestBlockSize) {
  unsigned seed = 20240608;
  std::mt19937 random(seed);
  SCOPED_TRACE(fmt::format("seed {}", seed));
  for (const Arch &arch : tables()) {
    if (arch.major < 3)
      continue;
    cudaOccDeviceProp properties = propertiesOf(arch);
    for (int i = 0; i < 100; ++i) {
      KernelResources kernel = randomKernel(arch, random);
      unsigned bound = 1 + random() % 1024;
      cudaOccFuncAttributes attributes = attributesOf(arch, kernel);
      attributes.maxThreadsPerBlock = int(bound);
      cudaOccDeviceState state;
      int grid = 0, block = 0;
      ASSERT_EQ(cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &properties, &attributes, &state,
                                                      kernel.dynamicSharedBytes),
                CUDA_OCC_SUCCESS);
      BlockSizeChoice ours = bestBlockSize(arch, kernel, bound);
      ASSERT_EQ(int(ours.threadsPerBlock), block) << describe(arch, kernel, 100);
      ASSERT_EQ(int(ours.minGridSize), grid);
    }
  }
}

#endif
