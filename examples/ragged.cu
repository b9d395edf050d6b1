// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of very different length, one thread each: warps wait for their longest row.
#include "check.h"


__global__ void sumRows(const int *begins, const float *values, float *sums, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  int length = begins[row + 1] - begins[row];
  float sum = 0;
  for (int i = 0; i < length; ++i)
    sum += values[begins[row] + i];
  if (length > 40)
    sum = sum / length;
  sums[row] = sum;
}

int main(int argc, char **argv) {
  const int rows = sizeArgument(argc, argv, 4000);
  std::vector<int> begins = {0};
  for (int row = 0; row < rows; ++row)
    begins.push_back(begins.back() + (row % 16 == 5 ? 48 : row % 7));
  std::vector<float> values(begins.back(), 1.0f), sums(rows);

  int *deviceBegins;
  float *deviceValues, *deviceSums;
  cudaMalloc(&deviceBegins, begins.size() * sizeof(int));
  cudaMalloc(&deviceValues, values.size() * sizeof(float));
  cudaMalloc(&deviceSums, rows * sizeof(float));
  cudaMemcpy(deviceBegins, begins.data(), begins.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(deviceValues, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
  sumRows<<<(rows + 127) / 128, 128>>>(deviceBegins, deviceValues, deviceSums, rows);
  cudaMemcpy(sums.data(), deviceSums, rows * sizeof(float), cudaMemcpyDeviceToHost);

  for (int row = 0; row < rows; ++row)
    if (sums[row] != (row % 16 == 5 ? 1.0f : float(row % 7))) {
      std::printf("ragged: FAIL at row %d: %g\n", row, sums[row]);
      return 1;
    }
  std::printf("ragged: PASS\n");
}
