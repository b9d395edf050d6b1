// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays, and the texture and surface objects that read and write them.
#pragma once

#include "../../driver_types.h"

extern "C" {
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format, size_t width,
                            size_t height = 0, unsigned int flags = 0);
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                              struct cudaExtent extent, unsigned int flags = 0);
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *format,
                                     struct cudaExtent extent, unsigned int levels, unsigned int flags = 0);
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_const_t array,
                                       unsigned int number);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array);
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind kind);

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture,
                                    const struct cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object);
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource, cudaTextureObject_t object);
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *texture, cudaTextureObject_t object);
cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *view,
                                                 cudaTextureObject_t object);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const struct cudaResourceDesc *resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object);
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource, cudaSurfaceObject_t object);
}
