// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device, as the driver API describes it.
#include "cudart/Driver.h"

#include <cstring>

using namespace heddle::cudart;

namespace {

cudaError_t properties(cudaDeviceProp &p) { return cudaGetDeviceProperties(&p, 0); }

} // namespace

extern "C" {

CUresult cuDeviceGetCount(int *count) {
  return deviceCall(0, [&] { return cudaGetDeviceCount(count); });
}
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  return deviceCall(ordinal, [&] {
    *device = 0;
    return cudaSuccess;
  });
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  return deviceCall(device, [&]() -> cudaError_t {
    cudaDeviceProp p;
    if (!name || length <= 0)
      return cudaErrorInvalidValue;
    if (cudaError_t error = properties(p))
      return error;
    std::strncpy(name, p.name, size_t(length) - 1);
    name[length - 1] = 0;
    return cudaSuccess;
  });
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  return deviceCall(device, [&]() -> cudaError_t {
    cudaDeviceProp p;
    if (cudaError_t error = properties(p))
      return error;
    std::memcpy(uuid, &p.uuid, sizeof *uuid);
    return cudaSuccess;
  });
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  return deviceCall(device, [&]() -> cudaError_t {
    *bytes = Runtime::instance().simulator.memory().capacityBytes();
    return cudaSuccess;
  });
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  return deviceCall(device, [&]() -> cudaError_t {
    if (attribute != CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED || !value)
      return cudaDeviceGetAttribute(value, cudaDeviceAttr(attribute), 0);
    *value = 1; // the runtime API has no such attribute
    return cudaSuccess;
  });
}

CUresult cuDeviceGetProperties(CUdevprop *to, CUdevice device) {
  return deviceCall(device, [&]() -> cudaError_t {
    cudaDeviceProp p;
    if (cudaError_t error = properties(p))
      return error;
    *to = {};
    to->maxThreadsPerBlock = p.maxThreadsPerBlock;
    std::memcpy(to->maxThreadsDim, p.maxThreadsDim, sizeof to->maxThreadsDim);
    std::memcpy(to->maxGridSize, p.maxGridSize, sizeof to->maxGridSize);
    to->sharedMemPerBlock = int(p.sharedMemPerBlock);
    to->totalConstantMemory = int(p.totalConstMem);
    to->SIMDWidth = p.warpSize;
    to->memPitch = int(p.memPitch);
    to->regsPerBlock = p.regsPerBlock;
    to->clockRate = p.clockRate;
    to->textureAlign = int(p.textureAlignment);
    return cudaSuccess;
  });
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  return deviceCall(device, [&]() -> cudaError_t {
    *major = int(Runtime::instance().arch.major);
    *minor = int(Runtime::instance().arch.minor);
    return cudaSuccess;
  });
}

CUresult cuDeviceGetPCIBusId(char *busId, int length, CUdevice device) {
  return deviceCall(device, [&] { return cudaDeviceGetPCIBusId(busId, length, 0); });
}
CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *busId) {
  return deviceCall(0, [&] { return cudaDeviceGetByPCIBusId(device, busId); });
}
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice) {
  return deviceCall(device, [&] { return cudaDeviceCanAccessPeer(can, 0, 0); });
}
}
