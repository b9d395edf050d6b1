// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels as templates over types, values and functors, instantiated several times in one program.
#include "Check.h"

struct Square {
  template <class T> __device__ T operator()(T x) const { return x * x; }
};

template <class T> struct Scale {
  T factor;
  __device__ T operator()(T x) const { return factor * x; }
};

template <class T, int perThread, class F> __global__ void apply(const T *in, T *out, int n, F f) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * perThread;
#pragma unroll
  for (int k = 0; k < perThread; ++k)
    if (first + k < n)
      out[first + k] = f(in[first + k]);
}

template <class T, int perThread, class F> void testApply(F f, T (*expected)(T)) {
  constexpr int n = 1000;
  std::vector<T> in(n);
  for (int i = 0; i < n; ++i)
    in[i] = T(i % 89);
  DeviceArray<T> source(in), target(n);
  int threads = (n + perThread - 1) / perThread;
  apply<T, perThread><<<(threads + 127) / 128, 128>>>(source, target, n, f);
  CHECK_LAUNCH();
  std::vector<T> out = target.host();
  for (int i = 0; i < n; ++i)
    CHECK(out[i] == expected(in[i]));
}

int main() {
  testApply<int, 1>(Square(), +[](int x) { return x * x; });
  testApply<float, 4>(Square(), +[](float x) { return x * x; });
  testApply<double, 3>(Scale<double>{0.5}, +[](double x) { return 0.5 * x; });
  testApply<unsigned char, 7>(
      Scale<unsigned char>{3}, +[](unsigned char x) { return (unsigned char)(3 * x); });
  testApply<long long, 2>(Scale<long long>{1ll << 40}, +[](long long x) { return x << 40; });
  return pass();
}
