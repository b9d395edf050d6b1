// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the table of a device's rates is made of: rows of tab-separated text on stdout, each the median and the
// quartiles of several rounds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <string>
#include <vector>

inline void must(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "device: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

/// Rounds that are timed; one more comes before them, which brings code and data where they are wanted.
constexpr int Rounds = 9;
constexpr int Warp = 32;

struct Quartiles {
  double median = 0, q1 = 0, q3 = 0;

  Quartiles times(double factor) const { return {median * factor, q1 * factor, q3 * factor}; }
  /// From the time of something to its rate.
  Quartiles rateOf(double amount) const { return {amount / median, amount / q3, amount / q1}; }
};

inline Quartiles quartilesOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  auto at = [&](double share) { return values[size_t(share * double(values.size() - 1) + 0.5)]; };
  return {at(0.5), at(0.25), at(0.75)};
}

/// Times by events.
class Timer {
public:
  Timer() {
    must(cudaEventCreate(&begin), "cudaEventCreate");
    must(cudaEventCreate(&end), "cudaEventCreate");
  }
  template <class Launch> double micros(const char *what, Launch launch) {
    must(cudaEventRecord(begin), what);
    launch();
    must(cudaEventRecord(end), what);
    must(cudaGetLastError(), what);
    must(cudaEventSynchronize(end), what);
    float millis = 0;
    must(cudaEventElapsedTime(&millis, begin, end), what);
    return double(millis) * 1e3;
  }

private:
  cudaEvent_t begin{}, end{};
};

/// Microseconds of `launch()`.
template <class Launch> Quartiles microsOf(const char *what, Launch launch) {
  Timer timer;
  std::vector<double> all;
  for (int round = 0; round <= Rounds; ++round) {
    const double took = timer.micros(what, launch);
    if (round)
      all.push_back(took);
  }
  return quartilesOf(all);
}

/// Microseconds that `launch(2)` takes longer than `launch(1)`: what is not repeated is not counted.
template <class Launch> Quartiles moreMicros(const char *what, Launch launch) {
  Timer timer;
  std::vector<double> all;
  for (int round = 0; round <= Rounds; ++round) {
    const double once = timer.micros(what, [&] { launch(1); });
    const double twice = timer.micros(what, [&] { launch(2); });
    if (round)
      all.push_back(std::max(1e-3, twice - once));
  }
  return quartilesOf(all);
}

inline const cudaDeviceProp &device() {
  static const cudaDeviceProp properties = [] {
    cudaDeviceProp found;
    must(cudaGetDeviceProperties(&found, 0), "cudaGetDeviceProperties");
    return found;
  }();
  return properties;
}
inline int sms() { return device().multiProcessorCount; }

__device__ __forceinline__ long long now() {
  long long clock;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(clock)::"memory");
  return clock;
}

/// Cycles of an SM between two points of a kernel: those of the first block, which all its warps agree on.
class Cycles {
public:
  Cycles() { must(cudaMalloc(&onDevice, sizeof(long long)), "cudaMalloc"); }
  ~Cycles() { cudaFree(onDevice); }
  /// `launch(cycles, times)`.
  template <class Launch> Quartiles more(const char *what, Launch launch) {
    std::vector<double> all;
    for (int round = 0; round <= Rounds; ++round) {
      const double once = read(what, launch, 1), twice = read(what, launch, 2);
      if (round)
        all.push_back(std::max(1e-3, twice - once));
    }
    return quartilesOf(all);
  }

private:
  template <class Launch> double read(const char *what, Launch launch, int times) {
    long long cycles = 0;
    launch(onDevice, times);
    must(cudaGetLastError(), what);
    must(cudaMemcpy(&cycles, onDevice, sizeof cycles, cudaMemcpyDeviceToHost), what);
    return double(cycles);
  }
  long long *onDevice = nullptr;
};

/// What the first thread of the first block sees pass while all warps of the block execute `body`.
template <class Body> __device__ __forceinline__ void timed(long long *cycles, Body body) {
  __syncthreads();
  const long long begin = now();
  body();
  __syncthreads();
  const long long end = now();
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *cycles = end - begin;
}

/// quantity, case, value, unit, quartiles.
inline void row(const std::string &quantity, const std::string &which, const char *unit, Quartiles value) {
  std::printf("%s\t%s\t%.5g\t%s\t%.5g\t%.5g\n", quantity.c_str(), which.c_str(), value.median, unit, value.q1,
              value.q3);
  std::fflush(stdout);
}

inline std::string sizeOf(uint64_t bytes) {
  return bytes >> 30 && !(bytes & ((1ull << 30) - 1)) ? std::to_string(bytes >> 30) + " GiB"
         : bytes >> 20                                ? std::to_string(bytes >> 20) + " MiB"
                                                      : std::to_string(bytes >> 10) + " KiB";
}

inline void *memory(uint64_t bytes) {
  void *data;
  must(cudaMalloc(&data, bytes), "cudaMalloc");
  must(cudaMemset(data, 0, bytes), "cudaMemset");
  return data;
}
