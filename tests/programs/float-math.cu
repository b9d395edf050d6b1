// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single precision: rounding modes, denormals, conversions, fast intrinsics and library functions.
#include "Check.h"

#include <cmath>
#include <cstring>

__global__ void rounding(float *out) {
  float third = 1.0f, three = 3.0f;
  out[0] = __fdiv_rn(third, three);
  out[1] = __fdiv_rz(third, three);
  out[2] = __fdiv_ru(third, three);
  out[3] = __fadd_ru(1.0f, 1e-10f);
  out[4] = __fadd_rd(1.0f, -1e-10f);
  out[5] = __fmul_rz(0.1f, 0.1f);
  out[6] = __fsqrt_ru(2.0f);
  out[7] = __fmaf_rn(0.1f, 10.0f, -1.0f);
  out[8] = 1e-40f * threadIdx.x + 2e-40f; // denormals stay unless asked otherwise
  out[9] = __fsub_rn(0.0f, 0.0f);
  out[10] = fminf(NAN, 2.0f);
  out[11] = copysignf(3.0f, -0.0f);
}

__global__ void conversions(int *out, float x) {
  out[0] = __float2int_rn(x);
  out[1] = __float2int_rz(x);
  out[2] = __float2int_ru(x);
  out[3] = __float2int_rd(x);
  out[4] = int(x * 1e10f);  // saturates
  out[5] = int(-x * 1e10f); // saturates
  out[6] = __float_as_int(x);
  out[7] = int(__double2uint_rn(double(x) + 0.25));
  out[8] = __float2int_rn(NAN);
  out[9] = int(rintf(-2.5f)) * 100 + int(roundf(-2.5f));
  out[10] = int((unsigned char)(unsigned)(x * 100));
  out[11] = int(__uint2float_rn(0xffffffffu) == 4294967296.0f);
}

__global__ void functions(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float a = x[i];
  float *row = out + i * 8;
  row[0] = expf(a);
  row[1] = logf(fabsf(a) + 0.01f);
  row[2] = sinf(a);
  row[3] = powf(fabsf(a) + 1, 1.7f);
  row[4] = tanhf(a);
  row[5] = rsqrtf(fabsf(a) + 0.5f);
  row[6] = __expf(a);
  row[7] = __sinf(a / 20);
}

int main() {
  DeviceArray<float> out(12);
  rounding<<<1, 1>>>(out);
  CHECK_LAUNCH();
  std::vector<float> r = out.host();
  CHECK(r[0] == 0x1.555556p-2f && r[1] == 0x1.555554p-2f && r[2] == 0x1.555556p-2f);
  CHECK(r[3] == 0x1.000002p0f && r[4] == 0x1.fffffep-1f);
  CHECK(r[5] == 0x1.47ae14p-7f && r[6] == 0x1.6a09e8p0f && r[7] == std::fma(0.1f, 10.0f, -1.0f));
  CHECK(r[8] == 2e-40f && r[8] > 0 && r[9] == 0 && !std::signbit(r[9]));
  CHECK(r[10] == 2 && r[11] == -3);

  DeviceArray<int> whole(12);
  conversions<<<1, 1>>>(whole, 2.5f);
  CHECK_LAUNCH();
  std::vector<int> w = whole.host();
  CHECK(w[0] == 2 && w[1] == 2 && w[2] == 3 && w[3] == 2);
  CHECK(w[4] == 0x7fffffff && w[5] == int(0x80000000u) && w[6] == 0x40200000 && w[7] == 3 && w[8] == 0);
  CHECK(w[9] == -203 && w[10] == 250 && w[11] == 1);

  constexpr int n = 300;
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i)
    x[i] = (i - 150) * 0.11f;
  DeviceArray<float> in(x), results(n * 8);
  functions<<<3, 128>>>(in, results, n);
  CHECK_LAUNCH();
  std::vector<float> got = results.host();
  for (int i = 0; i < n; ++i) {
    double a = x[i];
    double reference[8] = {std::exp(a),  std::log(double(std::fabs(x[i]) + 0.01f)),
                           std::sin(a),  std::pow(double(std::fabs(x[i]) + 1), double(1.7f)),
                           std::tanh(a), 1 / std::sqrt(double(std::fabs(x[i]) + 0.5f)),
                           std::exp(a),  std::sin(double(x[i] / 20))};
    for (int f = 0; f < 8; ++f) {
      double tolerance = f == 6 ? 3e-6 + std::fabs(a) * 3e-7 : f == 7 ? 1e-6 : 5e-7;
      double scale = f == 7 ? 1 : std::fabs(reference[f]) + 1e-30;
      if (!(std::fabs(got[i * 8 + f] - reference[f]) <= tolerance * scale)) {
        std::printf("FAIL function %d at %g: %.9g, expected %.9g\n", f, a, got[i * 8 + f], reference[f]);
        return 1;
      }
    }
  }
  return pass();
}
