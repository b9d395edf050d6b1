// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launching kernels, asking about them, and how many blocks fit.
#include "arch/Occupancy.h"
#include "cudart/Registers.h"
#include "cudart/Runtime.h"

#include <algorithm>

using namespace heddle;
using namespace heddle::cudart;

namespace {

/// Runs `body` with the kernel that `function` represents.
template <class Body>
cudaError_t withKernel(const void *function, Body body,
                       std::source_location where = std::source_location::current()) {
  return api(
      [&](Runtime &runtime) -> cudaError_t {
        KernelEntry *entry = runtime.modules.find(function);
        return entry ? body(runtime, *entry) : cudaErrorInvalidDeviceFunction;
      },
      where);
}

/// The same, with what the simulator knows about the kernel.
template <class Body>
cudaError_t withInfo(const void *function, Body body,
                     std::source_location where = std::source_location::current()) {
  return withKernel(
      function,
      [&](Runtime &runtime, KernelEntry &entry) -> cudaError_t {
        cudaError_t error = cudaSuccess;
        const vm::Kernel *kernel = runtime.modules.ready(entry, error);
        return kernel ? body(runtime, entry, vm::infoOf(*kernel)) : error;
      },
      where);
}

cudaError_t launchShape(const void *function, const LaunchShape &shape, void **arguments,
                        cudaStream_t stream) {
  return api([&](Runtime &runtime) -> cudaError_t {
    KernelEntry *entry = runtime.modules.find(function);
    // The real runtime looks for a library's kernel under an unknown pointer, hence its odd answer.
    if (!entry)
      return cudaErrorInvalidResourceHandle;
    const cudaError_t error = runtime.launch(*entry, shape, arguments, stream);
    if (error != cudaSuccess)
      runtime.noteFailedLaunch(*entry, shape, error);
    return error;
  });
}

arch::KernelResources resourcesOf(const arch::Arch &arch, const vm::KernelInfo &info, unsigned threads,
                                  size_t dynamicShared) {
  return {threads, registersOf(arch, info), info.staticSharedBytes, dynamicShared};
}

void readAttribute(const cudaLaunchAttribute &attribute, LaunchShape &shape) {
  if (attribute.id == cudaLaunchAttributeCooperative)
    shape.cooperative = attribute.val.cooperative;
  if (attribute.id == cudaLaunchAttributeClusterDimension)
    shape.cluster = {attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z};
}

} // namespace

extern "C" {

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t sharedBytes, cudaStream_t stream) {
  return launchShape(function, {grid, block, sharedBytes}, arguments, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                        size_t sharedBytes, cudaStream_t stream) {
  return launchShape(function, {grid, block, sharedBytes, true}, arguments, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments) {
  if (!config)
    return lastError = cudaErrorInvalidValue;
  LaunchShape shape{config->gridDim, config->blockDim, config->dynamicSmemBytes};
  for (unsigned i = 0; i < config->numAttrs; ++i)
    readAttribute(config->attrs[i], shape);
  return launchShape(function, shape, arguments, config->stream);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *function) {
  return withInfo(function, [&](Runtime &runtime, KernelEntry &entry, const vm::KernelInfo &info) {
    unsigned most = runtime.arch.maxThreadsPerBlock;
    *attributes = {};
    attributes->sharedSizeBytes = info.staticSharedBytes;
    attributes->constSizeBytes = info.constantBytes;
    attributes->localSizeBytes = info.localBytes;
    attributes->maxThreadsPerBlock = int(info.maxThreads ? std::min(info.maxThreads, most) : most);
    attributes->numRegs = int(registersOf(runtime.arch, info));
    attributes->ptxVersion = int(entry.module->ptxVersion);
    attributes->binaryVersion = int(runtime.arch.major * 10 + runtime.arch.minor);
    attributes->maxDynamicSharedSizeBytes =
        entry.maxDynamicSharedBytes >= 0 ? entry.maxDynamicSharedBytes
                                         : int(runtime.arch.maxSharedBytesPerBlock - info.staticSharedBytes);
    attributes->preferredShmemCarveout = entry.preferredCarveout;
    attributes->nonPortableClusterSizeAllowed = entry.nonPortableCluster;
    attributes->clusterDimMustBeSet = 0;
    attributes->requiredClusterWidth = int(info.requiredCluster.x);
    attributes->requiredClusterHeight = int(info.requiredCluster.y);
    attributes->requiredClusterDepth = int(info.requiredCluster.z);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void *function, cudaFuncAttribute attribute, int value) {
  return withInfo(
      function, [&](Runtime &runtime, KernelEntry &entry, const vm::KernelInfo &info) -> cudaError_t {
        switch (attribute) {
        case cudaFuncAttributeMaxDynamicSharedMemorySize:
          if (value < 0 || size_t(value) + info.staticSharedBytes > runtime.arch.maxSharedBytesPerBlockOptIn)
            return cudaErrorInvalidValue;
          entry.maxDynamicSharedBytes = value;
          return cudaSuccess;
        case cudaFuncAttributePreferredSharedMemoryCarveout:
          if (value < -1 || value > 100)
            return cudaErrorInvalidValue;
          entry.preferredCarveout = value;
          return cudaSuccess;
        case cudaFuncAttributeNonPortableClusterSizeAllowed:
          entry.nonPortableCluster = value;
          return cudaSuccess;
        default: return cudaErrorInvalidValue;
        }
      });
}

// Where the caches lie changes no result.
cudaError_t cudaFuncSetCacheConfig(const void *function, cudaFuncCache) {
  return withKernel(function, [](Runtime &, KernelEntry &) { return cudaSuccess; });
}
cudaError_t cudaFuncSetSharedMemConfig(const void *function, cudaSharedMemConfig) {
  return withKernel(function, [](Runtime &, KernelEntry &) { return cudaSuccess; });
}

cudaError_t cudaFuncGetName(const char **name, const void *function) {
  return withKernel(function, [&](Runtime &, KernelEntry &entry) {
    *name = entry.name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *bytes) {
  return withInfo(function, [&](Runtime &, KernelEntry &, const vm::KernelInfo &info) -> cudaError_t {
    if (index >= info.parameters.size())
      return cudaErrorInvalidValue;
    *offset = info.parameters[index].offset;
    if (bytes)
      *bytes = info.parameters[index].bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *handle, const void *symbol) {
  return withKernel(symbol, [&](Runtime &, KernelEntry &entry) {
    *handle = reinterpret_cast<cudaFunction_t>(&entry);
    return cudaSuccess;
  });
}

cudaError_t cudaGetKernel(cudaKernel_t *handle, const void *symbol) {
  return withKernel(symbol, [&](Runtime &, KernelEntry &entry) {
    *handle = reinterpret_cast<cudaKernel_t>(&entry);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                                   int threads, size_t sharedBytes,
                                                                   unsigned) {
  return withInfo(function, [&](Runtime &runtime, KernelEntry &, const vm::KernelInfo &info) -> cudaError_t {
    if (!blocks || threads <= 0)
      return cudaErrorInvalidValue;
    *blocks =
        int(arch::occupancy(runtime.arch, resourcesOf(runtime.arch, info, unsigned(threads), sharedBytes))
                .blocksPerSm);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                          size_t sharedBytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, sharedBytes, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *sharedBytes, const void *function, int blocks,
                                                      int threads) {
  return withInfo(function, [&](Runtime &runtime, KernelEntry &, const vm::KernelInfo &info) -> cudaError_t {
    if (blocks <= 0 || threads <= 0)
      return cudaErrorInvalidValue;
    std::optional<size_t> available = arch::availableDynamicShared(
        runtime.arch, resourcesOf(runtime.arch, info, unsigned(threads), 0), unsigned(blocks));
    *sharedBytes = available.value_or(0);
    return available ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *blocks, const void *function,
                                                 const cudaLaunchConfig_t *) {
  return withKernel(function, [&](Runtime &, KernelEntry &) {
    *blocks = 8; // what every device that has clusters allows
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                           const cudaLaunchConfig_t *config) {
  return withInfo(function, [&](Runtime &runtime, KernelEntry &, const vm::KernelInfo &info) {
    LaunchShape shape{config->gridDim, config->blockDim, config->dynamicSmemBytes};
    for (unsigned i = 0; i < config->numAttrs; ++i)
      readAttribute(config->attrs[i], shape);
    unsigned threads = shape.block.x * shape.block.y * shape.block.z;
    unsigned blocks =
        arch::occupancy(runtime.arch, resourcesOf(runtime.arch, info, threads, shape.dynamicSharedBytes))
            .blocksPerSm;
    *clusters = int(blocks * runtime.arch.deviceSms / std::max<uint64_t>(1, shape.cluster.count()));
    return cudaSuccess;
  });
}
}
