// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Discrete cosine transform of 8x8 pixels by 8x8 threads: two products with the matrix of cosines, the pixels
// and the half-finished result in shared memory.
//
// For consolidation: two warps as a square. Reading down a column, element '8 k + x' has a fixed register for
// each k and a lane that is a simple function of the own; reading along a row, '8 y + k' has the register of
// the own element. So both products can be shuffles once the loop over k is unrolled, although no distance is
// constant.
#include "Harness.h"

#include <cooperative_groups.h>

#define SIDE 8

__constant__ float cosines[SIDE * SIDE];

__global__ void dct8x8(float *out, const float *image, int pitch) {
  cooperative_groups::thread_block cta = cooperative_groups::this_thread_block();
  __shared__ float pixels[SIDE * SIDE];
  __shared__ float half[SIDE * SIDE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const size_t at = (size_t(blockIdx.y) * SIDE + ty) * pitch + blockIdx.x * SIDE + tx;

  pixels[ty * SIDE + tx] = image[at] - 128.0f;
  cta.sync();

  float sum = 0;
#pragma unroll
  for (int k = 0; k < SIDE; ++k)
    sum += cosines[ty * SIDE + k] * pixels[k * SIDE + tx];
  half[ty * SIDE + tx] = sum;
  cta.sync();

  sum = 0;
#pragma unroll
  for (int k = 0; k < SIDE; ++k)
    sum += half[ty * SIDE + k] * cosines[tx * SIDE + k];
  out[at] = sum;
}

int main(int argc, char **argv) {
  const int tilesX = argument(argc, argv, 1, 9), tilesY = argument(argc, argv, 2, 5), pitch = tilesX * SIDE;
  const std::vector<float> image = floats(size_t(pitch) * tilesY * SIDE, 17, 0, 255);
  float matrix[SIDE * SIDE];
  for (int i = 0; i < SIDE * SIDE; ++i)
    matrix[i] = float(std::cos((2 * (i % SIDE) + 1) * (i / SIDE) * 3.14159265358979 / 16) *
                      (i < SIDE ? std::sqrt(0.125) : 0.5));

  CHECK(cudaMemcpyToSymbol(cosines, matrix, sizeof(matrix)));
  float *deviceImage = toDevice(image), *out = zeros<float>(image.size());
  dct8x8<<<dim3(tilesX, tilesY), dim3(SIDE, SIDE)>>>(out, deviceImage, pitch);
  const std::vector<float> got = toHost(out, image.size());

  const auto wanted = [&](size_t at) {
    const int x = int(at % pitch), u = x % SIDE, v = int(at / pitch % SIDE);
    const float *tile = &image[(at / pitch - v) * pitch + x - u];
    double sum = 0;
    for (int row = 0; row < SIDE; ++row)
      for (int column = 0; column < SIDE; ++column)
        sum +=
            double(matrix[v * SIDE + row]) * (tile[row * pitch + column] - 128.0) * matrix[u * SIDE + column];
    return sum;
  };
  return verdict("dct8x8", got, agree(got, wanted, 1e-3, 1000000));
}
