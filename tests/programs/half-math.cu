// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Half precision and bfloat16: conversions, arithmetic on one and on pairs, comparisons. All values exact.
#include "Check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void scalars(float *out) {
  __half a = __float2half(1.5f), b = __float2half(-0.25f);
  out[0] = __half2float(__hadd(a, b));
  out[1] = __half2float(__hmul(a, b));
  out[2] = __half2float(__hsub(a, b));
  out[3] = __half2float(__hfma(a, a, b));
  out[4] = __half2float(__float2half(65520.0f)); // rounds past the largest half
  out[5] = __half2float(__float2half_rz(0.1f));
  out[6] = __half2float(__float2half_rn(0.1f));
  out[7] = __hgt(a, b) * 4 + __heq(a, a) * 2 + __hlt(a, b);
  out[8] = __half2float(__hneg(a));
  out[9] = __half2float(__int2half_rn(2049)); // even neighbour
  out[10] = __half2int_rn(__float2half(2.5f));
  out[11] = __half2float(__hdiv(a, __float2half(4.0f)));
}

__global__ void pairs(const __half2 *x, const __half2 *y, __half2 *out, int n) {
  int i = threadIdx.x;
  if (i < n)
    out[i] = __hfma2(x[i], y[i], __hadd2(x[i], __float2half2_rn(1.0f)));
}

__global__ void brain(float *out) {
  __nv_bfloat16 a = __float2bfloat16(3.14159f);
  out[0] = __bfloat162float(a);
  out[1] = __bfloat162float(__hadd(a, __float2bfloat16(1.0f)));
  out[2] = __bfloat162float(__hmul(__float2bfloat16(-2.0f), __float2bfloat16(0.75f)));
  __nv_bfloat162 two = __floats2bfloat162_rn(1.0f, 2.0f);
  two = __hadd2(two, two);
  out[3] = __low2float(two) * 10 + __high2float(two);
}

int main() {
  DeviceArray<float> out(12);
  scalars<<<1, 1>>>(out);
  CHECK_LAUNCH();
  std::vector<float> r = out.host();
  CHECK(r[0] == 1.25f && r[1] == -0.375f && r[2] == 1.75f && r[3] == 2.0f);
  CHECK(r[4] > 1e30f && r[5] == 0x1.998p-4f && r[6] == 0x1.998p-4f);
  CHECK(r[7] == 6 && r[8] == -1.5f && r[9] == 2048 && r[10] == 2 && r[11] == 0.375f);

  constexpr int n = 60;
  std::vector<__half2> x(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = __floats2half2_rn(i * 0.5f, -i * 0.25f);
    y[i] = __floats2half2_rn(2.0f, float(i % 4));
  }
  DeviceArray<__half2> dx(x), dy(y), sums(n);
  pairs<<<1, 64>>>(dx, dy, sums, n);
  CHECK_LAUNCH();
  std::vector<__half2> got = sums.host();
  for (int i = 0; i < n; ++i) {
    CHECK(__half2float(__low2half(got[i])) == i * 0.5f * 2 + i * 0.5f + 1);
    CHECK(__half2float(__high2half(got[i])) == -i * 0.25f * (i % 4) - i * 0.25f + 1);
  }

  DeviceArray<float> bf(4);
  brain<<<1, 1>>>(bf);
  CHECK_LAUNCH();
  r = bf.host();
  CHECK(r[0] == 3.140625f && r[1] == 4.125f && r[2] == -1.5f && r[3] == 24);
  return pass();
}
