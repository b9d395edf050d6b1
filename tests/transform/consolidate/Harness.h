// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs here share: input that is the same in every run, a comparison with what the CPU computes,
// and a last line with a checksum of the results' bits, by which two variants of a program can be compared.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

inline void mustSucceed(cudaError_t status, const char *call, int line) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "line %d: %s: %s\n", line, call, cudaGetErrorString(status));
  std::exit(2);
}
#define CHECK(call) mustSucceed(call, #call, __LINE__)

/// The argument at that place, from 1; all programs work with sizes alone.
inline int argument(int argc, char **argv, int place, int otherwise) {
  const int value = place < argc ? std::atoi(argv[place]) : otherwise;
  if (value > 0)
    return value;
  std::fprintf(stderr, "argument %d of %s must be above 0 (%d when not given)\n", place, argv[0], otherwise);
  std::exit(2);
}

inline int blocksFor(int count, int each) { return (count - 1) / each + 1; }

/// A small generator: its numbers need not be good, only the same everywhere.
class Numbers {
public:
  explicit Numbers(unsigned seed) : state(seed * 2654435761u + 12345u) {}
  unsigned next() {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }
  int below(int bound) { return int(next() % unsigned(bound)); }
  /// By one operation that says how it rounds: compilers differ in what they contract to it.
  float between(float low, float high) { return std::fma(high - low, float(next()) / 16777216.0f, low); }

private:
  unsigned state;
};

inline std::vector<float> floats(std::size_t count, unsigned seed, float low = -1, float high = 1) {
  Numbers numbers(seed);
  std::vector<float> list(count);
  for (float &value : list)
    value = numbers.between(low, high);
  return list;
}
template <class T = int> std::vector<T> integers(std::size_t count, unsigned seed, int bound) {
  Numbers numbers(seed);
  std::vector<T> list(count);
  for (T &value : list)
    value = T(numbers.below(bound));
  return list;
}

template <class T> T *toDevice(const std::vector<T> &host) {
  T *device = nullptr;
  CHECK(cudaMalloc(&device, host.size() * sizeof(T)));
  CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}
template <class T> T *zeros(std::size_t count) {
  T *device = nullptr;
  CHECK(cudaMalloc(&device, count * sizeof(T)));
  CHECK(cudaMemset(device, 0, count * sizeof(T)));
  return device;
}
template <class T> std::vector<T> toHost(const T *device, std::size_t count) {
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  std::vector<T> host(count);
  CHECK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

/// Whether results are what `wanted(index)` gives: exactly for a tolerance of 0, else within it, relative to
/// values above 1. At most about `most` of them are looked at, so that the CPU keeps up with a GPU at any
/// size; their distance is odd, to meet every thread of a block in turn.
template <class T, class Wanted>
bool agree(const std::vector<T> &got, Wanted wanted, double tolerance, std::size_t most = ~std::size_t(0)) {
  const std::size_t step = got.size() / most | 1;
  for (std::size_t i = 0; i < got.size(); i += step) {
    const auto want = wanted(i);
    const double bound = tolerance * std::fmax(1.0, std::fabs(double(want)));
    const bool fine = tolerance == 0 ? got[i] == T(want) : std::fabs(double(got[i]) - double(want)) <= bound;
    if (!fine) { // also where a NaN was computed
      std::fprintf(stderr, "result %zu is %.9g, not %.9g\n", i, double(got[i]), double(want));
      return false;
    }
  }
  return true;
}

/// The program's last line and its exit status.
template <class T> int verdict(const char *name, const std::vector<T> &results, bool passed) {
  const unsigned char *bytes = reinterpret_cast<const unsigned char *>(results.data());
  std::uint64_t sum = 14695981039346656037u; // FNV-1a
  for (std::size_t i = 0; i < results.size() * sizeof(T); ++i)
    sum = (sum ^ bytes[i]) * 1099511628211u;
  std::printf("%s: %s, checksum %016llx\n", name, passed ? "PASS" : "FAIL",
              static_cast<unsigned long long>(sum));
  return passed ? 0 : 1;
}
