// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void stencil(global float *out, global const float *in, uint width, uint height) {
  const uint x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height)
    return;
  const uint i = y * width + x;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
    out[i] = in[i];
  else
    out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}
