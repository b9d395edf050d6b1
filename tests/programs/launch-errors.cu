// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the runtime answers to wrong requests: its own codes, remembered until asked for, and nothing is run.
#include "Check.h"

#include <cstring>

__global__ void mark(int *out) { out[0] = 1; }
__global__ void __launch_bounds__(64) bounded(int *out) { out[0] = 2; }

/// CUDA 13 says "invalid value" where its predecessors said "invalid configuration" or "out of resources".
bool isRefusal(cudaError_t error) {
  return error == cudaErrorInvalidValue || error == cudaErrorInvalidConfiguration ||
         error == cudaErrorLaunchOutOfResources;
}

int main() {
  DeviceArray<int> out(1);
  mark<<<1, 2048>>>(out);
  CHECK(isRefusal(cudaPeekAtLastError()));
  CHECK(isRefusal(cudaGetLastError()));
  CHECK(cudaGetLastError() == cudaSuccess);
  mark<<<0, 32>>>(out);
  CHECK(isRefusal(cudaGetLastError()));
  mark<<<dim3(1, 70000), 32>>>(out);
  CHECK(isRefusal(cudaGetLastError()));
  mark<<<1, dim3(1, 1, 65)>>>(out);
  CHECK(isRefusal(cudaGetLastError()));
  mark<<<1, 32, 300 * 1024>>>(out);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  bounded<<<1, 65>>>(out);
  CHECK(isRefusal(cudaGetLastError()));
  CHECK(out.host()[0] == 0);
  bounded<<<1, 64>>>(out);
  CHECK_LAUNCH();
  CHECK(out.host()[0] == 2);

  CHECK(cudaFuncSetAttribute(mark, cudaFuncAttributeMaxDynamicSharedMemorySize, 300 * 1024) ==
        cudaErrorInvalidValue);
  CHECK(cudaMemcpy(out, nullptr, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMalloc(nullptr, 4) == cudaErrorInvalidValue);
  void *huge = nullptr;
  CHECK(cudaMalloc(&huge, size_t(1) << 50) == cudaErrorMemoryAllocation);
  CHECK(cudaSetDevice(999) == cudaErrorInvalidDevice);
  int local = 0;
  CHECK(cudaFree(&local) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(!std::strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"));
  CHECK(!std::strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument"));
  CHECK(!std::strcmp(cudaGetErrorString(cudaSuccess), "no error"));
  CHECK(
      !std::strcmp(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered"));

  // None of this harmed the device.
  mark<<<1, 1>>>(out);
  CHECK_LAUNCH();
  CHECK(out.host()[0] == 1);
  return pass();
}
