// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ../attention.cu with two buffers and cp.async of 16 bytes: rows of keys and values are 64 bytes, so a tile
// is made of whole ones even where it is short.
#include "../Harness.h"

#include <cuda_pipeline.h>

constexpr int Threads = 64, Keys = 32, Depth = 16, Pack = 4;

__global__ void __launch_bounds__(Threads) attend(float *out, const float *queries, const float *keys,
                                                  const float *values, int count, int keyCount) {
  __shared__ alignas(16) float tileK[2][Keys * Depth];
  __shared__ alignas(16) float tileV[2][Keys * Depth];
  const int query = blockIdx.x * Threads + threadIdx.x;

  float q[Depth], sum[Depth] = {};
  for (int d = 0; d < Depth; ++d)
    q[d] = query < count ? queries[size_t(query) * Depth + d] : 0.0f;
  float most = -INFINITY, total = 0;

  const auto copy = [&](int start, int buffer) {
    for (int i = threadIdx.x * Pack; i < Keys * Depth && start + i / Depth < keyCount; i += Threads * Pack) {
      __pipeline_memcpy_async(&tileK[buffer][i], &keys[size_t(start) * Depth + i], 16);
      __pipeline_memcpy_async(&tileV[buffer][i], &values[size_t(start) * Depth + i], 16);
    }
    __pipeline_commit();
  };

  int buffer = 0;
  copy(0, 0);
  for (int start = 0; start < keyCount; start += Keys, buffer ^= 1) {
    copy(start + Keys, buffer ^ 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int k = 0; k < Keys && start + k < keyCount; ++k) {
      float score = 0;
      for (int d = 0; d < Depth; ++d)
        score += q[d] * tileK[buffer][k * Depth + d];
      const float before = most;
      most = fmaxf(most, score);
      const float shrink = expf(before - most), weight = expf(score - most);
      total = total * shrink + weight;
      for (int d = 0; d < Depth; ++d)
        sum[d] = sum[d] * shrink + weight * tileV[buffer][k * Depth + d];
    }
    __syncthreads();
  }
  if (query < count)
    for (int d = 0; d < Depth; ++d)
      out[size_t(query) * Depth + d] = keyCount > 0 ? sum[d] / total : 0.0f;
}

int main(int argc, char **argv) {
  const int count = sizeArgument(argc, argv, 1, 100), keyCount = sizeArgument(argc, argv, 2, 75);
  const std::vector<float> queries = floats(size_t(count) * Depth, 1),
                           keys = floats(size_t(keyCount) * Depth, 2),
                           values = floats(size_t(keyCount) * Depth, 3);
  float *deviceQ = toDevice(queries), *deviceK = toDevice(keys), *deviceV = toDevice(values);
  float *out = zeros<float>(queries.size());

  attend<<<blocksFor(count, Threads), Threads>>>(out, deviceQ, deviceK, deviceV, count, keyCount);
  const std::vector<float> got = toHost(out, queries.size());

  const auto wanted = [&](size_t at) {
    double total = 0, sum = 0;
    for (int k = 0; k < keyCount; ++k) {
      double score = 0;
      for (int d = 0; d < Depth; ++d)
        score += double(queries[at / Depth * Depth + d]) * keys[size_t(k) * Depth + d];
      total += std::exp(score);
      sum += std::exp(score) * values[size_t(k) * Depth + at % Depth];
    }
    return keyCount > 0 ? sum / total : 0.0;
  };
  return verdict("attention", got, agree(got, wanted, 1e-5, 4000));
}
