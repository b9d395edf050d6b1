// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// half and bfloat16: conversions, arithmetic, comparisons, functions, atomics, shuffles, on both sides.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T> __host__ __device__ float arithmetic(T a, T b) {
  T c = a * b + a - b / a;
  c += a;
  c = __hadd(c, __hmul(a, __hsub(a, b)));
  if (a < b || __hgt(a, b))
    c = -__habs(c);
  return float(__hmax(c, __hmin(a, b)));
}

__global__ void halves(__half *data, __half2 *pairs, float *out) {
  int i = threadIdx.x;
  __half a = data[i], b = __float2half(2.5f);
  a = __hfma(a, b, a);
  half2 p = __hfma2(pairs[i], __half2half2(a), __floats2half2_rn(1.0f, 2.0f));
  atomicAdd(&data[0], b);
  atomicAdd(&pairs[0], p);
  a = __shfl_xor_sync(0xffffffffu, a, 1);
  p = __shfl_down_sync(0xffffffffu, p, 2);
  out[i] = arithmetic(a, b) + __half2float(hsqrt(a)) + __low2float(h2exp(p)) + __half22float2(p).y +
           float(__half2int_rn(a)) + __half2float(__float2half_rz(out[i])) + __half2float(__ldg(&data[i]));
}

__global__ void bfloats(__nv_bfloat16 *data, __nv_bfloat162 *pairs, float *out) {
  int i = threadIdx.x;
  __nv_bfloat16 a = data[i], b = __float2bfloat16(2.5f);
  a = __hfma(a, b, a);
  __nv_bfloat162 p = __hadd2(pairs[i], __floats2bfloat162_rn(1.0f, 2.0f));
  atomicAdd(&data[0], b);
  atomicAdd(&pairs[0], p);
  out[i] = arithmetic(a, b) + __bfloat162float(hlog(a)) + __high2float(p);
}

int main() {
  halves<<<1, 32>>>(nullptr, nullptr, nullptr);
  bfloats<<<1, 32>>>(nullptr, nullptr, nullptr);
  return arithmetic(__float2half(1.0f), __float2half(3.0f)) > 0 && __half2float(__float2half(0.1f)) > 0;
}
