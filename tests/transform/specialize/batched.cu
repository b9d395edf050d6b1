// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many products of 16x16 matrices: a block takes the next pair of the batch, two results a thread.
#include "Harness.h"

constexpr int N = 16, Threads = 128, Each = N * N / Threads;

__global__ void __launch_bounds__(Threads) products(float *c, const float *a, const float *b, int batch) {
  __shared__ float tileA[N * N];
  __shared__ float tileB[N * N];
  for (int pair = blockIdx.x; pair < batch; pair += gridDim.x) {
    const float *fromA = a + size_t(pair) * N * N, *fromB = b + size_t(pair) * N * N;
    for (int i = threadIdx.x; i < N * N; i += Threads) {
      tileA[i] = fromA[i];
      tileB[i] = fromB[i];
    }
    __syncthreads();
    for (int e = 0; e < Each; ++e) {
      const int at = e * Threads + threadIdx.x, row = at / N, column = at % N;
      float sum = 0;
      for (int d = 0; d < N; ++d)
        sum += tileA[row * N + d] * tileB[d * N + column];
      c[size_t(pair) * N * N + at] = sum;
    }
    __syncthreads();
  }
}

int main(int argc, char **argv) {
  const int batch = sizeArgument(argc, argv, 1, 21), blocks = argument(argc, argv, 2, 4);
  const std::vector<float> a = floats(size_t(batch) * N * N, 1), b = floats(size_t(batch) * N * N, 2);
  float *deviceA = toDevice(a), *deviceB = toDevice(b), *c = zeros<float>(a.size());

  products<<<blocks, Threads>>>(c, deviceA, deviceB, batch);
  const std::vector<float> got = toHost(c, a.size());

  const auto wanted = [&](size_t at) {
    const size_t first = at / (N * N) * (N * N), row = at % (N * N) / N, column = at % N;
    double sum = 0;
    for (int d = 0; d < N; ++d)
      sum += double(a[first + row * N + d]) * b[first + d * N + column];
    return sum;
  };
  return verdict("batched", got, agree(got, wanted, 1e-5, 20000));
}
