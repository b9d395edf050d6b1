// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ../batched.cu with two buffers and cp.async of 16 bytes.
#include "../Harness.h"

#include <cuda_pipeline.h>

constexpr int N = 16, Threads = 128, Each = N * N / Threads, Pack = 4;

__global__ void __launch_bounds__(Threads) products(float *c, const float *a, const float *b, int batch) {
  __shared__ alignas(16) float tileA[2][N * N];
  __shared__ alignas(16) float tileB[2][N * N];

  const auto copy = [&](int pair, int buffer) {
    for (int i = threadIdx.x * Pack; pair < batch && i < N * N; i += Threads * Pack) {
      __pipeline_memcpy_async(&tileA[buffer][i], a + size_t(pair) * N * N + i, 16);
      __pipeline_memcpy_async(&tileB[buffer][i], b + size_t(pair) * N * N + i, 16);
    }
    __pipeline_commit();
  };

  int buffer = 0;
  copy(blockIdx.x, 0);
  for (int pair = blockIdx.x; pair < batch; pair += gridDim.x, buffer ^= 1) {
    copy(pair + gridDim.x, buffer ^ 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int e = 0; e < Each; ++e) {
      const int at = e * Threads + threadIdx.x, row = at / N, column = at % N;
      float sum = 0;
      for (int d = 0; d < N; ++d)
        sum += tileA[buffer][row * N + d] * tileB[buffer][d * N + column];
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
