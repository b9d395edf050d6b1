// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix instructions of one warp: ldmatrix feeding a half product, a tf32 product and a double product.
#include "Check.h"

#include <cuda_fp16.h>

// C (16x8) = A (16x16, row by row) * B (16x8, column by column)
__global__ void halfProduct(const __half *a, const __half *b, float *c) {
  __shared__ alignas(16) __half as[16 * 16], bs[8 * 16];
  int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32)
    as[i] = a[i];
  for (int i = lane; i < 128; i += 32)
    bs[i] = b[i];
  __syncwarp();
  unsigned ra[4], rb[2];
  unsigned fromA = unsigned(__cvta_generic_to_shared(&as[(lane % 16) * 16 + lane / 16 * 8]));
  unsigned fromB = unsigned(__cvta_generic_to_shared(&bs[(lane % 8) * 16 + lane / 8 % 2 * 8]));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
               : "r"(fromA));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(rb[0]), "=r"(rb[1])
               : "r"(fromB));
  float d[4] = {1, 1, 1, 1};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
               "{%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  int row = lane / 4, column = lane % 4 * 2;
  c[row * 8 + column] = d[0];
  c[row * 8 + column + 1] = d[1];
  c[(row + 8) * 8 + column] = d[2];
  c[(row + 8) * 8 + column + 1] = d[3];
}

// C (8x8) = A (8x4) * B (4x8), doubles
__global__ void doubleProduct(const double *a, const double *b, double *c) {
  int lane = threadIdx.x;
  double d[2] = {0, 0};
  double fa = a[lane / 4 * 4 + lane % 4], fb = b[lane % 4 * 8 + lane / 4];
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(d[0]), "+d"(d[1])
               : "d"(fa), "d"(fb));
  c[lane / 4 * 8 + lane % 4 * 2] = d[0];
  c[lane / 4 * 8 + lane % 4 * 2 + 1] = d[1];
}

// C (16x8) = A (16x8) * B (8x8), tf32: small integers are exact
__global__ void tf32Product(const float *a, const float *b, float *c) {
  int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  float d[4] = {0, 0, 0, 0};
  unsigned ra[4] = {__float_as_uint(a[g * 8 + t]), __float_as_uint(a[(g + 8) * 8 + t]),
                    __float_as_uint(a[g * 8 + t + 4]), __float_as_uint(a[(g + 8) * 8 + t + 4])};
  unsigned rb[2] = {__float_as_uint(b[t * 8 + g]), __float_as_uint(b[(t + 4) * 8 + g])};
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
               "{%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  c[g * 8 + t * 2] = d[0];
  c[g * 8 + t * 2 + 1] = d[1];
  c[(g + 8) * 8 + t * 2] = d[2];
  c[(g + 8) * 8 + t * 2 + 1] = d[3];
}

int main() {
  std::vector<__half> a(256), b(128);
  for (int i = 0; i < 256; ++i)
    a[i] = __float2half(float(i * 7 % 11 - 5));
  for (int i = 0; i < 128; ++i)
    b[i] = __float2half(float(i * 3 % 7 - 3) * 0.5f);
  DeviceArray<__half> da(a), db(b);
  DeviceArray<float> dc(128);
  halfProduct<<<1, 32>>>(da, db, dc);
  CHECK_LAUNCH();
  std::vector<float> c = dc.host();
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      float sum = 1;
      for (int k = 0; k < 16; ++k)
        sum += __half2float(a[i * 16 + k]) * __half2float(b[j * 16 + k]);
      CHECK(c[i * 8 + j] == sum);
    }

  std::vector<double> x(32), y(32);
  for (int i = 0; i < 32; ++i) {
    x[i] = i * 0.75 - 3;
    y[i] = 5 - i * 0.5;
  }
  DeviceArray<double> dx(x), dy(y), dz(64);
  doubleProduct<<<1, 32>>>(dx, dy, dz);
  CHECK_LAUNCH();
  std::vector<double> z = dz.host();
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      double sum = 0;
      for (int k = 0; k < 4; ++k)
        sum += x[i * 4 + k] * y[k * 8 + j];
      CHECK(z[i * 8 + j] == sum);
    }

  std::vector<float> p(128), q(64);
  for (int i = 0; i < 128; ++i)
    p[i] = float(i % 9 - 4);
  for (int i = 0; i < 64; ++i)
    q[i] = float(i * 5 % 13 - 6);
  DeviceArray<float> dp(p), dq(q), dr(128);
  tf32Product<<<1, 32>>>(dp, dq, dr);
  CHECK_LAUNCH();
  std::vector<float> r = dr.host();
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      float sum = 0;
      for (int k = 0; k < 8; ++k)
        sum += p[i * 8 + k] * q[k * 8 + j];
      CHECK(r[i * 8 + j] == sum);
    }
  return pass();
}
