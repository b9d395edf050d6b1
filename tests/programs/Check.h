// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every program here shares: a check that names its place, and a device array that copies both ways.
// A program prints PASS and returns 0, or says what went wrong and returns 1.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      std::printf("FAIL %s:%d: %s\n", __FILE__, __LINE__, #condition);                                       \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (0)

#define CHECK_CUDA(call)                                                                                     \
  do {                                                                                                       \
    cudaError_t error_ = (call);                                                                             \
    if (error_ != cudaSuccess) {                                                                             \
      std::printf("FAIL %s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_));            \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (0)

/// Waits for the kernel launched just before, and reports both kinds of failure.
#define CHECK_LAUNCH()                                                                                       \
  do {                                                                                                       \
    CHECK_CUDA(cudaGetLastError());                                                                          \
    CHECK_CUDA(cudaDeviceSynchronize());                                                                     \
  } while (0)

template <class T> class DeviceArray {
public:
  explicit DeviceArray(size_t count) : count(count) {
    CHECK_CUDA(cudaMalloc(reinterpret_cast<void **>(&data), count * sizeof(T)));
    CHECK_CUDA(cudaMemset(data, 0, count * sizeof(T)));
  }
  explicit DeviceArray(const std::vector<T> &host) : DeviceArray(host.size()) {
    CHECK_CUDA(cudaMemcpy(data, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { cudaFree(data); }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;

  operator T *() const { return data; }
  std::vector<T> host() const {
    std::vector<T> copy(count);
    CHECK_CUDA(cudaMemcpy(copy.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return copy;
  }

private:
  T *data = nullptr;
  size_t count;
};

inline int pass() {
  std::printf("PASS\n");
  return 0;
}
