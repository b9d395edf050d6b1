// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launching kernels, their attributes, and how many fit.
#pragma once

#include "../../driver_types.h"

extern "C" {
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t sharedBytes, cudaStream_t stream);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments);
cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                        size_t sharedBytes, cudaStream_t stream);

// What f<<<grid, block, shared, stream>>>(...) turns into: Clang pushes the shape before it evaluates the
// arguments, and the kernel's host stub pops it again and calls cudaLaunchKernel.
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t sharedBytes = 0, void *stream = 0);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *sharedBytes, void *stream);

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function);
cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config);
cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config);
cudaError_t cudaFuncGetName(const char **name, const void *function);
cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *bytes);
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol);

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int blockThreads,
                                                          size_t sharedBytes);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                                   int blockThreads, size_t sharedBytes,
                                                                   unsigned int flags);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *sharedBytes, const void *function, int blocks,
                                                      int blockThreads);
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *blocks, const void *function,
                                                 const cudaLaunchConfig_t *config);
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                           const cudaLaunchConfig_t *config);
}
