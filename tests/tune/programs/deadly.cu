// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Doubles some numbers. One form of it (DEADLY=2) kills the process that measures it, the first time.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#ifndef DEADLY
#define DEADLY 0
#endif

__global__ void twice(float *values) { values[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }

int main(int, char **argv) {
  if (DEADLY == 2 && open(argv[1], O_CREAT | O_EXCL, 0600) >= 0)
    kill(getppid(), SIGKILL);
  float host[64];
  for (int i = 0; i < 64; ++i)
    host[i] = float(i);
  float *values;
  cudaMalloc(&values, sizeof host);
  cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
  twice<<<2, 32>>>(values);
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  return host[9] != 18;
}
