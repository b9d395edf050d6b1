// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void spmv(global float *y, global const uint *first, global const uint *column, global const float *value,
                 global const float *x, uint rows) {
  const uint row = get_global_id(0);
  if (row >= rows)
    return;
  float sum = 0;
  for (uint i = first[row]; i < first[row + 1]; ++i)
    sum += value[i] * x[column[i]];
  y[row] = sum;
}
