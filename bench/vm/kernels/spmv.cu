// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y = A x, A in compressed rows of 0 to 63 elements; one thread per row, so neighbouring lanes end at different times.
extern "C" __global__ void spmv(float *y, const unsigned *first, const unsigned *column, const float *value,
                                const float *x, unsigned rows) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  for (unsigned i = first[row]; i < first[row + 1]; ++i)
    sum += value[i] * x[column[i]];
  y[row] = sum;
}
