// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs here share: input that is the same in every run, and results copied to the host,
// where `heddle verify` compares them bit for bit.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    cudaError_t error = (call);                                                                              \
    if (error != cudaSuccess) {                                                                              \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));                    \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (0)

/// Values of all sizes, some of them negative, whole multiples of 1/8.
template <class T> std::vector<T> values(int count, unsigned seed = 1) {
  std::vector<T> list(count);
  unsigned state = seed * 2654435761u + 12345u;
  for (T &value : list) {
    state = state * 1664525u + 1013904223u;
    value = T(int(state >> 20) - 2048) / T(8);
  }
  return list;
}

template <class T> T *onDevice(const std::vector<T> &list) {
  T *memory = nullptr;
  CHECK(cudaMalloc(&memory, list.size() * sizeof(T)));
  CHECK(cudaMemcpy(memory, list.data(), list.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}
template <class T> T *input(int count, unsigned seed = 1) { return onDevice(values<T>(count, seed)); }
template <class T> T *zeros(int count) { return onDevice(std::vector<T>(count)); }

/// Brings a result back and says how it sums up.
template <class T> void bring(const char *name, const T *memory, int count) {
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  std::vector<T> list(count);
  CHECK(cudaMemcpy(list.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += double(list[i]) * (i % 7 + 1);
  std::printf("%s %.3f\n", name, sum);
}
