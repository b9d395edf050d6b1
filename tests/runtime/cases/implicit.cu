// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nvcc gives without any #include: vectors, built-in variables, min and max of mixed types on both
// sides, printf, assert, malloc, new, special storage.
#include <cassert>
#include <cstdio>

// Libraries ask by these names what they may use.
#if !defined(__CUDA_RUNTIME_H__) || !defined(__CUDA_RUNTIME_API_H__) || !defined(__DRIVER_TYPES_H__) ||      \
    !defined(__VECTOR_TYPES_H__) || !defined(__VECTOR_FUNCTIONS_H__)
#error "cuda_runtime.h was not read before the first line"
#endif

__constant__ float weights[16];
__device__ int counter = 3;
__device__ float4 table[8];
extern __shared__ float dynamicShared[];

struct __align__(16) Body {
  float3 position;
  float mass;
};

__host__ __device__ double mixed(int i, unsigned u, long l, long long ll, unsigned long long ull, float f,
                                 double d) {
  return min(i, 3) + max(u, 5u) + min(i, u) + max(l, 7L) + min(ll, 9LL) + max(ull, 2ULL) + min(f, 1.0f) +
         max(d, 1.0) + min(f, d) + abs(i) + abs(f) + abs(d) + fabsf(f) + pow(d, 2.0) + powf(f, 2.0f) +
         rsqrtf(f) + rsqrt(d);
}

template <class T> __device__ __noinline__ T twice(T value) { return value + value; }
__device__ __forceinline__ float3 scale(float3 v, float s) { return make_float3(v.x * s, v.y * s, v.z * s); }

__global__ void __launch_bounds__(256, 2)
    kernel(Body *__restrict__ bodies, const __grid_constant__ Body extra, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  dim3 grid = gridDim;
  uint3 thread = threadIdx;
  assert(n > 0 && warpSize == 32);
  if (i >= n)
    return;
  dynamicShared[threadIdx.x] = weights[i % 16] + float(grid.x + thread.y);
  __syncthreads();
  bodies[i].position = scale(bodies[i].position, dynamicShared[0] + twice(extra.mass));
  int *heap = static_cast<int *>(malloc(sizeof(int) * 4));
  heap[0] = counter;
  float *fresh = new float[2];
  fresh[0] = float(mixed(i, i, i, i, i, 1.0f, 2.0));
  table[i % 8] = make_float4(fresh[0], 0, 0, float(heap[0]));
  printf("%d %f\n", i, double(fresh[0]));
  delete[] fresh;
  free(heap);
}

int main() {
  Body extra = {make_float3(1, 2, 3), 4};
  static_assert(sizeof(Body) == 16 && alignof(float4) == 16 && sizeof(float3) == 12 &&
                alignof(double2) == 16);
  kernel<<<dim3(2, 1), 128, 128 * sizeof(float)>>>(nullptr, extra, 5);
  std::printf("%f\n", mixed(1, 2, 3, 4, 5, 6, 7));
  return min(1, 0) + max(-1, 0);
}
