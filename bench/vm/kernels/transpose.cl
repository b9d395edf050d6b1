// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void transpose(global float *out, global const float *in, uint n) {
  local float tile[32][33];
  const uint x = get_local_id(0), y = get_local_id(1), column = get_group_id(0) * 32, row = get_group_id(1) * 32;
  for (uint i = y; i < 32; i += 8)
    tile[i][x] = in[(row + i) * n + column + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = y; i < 32; i += 8)
    out[(column + i) * n + row + x] = tile[x][i];
}
