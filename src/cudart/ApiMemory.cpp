// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Getting memory, giving it back, and asking about it.
#include "cudart/ProgramCheck.h"
#include "cudart/Runtime.h"

#include <cstring>

using namespace heddle;
using namespace heddle::cudart;

namespace {

/// Rows of pitched memory begin at multiples of this, as on the device.
constexpr size_t kPitchBytes = 512;

size_t pitchFor(size_t widthBytes) { return (widthBytes + kPitchBytes - 1) / kPitchBytes * kPitchBytes; }

cudaError_t allocate(Runtime &runtime, void **pointer, size_t bytes, vm::AllocationKind kind) {
  if (!pointer)
    return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0)
    return cudaSuccess;
  *pointer = runtime.simulator.memory().allocate(bytes, kind);
  if (runtime.check && *pointer)
    runtime.check->allocated(*pointer);
  return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t release(Runtime &runtime, void *pointer) {
  const auto piece = runtime.simulator.memory().find(reinterpret_cast<uint64_t>(pointer));
  if (runtime.check && piece && !piece->isMapped)
    runtime.check->freeing(pointer);
  switch (runtime.simulator.memory().free(pointer)) {
  case vm::FreeResult::Freed: return cudaSuccess;
  case vm::FreeResult::AlreadyFreed: wrongArguments = "this memory is freed already"; break;
  case vm::FreeResult::InsideAnAllocation:
    wrongArguments = "the pointer is inside of an allocation, not at its beginning";
    break;
  case vm::FreeResult::NotAnAllocation: wrongArguments = "the pointer is not device memory"; break;
  case vm::FreeResult::IsMapped: wrongArguments = "this memory is mapped: cuMemUnmap ends that"; break;
  }
  return cudaErrorInvalidValue;
}

vm::AllocationKind kindOf(Runtime &runtime, const void *pointer) {
  auto piece = runtime.simulator.memory().find(reinterpret_cast<uint64_t>(pointer));
  return piece ? piece->kind : vm::AllocationKind::DeviceHeap;
}

bool isPinned(vm::AllocationKind kind) {
  return kind == vm::AllocationKind::Pinned || kind == vm::AllocationKind::Registered;
}

/// Pools are all the same here: memory comes from the device, whatever pool it is asked of.
cudaMemPool_t defaultPool() {
  static char pool;
  return reinterpret_cast<cudaMemPool_t>(&pool);
}

} // namespace

extern "C" {

cudaError_t cudaMalloc(void **pointer, size_t bytes) {
  return api([&](Runtime &runtime) { return allocate(runtime, pointer, bytes, vm::AllocationKind::Device); });
}

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if ((flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) || bytes == 0)
      return cudaErrorInvalidValue;
    return allocate(runtime, pointer, bytes, vm::AllocationKind::Managed);
  });
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (cudaError_t error = allocate(runtime, pointer, bytes, vm::AllocationKind::Pinned))
      return error;
    std::lock_guard lock(runtime.handleGuard);
    runtime.hostFlags[reinterpret_cast<uint64_t>(*pointer)] = flags | cudaHostAllocMapped;
    return cudaSuccess;
  });
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes) { return cudaHostAlloc(pointer, bytes, 0); }

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t widthBytes, size_t height) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!pitch)
      return cudaErrorInvalidValue;
    *pitch = pitchFor(widthBytes);
    return allocate(runtime, pointer, *pitch * height, vm::AllocationKind::Device);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *pitched, cudaExtent extent) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!pitched)
      return cudaErrorInvalidValue;
    size_t pitch = pitchFor(extent.width);
    void *pointer = nullptr;
    if (cudaError_t error =
            allocate(runtime, &pointer, pitch * extent.height * extent.depth, vm::AllocationKind::Device))
      return error;
    *pitched = {pointer, pitch, extent.width, extent.height};
    return cudaSuccess;
  });
}

// The address of stream-ordered memory is known at once; only the order of its use is the stream's affair.
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!runtime.resolve(stream))
      return cudaErrorInvalidResourceHandle;
    return allocate(runtime, pointer, bytes, vm::AllocationKind::Device);
  });
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t, cudaStream_t stream) {
  return cudaMallocAsync(pointer, bytes, stream);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!pointer)
      return cudaSuccess;
    if (!runtime.isDeviceMemory(pointer, 1))
      return cudaErrorInvalidValue;
    // What a graph takes and gives back has one address in all its runs: the memory stays for the next one.
    if (Stream *known = runtime.resolve(stream); known && runtime.captures.of(known))
      return cudaSuccess;
    return runtime.submit(stream, [&runtime, pointer] { release(runtime, pointer); });
  });
}

cudaError_t cudaFree(void *pointer) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!pointer)
      return cudaSuccess;
    // As on the device: kernels that may still use it finish first.
    if (cudaError_t error = runtime.synchronizeAll())
      return error;
    return isPinned(kindOf(runtime, pointer)) ? cudaErrorInvalidValue : release(runtime, pointer);
  });
}

cudaError_t cudaFreeHost(void *pointer) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!pointer)
      return cudaSuccess;
    if (kindOf(runtime, pointer) != vm::AllocationKind::Pinned)
      return cudaErrorInvalidValue;
    if (cudaError_t error = runtime.synchronizeAll())
      return error;
    return release(runtime, pointer);
  });
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!pointer || !bytes)
      return cudaErrorInvalidValue;
    if (!runtime.simulator.memory().registerHost(pointer, bytes))
      return cudaErrorHostMemoryAlreadyRegistered;
    std::lock_guard lock(runtime.handleGuard);
    runtime.hostFlags[reinterpret_cast<uint64_t>(pointer)] = flags | cudaHostRegisterMapped;
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void *pointer) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (cudaError_t error = runtime.synchronizeAll())
      return error;
    return runtime.simulator.memory().unregisterHost(pointer) ? cudaSuccess
                                                              : cudaErrorHostMemoryNotRegistered;
  });
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!device || !isPinned(kindOf(runtime, host)))
      return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
  return api([&](Runtime &runtime) -> cudaError_t {
    std::lock_guard lock(runtime.handleGuard);
    auto found = runtime.hostFlags.find(reinterpret_cast<uint64_t>(host));
    if (found == runtime.hostFlags.end() || !isPinned(kindOf(runtime, host)))
      return cudaErrorInvalidValue;
    *flags = found->second;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t *freeBytes, size_t *totalBytes) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!freeBytes || !totalBytes)
      return cudaErrorInvalidValue;
    *freeBytes = runtime.simulator.memory().freeBytes();
    *totalBytes = runtime.simulator.memory().capacityBytes();
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!attributes)
      return cudaErrorInvalidValue;
    *attributes = {};
    attributes->device = cudaInvalidDeviceId;
    attributes->hostPointer = nullptr;
    auto piece = runtime.simulator.memory().find(reinterpret_cast<uint64_t>(pointer));
    if (!piece)
      return cudaSuccess; // unregistered host memory
    void *address = const_cast<void *>(pointer);
    bool managed = piece->kind == vm::AllocationKind::Managed;
    attributes->type =
        managed ? cudaMemoryTypeManaged : (isPinned(piece->kind) ? cudaMemoryTypeHost : cudaMemoryTypeDevice);
    attributes->device = 0;
    attributes->devicePointer = address;
    attributes->hostPointer = attributes->type == cudaMemoryTypeDevice ? nullptr : address;
    return cudaSuccess;
  });
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol) {
  return api([&](Runtime &runtime) -> cudaError_t {
    cudaError_t error = cudaSuccess;
    const vm::Variable *variable = runtime.modules.variableOf(symbol, error);
    if (!variable)
      return error;
    *pointer = reinterpret_cast<void *>(variable->address);
    return cudaSuccess;
  });
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol) {
  return api([&](Runtime &runtime) -> cudaError_t {
    cudaError_t error = cudaSuccess;
    const vm::Variable *variable = runtime.modules.variableOf(symbol, error);
    if (!variable)
      return error;
    *bytes = variable->bytes;
    return cudaSuccess;
  });
}

// Advice about where managed memory should lie changes no result.
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t, cudaMemLocation, unsigned,
                                 cudaStream_t stream) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!runtime.isDeviceMemory(pointer, 1))
      return cudaErrorInvalidValue;
    return runtime.resolve(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaMemAdvise(const void *pointer, size_t, cudaMemoryAdvise, cudaMemLocation) {
  return api([&](Runtime &runtime) -> cudaError_t {
    return runtime.isDeviceMemory(pointer, 1) ? cudaSuccess : cudaErrorInvalidValue;
  });
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t, unsigned) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!runtime.resolve(stream))
      return cudaErrorInvalidResourceHandle;
    return runtime.isDeviceMemory(pointer, 1) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int) {
  *pool = defaultPool();
  return cudaSuccess;
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int) {
  *pool = defaultPool();
  return cudaSuccess;
}
cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t) { return cudaSuccess; }
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *) {
  *pool = defaultPool();
  return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t) { return cudaSuccess; }
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *) { return cudaSuccess; }
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc *, size_t) { return cudaSuccess; }
}
