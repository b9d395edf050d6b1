// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inclusive prefix sums of segments of 256 numbers: by shuffles in each warp, then over the warps of a block.
extern "C" __global__ void scan(unsigned *out, const unsigned *in) {
  __shared__ unsigned totals[8];
  const unsigned i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned sum = in[i];
  for (unsigned step = 1; step < 32; step *= 2) {
    const unsigned other = __shfl_up_sync(0xffffffffu, sum, step);
    if (lane >= step)
      sum += other;
  }
  if (lane == 31)
    totals[warp] = sum;
  __syncthreads();
  unsigned before = 0;
  for (unsigned w = 0; w < 8; ++w)
    before += w < warp ? totals[w] : 0;
  out[i] = before + sum;
}
