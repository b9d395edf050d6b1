// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface objects in device code. Clang knows how each fetch looks in PTX (__nv_tex_surf_handler,
// named after an internal operation of nvcc); these are the functions that programs call.
#pragma once

#include <__clang_cuda_texture_intrinsics.h>

#define HEDDLE_LIST(...) __VA_ARGS__

// tex...<T>(object, coordinates) returns the value; tex...(&value, object, coordinates) is the older form of
// it.
#define HEDDLE_TEXTURE(name, operation, parameters, arguments)                                               \
  template <class T>                                                                                         \
  static __device__ void name(T *value, cudaTextureObject_t object, HEDDLE_LIST parameters) {                \
    __nv_tex_surf_handler(operation, value, object, HEDDLE_LIST arguments);                                  \
  }                                                                                                          \
  template <class T> static __device__ T name(cudaTextureObject_t object, HEDDLE_LIST parameters) {          \
    T value;                                                                                                 \
    __nv_tex_surf_handler(operation, &value, object, HEDDLE_LIST arguments);                                 \
    return value;                                                                                            \
  }
HEDDLE_TEXTURE(tex1Dfetch, "__itex1Dfetch", (int x), (x))
HEDDLE_TEXTURE(tex1D, "__itex1D", (float x), (x))
HEDDLE_TEXTURE(tex2D, "__itex2D", (float x, float y), (x, y))
HEDDLE_TEXTURE(tex3D, "__itex3D", (float x, float y, float z), (x, y, z))
HEDDLE_TEXTURE(tex1DLayered, "__itex1DLayered", (float x, int layer), (x, layer))
HEDDLE_TEXTURE(tex2DLayered, "__itex2DLayered", (float x, float y, int layer), (x, y, layer))
HEDDLE_TEXTURE(texCubemap, "__itexCubemap", (float x, float y, float z), (x, y, z))
HEDDLE_TEXTURE(texCubemapLayered, "__itexCubemapLayered", (float x, float y, float z, int layer),
               (x, y, z, layer))
HEDDLE_TEXTURE(tex1DLod, "__itex1DLod", (float x, float level), (x, level))
HEDDLE_TEXTURE(tex2DLod, "__itex2DLod", (float x, float y, float level), (x, y, level))
HEDDLE_TEXTURE(tex3DLod, "__itex3DLod", (float x, float y, float z, float level), (x, y, z, level))
HEDDLE_TEXTURE(tex1DLayeredLod, "__itex1DLayeredLod", (float x, int layer, float level), (x, layer, level))
HEDDLE_TEXTURE(tex2DLayeredLod, "__itex2DLayeredLod", (float x, float y, int layer, float level),
               (x, y, layer, level))
HEDDLE_TEXTURE(tex1DGrad, "__itex1DGrad", (float x, float dx, float dy), (x, dx, dy))
#undef HEDDLE_TEXTURE

// Surfaces are addressed in bytes along x, in elements along the others.
#define HEDDLE_SURFACE(name, operation, parameters, arguments)                                               \
  template <class T>                                                                                         \
  static __device__ void name##read(T *value, cudaSurfaceObject_t object, HEDDLE_LIST parameters,            \
                                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                   \
    __nv_tex_surf_handler(operation "read", value, object, HEDDLE_LIST arguments, mode);                     \
  }                                                                                                          \
  template <class T>                                                                                         \
  static __device__ T name##read(cudaSurfaceObject_t object, HEDDLE_LIST parameters,                         \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                      \
    T value;                                                                                                 \
    __nv_tex_surf_handler(operation "read", &value, object, HEDDLE_LIST arguments, mode);                    \
    return value;                                                                                            \
  }                                                                                                          \
  template <class T>                                                                                         \
  static __device__ void name##write(T value, cudaSurfaceObject_t object, HEDDLE_LIST parameters,            \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                  \
    __nv_tex_surf_handler(operation "write_v2", &value, object, HEDDLE_LIST arguments, mode);                \
  }
HEDDLE_SURFACE(surf1D, "__isurf1D", (int x), (x))
HEDDLE_SURFACE(surf2D, "__isurf2D", (int x, int y), (x, y))
HEDDLE_SURFACE(surf3D, "__isurf3D", (int x, int y, int z), (x, y, z))
HEDDLE_SURFACE(surf1DLayered, "__isurf1DLayered", (int x, int layer), (x, layer))
HEDDLE_SURFACE(surf2DLayered, "__isurf2DLayered", (int x, int y, int layer), (x, y, layer))
#undef HEDDLE_SURFACE
#undef HEDDLE_LIST
