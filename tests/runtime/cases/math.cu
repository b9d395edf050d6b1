// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// with the toolkit: nvcc only (Clang's wrapper lacks some of this)
//
// Math functions: with and without std::, float and double, on both sides where they exist on both.
#include <cmath>
#include <complex>
#include <cuComplex.h>
#include <math_constants.h>

__host__ __device__ float everywhere(float a, double d, int n) {
  float r = sinf(a) + cosf(a) + tanf(a) + asinf(a) + acosf(a) + atanf(a) + atan2f(a, a) + sinhf(a) +
            coshf(a) + tanhf(a) + expf(a) + exp2f(a) + expm1f(a) + logf(a) + log2f(a) + log10f(a) +
            log1pf(a) + powf(a, a) + sqrtf(a) + cbrtf(a) + hypotf(a, a) + erff(a) + erfcf(a) + tgammaf(a) +
            lgammaf(a) + floorf(a) + ceilf(a) + truncf(a) + roundf(a) + rintf(a) + fmodf(a, a) +
            fmaf(a, a, a) + fminf(a, a) + fmaxf(a, a) + fdimf(a, a) + fabsf(a) + copysignf(a, a) +
            ldexpf(a, n) + nextafterf(a, a) + rsqrtf(a) + rcbrtf(a) + sinpif(a) + cospif(a) +
            norm3df(a, a, a) + normcdff(a);
  d = sin(d) + exp(d) + log(d) + pow(d, d) + sqrt(d) + floor(d) + fma(d, d, d) + fmin(d, d) + fabs(d) +
      erf(d) + rsqrt(d) + sinpi(d) + rhypot(d, d) + std::sin(d) + std::sqrt(d) + std::abs(d) +
      std::fmod(d, d);
  r += std::sin(a) + std::exp(a) + std::pow(a, a) + std::sqrt(a) + std::abs(a) + sin(a) + exp(a) + sqrt(a) +
       rsqrt(a);
  bool odd = isnan(a) || isinf(d) || std::isfinite(a) || signbit(a) || isfinite(d) || std::isnan(d);
  float s, c;
  sincosf(a, &s, &c);
  return r + float(d) + s + c + float(odd) + CUDART_PI_F + float(CUDART_PI) + (a < CUDART_INF_F);
}

__device__ double deviceOnly(double d, float f) {
  return normcdfinv(d) + erfinv(d) + erfcinv(d) + erfcx(d) + j0(d) + y1(d) + cyl_bessel_i0(d) + exp10(d) +
         exp10f(f) + erfinvf(f) + norm4d(d, d, d, d) + rnorm3d(d, d, d) + fdividef(f, f) + remainder(d, d) +
         llrint(d) + lroundf(f);
}

__host__ __device__ float complexNumbers(cuFloatComplex a, cuDoubleComplex b) {
  a = cuCmulf(cuCaddf(a, make_cuFloatComplex(1, 2)), cuConjf(a));
  b = cuCdiv(b, make_cuDoubleComplex(3, 4));
  return cuCabsf(a) + cuCrealf(a) + float(cuCimag(b)) + cuComplexDoubleToFloat(b).x;
}

__global__ void math(float *out) {
  float x = out[threadIdx.x];
  out[threadIdx.x] = everywhere(x, x, 2) + float(deviceOnly(x, x)) + complexNumbers({x, x}, {x, x});
}

int main() {
  math<<<1, 32>>>(nullptr);
  std::complex<float> z(1, 2);
  return int(everywhere(1, 2, 3) + complexNumbers({1, 2}, {3, 4}) + std::abs(z * z));
}
