// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __constant__ arrays and structs: initialised, written by the host in part, read back, addressed.
#include "Check.h"

struct Polynomial {
  int degree;
  double coefficients[5];
};

__constant__ float table[64] = {1, 2, 3, 4};
__constant__ Polynomial polynomial = {2, {1, 0, 3, 0, 0}};
static __constant__ unsigned char bytes[3] = {7, 8, 9};

__global__ void readTable(float *out) { out[threadIdx.x] = table[threadIdx.x] + bytes[threadIdx.x % 3]; }

__global__ void evaluate(double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double x = i * 0.125, sum = 0;
  for (int k = polynomial.degree; k >= 0; --k)
    sum = sum * x + polynomial.coefficients[k];
  out[i] = sum;
}

__global__ void readThroughPointer(const float *p, float *out) { out[threadIdx.x] = p[63 - threadIdx.x]; }

int main() {
  DeviceArray<float> out(64);
  readTable<<<1, 64>>>(out);
  CHECK_LAUNCH();
  std::vector<float> got = out.host();
  for (int i = 0; i < 64; ++i)
    CHECK(got[i] == (i < 4 ? i + 1 : 0) + 7 + i % 3);

  float tail[32];
  for (int i = 0; i < 32; ++i)
    tail[i] = 100.0f + i;
  CHECK_CUDA(cudaMemcpyToSymbol(table, tail, sizeof tail, 32 * sizeof(float)));
  float back[64];
  CHECK_CUDA(cudaMemcpyFromSymbol(back, table, sizeof back));
  CHECK(back[0] == 1 && back[31] == 0 && back[32] == 100 && back[63] == 131);

  void *address = nullptr;
  size_t size = 0;
  CHECK_CUDA(cudaGetSymbolAddress(&address, table));
  CHECK_CUDA(cudaGetSymbolSize(&size, table));
  CHECK(size == 256);
  readThroughPointer<<<1, 64>>>(static_cast<const float *>(address), out);
  CHECK_LAUNCH();
  CHECK(out.host()[0] == 131 && out.host()[63] == 1);

  Polynomial cubic = {3, {1, -2, 0.5, 4, 0}};
  CHECK_CUDA(cudaMemcpyToSymbol(polynomial, &cubic, sizeof cubic));
  DeviceArray<double> values(100);
  evaluate<<<2, 64>>>(values, 100);
  CHECK_LAUNCH();
  std::vector<double> results = values.host();
  for (int i = 0; i < 100; ++i) {
    double x = i * 0.125;
    CHECK(results[i] == ((4 * x + 0.5) * x - 2) * x + 1);
  }
  return pass();
}
