// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that the host reads without a copy, and that the kernel does not see itself when they are reordered
// : what it leaves in them counts all the same. Asked for by a pragma.
#include <cstdio>

// clang-format off
#pragma heddle regroup by=length[i] via=layout
// clang-format on
__global__ void steps(float *sums, const int *length, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int step = 0; step < length[i]; ++step)
    sum += float(step);
  sums[i] = sum;
}

int main() {
  const int n = 1000;
  int *length;
  float *sums;
  cudaMallocManaged(&length, n * sizeof(int));
  cudaHostAlloc(&sums, n * sizeof(float), cudaHostAllocMapped);
  for (int i = 0; i < n; ++i)
    length[i] = i * 37 % 101;
  for (int round = 0; round < 3; ++round) {
    steps<<<n / 64 + 1, 64>>>(sums, length, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i)
      if (sums[i] != float(length[i] * (length[i] - 1) / 2))
        return std::printf("sum %d is %g\n", i, sums[i]), 1;
    length[0] += 5; // need not be noticed
  }
  std::printf("PASS\n");
}
