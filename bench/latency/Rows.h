// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a table of latencies is made of: rows of tab-separated text on stdout, each the median of several
// launches.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

inline void must(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "latency: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

/// Launches that are timed; the first is not, it brings code and data where they are wanted.
constexpr int Rounds = 11;

__device__ __forceinline__ long long now() {
  long long clock;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(clock)::"memory");
  return clock;
}

/// What each warp saw of the clock of its multiprocessor. One block each, so there is one clock only.
struct Span {
  long long begin, end;
};

/// Cycles from the first warp's begin to the last warp's end; median of Rounds launches.
class Stopwatch {
public:
  explicit Stopwatch(int mostWarps) : spans(mostWarps) {
    must(cudaMalloc(&onDevice, mostWarps * sizeof(Span)), "cudaMalloc");
  }
  ~Stopwatch() { cudaFree(onDevice); }

  template <class Launch> double cycles(int warps, const char *what, Launch launch) {
    std::vector<double> all;
    for (int round = 0; round <= Rounds; ++round) {
      launch(onDevice);
      must(cudaGetLastError(), what);
      must(cudaMemcpy(spans.data(), onDevice, warps * sizeof(Span), cudaMemcpyDeviceToHost), what);
      long long begin = spans[0].begin, end = spans[0].end;
      for (int w = 1; w < warps; ++w)
        begin = std::min(begin, spans[w].begin), end = std::max(end, spans[w].end);
      if (round)
        all.push_back(double(end - begin));
    }
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
  }

private:
  Span *onDevice = nullptr;
  std::vector<Span> spans;
};

/// One row: what was measured, how, how many operations a step has, cycles from one step to the next that
/// depends on it, and how many steps the threads of one multiprocessor get done in a cycle (0: not measured).
/// `less`: rows whose operations are in the step too, set apart by blanks, because this one could not be
/// measured alone.
inline void printRow(const char *name, const char *how, int ops, double cycles, double perCycle,
                     const char *less = "") {
  std::printf("%s\t%s\t%d\t%.3f\t%.3f\t%s\n", name, how, ops, cycles, perCycle, less);
  std::fflush(stdout);
}
