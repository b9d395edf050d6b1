// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and fills, in one, two and three dimensions, to and from symbols.
#pragma once

#include "../../driver_types.h"

extern "C" {
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream = 0);
cudaError_t cudaMemcpyPeer(void *to, int toDevice, const void *from, int fromDevice, size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void *to, int toDevice, const void *from, int fromDevice, size_t bytes,
                                cudaStream_t stream = 0);
cudaError_t cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t widthBytes,
                         size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t widthBytes,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *parameters);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream = 0);
cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *parameters);
cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *parameters, cudaStream_t stream = 0);

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset = 0,
                               enum cudaMemcpyKind kind = cudaMemcpyHostToDevice);
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset = 0,
                                 enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost);
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream = 0);

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t xBytes, size_t y, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t xBytes, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t toXBytes, size_t toY, cudaArray_const_t from,
                                   size_t fromXBytes, size_t fromY, size_t bytes,
                                   enum cudaMemcpyKind kind = cudaMemcpyDeviceToDevice);
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t xBytes, size_t y, const void *from, size_t bytes,
                                   enum cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t xBytes, size_t y, size_t bytes,
                                     enum cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t xBytes, size_t y, const void *from, size_t fromPitch,
                                size_t widthBytes, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t xBytes, size_t y, const void *from,
                                     size_t fromPitch, size_t widthBytes, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemcpy2DFromArray(void *to, size_t toPitch, cudaArray_const_t from, size_t xBytes, size_t y,
                                  size_t widthBytes, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t toPitch, cudaArray_const_t from, size_t xBytes,
                                       size_t y, size_t widthBytes, size_t height, enum cudaMemcpyKind kind,
                                       cudaStream_t stream = 0);
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t toXBytes, size_t toY, cudaArray_const_t from,
                                     size_t fromXBytes, size_t fromY, size_t widthBytes, size_t height,
                                     enum cudaMemcpyKind kind = cudaMemcpyDeviceToDevice);

cudaError_t cudaMemset(void *pointer, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream = 0);
cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t widthBytes, size_t height);
cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t widthBytes, size_t height,
                              cudaStream_t stream = 0);
cudaError_t cudaMemset3D(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent);
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent,
                              cudaStream_t stream = 0);
}

static __inline__ struct cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch, size_t xsize,
                                                            size_t ysize) {
  struct cudaPitchedPtr made = {pointer, pitch, xsize, ysize};
  return made;
}
static __inline__ struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
  struct cudaExtent made = {width, height, depth};
  return made;
}
static __inline__ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  struct cudaPos made = {x, y, z};
  return made;
}
