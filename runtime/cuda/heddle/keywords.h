// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words CUDA adds to C++. In a file that is not compiled as CUDA (a .cpp of the same program that only
// calls the runtime API) the ones that speak of devices vanish.
#pragma once

#if defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// Clang has managed variables for HIP only. Treating one as a plain __device__ variable would let the host
// see a different copy, so its use is refused, except where a file is only read (HEDDLE_PARSE_ONLY).
#if defined(HEDDLE_PARSE_ONLY)
#define __managed__ __attribute__((device))
#define __cluster_dims__(...)
#else
#define __managed__                                                                                          \
  __attribute__((device, unavailable("__managed__ variables need nvcc; cudaMallocManaged works "             \
                                     "everywhere")))
// Clang has the attribute and says nothing of it in the PTX: better no kernel than one with clusters of one
// block.
#define __cluster_dims__(...)                                                                                \
  __attribute__((unavailable("__cluster_dims__ needs nvcc; a cluster size given at the launch "              \
                             "(cudaLaunchKernelEx, cudaLaunchAttributeClusterDimension) works everywhere")))
#endif
#define __grid_constant__ __attribute__((grid_constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(...)
#define __block_size__(...)
#define __tile_global__
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(...)
#endif

#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __align__(bytes)
#define __thread__ __thread
#define __specialization_static static

// There is no macro __noinline__: libstdc++ writes __attribute__((__noinline__)) and would break. Clang 22
// knows the word itself as a keyword in CUDA files; plain C++ files have no use for it.

// Names that programs written against NVIDIA's headers use for themselves.
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
#define __device_builtin__
#define __cudart_builtin__
#define __CUDA_HOST_DEFINES_H__
