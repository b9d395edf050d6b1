// refuse: how large the tile is, is not known where the kernel is launched
// static: --block 128 --shared 2048
// verdict: outside
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the second array begins in dynamic shared memory is read from memory: nobody can say how large a
// stage is.

__global__ void products(float *out, const float *a, const float *b, const int *layout, int count) {
  extern __shared__ float shared[];
  float *tileA = shared, *tileB = shared + layout[blockIdx.x]; // in the way
  float sum = 0;
  for (int start = 0; start < count; start += 128) {
    tileA[threadIdx.x] = a[start + threadIdx.x];
    tileB[threadIdx.x] = b[start + threadIdx.x];
    __syncthreads();
    sum += tileA[127 - threadIdx.x] * tileB[threadIdx.x ^ 1];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
