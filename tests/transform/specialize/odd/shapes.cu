// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tile loops that are not written as most are. Each kernel gives for each thread of each block a sum over the
// tiles that its block goes through; the CPU does the same in the same order.
#include "../Harness.h"

constexpr int Threads = 64;

// The barriers are around the load.
__global__ void barrierFirst(float *out, const float *in, int count) {
  __shared__ float tile[Threads];
  float sum = 0;
  for (int start = 0; start < count; start += Threads) {
    __syncthreads();
    tile[threadIdx.x] = start + int(threadIdx.x) < count ? in[start + threadIdx.x] : 0.0f;
    __syncthreads();
    for (int i = 0; i < Threads; ++i)
      sum += tile[i] * float((i ^ int(threadIdx.x)) + blockIdx.x);
  }
  out[blockIdx.x * Threads + threadIdx.x] = sum;
}

// A pointer of each thread's own goes along: a producer can load for one thread only.
__global__ void carried(float *out, const float *in, int count) {
  __shared__ float tile[Threads];
  const float *from = in + threadIdx.x;
  float sum = 0;
  int left = count - int(threadIdx.x);
  for (int start = 0; start < count; start += Threads) {
    tile[threadIdx.x] = left > 0 ? *from : 0.0f;
    __syncthreads();
    from += Threads;
    left -= Threads;
    for (int i = 0; i < Threads; ++i)
      sum += tile[i] * float((i ^ int(threadIdx.x)) + blockIdx.x);
    __syncthreads();
  }
  out[blockIdx.x * Threads + threadIdx.x] = sum;
}

// Two buffers of this are more than 48 KB.
constexpr int Deep = 100;
__global__ void large(float *out, const float *in, int count) {
  __shared__ float tile[Deep][Threads];
  __shared__ float weights[Deep];
  for (int i = threadIdx.x; i < Deep; i += Threads)
    weights[i] = i == 0 ? 1.0f : 0.0f;
  float sum = 0;
  for (int start = 0; start < count; start += Threads) {
    for (int d = 0; d < Deep; ++d)
      tile[d][threadIdx.x] = start + int(threadIdx.x) < count ? in[start + threadIdx.x] : 0.0f;
    __syncthreads();
    for (int i = 0; i < Threads; ++i)
      sum += tile[i][i] * weights[0] * float((i ^ int(threadIdx.x)) + blockIdx.x);
    __syncthreads();
  }
  out[blockIdx.x * Threads + threadIdx.x] = sum;
}

// The loop tests its condition after the iteration, and blocks with nothing to do leave before it.
__global__ void behind(float *out, const float *in, int count) {
  __shared__ float tile[Threads];
  float sum = 0;
  int start = 0;
  if (count <= 0) { // the same for all
    out[blockIdx.x * Threads + threadIdx.x] = 0;
    return;
  }
  do {
    tile[threadIdx.x] = start + int(threadIdx.x) < count ? __ldg(&in[start + threadIdx.x]) : 0.0f;
    __syncthreads();
    for (int i = 0; i < Threads; ++i)
      sum += tile[i] * float((i ^ int(threadIdx.x)) + blockIdx.x);
    __syncthreads();
    start += Threads;
  } while (start < count);
  out[blockIdx.x * Threads + threadIdx.x] = sum;
}

// A template, whose constant the tile is made with; a table of the consumers' that the load's barrier orders.
template <class Number, int Size> __global__ void ordered(Number *out, const Number *in, int count) {
  constexpr int Wide = Size + 1;
  __shared__ Number tile[Wide];
  __shared__ Number table[Size];
  table[threadIdx.x] = Number(1);
  Number sum = 0;
  for (int start = 0; start < count; start += Size) {
    tile[threadIdx.x] = start + int(threadIdx.x) < count ? in[start + threadIdx.x] : Number(0);
    __syncthreads();
    for (int i = 0; i < Size; ++i)
      sum += tile[i] * table[(i + threadIdx.x) % Size] * Number((i ^ int(threadIdx.x)) + blockIdx.x);
    __syncthreads();
  }
  out[blockIdx.x * Size + threadIdx.x] = sum;
}

int main(int argc, char **argv) {
  const int count = sizeArgument(argc, argv, 1, 300), blocks = 3;
  const std::vector<float> in = floats(size_t(count), 1);
  std::vector<float> wanted(size_t(blocks) * Threads);
  for (int b = 0; b < blocks; ++b)
    for (int t = 0; t < Threads; ++t)
      for (int start = 0; start < count; start += Threads)
        for (int i = 0; i < Threads; ++i)
          wanted[size_t(b) * Threads + t] +=
              (start + i < count ? in[size_t(start) + i] : 0.0f) * float((i ^ t) + b);
  float *from = toDevice(in), *out = zeros<float>(wanted.size());
  bool fine = true;
  std::vector<float> all;
  const auto look = [&] {
    const std::vector<float> got = toHost(out, wanted.size());
    for (size_t i = 0; i < got.size(); ++i)
      fine &= std::abs(got[i] - wanted[i]) <= 1e-3f * (1 + std::abs(wanted[i]));
    all.insert(all.end(), got.begin(), got.end());
    CHECK(cudaMemset(out, 255, wanted.size() * sizeof(float)));
  };
  barrierFirst<<<blocks, Threads>>>(out, from, count);
  look();
  carried<<<blocks, Threads>>>(out, from, count);
  look();
  large<<<blocks, Threads>>>(out, from, count);
  look();
  behind<<<blocks, Threads>>>(out, from, count);
  look();
  ordered<float, Threads><<<blocks, Threads>>>(out, from, count);
  look();
  return verdict("odd/shapes", all, fine);
}
