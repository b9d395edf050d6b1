// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The block's barrier as cooperative groups spell it.
#include "Harness.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void turn(float *out, const float *in) {
  cg::thread_block cta = cg::this_thread_block();
  __shared__ float tile[64];
  const float mine = in[blockIdx.x * 64 + threadIdx.x];
  tile[threadIdx.x] = mine;
  cg::sync(cta);
  float other = tile[63 - threadIdx.x];
  cta.sync();
  tile[threadIdx.x] = other - mine;
  cta.sync();
  out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 1] + mine;
}

int main() {
  float *out = zeros<float>(64 * 3);
  turn<<<3, 64>>>(out, input<float>(64 * 3));
  bring("turn", out, 64 * 3);
}
