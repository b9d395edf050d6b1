// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block size that keeps most threads resident: the search that CUDA does in a header, because the shared
// memory a block needs may depend on its size through a function of the program.
#pragma once

#include "../cuda_runtime_api.h"

template <class T>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function, int blockThreads, size_t sharedBytes) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, (const void *)function, blockThreads, sharedBytes, cudaOccupancyDefault);
}
template <class T>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T function, int blockThreads,
                                                       size_t sharedBytes, unsigned int flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)function,
                                                                  blockThreads, sharedBytes, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *sharedBytes, T *function,
                                                                    int blocks, int blockThreads) {
  return ::cudaOccupancyAvailableDynamicSMemPerBlock(sharedBytes, (const void *)function, blocks,
                                                     blockThreads);
}

/// Tries whole warps from the largest block downwards and keeps the first that holds the most threads; stops
/// early when a multiprocessor is full.
template <class SharedBytesOf, class T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *gridSize, int *blockSize, T function,
                                                        SharedBytesOf sharedBytesOf, int blockSizeLimit = 0,
                                                        unsigned int flags = 0) {
  if (!gridSize || !blockSize || !function)
    return cudaErrorInvalidValue;
  int device, residentThreads, deviceBlockThreads, multiprocessors, warp;
  struct cudaFuncAttributes attributes;
  cudaError_t status = ::cudaGetDevice(&device);
  if (status == cudaSuccess)
    status = ::cudaDeviceGetAttribute(&residentThreads, cudaDevAttrMaxThreadsPerMultiProcessor, device);
  if (status == cudaSuccess)
    status = ::cudaDeviceGetAttribute(&deviceBlockThreads, cudaDevAttrMaxThreadsPerBlock, device);
  if (status == cudaSuccess)
    status = ::cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (status == cudaSuccess)
    status = ::cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
  if (status == cudaSuccess)
    status = ::cudaFuncGetAttributes(&attributes, (const void *)function);
  if (status != cudaSuccess)
    return status;

  int limit = blockSizeLimit > 0 && blockSizeLimit < deviceBlockThreads ? blockSizeLimit : deviceBlockThreads;
  if (attributes.maxThreadsPerBlock < limit)
    limit = attributes.maxThreadsPerBlock;
  int bestThreads = 0, bestBlock = 0, bestBlocks = 0;
  for (int candidate = (limit + warp - 1) / warp * warp; candidate > 0; candidate -= warp) {
    int block = candidate < limit ? candidate : limit;
    int blocks = 0;
    status = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void *)function, block,
                                                                      sharedBytesOf(block), flags);
    if (status != cudaSuccess)
      return status;
    if (blocks * block > bestThreads) {
      bestThreads = blocks * block;
      bestBlock = block;
      bestBlocks = blocks;
    }
    if (bestThreads == residentThreads)
      break;
  }
  *gridSize = bestBlocks * multiprocessors;
  *blockSize = bestBlock;
  return cudaSuccess;
}

template <class SharedBytesOf, class T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *gridSize, int *blockSize, T function,
                                               SharedBytesOf sharedBytesOf, int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(gridSize, blockSize, function, sharedBytesOf,
                                                                 blockSizeLimit, cudaOccupancyDefault);
}
template <class T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeWithFlags(int *gridSize, int *blockSize, T function, size_t sharedBytes = 0,
                                            int blockSizeLimit = 0, unsigned int flags = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
      gridSize, blockSize, function, [=](int) { return sharedBytes; }, blockSizeLimit, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, T function,
                                                             size_t sharedBytes = 0, int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeWithFlags(gridSize, blockSize, function, sharedBytes,
                                                     blockSizeLimit, cudaOccupancyDefault);
}
