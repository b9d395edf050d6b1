// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenCL C 1.2 has no shuffles: the steps go through local memory.
kernel void scan(global uint *out, global const uint *in) {
  local uint sums[256];
  const uint at = get_local_id(0), i = get_global_id(0);
  sums[at] = in[i];
  for (uint step = 1; step < 256; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint other = at >= step ? sums[at - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[at] += other;
  }
  out[i] = sums[at];
}
