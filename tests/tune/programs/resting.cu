// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that is at work on the host after its first launch, until the results of a search are there:
//     resting FILE [later]     waits until FILE, where results are kept, has two; then FILE.seen is there
// later: launches the kernel again after that, for many more elements.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

__global__ void work(float *values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = values[i] * 2 + 1;
}

static bool hasTwo(const char *name) {
  std::ifstream file(name);
  int results = 0;
  for (std::string line; std::getline(file, line);)
    results += line.find("\"measured\"") != std::string::npos;
  return results >= 2;
}

static void rest(const char *name) {
  for (int i = 0; i < 150; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(100)))
    if (hasTwo(name)) {
      std::ofstream(std::string(name) + ".seen") << '.';
      return;
    }
}

int main(int argc, char **argv) {
  const int count = 64, most = 8192;
  static float host[most];
  float *values;
  cudaMalloc(&values, sizeof host);
  cudaMemset(values, 0, sizeof host);
  work<<<(count + 63) / 64, 64>>>(values, count);
  cudaMemcpy(host, values, count * sizeof(float), cudaMemcpyDeviceToHost);
  if (argc > 1)
    rest(argv[1]);
  if (argc > 2 && std::strcmp(argv[2], "later") == 0) {
    work<<<(most + 63) / 64, 64>>>(values, most);
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  }
  std::printf("%g %g\n", host[0], host[most - 1]);
  return 0;
}
