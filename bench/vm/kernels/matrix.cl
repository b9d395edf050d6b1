// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void matrix(global float *c, global const float *a, global const float *b, uint n) {
  local float as[16][16], bs[16][16];
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint row = get_group_id(1) * 16 + y, column = get_group_id(0) * 16 + x;
  float sum = 0;
  for (uint tile = 0; tile < n; tile += 16) {
    as[y][x] = a[row * n + tile + x];
    bs[y][x] = b[(tile + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 16; ++k)
      sum += as[y][k] * bs[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
