// refuse: there is no loop that loads a tile, meets, computes and goes on
// static: --block 128
// verdict: holds
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One tile and no loop: nothing to load while something is computed.

__global__ void reverse(float *out, const float *in) { // in the way
  __shared__ float tile[128];
  tile[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
}
