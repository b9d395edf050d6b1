// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Monte-Carlo pricing, the reduction: a block sums the payoffs of an option over all paths, and their squares
// for the confidence; then a tree in shared memory down to one warp, which ends with shuffles.
//
// For consolidation: half of the tree is written with warp shuffles already, inside 'thread < 32': after
// aggregation these are the warp's own lanes of the first of eight threads, and the shuffles must neither be
// repeated for the others nor lose lanes.
#include "Harness.h"

constexpr int Threads = 256;

struct Contract {
  float price, strike, drift, spread; // drift and spread over the whole life
};

template <int Count> __device__ void foldToWarp(float *sums, float *squares) {
  for (int half = Count / 2; half >= 32; half /= 2) {
    if (threadIdx.x < unsigned(half)) {
      sums[threadIdx.x] += sums[threadIdx.x + half];
      squares[threadIdx.x] += squares[threadIdx.x + half];
    }
    __syncthreads();
  }
}

__global__ void monteCarloReduce(float2 *values, const Contract *contracts, const float *normals, int paths) {
  __shared__ float sums[Threads];
  __shared__ float squares[Threads];
  const Contract contract = contracts[blockIdx.x];

  float sum = 0, square = 0;
  for (int path = threadIdx.x; path < paths; path += blockDim.x) {
    const float end = contract.price * expf(contract.drift + contract.spread * normals[path]);
    const float payoff = end > contract.strike ? end - contract.strike : 0.0f;
    sum += payoff;
    square += payoff * payoff;
  }
  sums[threadIdx.x] = sum;
  squares[threadIdx.x] = square;
  __syncthreads();
  foldToWarp<Threads>(sums, squares);

  if (threadIdx.x < 32) {
    sum = sums[threadIdx.x];
    square = squares[threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2) {
      sum += __shfl_down_sync(0xffffffffu, sum, distance);
      square += __shfl_down_sync(0xffffffffu, square, distance);
    }
    if (threadIdx.x == 0)
      values[blockIdx.x] = make_float2(sum / paths, square / paths);
  }
}

int main(int argc, char **argv) {
  const int options = argument(argc, argv, 1, 9), paths = argument(argc, argv, 2, 3000);
  Numbers numbers(15);
  std::vector<Contract> contracts(options);
  for (Contract &contract : contracts)
    contract = {numbers.between(5, 50), numbers.between(5, 50), numbers.between(-0.1f, 0.1f),
                numbers.between(0.1f, 0.5f)};
  std::vector<float> normals(paths); // a sum of twelve is close enough to normal
  for (float &normal : normals)
    for (int i = 0; i < 12; ++i)
      normal += numbers.between(-0.5f, 0.5f);

  Contract *deviceContracts = toDevice(contracts);
  float *deviceNormals = toDevice(normals), *values = zeros<float>(2 * options);
  monteCarloReduce<<<options, Threads>>>(reinterpret_cast<float2 *>(values), deviceContracts, deviceNormals,
                                         paths);
  const std::vector<float> got = toHost(values, 2 * options);

  const auto wanted = [&](size_t at) { // a mean, a mean of squares, the next option's
    const Contract &contract = contracts[at / 2];
    double sum = 0;
    for (float normal : normals) {
      const double end = contract.price * std::exp(double(contract.drift) + double(contract.spread) * normal);
      const double payoff = std::fmax(end - contract.strike, 0.0);
      sum += at % 2 ? payoff * payoff : payoff;
    }
    return sum / paths;
  };
  return verdict("monte_carlo", got, agree(got, wanted, 1e-3, 1000));
}
