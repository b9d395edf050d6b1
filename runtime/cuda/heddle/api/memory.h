// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Getting memory, giving it back, and asking about it.
#pragma once

#include "../../driver_types.h"

extern "C" {
cudaError_t cudaMalloc(void **pointer, size_t bytes);
cudaError_t cudaMallocHost(void **pointer, size_t bytes);
cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags = cudaMemAttachGlobal);
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t widthBytes, size_t height);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent);
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream);
cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream);
cudaError_t cudaFree(void *pointer);
cudaError_t cudaFreeHost(void *pointer);
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags);
cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags);
cudaError_t cudaHostUnregister(void *pointer);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags);
cudaError_t cudaHostGetFlags(unsigned int *flags, void *host);

cudaError_t cudaMemGetInfo(size_t *freeBytes, size_t *totalBytes);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer);
cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol);
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol);

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream = 0);
cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location);
cudaError_t cudaMemRangeGetAttribute(void *data, size_t dataBytes, enum cudaMemRangeAttribute attribute,
                                     const void *pointer, size_t bytes);
cudaError_t cudaMemRangeGetAttributes(void **data, size_t *dataBytes, enum cudaMemRangeAttribute *attributes,
                                      size_t count, const void *pointer, size_t bytes);

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytesToKeep);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *descriptions,
                                 size_t count);
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 struct cudaMemLocation *location);

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *pointer);
cudaError_t cudaIpcOpenMemHandle(void **pointer, cudaIpcMemHandle_t handle, unsigned int flags);
cudaError_t cudaIpcCloseMemHandle(void *pointer);
}

// Before CUDA 13 a place was a device's number, and the host was cudaCpuDeviceId.
static __inline__ struct cudaMemLocation heddleMemLocation(int device) {
  struct cudaMemLocation location;
  location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device == cudaCpuDeviceId ? 0 : device;
  return location;
}
static __inline__ cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device,
                                                   cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(pointer, bytes, heddleMemLocation(device), 0, stream);
}
static __inline__ cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                                            int device) {
  return cudaMemAdvise(pointer, bytes, advice, heddleMemLocation(device));
}
