// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies from global to shared memory: groups, a two-stage pipeline, zero fill, 4 to 16 bytes.
#include "Check.h"

__device__ unsigned sharedAddress(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }

__device__ void copy16(void *to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sharedAddress(to)), "l"(from) : "memory");
}
__device__ void copy8(void *to, const void *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(sharedAddress(to)), "l"(from) : "memory");
}
__device__ void copy4ZeroFill(void *to, const void *from, int valid) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(sharedAddress(to)), "l"(from), "r"(valid)
               : "memory");
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int left> __device__ void waitGroups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
}

constexpr int tile = 128, tiles = 12;

__global__ void pipeline(const float4 *in, float *out) {
  __shared__ float4 stages[2][tile];
  int i = threadIdx.x;
  copy16(&stages[0][i], &in[i]);
  commit();
  float sum = 0;
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles)
      copy16(&stages[(t + 1) & 1][i], &in[(t + 1) * tile + i]);
    commit();
    waitGroups<1>();
    __syncthreads();
    float4 v = stages[t & 1][tile - 1 - i];
    sum += v.x + 2 * v.y + 3 * v.z + 4 * v.w;
    __syncthreads();
  }
  out[i] = sum;
}

__global__ void zeroFill(const int *in, int *out, int n) {
  __shared__ int cells[64];
  __shared__ double pairs[64];
  int i = threadIdx.x;
  copy4ZeroFill(&cells[i], &in[i < n ? i : 0], i < n ? 4 : 0);
  copy8(&pairs[i], reinterpret_cast<const double *>(in) + i % 16);
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[i] = cells[63 - i];
  out[64 + i] = reinterpret_cast<int *>(pairs)[i];
}

int main() {
  std::vector<float4> values(tile * tiles);
  for (int i = 0; i < tile * tiles; ++i)
    values[i] = make_float4(float(i % 7), float(i % 11), float(i % 13), float(i % 17));
  DeviceArray<float4> in(values);
  DeviceArray<float> out(tile);
  pipeline<<<1, tile>>>(in, out);
  CHECK_LAUNCH();
  std::vector<float> got = out.host();
  for (int i = 0; i < tile; ++i) {
    float sum = 0;
    for (int t = 0; t < tiles; ++t) {
      float4 v = values[t * tile + tile - 1 - i];
      sum += v.x + 2 * v.y + 3 * v.z + 4 * v.w;
    }
    CHECK(got[i] == sum);
  }

  std::vector<int> numbers(64);
  for (int i = 0; i < 64; ++i)
    numbers[i] = 1000 + i;
  DeviceArray<int> source(numbers), target(128);
  zeroFill<<<1, 64>>>(source, target, 40);
  CHECK_LAUNCH();
  std::vector<int> filled = target.host();
  for (int i = 0; i < 64; ++i) {
    CHECK(filled[i] == (63 - i < 40 ? 1000 + 63 - i : 0));
    CHECK(filled[64 + i] == 1000 + i % 32);
  }
  return pass();
}
