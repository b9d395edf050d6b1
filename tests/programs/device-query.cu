// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Properties, attributes, limits, memory and occupancy answers that must agree with one another.
#include "Check.h"

__global__ void plain(float *out) { out[threadIdx.x] = threadIdx.x; }
__global__ void __launch_bounds__(256, 2) shared(float *out) {
  __shared__ float cells[1024];
  cells[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = cells[blockDim.x - 1 - threadIdx.x];
}

__global__ void __launch_bounds__(256) wide(const double *in, double *out) {
  double all[160];
#pragma unroll
  for (int i = 0; i < 160; ++i)
    all[i] = in[i * 256 + threadIdx.x];
#pragma unroll
  for (int i = 0; i < 160; ++i) // the last one first: all of them are needed until then
    out[i * 256 + threadIdx.x] = all[159 - i] * all[(i * 7 + 3) % 160];
}

int attribute(cudaDeviceAttr which) {
  int value = -1;
  CHECK_CUDA(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

int main() {
  int count = 0, current = -1, runtime = 0, driver = 0;
  CHECK_CUDA(cudaGetDeviceCount(&count));
  CHECK_CUDA(cudaGetDevice(&current));
  CHECK_CUDA(cudaRuntimeGetVersion(&runtime));
  CHECK_CUDA(cudaDriverGetVersion(&driver));
  CHECK(count >= 1 && current == 0 && runtime >= 13000 && driver >= 12000);

  cudaDeviceProp properties;
  CHECK_CUDA(cudaGetDeviceProperties(&properties, 0));
  CHECK(properties.name[0] != 0 && properties.warpSize == 32);
  CHECK(properties.major == attribute(cudaDevAttrComputeCapabilityMajor));
  CHECK(properties.minor == attribute(cudaDevAttrComputeCapabilityMinor));
  CHECK(properties.multiProcessorCount == attribute(cudaDevAttrMultiProcessorCount));
  CHECK(properties.maxThreadsPerBlock == attribute(cudaDevAttrMaxThreadsPerBlock));
  CHECK(properties.maxThreadsPerMultiProcessor == attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
  CHECK(int(properties.sharedMemPerBlock) == attribute(cudaDevAttrMaxSharedMemoryPerBlock));
  CHECK(int(properties.sharedMemPerBlockOptin) == attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  CHECK(int(properties.sharedMemPerMultiprocessor) == attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  CHECK(properties.regsPerBlock == attribute(cudaDevAttrMaxRegistersPerBlock));
  CHECK(properties.maxGridSize[0] == attribute(cudaDevAttrMaxGridDimX));
  CHECK(properties.maxThreadsDim[2] == attribute(cudaDevAttrMaxBlockDimZ));
  CHECK(properties.l2CacheSize == attribute(cudaDevAttrL2CacheSize));
  CHECK(int(properties.totalConstMem) == attribute(cudaDevAttrTotalConstantMemory));
  CHECK(properties.sharedMemPerBlock == 48 * 1024 && properties.totalGlobalMem > (size_t(1) << 30));
  CHECK(attribute(cudaDevAttrWarpSize) == 32 && attribute(cudaDevAttrClockRate) > 0);

  size_t freeBytes = 0, total = 0, freeAfter = 0;
  CHECK_CUDA(cudaMemGetInfo(&freeBytes, &total));
  void *block = nullptr;
  CHECK_CUDA(cudaMalloc(&block, size_t(256) << 20));
  CHECK_CUDA(cudaMemGetInfo(&freeAfter, &total));
  CHECK(freeBytes <= total && freeAfter + (size_t(255) << 20) <= freeBytes);
  CHECK_CUDA(cudaFree(block));

  cudaFuncAttributes function;
  CHECK_CUDA(cudaFuncGetAttributes(&function, shared));
  CHECK(function.sharedSizeBytes == 4096 && function.maxThreadsPerBlock == 256 && function.numRegs > 0);
  CHECK(function.ptxVersion >= 50 && function.binaryVersion >= 50);

  int blocks = 0, withShared = 0, minimumGrid = 0, blockSize = 0;
  CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 256, 0));
  CHECK(blocks == properties.maxThreadsPerMultiProcessor / 256);
  CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&withShared, plain, 256, 40 * 1024));
  CHECK(withShared > 0 && withShared <= int(properties.sharedMemPerMultiprocessor / (40 * 1024)));
  CHECK_CUDA(cudaOccupancyMaxPotentialBlockSize(&minimumGrid, &blockSize, plain, 0, 0));
  CHECK(blockSize >= 128 && blockSize <= 1024 && minimumGrid >= properties.multiProcessorCount);

  // More values at once than a thread has registers: launch bounds still hold.
  CHECK_CUDA(cudaFuncGetAttributes(&function, wide));
  CHECK(function.numRegs <= 255);
  CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, wide, 256, 0));
  CHECK(blocks >= 1);

  size_t limit = 0;
  CHECK_CUDA(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  CHECK(limit >= (size_t(1) << 20));
  CHECK_CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, size_t(16) << 20));
  CHECK_CUDA(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  CHECK(limit >= (size_t(16) << 20));

  cudaPointerAttributes pointer;
  CHECK_CUDA(cudaMalloc(&block, 100));
  CHECK_CUDA(cudaPointerGetAttributes(&pointer, block));
  CHECK(pointer.type == cudaMemoryTypeDevice && pointer.device == 0 && pointer.devicePointer == block);
  CHECK_CUDA(cudaPointerGetAttributes(&pointer, &pointer));
  CHECK(pointer.type == cudaMemoryTypeUnregistered);
  CHECK_CUDA(cudaFree(block));
  CHECK_CUDA(cudaDeviceReset());
  return pass();
}
