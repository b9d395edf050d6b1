// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SRAD's reduction: the sum and the sum of squares of an image, 512 threads per block, launch after launch
// until one pair is left.
//
// For consolidation: the tree grows its distance instead of halving it and ends in the last element, with a
// remainder as its guard: only five of nine steps cross lanes, the first five, and in each other lanes are at
// work. Two arrays at once. The last block may be a partial one.
#include "Harness.h"

#define NUMBER_THREADS 512

__global__ void reduce(float *sums, float *squares, const float *inSums, const float *inSquares, long count) {
  __shared__ float psum[NUMBER_THREADS];
  __shared__ float psum2[NUMBER_THREADS];
  const int tx = threadIdx.x;
  const long ei = long(blockIdx.x) * NUMBER_THREADS + tx;

  psum[tx] = ei < count ? inSums[ei] : 0;
  psum2[tx] = ei < count ? inSquares[ei] : 0;
  __syncthreads();

  for (int i = 2; i <= NUMBER_THREADS; i = 2 * i) {
    if ((tx + 1) % i == 0) {
      psum[tx] = psum[tx] + psum[tx - i / 2];
      psum2[tx] = psum2[tx] + psum2[tx - i / 2];
    }
    __syncthreads();
  }

  if (tx == NUMBER_THREADS - 1) {
    sums[blockIdx.x] = psum[tx];
    squares[blockIdx.x] = psum2[tx];
  }
}

int main(int argc, char **argv) {
  const int count = argument(argc, argv, 1, 9000);
  const std::vector<float> image = floats(count, 18, 0, 1);
  std::vector<float> squared(image);
  double sum = 0, square = 0;
  for (float &pixel : squared) {
    sum += pixel;
    pixel *= pixel;
    square += pixel;
  }

  float *inSums = toDevice(image), *inSquares = toDevice(squared);
  long left = count;
  while (left > 1) {
    const int blocks = blocksFor(int(left), NUMBER_THREADS);
    float *sums = zeros<float>(blocks), *squares = zeros<float>(blocks);
    reduce<<<blocks, NUMBER_THREADS>>>(sums, squares, inSums, inSquares, left);
    CHECK(cudaGetLastError());
    inSums = sums;
    inSquares = squares;
    left = blocks;
  }
  const std::vector<float> got = {toHost(inSums, 1)[0], toHost(inSquares, 1)[0]};
  return verdict("srad_reduce", got, agree(got, [&](size_t i) { return i ? square : sum; }, 1e-4));
}
