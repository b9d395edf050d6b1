// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dynamic shared memory: one buffer carved into two arrays, and more than 48 KiB after asking for it.
#include "Check.h"

extern __shared__ double sharedBytes[];

__global__ void reverseTwo(const double *in, double *out, const short *keys, short *keysOut, int n) {
  double *values = sharedBytes;
  short *tags = reinterpret_cast<short *>(values + n);
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    values[i] = in[i];
    tags[i] = keys[i];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    out[i] = values[n - 1 - i];
    keysOut[i] = tags[n - 1 - i];
  }
}

__global__ void reportSize(unsigned *bytes) {
  unsigned size;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
  *bytes = size;
}

void reverse(int n) {
  std::vector<double> values(n);
  std::vector<short> keys(n);
  for (int i = 0; i < n; ++i) {
    values[i] = i * 0.25;
    keys[i] = short(i * 7);
  }
  DeviceArray<double> in(values), out(n);
  DeviceArray<short> tags(keys), tagsOut(n);
  size_t bytes = n * (sizeof(double) + sizeof(short));
  reverseTwo<<<1, 192, bytes>>>(in, out, tags, tagsOut, n);
  CHECK_LAUNCH();
  std::vector<double> reversed = out.host();
  std::vector<short> reversedKeys = tagsOut.host();
  for (int i = 0; i < n; ++i)
    CHECK(reversed[i] == values[n - 1 - i] && reversedKeys[i] == keys[n - 1 - i]);
}

int main() {
  reverse(100);
  reverse(4096);
  // 60 KiB is beyond what a launch may ask for without saying so first.
  DeviceArray<unsigned> bytes(1);
  reportSize<<<1, 1, 60 * 1024>>>(bytes);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK_CUDA(cudaFuncSetAttribute(reverseTwo, cudaFuncAttributeMaxDynamicSharedMemorySize, 96 * 1024));
  reverse(8000);
  reportSize<<<1, 1, 1234>>>(bytes);
  CHECK_LAUNCH();
  CHECK(bytes.host()[0] == 1234);
  return pass();
}
