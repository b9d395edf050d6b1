// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every way to launch: <<<>>>, cudaLaunchKernel, cudaLaunchKernelExC, through a pointer, from a template.
#include "Check.h"

__global__ void fill(int *out, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = value + i;
}

template <class T> __global__ void twice(T *data, int n) {
  extern __shared__ unsigned char bytes[];
  T *own = reinterpret_cast<T *>(bytes);
  int i = threadIdx.x;
  own[i] = i < n ? data[i] : T();
  __syncthreads();
  if (i < n)
    data[i] = own[i] + own[i];
}

void expect(const DeviceArray<int> &data, int n, int value) {
  std::vector<int> got = data.host();
  for (int i = 0; i < n; ++i)
    CHECK(got[i] == value + i);
}

template <class T> void launchTwice(T *data, int n) { twice<T><<<1, 128, 128 * sizeof(T)>>>(data, n); }

int main() {
  constexpr int n = 100;
  DeviceArray<int> data(n);
  fill<<<2, 64>>>(data, n, 10);
  CHECK_LAUNCH();
  expect(data, n, 10);

  int *pointer = data, count = n, value = 20;
  void *arguments[] = {&pointer, &count, &value};
  CHECK_CUDA(
      cudaLaunchKernel(reinterpret_cast<const void *>(fill), dim3(2), dim3(64), arguments, 0, nullptr));
  CHECK_LAUNCH();
  expect(data, n, 20);

  value = 30;
  cudaLaunchConfig_t configuration = {};
  configuration.gridDim = dim3(4);
  configuration.blockDim = dim3(32);
  CHECK_CUDA(cudaLaunchKernelExC(&configuration, reinterpret_cast<const void *>(fill), arguments));
  CHECK_LAUNCH();
  expect(data, n, 30);

  CHECK_CUDA(cudaLaunchKernelEx(&configuration, fill, pointer, n, 40));
  CHECK_LAUNCH();
  expect(data, n, 40);

  void (*kernel)(int *, int, int) = fill;
  kernel<<<1, 128>>>(data, n, 50);
  CHECK_LAUNCH();
  expect(data, n, 50);

  launchTwice(static_cast<int *>(data), n);
  CHECK_LAUNCH();
  std::vector<int> got = data.host();
  for (int i = 0; i < n; ++i)
    CHECK(got[i] == 2 * (50 + i));

  std::vector<double> halves(n, 0.5);
  DeviceArray<double> doubles(halves);
  launchTwice(static_cast<double *>(doubles), n);
  CHECK_LAUNCH();
  CHECK(doubles.host()[n - 1] == 1.0);
  return pass();
}
