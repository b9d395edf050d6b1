// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays, and the texture and surface objects made of them.
#include "cudart/Runtime.h"

using namespace heddle;
using namespace heddle::cudart;

namespace {

cudaError_t makeArray(Runtime &runtime, cudaArray_t *array, const cudaChannelFormatDesc *format,
                      cudaExtent extent, unsigned flags) {
  if (!array || !format || !extent.width)
    return cudaErrorInvalidValue;
  if (flags & ~(cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayTextureGather))
    return cudaErrorNotSupported;
  auto made = std::make_unique<cudaArray>(cudaArray{*format, extent, flags});
  made->texelBytes = texelBytes(*format);
  if (!made->texelBytes)
    return cudaErrorInvalidChannelDescriptor;
  made->data = static_cast<unsigned char *>(
      runtime.simulator.memory().allocate(made->bytes(), vm::AllocationKind::Device));
  if (!made->data)
    return cudaErrorMemoryAllocation;
  std::lock_guard lock(runtime.handleGuard);
  runtime.arrays.insert(made.get());
  *array = made.release();
  return cudaSuccess;
}

template <class Body>
cudaError_t withArray(cudaArray_const_t array, Body body,
                      std::source_location where = std::source_location::current()) {
  return apiOn(&Runtime::arrays, const_cast<cudaArray_t>(array), body, where);
}

} // namespace

extern "C" {

cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *format, size_t width,
                            size_t height, unsigned flags) {
  return api([&](Runtime &runtime) { return makeArray(runtime, array, format, {width, height, 0}, flags); });
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *format, cudaExtent extent,
                              unsigned flags) {
  return api([&](Runtime &runtime) { return makeArray(runtime, array, format, extent, flags); });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  if (!array)
    return cudaSuccess;
  return withArray(array, [&](Runtime &runtime) -> cudaError_t {
    if (cudaError_t error = runtime.synchronizeAll())
      return error;
    runtime.simulator.memory().free(array->data);
    std::lock_guard lock(runtime.handleGuard);
    runtime.arrays.erase(array);
    delete array;
    return cudaSuccess;
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *format, cudaExtent *extent, unsigned *flags,
                             cudaArray_t array) {
  return withArray(array, [&](Runtime &) {
    if (format)
      *format = array->format;
    if (extent)
      *extent = array->extent;
    if (flags)
      *flags = array->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *format, cudaArray_const_t array) {
  return withArray(array, [&](Runtime &) {
    *format = array->format;
    return cudaSuccess;
  });
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *texture, const cudaResourceViewDesc *view) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!object || !resource || !texture)
      return cudaErrorInvalidValue;
    if (view && view->format != cudaResViewFormatNone)
      return cudaErrorNotSupported;
    return runtime.textures.createTexture(*object, *resource, *texture);
  });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!object)
      return cudaSuccess;
    if (cudaError_t error = runtime.synchronizeAll())
      return error;
    return runtime.textures.destroy(object) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource, cudaTextureObject_t object) {
  return api([&](Runtime &runtime) -> cudaError_t {
    auto found = runtime.textures.resourceOf(object);
    if (found)
      *resource = *found;
    return found ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *texture, cudaTextureObject_t object) {
  return api([&](Runtime &runtime) -> cudaError_t {
    auto found = runtime.textures.descriptionOf(object);
    if (found)
      *texture = *found;
    return found ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const cudaResourceDesc *resource) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!object || !resource)
      return cudaErrorInvalidValue;
    return runtime.textures.createSurface(*object, *resource);
  });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) { return cudaDestroyTextureObject(object); }

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *resource, cudaSurfaceObject_t object) {
  return cudaGetTextureObjectResourceDesc(resource, object);
}
}
