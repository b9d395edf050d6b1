// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Iterations until z = z * z + c leaves the circle of radius 2: neighbouring threads need different numbers.
extern "C" __global__ void escape(unsigned *steps, unsigned width, unsigned height, unsigned most) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float re = -2.0f + 3.0f * x / width, im = -1.5f + 3.0f * y / height;
  float u = 0, v = 0;
  unsigned n = 0;
  while (n < most && u * u + v * v <= 4.0f) {
    const float next = u * u - v * v + re;
    v = 2.0f * u * v + im;
    u = next;
    ++n;
  }
  steps[y * width + x] = n;
}
