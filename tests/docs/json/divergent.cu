// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For docs.json: a barrier that not all threads reach, a race, a subscript that is not affine, a named barrier, and launches
// whose sizes are not known.
__global__ void divergent(float *out, const int *index, int n) {
  __shared__ float tile[64];
  tile[threadIdx.x] = out[index[threadIdx.x]];
  float kept = out[threadIdx.x];
  if (threadIdx.x < n)
    __syncthreads();
  asm volatile("bar.sync 1, 64;");
  for (int i = 0; i < n; ++i)
    tile[threadIdx.x] += tile[63 - threadIdx.x] * kept;
  out[threadIdx.x] = tile[threadIdx.x];
}

void launch(float *out, const int *index, int n) { divergent<<<n, 64, n>>>(out, index, n); }
