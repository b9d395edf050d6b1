// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Latency and throughput of arithmetic, by chains of instructions each of which needs the one before.
//
// A chain goes a = f(a, b), b = f(b, a), a = f(a, b)...: two values alternate, so that ptxas finds nothing
// to fold or to hoist. The loop around it is there twice, with a body of `unroll` and of twice as many steps;
// the difference of the two times knows neither the loop, nor the clock, nor the chain's first and last step.
//
// Latency: one warp, one chain. Throughput: 32 warps with four chains each on one multiprocessor, which is
// more than any of its pipes can have in flight.
//
// Which rows: -DROWS=\"Integer.def\". One file of rows each, to be compiled at the same time.
#include "Rows.h"

#include <cstdint>

namespace {

constexpr int Warp = 32, ThroughputThreads = 1024, ThroughputChains = 4;

// In TEXT %0 is what the step writes (and its own value of two steps before), %1 what the step before wrote,
// %2 a value that stays.
#define CHAIN(ID, NAME, OPS, UNROLL, TYPE, LETTER, A, B, C, LESS, TEXT)                                      \
  struct ID {                                                                                                \
    using Value = TYPE;                                                                                      \
    static constexpr const char *name = NAME, *less = LESS;                                                  \
    static constexpr int ops = OPS, unroll = UNROLL;                                                         \
    static constexpr Value a = A, b = B, c = C;                                                              \
    static __device__ __forceinline__ void step(Value &to, const Value &from, const Value &fixed) {          \
      asm volatile(TEXT : "+" LETTER(to) : LETTER(from), LETTER(fixed));                                     \
    }                                                                                                        \
  };
#include ROWS
#undef CHAIN

template <class Row, int Unroll, int Chains>
__global__ void __launch_bounds__(ThroughputThreads)
    chain(Span *spans, typename Row::Value *values, int iterations) {
  // From memory: what is a constant or a parameter may be an operand of another form.
  typename Row::Value a[Chains], b[Chains], fixed = values[2];
  for (int k = 0; k < Chains; ++k)
    a[k] = values[0], b[k] = values[1];
  __syncthreads();
  const long long begin = now();
#pragma unroll 1
  for (int i = 0; i < iterations; ++i)
#pragma unroll
    for (int u = 0; u < Unroll; u += 2) {
#pragma unroll
      for (int k = 0; k < Chains; ++k)
        Row::step(a[k], b[k], fixed);
#pragma unroll
      for (int k = 0; k < Chains; ++k)
        Row::step(b[k], a[k], fixed);
    }
  const long long end = now();
  if (threadIdx.x % Warp == 0)
    spans[threadIdx.x / Warp] = {begin, end};
  for (int k = 0; k < Chains; ++k)
    values[3 + k * ThroughputThreads + threadIdx.x] = a[k] + b[k];
}

/// Cycles that one more body of the loop takes, in each iteration.
template <class Row, int Chains> double cyclesOfBody(Stopwatch &watch, int threads) {
  constexpr int iterations = 64;
  using Value = typename Row::Value;
  Value *values;
  must(cudaMalloc(&values, (3 + ThroughputChains * ThroughputThreads) * sizeof(Value)), Row::name);
  const Value first[3] = {Row::a, Row::b, Row::c};
  must(cudaMemcpy(values, first, sizeof first, cudaMemcpyHostToDevice), Row::name);
  const double once = watch.cycles(threads / Warp, Row::name, [&](Span *spans) {
    chain<Row, Row::unroll, Chains><<<1, threads>>>(spans, values, iterations);
  });
  const double twice = watch.cycles(threads / Warp, Row::name, [&](Span *spans) {
    chain<Row, 2 * Row::unroll, Chains><<<1, threads>>>(spans, values, iterations);
  });
  must(cudaFree(values), Row::name);
  return (twice - once) / iterations;
}

template <class Row> void measure(Stopwatch &watch) {
  const double latency = cyclesOfBody<Row, 1>(watch, Warp) / Row::unroll;
  const double busy = cyclesOfBody<Row, ThroughputChains>(watch, ThroughputThreads) / Row::unroll;
  printRow(Row::name, "chain", Row::ops, latency, ThroughputChains * ThroughputThreads / busy, Row::less);
}

} // namespace

int main() {
  Stopwatch watch(ThroughputThreads / Warp);
#define CHAIN(ID, NAME, OPS, UNROLL, TYPE, LETTER, A, B, C, LESS, TEXT) measure<ID>(watch);
#include ROWS
#undef CHAIN
}
