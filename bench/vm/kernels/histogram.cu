// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts bytes: in shared memory by block, then into the result. Each block reads `perBlock` bytes.
extern "C" __global__ void histogram(unsigned *counts, const unsigned char *bytes, unsigned perBlock) {
  __shared__ unsigned mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  const unsigned char *from = bytes + blockIdx.x * perBlock;
  for (unsigned i = threadIdx.x; i < perBlock; i += 256)
    atomicAdd(&mine[from[i]], 1u);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
