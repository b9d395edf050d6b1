// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value is computed between load and store: weights of 8 bits become floats on their way into shared
// memory. A device function does it, and the scale of a tile is loaded, too.
#include "Harness.h"

constexpr int Rows = 32, Columns = 32;

template <class Weight> __device__ float expand(Weight weight, float scale) {
  return scale * (static_cast<float>(weight) - 128.0f);
}

template <class Weight, int Width>
__global__ void product(float *y, const Weight *weights, const float *scales, const float *x, int rows,
                        int columns) {
  __shared__ float tile[Rows][Width + 1];
  const int top = blockIdx.x * Rows;
  float sum = 0;
  for (int t = 0; t * Width < columns; ++t) {
    const float scale = scales[t];
    for (int r = threadIdx.y; r < Rows; r += blockDim.y) {
      const int row = top + r, column = t * Width + threadIdx.x;
      tile[r][threadIdx.x] =
          row < rows && column < columns ? expand(weights[size_t(row) * columns + column], scale) : 0.0f;
    }
    __syncthreads();
    if (threadIdx.y == 0)
      for (int i = 0; i < Width && t * Width + i < columns; ++i)
        sum += tile[threadIdx.x][i] * x[t * Width + i];
    __syncthreads();
  }
  if (threadIdx.y == 0 && top + threadIdx.x < rows)
    y[top + threadIdx.x] = sum;
}

int main(int argc, char **argv) {
  const int rows = sizeArgument(argc, argv, 1, 50), columns = sizeArgument(argc, argv, 2, 100);
  const std::vector<unsigned char> weights = integers<unsigned char>(size_t(rows) * columns, 1, 256);
  const std::vector<float> scales = floats(blocksFor(columns, Columns), 2, 0.001f, 0.01f),
                           x = floats(columns, 3);
  unsigned char *deviceWeights = toDevice(weights);
  float *deviceScales = toDevice(scales), *deviceX = toDevice(x), *y = zeros<float>(rows);

  product<unsigned char, Columns>
      <<<blocksFor(rows, Rows), dim3(Columns, 4)>>>(y, deviceWeights, deviceScales, deviceX, rows, columns);
  const std::vector<float> got = toHost(y, rows);

  const auto wanted = [&](size_t row) {
    double sum = 0;
    for (int i = 0; i < columns; ++i)
      sum += double(scales[i / Columns]) * (weights[row * columns + i] - 128.0) * x[i];
    return sum;
  };
  return verdict("dequantize", got, agree(got, wanted, 1e-5));
}
