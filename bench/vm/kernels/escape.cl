// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void escape(global uint *steps, uint width, uint height, uint most) {
  const uint x = get_global_id(0), y = get_global_id(1);
  const float re = -2.0f + 3.0f * x / width, im = -1.5f + 3.0f * y / height;
  float u = 0, v = 0;
  uint n = 0;
  while (n < most && u * u + v * v <= 4.0f) {
    const float next = u * u - v * v + re;
    v = 2.0f * u * v + im;
    u = next;
    ++n;
  }
  steps[y * width + x] = n;
}
