// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// threadIdx and similar variables as uint3 and dim3: Clang declares these conversions and leaves the definitions to code that knows the two
// types.
#pragma once

#define HEDDLE_AS_VECTOR(variable)                                                                           \
  __device__ inline __cuda_builtin_##variable##_t::operator dim3() const { return dim3(x, y, z); }           \
  __device__ inline __cuda_builtin_##variable##_t::operator uint3() const { return uint3{x, y, z}; }
HEDDLE_AS_VECTOR(threadIdx)
HEDDLE_AS_VECTOR(blockIdx)
HEDDLE_AS_VECTOR(blockDim)
HEDDLE_AS_VECTOR(gridDim)
#undef HEDDLE_AS_VECTOR
