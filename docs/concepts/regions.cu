// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The example of docs/concepts/barrier-regions.md.

static __global__ void smooth(float *out, const float *in, int n, int rounds) {
  __shared__ float tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    float left = tile[threadIdx.x > 0 ? threadIdx.x - 1 : 0];
    __syncthreads();
    tile[threadIdx.x] = 0.5f * (tile[threadIdx.x] + left);
    __syncthreads();
  }
  if (i < n)
    out[i] = tile[threadIdx.x];
}

void smoothRows(float *out, const float *in, int n, int rounds) {
  smooth<<<(n + 255) / 256, 256>>>(out, in, n, rounds);
}
