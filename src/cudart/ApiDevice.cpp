// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device and what it says about itself. Numbers come from the architecture's table where it has them; the
// others are those of an H200 under CUDA 13, or 0 where the simulator does not have the thing at all.
#include "cudart/ProgramCheck.h"
#include "cudart/Runtime.h"

#include <cstring>

using namespace heddle::cudart;
using heddle::arch::Feature;

namespace {

constexpr int kRuntimeVersion = 13000;
constexpr char kBusId[] = "0000:00:00.0";

void copyName(char (&to)[256], const std::string &name) { std::strncpy(to, name.c_str(), sizeof to - 1); }

void fillSizes(cudaDeviceProp &p, const heddle::arch::Arch &arch, const heddle::vm::Memory &memory) {
  p.totalGlobalMem = memory.capacityBytes();
  p.totalConstMem = 64 * 1024;
  p.sharedMemPerBlock = arch.maxSharedBytesPerBlock;
  p.sharedMemPerBlockOptin = arch.maxSharedBytesPerBlockOptIn;
  p.sharedMemPerMultiprocessor = arch.sharedBytesPerSm;
  p.reservedSharedMemPerBlock = arch.reservedSharedBytesPerBlock;
  p.regsPerBlock = int(arch.maxRegistersPerBlock);
  p.regsPerMultiprocessor = int(arch.registersPerSm);
  p.warpSize = int(arch.warpSize);
  p.maxThreadsPerBlock = int(arch.maxThreadsPerBlock);
  p.maxThreadsPerMultiProcessor = int(arch.maxThreadsPerSm);
  p.maxBlocksPerMultiProcessor = int(arch.maxBlocksPerSm);
  for (int i = 0; i < 3; ++i) {
    p.maxThreadsDim[i] = int(arch.maxBlockDim[i]);
    p.maxGridSize[i] = int(arch.maxGridDim[i]);
  }
  p.multiProcessorCount = int(arch.deviceSms);
  p.l2CacheSize = int(arch.deviceL2Bytes);
  p.clockRate = int(arch.deviceClockMhz) * 1000;
  p.memPitch = 0x7fffffff;
}

void fillTextures(cudaDeviceProp &p) {
  p.textureAlignment = p.surfaceAlignment = 512;
  p.texturePitchAlignment = 32;
  p.maxTexture1D = p.maxSurface1D = 131072;
  p.maxTexture1DLinear = 268435456;
  for (int i = 0; i < 2; ++i)
    p.maxTexture2D[i] = p.maxSurface2D[i] = i ? 65536 : 131072;
  for (int i = 0; i < 3; ++i)
    p.maxTexture3D[i] = p.maxSurface3D[i] = 16384;
  const int linear[3] = {131072, 65000, 2097120}, layered[3] = {32768, 32768, 2048};
  std::memcpy(p.maxTexture2DLinear, linear, sizeof linear);
  std::memcpy(p.maxTexture2DLayered, layered, sizeof layered);
  std::memcpy(p.maxSurface2DLayered, layered, sizeof layered);
  p.maxTexture1DLayered[0] = p.maxSurface1DLayered[0] = 32768;
  p.maxTexture1DLayered[1] = p.maxSurface1DLayered[1] = 2048;
}

void fillAbilities(cudaDeviceProp &p, const heddle::arch::Arch &arch) {
  p.major = int(arch.major);
  p.minor = int(arch.minor);
  p.canMapHostMemory = p.unifiedAddressing = p.managedMemory = p.concurrentManagedAccess = 1;
  p.canUseHostPointerForRegisteredMem = p.hostRegisterSupported = 1;
  p.concurrentKernels = p.deviceOverlap = 1;
  p.asyncEngineCount = 3;
  p.streamPrioritiesSupported = p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.cooperativeLaunch = arch.major >= 6;
  p.clusterLaunch = arch.major >= 9;
  p.computePreemptionSupported = p.memoryPoolsSupported = 1;
  p.memoryClockRate = 3201000;
  p.memoryBusWidth = 6016;
  p.singleToDoublePrecisionPerfRatio = 2;
}

cudaDeviceProp propertiesOf(Runtime &runtime) {
  cudaDeviceProp p = {};
  copyName(p.name, "Heddle " + runtime.arch.name + " (as " + runtime.arch.deviceName + ")");
  std::memcpy(p.uuid.bytes, "heddle-simulator", 16);
  fillSizes(p, runtime.arch, runtime.simulator.memory());
  fillTextures(p);
  fillAbilities(p, runtime.arch);
  return p;
}

cudaError_t checkDevice(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

/// Runs `body` where the device is ours.
template <class Body>
cudaError_t withDevice(int device, Body body, std::source_location where = std::source_location::current()) {
  return api(
      [&](Runtime &runtime) -> cudaError_t {
        if (cudaError_t error = checkDevice(device))
          return error;
        return body(runtime);
      },
      where);
}

/// Settings of caches and peers that change no result on a machine of one device.
cudaError_t accepted() {
  return api([](Runtime &) { return cudaSuccess; });
}

} // namespace

extern "C" {

cudaError_t cudaDriverGetVersion(int *version) {
  *version = kRuntimeVersion;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = kRuntimeVersion;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count) {
  return api([&](Runtime &) {
    *count = 1;
    return cudaSuccess;
  });
}
cudaError_t cudaGetDevice(int *device) {
  return api([&](Runtime &) {
    *device = 0;
    return cudaSuccess;
  });
}
cudaError_t cudaSetDevice(int device) {
  return withDevice(device, [](Runtime &) { return cudaSuccess; });
}
cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *) { return cudaGetDevice(device); }
cudaError_t cudaSetValidDevices(int *, int) { return accepted(); }
cudaError_t cudaSetDeviceFlags(unsigned) { return accepted(); }
cudaError_t cudaGetDeviceFlags(unsigned *flags) {
  *flags = cudaDeviceMapHost;
  return accepted();
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
  return withDevice(device, [&](Runtime &runtime) -> cudaError_t {
    if (!properties)
      return cudaErrorInvalidValue;
    *properties = propertiesOf(runtime);
    return cudaSuccess;
  });
}
/// What programs built with CUDA 12 headers call.
cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp *properties, int device) {
  return cudaGetDeviceProperties(properties, device);
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
  return withDevice(device, [&](Runtime &runtime) -> cudaError_t {
    if (!value || attribute <= 0 || attribute >= cudaDevAttrMax)
      return cudaErrorInvalidValue;
    cudaDeviceProp p = propertiesOf(runtime);
    switch (attribute) {
#define HEDDLE_ATTRIBUTE(name, expression)                                                                   \
  case name: *value = int(expression); break;
#include "cudart/DeviceAttributes.def"
#undef HEDDLE_ATTRIBUTE
    default: *value = 0;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return api([](Runtime &runtime) { return runtime.synchronizeAll(); });
}

cudaError_t cudaDeviceReset() { return Runtime::instance().reset(); }

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (unsigned(limit) > cudaLimitPersistingL2CacheSize)
      return cudaErrorInvalidValue;
    if (limit == cudaLimitDevRuntimeSyncDepth)
      return cudaErrorUnsupportedLimit;
    runtime.limits[limit] = value;
    // The simulator's stacks are larger than any that programs ask for; they grow, but do not shrink.
    if (limit == cudaLimitStackSize && value > runtime.simulator.limits().stackBytesPerThread)
      runtime.simulator.setStackBytes(uint32_t(value));
    // Under the checker the limit is one, with room for frames that a device's compiler makes smaller.
    else if (limit == cudaLimitStackSize && runtime.check)
      runtime.simulator.setStackBytes(uint32_t(4 * value));
    if (limit == cudaLimitMallocHeapSize)
      runtime.simulator.setDeviceHeapBytes(value);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!value || unsigned(limit) > cudaLimitPersistingL2CacheSize)
      return cudaErrorInvalidValue;
    if (limit == cudaLimitDevRuntimeSyncDepth)
      return cudaErrorUnsupportedLimit;
    *value = runtime.limits[limit];
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return accepted(); }
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config) {
  *config = cudaFuncCachePreferNone;
  return accepted();
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return accepted(); }
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) {
  *config = cudaSharedMemBankSizeFourByte;
  return accepted();
}
cudaError_t cudaCtxResetPersistingL2Cache() { return accepted(); }

cudaError_t cudaDeviceGetPCIBusId(char *busId, int length, int device) {
  return withDevice(device, [&](Runtime &) -> cudaError_t {
    if (!busId || length < int(sizeof kBusId))
      return cudaErrorInvalidValue;
    std::memcpy(busId, kBusId, sizeof kBusId);
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *busId) {
  return api([&](Runtime &) -> cudaError_t {
    if (std::string_view(busId) != kBusId)
      return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

// One device has no peers.
cudaError_t cudaDeviceCanAccessPeer(int *can, int, int) {
  *can = 0;
  return accepted();
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  return withDevice(peer, [](Runtime &) { return cudaErrorInvalidDevice; });
}
cudaError_t cudaDeviceDisablePeerAccess(int) {
  return api([](Runtime &) { return cudaErrorPeerAccessNotEnabled; });
}
}
