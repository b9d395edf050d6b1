// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions of the driver API (Driver*.cpp) share. They are a thin layer: the runtime API does the work, and
// its handles are the driver's. What the driver has of its own are contexts and modules that the program loads itself.
#pragma once

#include "cuda.h"
#include "cudart/Runtime.h"

namespace heddle::cudart {

/// A context. All of them share the one device and its memory; which one is current only decides whether calls are
/// allowed.
struct Context {
  bool isPrimary = false;
  unsigned flags = 0;
  unsigned long long id = 0;
};

Context *currentContext();
void setCurrentContext(Context *context);
bool driverIsInitialized();

/// The error of the runtime API as the driver has it. Most numbers are the same.
CUresult resultOf(cudaError_t error);

/// The frame of calls that need a current context. Errors do not become the runtime API's last error.
template <class Body> CUresult driverCall(Body body) {
  if (!driverIsInitialized())
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!currentContext())
    return CUDA_ERROR_INVALID_CONTEXT;
  const cudaError_t before = lastError;
  const CUresult result = resultOf(body());
  lastError = before;
  return result;
}

/// While it lives, calls of the runtime API make no context current.
struct KeepContext {
  bool before = std::exchange(hasContext, true);
  ~KeepContext() { hasContext = before; }
};

/// The same for calls about a device, which need no context.
template <class Body> CUresult deviceCall(CUdevice device, Body body) {
  if (!driverIsInitialized())
    return CUDA_ERROR_NOT_INITIALIZED;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  const cudaError_t before = lastError;
  const CUresult result = [&] {
    KeepContext keep;
    return resultOf(body());
  }();
  lastError = before;
  return result;
}

inline void *hostPointer(CUdeviceptr pointer) { return reinterpret_cast<void *>(pointer); }
inline void **pointerTo(CUdeviceptr *pointer) { return reinterpret_cast<void **>(pointer); }

} // namespace heddle::cudart
