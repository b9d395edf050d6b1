// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every example needs around its kernel: a CUDA call that must succeed, a size from the command line,
// and a comparison that a NaN cannot slip through.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

inline void mustSucceed(cudaError_t status, const char *call, int line) {
  if (status == cudaSuccess)
    return;
  std::printf("line %d: %s: %s\n", line, call, cudaGetErrorString(status));
  std::exit(2);
}
#define CHECK(call) mustSucceed(call, #call, __LINE__)

/// A copy of `host` on the device.
template <class T> T *toDevice(const std::vector<T> &host) {
  T *device = nullptr;
  CHECK(cudaMalloc(&device, host.size() * sizeof(T)));
  CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

template <class T> void toHost(std::vector<T> &host, const T *device) {
  CHECK(cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
}

inline int sizeArgument(int argc, char **argv, int otherwise) {
  const int size = argc > 1 ? std::atoi(argv[1]) : otherwise;
  if (size > 0)
    return size;
  std::printf("usage: %s [size], size > 0 (%d when not given)\n", argv[0], otherwise);
  std::exit(2);
}

/// How many blocks share `count` items in a loop over the grid: about 16 items for each thread of a large
/// input; of a small one fewer, as long as no thread is left without.
inline int blocksFor(int count, int threads, int wanted) {
  const int most = (count - 1) / threads + 1;
  const int large = (count - 1) / (16 * threads) + 1;
  const int enough = wanted > large ? wanted : large;
  return most < enough ? most : enough;
}

/// Whether each value is within `tolerance` of the wanted one, relative to it where it is larger than 1.
template <class T> bool allClose(const std::vector<T> &got, const std::vector<T> &wanted, double tolerance) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double bound = tolerance * std::fmax(1.0, std::fabs(double(wanted[i])));
    if (!(std::fabs(double(got[i]) - double(wanted[i])) <= bound)) {
      std::printf("first difference at %zu: %.9g, wanted %.9g\n", i, double(got[i]), double(wanted[i]));
      return false;
    }
  }
  return true;
}

/// The program's last line and its exit status.
inline int verdict(const char *name, bool passed) {
  std::printf("%s: %s\n", name, passed ? "PASS" : "FAIL");
  return passed ? 0 : 1;
}
