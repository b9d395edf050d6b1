// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats and integers that are copied to the host: i times the first argument, and as many as the second says
// counted up from i. With "managed" the floats are read without a copy.
#include <cstdlib>
#include <cstring>

__global__ void scale(int *counts, int more, float *values, float factor) {
  values[threadIdx.x] = float(threadIdx.x) * factor;
  counts[threadIdx.x] = int(threadIdx.x) + more;
}

int main(int argc, char **argv) {
  const int n = 32;
  const bool managed = argc > 3 && !std::strcmp(argv[3], "managed");
  float host[n], *values;
  int hostCounts[n], *counts;
  if (managed)
    cudaMallocManaged(&values, sizeof host);
  else
    cudaMalloc(&values, sizeof host);
  cudaMalloc(&counts, sizeof hostCounts);
  scale<<<1, n>>>(counts, std::atoi(argv[2]), values, float(std::atof(argv[1])));
  if (!managed)
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  cudaMemcpy(hostCounts, counts, sizeof hostCounts, cudaMemcpyDeviceToHost);
  cudaFree(values);
  cudaFree(counts);
  return 0;
}
