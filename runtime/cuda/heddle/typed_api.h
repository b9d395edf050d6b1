// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ face of the runtime API: overloads that take a T** for a void**, a variable for its address, a
// kernel for a pointer to one, and launches that check a kernel's arguments.
#pragma once

#include "../cuda_runtime_api.h"

// Memory. The casts are what every program would write itself.

template <class T> static inline cudaError_t cudaMalloc(T **pointer, size_t bytes) {
  return ::cudaMalloc((void **)pointer, bytes);
}
template <class T>
static inline cudaError_t cudaMallocHost(T **pointer, size_t bytes,
                                         unsigned int flags = cudaHostAllocDefault) {
  return ::cudaHostAlloc((void **)pointer, bytes, flags);
}
static inline cudaError_t cudaMallocHost(void **pointer, size_t bytes, unsigned int flags) {
  return ::cudaHostAlloc(pointer, bytes, flags);
}
template <class T> static inline cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned int flags) {
  return ::cudaHostAlloc((void **)pointer, bytes, flags);
}
template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags) {
  return ::cudaHostGetDevicePointer((void **)device, host, flags);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **pointer, size_t bytes,
                                            unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged((void **)pointer, bytes, flags);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t widthBytes, size_t height) {
  return ::cudaMallocPitch((void **)pointer, pitch, widthBytes, height);
}
template <class T> static inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream) {
  return ::cudaMallocAsync((void **)pointer, bytes, stream);
}
static inline cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
                                          cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(pointer, bytes, pool, stream);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaMemPool_t pool,
                                          cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync((void **)pointer, bytes, pool, stream);
}
template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t bytes, cudaMemPool_t pool,
                                                  cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync((void **)pointer, bytes, pool, stream);
}
template <class T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *pointer, size_t bytes = 0,
                                                   unsigned int flags = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(stream, (void *)pointer, bytes, flags);
}

// Symbols: a __device__ or __constant__ variable names itself.

template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes,
                                             size_t offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <class T>
static inline cudaError_t
cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                        enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
  return ::cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream);
}
template <class T>
static inline cudaError_t
cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                          enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
  return ::cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol) {
  return ::cudaGetSymbolAddress(pointer, (const void *)&symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(T **pointer, const T &symbol) {
  return ::cudaGetSymbolAddress((void **)pointer, (const void *)&symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol) {
  return ::cudaGetSymbolSize(bytes, (const void *)&symbol);
}

// Streams and graphs.

static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph,
                                               cudaGraphNode_t *, char *, size_t) {
  return ::cudaGraphInstantiate(executable, graph, 0);
}

// Kernels.

template <class T>
static inline cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **arguments,
                                           size_t sharedBytes = 0, cudaStream_t stream = 0) {
  return ::cudaLaunchKernel((const void *)function, grid, block, arguments, sharedBytes, stream);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block, void **arguments,
                                                      size_t sharedBytes = 0, cudaStream_t stream = 0) {
  return ::cudaLaunchCooperativeKernel((const void *)function, grid, block, arguments, sharedBytes, stream);
}
template <class T>
static inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, T *function,
                                              void **arguments) {
  return ::cudaLaunchKernelExC(config, (const void *)function, arguments);
}

/// Each argument is converted to the kernel's own parameter type before its address is taken.
template <class... Parameters, class... Arguments>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                                             Arguments &&...arguments) {
  return [&](Parameters... converted) {
    void *addresses[sizeof...(Parameters) + 1] = {(void *)&converted...};
    return ::cudaLaunchKernelExC(config, (const void *)kernel, addresses);
  }(static_cast<Arguments &&>(arguments)...);
}

template <class T>
static inline cudaError_t cudaFuncSetAttribute(T *function, enum cudaFuncAttribute what, int value) {
  return ::cudaFuncSetAttribute((const void *)function, what, value);
}
template <class T>
static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, T *function) {
  return ::cudaFuncGetAttributes(attributes, (const void *)function);
}
template <class T> static inline cudaError_t cudaFuncSetCacheConfig(T *function, enum cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig((const void *)function, config);
}
template <class T>
static inline cudaError_t cudaFuncSetSharedMemConfig(T *function, enum cudaSharedMemConfig config) {
  return ::cudaFuncSetSharedMemConfig((const void *)function, config);
}
template <class T> static inline cudaError_t cudaFuncGetName(const char **name, T *function) {
  return ::cudaFuncGetName(name, (const void *)function);
}

// Channel formats.

template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  return ::cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define HEDDLE_CHANNELS(type, bits, y, z, w, kind)                                                           \
  template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type>() {                                   \
    return {bits, (y) * (bits), (z) * (bits), (w) * (bits), cudaChannelFormatKind##kind};                    \
  }
#define HEDDLE_CHANNEL_FAMILY(scalar, family, bits, kind)                                                    \
  HEDDLE_CHANNELS(scalar, bits, 0, 0, 0, kind)                                                               \
  HEDDLE_CHANNELS(family##1, bits, 0, 0, 0, kind)                                                            \
  HEDDLE_CHANNELS(family##2, bits, 1, 0, 0, kind)                                                            \
  HEDDLE_CHANNELS(family##4, bits, 1, 1, 1, kind)
HEDDLE_CHANNELS(char, 8, 0, 0, 0, Signed)
HEDDLE_CHANNEL_FAMILY(signed char, char, 8, Signed)
HEDDLE_CHANNEL_FAMILY(unsigned char, uchar, 8, Unsigned)
HEDDLE_CHANNEL_FAMILY(short, short, 16, Signed)
HEDDLE_CHANNEL_FAMILY(unsigned short, ushort, 16, Unsigned)
HEDDLE_CHANNEL_FAMILY(int, int, 32, Signed)
HEDDLE_CHANNEL_FAMILY(unsigned int, uint, 32, Unsigned)
HEDDLE_CHANNEL_FAMILY(float, float, 32, Float)
#undef HEDDLE_CHANNEL_FAMILY
#undef HEDDLE_CHANNELS

#include "occupancy.h"
