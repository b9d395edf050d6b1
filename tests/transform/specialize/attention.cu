// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention for a query a thread: tiles of keys and values, scores with a running maximum, the weighted sum
// corrected whenever the maximum grows. Dynamic shared memory, split by constants.
#include "Harness.h"

constexpr int Threads = 64, Keys = 32, Depth = 16;

__global__ void __launch_bounds__(Threads) attend(float *out, const float *queries, const float *keys,
                                                  const float *values, int count, int keyCount) {
  extern __shared__ float shared[];
  float *tileK = shared, *tileV = shared + Keys * Depth;
  const int query = blockIdx.x * Threads + threadIdx.x;

  float q[Depth], sum[Depth] = {};
  for (int d = 0; d < Depth; ++d)
    q[d] = query < count ? queries[size_t(query) * Depth + d] : 0.0f;
  float most = -INFINITY, total = 0;

  for (int start = 0; start < keyCount; start += Keys) {
    for (int i = threadIdx.x; i < Keys * Depth; i += Threads) {
      const bool there = start + i / Depth < keyCount;
      tileK[i] = there ? keys[size_t(start) * Depth + i] : 0.0f;
      tileV[i] = there ? values[size_t(start) * Depth + i] : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < Keys && start + k < keyCount; ++k) {
      float score = 0;
      for (int d = 0; d < Depth; ++d)
        score += q[d] * tileK[k * Depth + d];
      const float before = most;
      most = fmaxf(most, score);
      const float shrink = expf(before - most), weight = expf(score - most);
      total = total * shrink + weight;
      for (int d = 0; d < Depth; ++d)
        sum[d] = sum[d] * shrink + weight * tileV[k * Depth + d];
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

  attend<<<blocksFor(count, Threads), Threads, 2 * Keys * Depth * sizeof(float)>>>(out, deviceQ, deviceK,
                                                                                   deviceV, count, keyCount);
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
