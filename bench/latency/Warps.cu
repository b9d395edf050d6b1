// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions by which lanes, warps and blocks meet, and what moves control: votes, shuffles, barriers,
// fences, branches, calls, matrix multiplication.
#include "Rows.h"

#include <cstdint>

namespace {

constexpr int Warp = 32, ThroughputThreads = 1024;

#define STEP(ID, NAME, OPS, LESS, TEXT)                                                                      \
  struct ID {                                                                                                \
    static constexpr const char *name = NAME, *less = LESS;                                                  \
    static constexpr int ops = OPS;                                                                          \
    static __device__ __forceinline__ void step(unsigned &to, unsigned from, unsigned shared,                \
                                                uint64_t global) {                                           \
      asm volatile(TEXT : "+r"(to) : "r"(from), "r"(shared), "l"(global) : "memory");                        \
    }                                                                                                        \
  };

// %0 and %1 as in Integer.def, %2 an address of shared memory, %3 one of global memory.
#define STEPS                                                                                                \
  STEP(ShuffleBfly, "shfl.bfly", 1, "add.s32",                                                               \
       "{.reg .b32 t; shfl.sync.bfly.b32 t, %1, 1, 31, -1; add.s32 %0, %0, t;}")                             \
  STEP(ShuffleIdx, "shfl.idx", 1, "", "shfl.sync.idx.b32 %0, %0, %1, 31, -1;")                               \
  STEP(Ballot, "vote.ballot", 1, "setp.s32",                                                                 \
       "{.reg .pred p; setp.gt.s32 p, %1, 7; vote.sync.ballot.b32 %0, p, -1;}")                              \
  STEP(Any, "vote.any", 1, "setp.s32 selp.b32",                                                              \
       "{.reg .pred p, q; setp.gt.s32 p, %1, 7; vote.sync.any.pred q, p, -1; selp.b32 %0, %0, %1, q;}")      \
  STEP(MatchAny, "match.any", 1, "", "match.any.sync.b32 %0, %1, -1;")                                       \
  STEP(Redux, "redux.add", 1, "", "redux.sync.add.s32 %0, %1, -1;")                                          \
  STEP(WarpBarrier, "bar.warp.sync", 1, "", "bar.warp.sync -1;")                                             \
  STEP(BlockBarrier, "bar.sync", 1, "", "bar.sync 0;")                                                       \
  STEP(FenceBlock, "fence.cta", 1, "", "fence.acq_rel.cta;")                                                 \
  STEP(FenceDevice, "fence.gpu", 1, "", "fence.acq_rel.gpu;")                                                \
  STEP(FenceSystem, "fence.sys", 1, "", "fence.acq_rel.sys;")                                                \
  STEP(CopyAsync, "cp.async", 1, "",                                                                         \
       "cp.async.ca.shared.global [%2], [%3], 4; cp.async.commit_group; cp.async.wait_group 0;")

STEPS
#undef STEP

template <class Row, int Unroll>
__global__ void __launch_bounds__(ThroughputThreads) meet(Span *spans, unsigned *values, int iterations) {
  __shared__ unsigned words[ThroughputThreads];
  words[threadIdx.x] = 0;
  unsigned a = values[threadIdx.x], b = values[threadIdx.x + 1];
  const unsigned shared = unsigned(__cvta_generic_to_shared(words + threadIdx.x));
  const uint64_t global = reinterpret_cast<uint64_t>(values + threadIdx.x);
  __syncthreads();
  const long long begin = now();
#pragma unroll 1
  for (int i = 0; i < iterations; ++i)
#pragma unroll
    for (int u = 0; u < Unroll; u += 2) {
      Row::step(a, b, shared, global);
      Row::step(b, a, shared, global);
    }
  const long long end = now();
  if (threadIdx.x % Warp == 0)
    spans[threadIdx.x / Warp] = {begin, end};
  values[2 * ThroughputThreads + threadIdx.x] = a + b + words[threadIdx.x];
}

/// Cycles of one step, by the difference of two lengths of the loop's body (see Chains.cu).
template <class Row> double cyclesOfStep(Stopwatch &watch, unsigned *values, int threads) {
  constexpr int unroll = 16, iterations = 64;
  const double once = watch.cycles(threads / Warp, Row::name, [&](Span *spans) {
    meet<Row, unroll><<<1, threads>>>(spans, values, iterations);
  });
  const double twice = watch.cycles(threads / Warp, Row::name, [&](Span *spans) {
    meet<Row, 2 * unroll><<<1, threads>>>(spans, values, iterations);
  });
  return (twice - once) / (unroll * iterations);
}

template <class Row> void measure(Stopwatch &watch, unsigned *values) {
  printRow(Row::name, "chain", Row::ops, cyclesOfStep<Row>(watch, values, Warp),
           ThroughputThreads / cyclesOfStep<Row>(watch, values, ThroughputThreads), Row::less);
}

// --- control
// ------------------------------------------------------------------------------------------------------

/// One iteration: an addition and a comparison that the branch waits for. The sum is there for ptxas to see
/// work.
__global__ void loop(Span *spans, unsigned *values, unsigned step, unsigned end) {
  unsigned sum = values[0];
  const long long begin = now();
  asm volatile("{.reg .pred p; .reg .u32 i;\n"
               "mov.u32 i, 0;\n"
               "LOOP:\n"
               "add.u32 i, i, %1;\n"
               "xor.b32 %0, %0, i;\n"
               "setp.lt.u32 p, i, %2;\n"
               "@p bra LOOP;}"
               : "+r"(sum)
               : "r"(step), "r"(end));
  const long long finish = now();
  spans[0] = {begin, finish};
  values[1] = sum;
}

__device__ __noinline__ unsigned called(unsigned a, unsigned b) { return a + b; }
template <bool Calls> __global__ void calls(Span *spans, unsigned *values, int iterations) {
  unsigned a = values[0], b = values[1];
  const long long begin = now();
#pragma unroll 1
  for (int i = 0; i < iterations; ++i) {
    if constexpr (Calls)
      a = called(a, b), b = called(b, a), a = called(a, b), b = called(b, a);
    asm volatile("xor.b32 %0, %0, %1;" : "+r"(a) : "r"(b));
  }
  const long long end = now();
  spans[0] = {begin, end};
  values[2] = a + b;
}

/// Sums of four f32 go from one multiplication to the next.
template <int Unroll> __global__ void matrices(Span *spans, unsigned *values, int iterations) {
  float c[4] = {0, 0, 0, 0};
  const unsigned a = values[0], b = values[1];
  __syncthreads();
  const long long begin = now();
#pragma unroll 1
  for (int i = 0; i < iterations; ++i)
#pragma unroll
    for (int u = 0; u < Unroll; ++u)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, "
                   "{%0,%1,%2,%3};"
                   : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                   : "r"(a), "r"(b));
  const long long end = now();
  if (threadIdx.x % Warp == 0)
    spans[threadIdx.x / Warp] = {begin, end};
  values[2 * ThroughputThreads + threadIdx.x] = unsigned(c[0] + c[1] + c[2] + c[3]);
}

void controlRows(Stopwatch &watch, unsigned *values) {
  constexpr unsigned turns = 4096;
  const double once =
      watch.cycles(1, "bra", [&](Span *spans) { loop<<<1, Warp>>>(spans, values, 1, turns); });
  const double twice =
      watch.cycles(1, "bra", [&](Span *spans) { loop<<<1, Warp>>>(spans, values, 1, 2 * turns); });
  printRow("bra", "loop", 1, (twice - once) / turns, 0, "add.s32 setp.s32");
  const double with =
      watch.cycles(1, "call", [&](Span *spans) { calls<true><<<1, Warp>>>(spans, values, 1024); });
  const double without =
      watch.cycles(1, "call", [&](Span *spans) { calls<false><<<1, Warp>>>(spans, values, 1024); });
  printRow("call", "loop", 1, (with - without) / (4 * 1024), 0, "add.s32");
}

void matrixRow(Stopwatch &watch, unsigned *values) {
  constexpr int unroll = 16, iterations = 64;
  auto cycles = [&](int threads) {
    const double once = watch.cycles(threads / Warp, "mma", [&](Span *spans) {
      matrices<unroll><<<1, threads>>>(spans, values, iterations);
    });
    const double twice = watch.cycles(threads / Warp, "mma", [&](Span *spans) {
      matrices<2 * unroll><<<1, threads>>>(spans, values, iterations);
    });
    return (twice - once) / (unroll * iterations);
  };
  printRow("mma.m16n8k16.f16", "chain", 1, cycles(Warp), ThroughputThreads / cycles(ThroughputThreads));
}

} // namespace

int main() {
  Stopwatch watch(ThroughputThreads / Warp);
  unsigned *values;
  must(cudaMalloc(&values, 4 * ThroughputThreads * sizeof(unsigned)), "cudaMalloc");
  must(cudaMemset(values, 0, 4 * ThroughputThreads * sizeof(unsigned)), "cudaMemset");
#define STEP(ID, NAME, OPS, LESS, TEXT) measure<ID>(watch, values);
  STEPS
  controlRows(watch, values);
  matrixRow(watch, values);
}
