// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For docs.json: a program whose copy and stdout are others in each run.
#include <cstdio>
#include <unistd.h>

__global__ void fill(int *out, int value) { out[threadIdx.x] = value; }

int main() {
  int *out, host[32];
  cudaMalloc(&out, sizeof host);
  fill<<<1, 32>>>(out, int(getpid()));
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 8; ++i)
    putchar('a' + (host[0] >> (4 * i)) % 16);
  putchar('\n');
}
