// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Double precision: correctly rounded operations bit for bit, library functions within a few ulps of the
// host's.
#include "Check.h"

#include <cmath>
#include <cstring>

constexpr int functions = 14, exact = 6, n = 400;

__global__ void evaluate(const double *x, const double *y, double *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double a = x[i], b = y[i];
  double *row = out + i * (functions + exact);
  *row++ = a + b;
  *row++ = __dadd_rn(a, -b * 0.0) * b;
  *row++ = a / b;
  *row++ = sqrt(fabs(a));
  *row++ = fma(a, b, 1.0 / 3.0);
  *row++ = fmod(a, b);
  *row++ = exp(a / 16);
  *row++ = log(fabs(a) + 0.1);
  *row++ = sin(a);
  *row++ = cos(a);
  *row++ = tan(a / 50);
  *row++ = atan2(a, b);
  *row++ = pow(fabs(a) + 0.5, b / 20);
  *row++ = tanh(a / 8);
  *row++ = erf(a / 30);
  *row++ = cbrt(a);
  *row++ = exp2(a / 8);
  *row++ = log10(fabs(b));
  *row++ = sinh(a / 16);
  *row++ = asin(a / 101);
}

void expected(double a, double b, double *row) {
  const double values[functions + exact] = {a + b,
                                            a * b,
                                            a / b,
                                            std::sqrt(std::fabs(a)),
                                            std::fma(a, b, 1.0 / 3.0),
                                            std::fmod(a, b),
                                            std::exp(a / 16),
                                            std::log(std::fabs(a) + 0.1),
                                            std::sin(a),
                                            std::cos(a),
                                            std::tan(a / 50),
                                            std::atan2(a, b),
                                            std::pow(std::fabs(a) + 0.5, b / 20),
                                            std::tanh(a / 8),
                                            std::erf(a / 30),
                                            std::cbrt(a),
                                            std::exp2(a / 8),
                                            std::log10(std::fabs(b)),
                                            std::sinh(a / 16),
                                            std::asin(a / 101)};
  std::memcpy(row, values, sizeof values);
}

long long ordered(double d) {
  long long bits;
  std::memcpy(&bits, &d, sizeof bits);
  return bits < 0 ? (long long)(0x8000000000000000ull - (unsigned long long)bits) : bits;
}

int main() {
  std::vector<double> x(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = (i - n / 2) * 0.497 + 0.01;
    y[i] = 1.5 + (i * 37 % 100) * 0.21;
  }
  DeviceArray<double> dx(x), dy(y), out(n * (functions + exact));
  evaluate<<<(n + 127) / 128, 128>>>(dx, dy, out);
  CHECK_LAUNCH();
  std::vector<double> got = out.host();
  for (int i = 0; i < n; ++i) {
    double row[functions + exact];
    expected(x[i], y[i], row);
    for (int f = 0; f < functions + exact; ++f) {
      long long ulps = std::llabs(ordered(got[i * (functions + exact) + f]) - ordered(row[f]));
      if (ulps > (f < exact ? 0 : 4)) {
        std::printf("FAIL function %d at x=%g y=%g: %.17g, host %.17g\n", f, x[i], y[i],
                    got[i * (functions + exact) + f], row[f]);
        return 1;
      }
    }
  }
  return pass();
}
