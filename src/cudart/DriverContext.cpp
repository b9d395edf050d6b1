// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initialization, errors and contexts of the driver API.
//
// Each thread has a stack of contexts. The runtime API makes the primary context current on a thread that has none, at
// its first call there; the driver API never does so by itself.
#include "cudart/Driver.h"

#include <algorithm>
#include <list>

using namespace heddle::cudart;

namespace heddle::cudart {

thread_local bool hasContext = false;

namespace {

std::atomic<bool> isInitialized{false};
thread_local std::vector<Context *> contexts;

struct AllContexts {
  std::mutex guard;
  Context primary{.isPrimary = true, .flags = 0, .id = 1};
  unsigned retained = 0; ///< of the primary context
  std::list<Context> others;
  unsigned long long made = 1;

  static AllContexts &instance() {
    static auto *all = new AllContexts;
    return *all;
  }
  bool isAlive(const Context *context) {
    return context == &primary ||
           std::any_of(others.begin(), others.end(), [&](const Context &other) { return &other == context; });
  }
};

Context *fromHandle(CUcontext handle) { return reinterpret_cast<Context *>(handle); }
CUcontext toHandle(Context *context) { return reinterpret_cast<CUcontext>(context); }

bool isAlive(CUcontext handle) {
  AllContexts &all = AllContexts::instance();
  std::lock_guard lock(all.guard);
  return all.isAlive(fromHandle(handle));
}

} // namespace

void bindPrimaryContext() {
  isInitialized = true;
  hasContext = true;
  contexts.push_back(&AllContexts::instance().primary);
}

Context *currentContext() { return contexts.empty() ? nullptr : contexts.back(); }

void setCurrentContext(Context *context) {
  if (!contexts.empty())
    contexts.pop_back();
  if (context)
    contexts.push_back(context);
  hasContext = !contexts.empty();
}

bool driverIsInitialized() { return isInitialized; }

CUresult resultOf(cudaError_t error) {
  switch (int(error)) {
  case cudaErrorInvalidConfiguration:
  case cudaErrorInvalidPitchValue:
  case cudaErrorInvalidMemcpyDirection: return CUDA_ERROR_INVALID_VALUE;
  case cudaErrorInvalidSymbol: return CUDA_ERROR_NOT_FOUND;
  case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_INVALID_HANDLE;
  default: return CUresult(error);
  }
}

} // namespace heddle::cudart

namespace {

HEDDLE_ANY_NUMBER const char *deviceNameOf(CUresult result) {
  switch (int(result)) {
#define HEDDLE_CU_RESULT(name, value)                                                                        \
  case value: return #name;
#include "heddle/driver/results.def"
#undef HEDDLE_CU_RESULT
  }
  return nullptr;
}

CUresult makeContext(CUcontext *handle, unsigned flags, CUdevice device) {
  if (CUresult result = deviceCall(device, [&] { return handle ? cudaSuccess : cudaErrorInvalidValue; }))
    return result;
  Runtime::instance();
  AllContexts &all = AllContexts::instance();
  std::lock_guard lock(all.guard);
  Context &context = all.others.emplace_back();
  context.flags = flags;
  context.id = ++all.made;
  contexts.push_back(&context);
  hasContext = true;
  *handle = toHandle(&context);
  return CUDA_SUCCESS;
}

} // namespace

extern "C" {

CUresult cuInit(unsigned flags) {
  if (flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  isInitialized = true;
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version) {
  return version ? resultOf(cudaDriverGetVersion(version)) : CUDA_ERROR_INVALID_VALUE;
}

HEDDLE_ANY_NUMBER CUresult cuGetErrorName(CUresult error, const char **name) {
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  *name = deviceNameOf(error);
  return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

HEDDLE_ANY_NUMBER CUresult cuGetErrorString(CUresult error, const char **text) {
  if (!text)
    return CUDA_ERROR_INVALID_VALUE;
  *text = deviceNameOf(error) ? cudaGetErrorString(cudaError_t(error)) : nullptr;
  if (error == CUDA_ERROR_NOT_FOUND)
    *text = "named symbol not found";
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  return deviceCall(device, [&]() -> cudaError_t {
    if (!context)
      return cudaErrorInvalidValue;
    AllContexts &all = AllContexts::instance();
    std::lock_guard lock(all.guard);
    ++all.retained;
    *context = toHandle(&all.primary);
    return cudaSuccess;
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return deviceCall(device, [&]() -> cudaError_t {
    AllContexts &all = AllContexts::instance();
    std::lock_guard lock(all.guard);
    if (all.retained == 0)
      return cudaErrorDeviceUninitialized;
    --all.retained;
    return cudaSuccess;
  });
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  return deviceCall(device, [&]() -> cudaError_t {
    AllContexts::instance().primary.flags = flags;
    return cudaSuccess;
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
  return deviceCall(device, [&]() -> cudaError_t {
    AllContexts &all = AllContexts::instance();
    std::lock_guard lock(all.guard);
    *flags = all.primary.flags;
    *active = all.retained != 0 || currentContext() == &all.primary;
    return cudaSuccess;
  });
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return deviceCall(device, [] { return cudaDeviceReset(); });
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device) {
  return makeContext(context, flags, device);
}
CUresult cuCtxCreate_v3(CUcontext *context, void *, int, unsigned flags, CUdevice device) {
  return makeContext(context, flags, device);
}
CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *, unsigned flags, CUdevice device) {
  return makeContext(context, flags, device);
}

CUresult cuCtxDestroy_v2(CUcontext handle) {
  if (!driverIsInitialized())
    return CUDA_ERROR_NOT_INITIALIZED;
  Context *context = fromHandle(handle);
  if (!isAlive(handle) || context->isPrimary)
    return CUDA_ERROR_INVALID_CONTEXT;
  Runtime::instance().synchronizeAll();
  if (currentContext() == context)
    setCurrentContext(nullptr);
  AllContexts &all = AllContexts::instance();
  std::lock_guard lock(all.guard);
  all.others.remove_if([&](const Context &other) { return &other == context; });
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  if (!driverIsInitialized())
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!isAlive(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  contexts.push_back(fromHandle(context));
  hasContext = true;
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  if (!driverIsInitialized())
    return CUDA_ERROR_NOT_INITIALIZED;
  if (contexts.empty())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (context)
    *context = toHandle(contexts.back());
  setCurrentContext(nullptr);
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  if (!driverIsInitialized())
    return CUDA_ERROR_NOT_INITIALIZED;
  if (context && !isAlive(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  setCurrentContext(fromHandle(context));
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  if (!driverIsInitialized())
    return CUDA_ERROR_NOT_INITIALIZED;
  *context = toHandle(currentContext());
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) {
  return driverCall([&] {
    *device = 0;
    return cudaSuccess;
  });
}
CUresult cuCtxGetFlags(unsigned *flags) {
  return driverCall([&] {
    *flags = currentContext()->flags;
    return cudaSuccess;
  });
}
CUresult cuCtxGetId(CUcontext context, unsigned long long *id) {
  return driverCall([&]() -> cudaError_t {
    if (context && !isAlive(context))
      return cudaErrorDeviceUninitialized;
    *id = (context ? fromHandle(context) : currentContext())->id;
    return cudaSuccess;
  });
}
CUresult cuCtxGetApiVersion(CUcontext, unsigned *version) {
  return driverCall([&] {
    *version = 3020;
    return cudaSuccess;
  });
}

CUresult cuCtxSynchronize() {
  return driverCall([] { return cudaDeviceSynchronize(); });
}
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return driverCall([&] { return cudaDeviceSetLimit(cudaLimit(limit), value); });
}
CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  return driverCall([&] { return cudaDeviceGetLimit(value, cudaLimit(limit)); });
}
CUresult cuCtxGetCacheConfig(CUfunc_cache *config) {
  *config = CU_FUNC_CACHE_PREFER_NONE;
  return driverCall([] { return cudaSuccess; });
}
CUresult cuCtxSetCacheConfig(CUfunc_cache) {
  return driverCall([] { return cudaSuccess; });
}
CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config) {
  *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
  return driverCall([] { return cudaSuccess; });
}
CUresult cuCtxSetSharedMemConfig(CUsharedconfig) {
  return driverCall([] { return cudaSuccess; });
}
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  return driverCall([&] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}
CUresult cuCtxResetPersistingL2Cache() {
  return driverCall([] { return cudaSuccess; });
}
CUresult cuCtxEnablePeerAccess(CUcontext, unsigned) {
  return driverCall([] { return cudaErrorInvalidDevice; });
}
CUresult cuCtxDisablePeerAccess(CUcontext) {
  return driverCall([] { return cudaErrorPeerAccessNotEnabled; });
}
CUresult cuProfilerStart() {
  return driverCall([] { return cudaProfilerStart(); });
}
CUresult cuProfilerStop() {
  return driverCall([] { return cudaProfilerStop(); });
}
}
