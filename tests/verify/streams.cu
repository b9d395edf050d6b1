// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of four streams: they are done in any order, and compared in the order of the calls.
#include <cstdio>

__global__ void add(float *data, float what, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    data[i] += what;
}

int main() {
  const int count = 1000, parts = 4;
  float *device, *host;
  cudaStream_t streams[parts];
  cudaMalloc(reinterpret_cast<void **>(&device), count * parts * sizeof(float));
  cudaMallocHost(reinterpret_cast<void **>(&host), count * parts * sizeof(float));
  for (int i = 0; i < count * parts; ++i)
    host[i] = float(i);
  for (int p = 0; p < parts; ++p) {
    float *mine = device + p * count, *out = host + p * count;
    cudaStreamCreate(&streams[p]);
    cudaMemcpyAsync(mine, out, count * sizeof(float), cudaMemcpyHostToDevice, streams[p]);
    add<<<(count + 127) / 128, 128, 0, streams[p]>>>(mine, 1.5f, count);
    cudaMemcpyAsync(out, mine, count * sizeof(float), cudaMemcpyDeviceToHost, streams[p]);
  }
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  std::printf("%g\n", double(host[count * parts - 1]));
}
