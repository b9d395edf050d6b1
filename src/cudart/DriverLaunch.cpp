// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of the driver API: attributes, launches, occupancy.
#include "cudart/Driver.h"

#include <cstring>

using namespace heddle;
using namespace heddle::cudart;

namespace {

const void *asFunction(CUfunction function) { return reinterpret_cast<const void *>(function); }
const void *asFunction(CUkernel kernel) { return reinterpret_cast<const void *>(kernel); }

template <class Handle> CUresult getAttribute(int *value, CUfunction_attribute attribute, Handle function) {
  return driverCall([&]() -> cudaError_t {
    cudaFuncAttributes a;
    if (!value)
      return cudaErrorInvalidValue;
    if (cudaError_t error = cudaFuncGetAttributes(&a, asFunction(function)))
      return error;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = a.maxThreadsPerBlock; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = int(a.sharedSizeBytes); break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = int(a.constSizeBytes); break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = int(a.localSizeBytes); break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = a.numRegs; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = a.ptxVersion; break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = a.binaryVersion; break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = a.cacheModeCA; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = a.maxDynamicSharedSizeBytes; break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = a.preferredShmemCarveout; break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET: *value = a.clusterDimMustBeSet; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: *value = a.requiredClusterWidth; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT: *value = a.requiredClusterHeight; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: *value = a.requiredClusterDepth; break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: *value = a.nonPortableClusterSizeAllowed; break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: *value = 0; break;
    default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

template <class Handle> CUresult setAttribute(Handle function, CUfunction_attribute attribute, int value) {
  return driverCall(
      [&] { return cudaFuncSetAttribute(asFunction(function), cudaFuncAttribute(attribute), value); });
}

/// Arguments as one buffer: (BUFFER_POINTER, p, BUFFER_SIZE, &n, END). Each parameter is where the kernel has it.
cudaError_t argumentsOf(CUfunction function, void **extra, std::vector<void *> &arguments) {
  char *buffer = nullptr;
  size_t bytes = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = static_cast<char *>(extra[1]);
    else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
      bytes = *static_cast<size_t *>(extra[1]);
    else
      return cudaErrorInvalidValue;
  }
  for (size_t i = 0, offset = 0, size = 0;
       cudaFuncGetParamInfo(asFunction(function), i, &offset, &size) == cudaSuccess; ++i) {
    if (!buffer || offset + size > bytes)
      return cudaErrorInvalidValue;
    arguments.push_back(buffer + offset);
  }
  return cudaSuccess;
}

CUresult launch(cudaLaunchConfig_t config, CUfunction function, void **arguments, void **extra) {
  return driverCall([&]() -> cudaError_t {
    std::vector<void *> fromBuffer;
    if (!Runtime::instance().modules.find(asFunction(function)))
      return cudaErrorInvalidResourceHandle;
    if (extra && arguments)
      return cudaErrorInvalidValue;
    if (extra) {
      if (cudaError_t error = argumentsOf(function, extra, fromBuffer))
        return error;
      arguments = fromBuffer.data();
    }
    return cudaLaunchKernelExC(&config, asFunction(function), arguments);
  });
}

/// Attributes have one layout in both interfaces.
cudaLaunchConfig_t configOf(const CUlaunchConfig &from) {
  static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute));
  static_assert(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION == int(cudaLaunchAttributeClusterDimension));
  static_assert(CU_LAUNCH_ATTRIBUTE_COOPERATIVE == int(cudaLaunchAttributeCooperative));
  cudaLaunchConfig_t config = {};
  config.gridDim = {from.gridDimX, from.gridDimY, from.gridDimZ};
  config.blockDim = {from.blockDimX, from.blockDimY, from.blockDimZ};
  config.dynamicSmemBytes = from.sharedMemBytes;
  config.stream = from.hStream;
  config.attrs = reinterpret_cast<cudaLaunchAttribute *>(from.attrs);
  config.numAttrs = from.numAttrs;
  return config;
}

template <class Handle> CUresult getName(const char **name, Handle function) {
  return driverCall([&] { return cudaFuncGetName(name, asFunction(function)); });
}
template <class Handle> CUresult getParameter(Handle function, size_t index, size_t *offset, size_t *bytes) {
  return driverCall([&] { return cudaFuncGetParamInfo(asFunction(function), index, offset, bytes); });
}
template <class Module, class Handle> CUresult getModule(Module *module, Handle function) {
  return driverCall([&]() -> cudaError_t {
    KernelEntry *entry = Runtime::instance().modules.find(asFunction(function));
    if (!entry)
      return cudaErrorInvalidResourceHandle;
    *module = reinterpret_cast<Module>(entry->module);
    return cudaSuccess;
  });
}

/// The block size with the most resident threads, the largest of several; blocks are whole warps.
cudaError_t bestBlock(CUfunction function, CUoccupancyB2DSize sharedOf, size_t sharedBytes, int limit,
                      int &blocks, int &threads) {
  cudaFuncAttributes attributes;
  if (cudaError_t error = cudaFuncGetAttributes(&attributes, asFunction(function)))
    return error;
  const arch::Arch &arch = Runtime::instance().arch;
  const int most = limit > 0 ? std::min(limit, attributes.maxThreadsPerBlock) : attributes.maxThreadsPerBlock;
  int bestThreads = 0, resident = 0;
  for (int size = most; size > 0; size = (size - 1) / int(arch.warpSize) * int(arch.warpSize)) {
    int perSm = 0;
    const size_t shared = sharedOf ? sharedOf(size) : sharedBytes;
    if (cudaError_t error =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, asFunction(function), size, shared))
      return error;
    if (perSm * size > resident)
      resident = perSm * size, bestThreads = size, blocks = perSm * int(arch.deviceSms);
  }
  threads = bestThreads;
  return cudaSuccess;
}

} // namespace

extern "C" {

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  return getAttribute(value, attribute, function);
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return setAttribute(function, attribute, value);
}
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  return driverCall([&] { return cudaFuncSetCacheConfig(asFunction(function), cudaFuncCache(config)); });
}
CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config) {
  return driverCall(
      [&] { return cudaFuncSetSharedMemConfig(asFunction(function), cudaSharedMemConfig(config)); });
}
CUresult cuFuncGetModule(CUmodule *module, CUfunction function) { return getModule(module, function); }
CUresult cuFuncGetName(const char **name, CUfunction function) { return getName(name, function); }
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes) {
  return getParameter(function, index, offset, bytes);
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  return driverCall([&] {
    *function = reinterpret_cast<CUfunction>(kernel);
    return cudaSuccess;
  });
}
CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel) { return getModule(library, kernel); }
CUresult cuKernelGetName(const char **name, CUkernel kernel) { return getName(name, kernel); }
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes) {
  return getParameter(kernel, index, offset, bytes);
}
CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice) {
  return getAttribute(value, attribute, kernel);
}
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice) {
  return setAttribute(kernel, attribute, value);
}
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice) {
  return driverCall([&] { return cudaFuncSetCacheConfig(asFunction(kernel), cudaFuncCache(config)); });
}

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                        unsigned blockY, unsigned blockZ, unsigned sharedBytes, CUstream stream,
                        void **arguments, void **extra) {
  return launch({{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, stream, nullptr, 0}, function,
                arguments, extra);
}
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **arguments, void **extra) {
  return config ? launch(configOf(*config), function, arguments, extra) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                                   unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                                   CUstream stream, void **arguments) {
  cudaLaunchAttribute cooperative = {};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  return launch({{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, stream, &cooperative, 1},
                function, arguments, nullptr);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                     size_t shared) {
  return driverCall([&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, asFunction(function), threads, shared);
  });
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int threads,
                                                              size_t shared, unsigned) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
}
CUresult cuOccupancyMaxPotentialBlockSize(int *blocks, int *threads, CUfunction function,
                                          CUoccupancyB2DSize sharedOf, size_t shared, int limit) {
  return driverCall([&] { return bestBlock(function, sharedOf, shared, limit, *blocks, *threads); });
}
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *blocks, int *threads, CUfunction function,
                                                   CUoccupancyB2DSize sharedOf, size_t shared, int limit,
                                                   unsigned) {
  return cuOccupancyMaxPotentialBlockSize(blocks, threads, function, sharedOf, shared, limit);
}
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *shared, CUfunction function, int blocks,
                                                 int threads) {
  return driverCall([&] {
    return cudaOccupancyAvailableDynamicSMemPerBlock(shared, asFunction(function), blocks, threads);
  });
}
CUresult cuOccupancyMaxPotentialClusterSize(int *blocks, CUfunction function, const CUlaunchConfig *config) {
  return driverCall([&] {
    const cudaLaunchConfig_t c = configOf(*config);
    return cudaOccupancyMaxPotentialClusterSize(blocks, asFunction(function), &c);
  });
}
CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *config) {
  return driverCall([&] {
    const cudaLaunchConfig_t c = configOf(*config);
    return cudaOccupancyMaxActiveClusters(clusters, asFunction(function), &c);
  });
}
}
