// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accelerations of n bodies by their mutual gravity, by tiles of one block in shared memory; n is a multiple of 256.
extern "C" __global__ void nbody(float *acceleration, const float *body, unsigned n) {
  __shared__ float tile[256][4];
  const unsigned self = blockIdx.x * 256 + threadIdx.x;
  const float x = body[4 * self], y = body[4 * self + 1], z = body[4 * self + 2];
  float ax = 0, ay = 0, az = 0;
  for (unsigned first = 0; first < n; first += 256) {
    for (unsigned k = 0; k < 4; ++k)
      tile[threadIdx.x][k] = body[4 * (first + threadIdx.x) + k];
    __syncthreads();
    for (unsigned j = 0; j < 256; ++j) {
      const float dx = tile[j][0] - x, dy = tile[j][1] - y, dz = tile[j][2] - z;
      const float square = dx * dx + dy * dy + dz * dz + 0.01f;
      const float inverse = 1.0f / __builtin_sqrtf(square); // sqrtf would be a call without libdevice, which nvcc has
      const float scale = tile[j][3] * inverse * inverse * inverse;
      ax += dx * scale, ay += dy * scale, az += dz * scale;
    }
    __syncthreads();
  }
  acceleration[3 * self] = ax, acceleration[3 * self + 1] = ay, acceleration[3 * self + 2] = az;
}
