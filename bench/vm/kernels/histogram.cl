// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void histogram(global uint *counts, global const uchar *bytes, uint perBlock) {
  local uint mine[256];
  mine[get_local_id(0)] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  global const uchar *from = bytes + get_group_id(0) * perBlock;
  for (uint i = get_local_id(0); i < perBlock; i += 256)
    atomic_inc(&mine[from[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&counts[get_local_id(0)], mine[get_local_id(0)]);
}
