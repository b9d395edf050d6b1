// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that CUDA has on both sides and C++ has not: the host's are compared with identities, and the device's
// to the host's.
#include "Check.h"

#include <cmath>

#define FUNCTIONS(M) M(erfinv) M(erfcinv) M(erfcx) M(normcdfinv)

template <class T> __host__ __device__ void everyFunction(double x, T *out) {
  T a = T(x);
#define CALL(name) *out++ = name(a);
  FUNCTIONS(CALL)
}

__global__ void run(const double *x, int n, double *doubles, float *floats) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  everyFunction(x[i], doubles + i * 4);
  everyFunction(x[i], floats + i * 4);
  floats[i * 4 + 1] = erfcinvf(float(x[i]));
}

/// Equal within some units of the last place; NaN equals NaN.
template <class T> bool close(T a, T b, double ulps) {
  if (a == b || (a != a && b != b))
    return true;
  return std::fabs(double(a) - double(b)) <= ulps * std::fabs(double(std::nextafter(b, T(INFINITY)) - b));
}

static void identities() {
  // Values from tables: erfinv(0.5), erfcx(1), erfcx(30), normcdfinv(0.975).
  CHECK(close(erfinv(0.5), 0.476936276204469873, 2));
  CHECK(close(erfcinv(0.5), 0.476936276204469873, 2));
  CHECK(close(erfcx(1.0), 0.427583576155807005, 4));
  CHECK(close(erfcx(30.0), 0.0187958888614167515, 4));
  CHECK(close(normcdfinv(0.975), 1.95996398454005424, 4));
  CHECK(erfcx(-30.0) == INFINITY && erfcx(INFINITY) == 0 && std::isnan(erfcx(NAN)));
  CHECK(erfinv(1.0) == INFINITY && erfinv(-1.0) == -INFINITY && std::isnan(erfinv(1.5)));
  CHECK(erfcinv(0.0) == INFINITY && erfcinv(2.0) == -INFINITY && normcdfinv(0.5) == 0);
  // Further down, what erfc loses in rounding is many units of y.
  for (double y = 0.5; y < 26; y += 0.37)
    CHECK(close(erfcinv(std::erfc(y)), y, 4));
  CHECK(erfinvf(0.25f) == erfinv(0.25f) && erfcxf(2.0f) == erfcx(2.0f));
}

static void namedMinMax() {
  CHECK(umin(3u, 0x80000000u) == 3 && umax(3u, 0x80000000u) == 0x80000000u);
  CHECK(llmin(-5ll, 1ll << 40) == -5 && llmax(-5ll, 1ll << 40) == 1ll << 40);
  CHECK(ullmin(5ull, 1ull << 63) == 5 && ullmax(5ull, 1ull << 63) == 1ull << 63);
}

int main() {
  identities();
  namedMinMax();
  std::vector<double> x;
  for (double a :
       {0.0, 1e-300, 1e-30, 1e-9, 0.001, 0.1, 0.3, 0.49, 0.5, 0.7, 0.9, 0.999, 1.0, 1.3, 1.9, 2.0, 7.0})
    x.push_back(a), x.push_back(-a);
  const int n = int(x.size());
  DeviceArray<double> in(x), doubles(n * 4);
  DeviceArray<float> floats(n * 4);
  run<<<1, 64>>>(in, n, doubles, floats);
  CHECK_LAUNCH();
  std::vector<double> d = doubles.host();
  std::vector<float> f = floats.host();
  for (int i = 0; i < n; ++i) {
    double hostDouble[4];
    float hostFloat[4];
    everyFunction(x[i], hostDouble);
    everyFunction(x[i], hostFloat);
    for (int k = 0; k < 4; ++k) {
      if (!close(d[i * 4 + k], hostDouble[k], 16) || !close(f[i * 4 + k], hostFloat[k], 8))
        std::printf("function %d of %g: %.17g, %.17g on the host; float %.9g, %.9g\n", k, x[i], d[i * 4 + k],
                    hostDouble[k], f[i * 4 + k], hostFloat[k]);
      CHECK(close(d[i * 4 + k], hostDouble[k], 16));
      CHECK(close(f[i * 4 + k], hostFloat[k], 8));
    }
  }
  return pass();
}
