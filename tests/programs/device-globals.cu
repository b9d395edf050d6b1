// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __device__ variables: initialised, zeroed, pointing at each other, changed by kernels and by the host.
#include "Check.h"

__device__ int counter;
__device__ int primes[5] = {2, 3, 5, 7, 11};
__device__ int *third = &primes[2];
__device__ const char *greeting = "heddle";
__device__ volatile int flag = 9;
__device__ double matrix[4][4];
namespace inner {
__device__ long long total = 1ll << 35;
}

__global__ void count(int n) {
  if (blockIdx.x * blockDim.x + threadIdx.x < n)
    atomicAdd(&counter, primes[threadIdx.x % 5]);
}

__global__ void look(int *out) {
  out[0] = *third;
  out[1] = third[2];
  out[2] = greeting[3];
  out[3] = flag;
  out[4] = int(inner::total >> 30);
  __syncthreads();
  if (threadIdx.x == 0)
    inner::total += 5;
  matrix[threadIdx.x / 4][threadIdx.x % 4] = threadIdx.x;
}

int main() {
  count<<<4, 50>>>(150);
  CHECK_LAUNCH();
  int value = 0;
  CHECK_CUDA(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  CHECK(value == 30 * 28);

  int seven = 7;
  CHECK_CUDA(cudaMemcpyToSymbol(flag, &seven, sizeof seven));
  DeviceArray<int> out(5);
  look<<<1, 1>>>(out);
  CHECK_LAUNCH();
  std::vector<int> got = out.host();
  CHECK(got[0] == 5 && got[1] == 11 && got[2] == 'd' && got[3] == 7 && got[4] == 32);
  long long total = 0;
  CHECK_CUDA(cudaMemcpyFromSymbol(&total, inner::total, sizeof total));
  CHECK(total == (1ll << 35) + 5);

  look<<<1, 16>>>(out);
  CHECK_LAUNCH();
  void *address = nullptr;
  CHECK_CUDA(cudaGetSymbolAddress(&address, matrix));
  double copy[4][4];
  CHECK_CUDA(cudaMemcpy(copy, address, sizeof copy, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 16; ++i)
    CHECK(copy[i / 4][i % 4] == i);
  return pass();
}
