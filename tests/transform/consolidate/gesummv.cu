// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GESUMMV, y = alpha A x + beta B x, a row a thread.
//
// For consolidation: no barrier and no shared memory. In the paper the caches were what it lacked: fewer
// warps at a time (throttle) were what helped, on the GPUs before Volta.
#include "Harness.h"

#define DIM_THREAD_BLOCK 256

__global__ void gesummv(float *y, float *tmp, const float *a, const float *b, const float *x, int n,
                        float alpha, float beta) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    for (int j = 0; j < n; j++) {
      tmp[i] += a[size_t(i) * n + j] * x[j];
      y[i] += b[size_t(i) * n + j] * x[j];
    }
    y[i] = alpha * tmp[i] + beta * y[i];
  }
}

int main(int argc, char **argv) {
  const int n = argument(argc, argv, 1, 300);
  const float alpha = 1.5f, beta = 0.75f;
  const std::vector<float> a = floats(size_t(n) * n, 23, 0), b = floats(size_t(n) * n, 24, 0),
                           x = floats(n, 25, 0);
  float *deviceA = toDevice(a), *deviceB = toDevice(b), *deviceX = toDevice(x);
  float *y = zeros<float>(n), *tmp = zeros<float>(n);

  gesummv<<<blocksFor(n, DIM_THREAD_BLOCK), DIM_THREAD_BLOCK>>>(y, tmp, deviceA, deviceB, deviceX, n, alpha,
                                                                beta);
  const std::vector<float> got = toHost(y, n);

  const auto wanted = [&](size_t i) {
    double sumA = 0, sumB = 0;
    for (int j = 0; j < n; ++j) {
      sumA += double(a[i * n + j]) * x[j];
      sumB += double(b[i * n + j]) * x[j];
    }
    return alpha * sumA + beta * sumB;
  };
  return verdict("gesummv", got, agree(got, wanted, 5e-5, 20000));
}
