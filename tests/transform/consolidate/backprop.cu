// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Backpropagation, forward through a layer: a block multiplies 16 inputs with their weights to 16 hidden
// units and sums along y in steps of doubling distance.
//
// For consolidation: a block of 16x16 whose rows are half a warp: the first step of the tree, one row on,
// crosses lanes within a register; the later ones are whole registers apart. The inputs are 16 elements, less
// than a warp, written by the first column of threads and read by whole rows. The weights are written back as
// products.
#include "Harness.h"

#define HEIGHT 16
#define WIDTH 16

__global__ void layerForward(float *partialSums, float *weights, const float *input, int hidden) {
  __shared__ float nodes[HEIGHT];
  __shared__ float products[HEIGHT][WIDTH];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int unit = blockIdx.x * WIDTH + tx;
  const size_t index = (size_t(blockIdx.y) * HEIGHT + ty) * hidden + unit;

  if (tx == 0)
    nodes[ty] = input[blockIdx.y * HEIGHT + ty];
  __syncthreads();
  products[ty][tx] = weights[index];
  __syncthreads();
  products[ty][tx] = products[ty][tx] * nodes[ty];
  weights[index] = products[ty][tx];
  __syncthreads();

  for (int distance = 1; distance < HEIGHT; distance *= 2) {
    if (ty % (2 * distance) == 0)
      products[ty][tx] = products[ty][tx] + products[ty + distance][tx];
    __syncthreads();
  }
  if (ty == 0)
    partialSums[size_t(blockIdx.y) * hidden + unit] = products[0][tx];
}

int main(int argc, char **argv) {
  const int inputs = argument(argc, argv, 1, 11) * HEIGHT, hidden = argument(argc, argv, 2, 3) * WIDTH;
  const std::vector<float> input = floats(inputs, 19), weights = floats(size_t(inputs) * hidden, 20);
  const int rows = inputs / HEIGHT;

  float *deviceInput = toDevice(input), *deviceWeights = toDevice(weights);
  float *partialSums = zeros<float>(size_t(rows) * hidden);
  dim3 grid(hidden / WIDTH, rows), threads(WIDTH, HEIGHT);
  layerForward<<<grid, threads>>>(partialSums, deviceWeights, deviceInput, hidden);
  std::vector<float> got = toHost(partialSums, size_t(rows) * hidden);
  const std::vector<float> products = toHost(deviceWeights, weights.size());

  const auto product = [&](size_t at) { return input[at / hidden] * weights[at]; };
  const auto sum = [&](size_t at) {
    double sum = 0;
    for (int row = 0; row < HEIGHT; ++row)
      sum += product((at / hidden * HEIGHT + row) * hidden + at % hidden);
    return sum;
  };
  const bool passed = agree(got, sum, 1e-5) && agree(products, product, 0);
  got.insert(got.end(), products.begin(), products.end());
  return verdict("backprop", got, passed);
}
