// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The example of docs/concepts/uniformity.md.

static __global__ void classify(int *out, const int *kinds, int n, int mode) {
  int row = blockIdx.x;
  int warp = threadIdx.x / 32;
  int i = row * blockDim.x + threadIdx.x;
  if (mode == 1)
    out[i] = 0;
  if (row == 0)
    out[i] = 1;
  if (warp == 0)
    out[i] = 2;
  if (i < n)
    if (kinds[i] > 0)
      out[i] = 3;
}

void classifyRows(int *out, const int *kinds, int n, int mode) {
  classify<<<(n + 255) / 256, 256>>>(out, kinds, n, mode);
}
