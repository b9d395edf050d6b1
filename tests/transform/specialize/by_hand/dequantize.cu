// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ../dequantize.cu with the next tile's weights in registers: cp.async copies what it finds, in 4 bytes at
// least, and here a byte becomes a float on its way. Two tiles, so that one barrier per iteration is enough.
#include "../Harness.h"

constexpr int Rows = 32, Columns = 32;

template <class Weight> __device__ float expand(Weight weight, float scale) {
  return scale * (static_cast<float>(weight) - 128.0f);
}

template <class Weight, int Width>
__global__ void product(float *y, const Weight *weights, const float *scales, const float *x, int rows,
                        int columns) {
  constexpr int Height = 4, Each = Rows / Height; // as launched
  __shared__ float tile[2][Rows][Width + 1];
  const int top = blockIdx.x * Rows;

  Weight next[Each] = {};
  float nextScale = 0;
  const auto load = [&](int t) {
    const int column = t * Width + threadIdx.x;
    if (t * Width < columns)
      nextScale = scales[t];
#pragma unroll
    for (int e = 0; e < Each; ++e) {
      const int row = top + threadIdx.y + e * Height;
      if (row < rows && column < columns)
        next[e] = weights[size_t(row) * columns + column];
    }
  };
  const auto store = [&](int t, int buffer) {
    const int column = t * Width + threadIdx.x;
#pragma unroll
    for (int e = 0; e < Each; ++e) {
      const int r = threadIdx.y + e * Height;
      tile[buffer][r][threadIdx.x] = top + r < rows && column < columns ? expand(next[e], nextScale) : 0.0f;
    }
  };

  float sum = 0;
  load(0);
  for (int t = 0; t * Width < columns; ++t) {
    const int buffer = t % 2;
    store(t, buffer);
    __syncthreads();
    load(t + 1);
    if (threadIdx.y == 0)
      for (int i = 0; i < Width && t * Width + i < columns; ++i)
        sum += tile[buffer][threadIdx.x][i] * x[t * Width + i];
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
