// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface that programs are compiled against: our own CUDA headers, read as plain C++. A program
// built with NVIDIA's headers of CUDA 13 sees the same layouts and values.
#pragma once

#include "cuda_runtime_api.h"

// For functions that a program may ask about any number, also one that the enumeration of errors does not hold.
#define HEDDLE_ANY_NUMBER __attribute__((no_sanitize("enum")))

/// What nvcc's host stubs call instead of cudaLaunchKernel; no header of the user's declares it.
extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                                          size_t sharedBytes, cudaStream_t stream);
