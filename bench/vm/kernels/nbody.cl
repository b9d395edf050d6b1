// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void nbody(global float *acceleration, global const float *body, uint n) {
  local float tile[256][4];
  const uint at = get_local_id(0), self = get_global_id(0);
  const float x = body[4 * self], y = body[4 * self + 1], z = body[4 * self + 2];
  float ax = 0, ay = 0, az = 0;
  for (uint first = 0; first < n; first += 256) {
    for (uint k = 0; k < 4; ++k)
      tile[at][k] = body[4 * (first + at) + k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = 0; j < 256; ++j) {
      const float dx = tile[j][0] - x, dy = tile[j][1] - y, dz = tile[j][2] - z;
      const float square = dx * dx + dy * dy + dz * dz + 0.01f;
      const float inverse = 1.0f / sqrt(square);
      const float scale = tile[j][3] * inverse * inverse * inverse;
      ax += dx * scale, ay += dy * scale, az += dz * scale;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  acceleration[3 * self] = ax, acceleration[3 * self + 1] = ay, acceleration[3 * self + 2] = az;
}
