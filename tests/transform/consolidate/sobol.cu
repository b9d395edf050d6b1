// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sobol's numbers: 64 threads per block, the 32 direction numbers of the block's dimension in shared memory,
// every thread steps through its dimension by a power of two.
//
// For consolidation: the array is exactly as long as a warp is wide, one register. So even the load at a
// place that is only known at run time is one shuffle. Half of the block loads it, 'threadIdx.x < 32': after
// aggregation that branch is the first of two threads.
#include "Harness.h"

constexpr int Threads = 64;
constexpr int Bits = 32;

__global__ void sobol(float *out, const unsigned *directions, int points) {
  __shared__ unsigned v[Bits];
  const unsigned dimension = blockIdx.y;
  if (threadIdx.x < Bits)
    v[threadIdx.x] = directions[dimension * Bits + threadIdx.x];
  __syncthreads();

  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned stride = gridDim.x * blockDim.x; // a power of two
  unsigned value = 0;
  for (unsigned gray = first ^ (first >> 1), bit = 0; (1u << bit) <= stride; ++bit)
    value ^= -((gray >> bit) & 1) & v[bit];

  // Of the Gray code, a step of 2^k flips bit k - 1 and the first of k, k + 1, ... that is 0 in the number.
  const unsigned below = v[__ffs(stride) - 2];
  for (unsigned i = first; i < unsigned(points); i += stride) {
    out[size_t(dimension) * points + i] = float(value >> 8) * (1.0f / 16777216.0f);
    value ^= below ^ v[__ffs(~(i | (stride - 1))) - 1];
  }
}

/// A dimension of Joe and Kuo's table: the polynomial's degree and inner coefficients, and the first numbers.
struct Dimension {
  int degree;
  unsigned coefficients, first[5];
};
static const Dimension Table[] = {
    {1, 0, {1}},          {2, 1, {1, 3}},        {3, 1, {1, 3, 1}},       {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}}, {4, 4, {1, 3, 5, 13}}, {5, 2, {1, 1, 5, 5, 17}}};
constexpr int Dimensions = 1 + sizeof(Table) / sizeof(Table[0]); // the first is van der Corput's

static std::vector<unsigned> makeDirections() {
  std::vector<unsigned> directions(Dimensions * Bits);
  for (int bit = 0; bit < Bits; ++bit)
    directions[bit] = 1u << (31 - bit);
  for (int d = 1; d < Dimensions; ++d) {
    const Dimension &row = Table[d - 1];
    unsigned *v = &directions[d * Bits];
    for (int bit = 0; bit < Bits; ++bit) {
      if (bit < row.degree) {
        v[bit] = row.first[bit] << (31 - bit);
        continue;
      }
      v[bit] = v[bit - row.degree] ^ (v[bit - row.degree] >> row.degree);
      for (int i = 1; i < row.degree; ++i)
        if (row.coefficients >> (row.degree - 1 - i) & 1)
          v[bit] ^= v[bit - i];
    }
  }
  return directions;
}

int main(int argc, char **argv) {
  const int points = argument(argc, argv, 1, 1000);
  int blocks = argument(argc, argv, 2, 4);
  while (blocks & (blocks - 1))
    blocks &= blocks - 1; // down to a power of two
  const std::vector<unsigned> directions = makeDirections();

  unsigned *deviceDirections = toDevice(directions);
  float *out = zeros<float>(size_t(points) * Dimensions);
  sobol<<<dim3(blocks, Dimensions), Threads>>>(out, deviceDirections, points);
  const std::vector<float> got = toHost(out, size_t(points) * Dimensions);

  const auto wanted = [&](size_t at) {
    const unsigned i = unsigned(at % points), gray = i ^ (i >> 1);
    unsigned value = 0;
    for (int bit = 0; bit < Bits; ++bit)
      if (gray >> bit & 1)
        value ^= directions[at / points * Bits + bit];
    return float(value >> 8) * (1.0f / 16777216.0f);
  };
  return verdict("sobol", got, agree(got, wanted, 0));
}
