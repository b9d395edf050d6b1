// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Twenty launches of one kernel and one of another; with an argument the last one reads where nothing is.
#include <cstdio>

__global__ void step(int *data) {
  if (threadIdx.x < 8)
    data[threadIdx.x] += 1;
}

__global__ void last(const int *data, int *out) { out[threadIdx.x] = data[threadIdx.x]; }

int main(int argc, char **) {
  int *data;
  cudaMalloc(&data, 64 * sizeof(int));
  cudaMemset(data, 0, 64 * sizeof(int));
  for (int i = 0; i < 20; ++i)
    step<<<2, 32>>>(data);
  last<<<1, 32>>>(data + (argc > 1 ? 1 << 20 : 0), data + 32);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
