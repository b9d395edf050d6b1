// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With one order of warps, the program ends before it is done; with another, a launch takes too long, or the exit code is an error.
#include <cstdlib>
#include <cstring>
#include <unistd.h>

__global__ void count(volatile int *counter) {
  for (long long i = 0; i < 1LL << 40; ++i)
    *counter = int(i);
}

int main(int, char **arguments) {
  const char *schedule = std::getenv("HEDDLE_SCHEDULE");
  if (!schedule || std::strcmp(schedule, "2") != 0)
    return 0;
  if (!std::strcmp(arguments[1], "early"))
    _exit(0);
  if (!std::strcmp(arguments[1], "fails"))
    return 5;
  int *counter = nullptr;
  cudaMalloc(&counter, sizeof *counter);
  count<<<1, 1>>>(counter);
  cudaDeviceSynchronize();
  return 0;
}
