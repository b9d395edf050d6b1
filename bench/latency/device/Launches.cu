// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch costs, what starting a block costs, and what a barrier costs by the number of its warps.
#include "Timing.h"

namespace {

__global__ void empty() {}

/// A block that keeps its SM's place for a while.
__global__ void spin(long long cycles, unsigned *out) {
  extern __shared__ unsigned keep[];
  const long long begin = now();
  while (now() - begin < cycles)
    ;
  if (cycles < 0)
    *out = keep[threadIdx.x];
}

void launchRows() {
  row("launch", "one empty kernel between two events", "us", microsOf("launch", [] { empty<<<1, 32>>>(); }));
  constexpr int many = 256;
  row("launch", "each of many empty kernels, one after the other", "us",
      moreMicros("launches", [](int times) {
        for (int i = 0; i < many * times; ++i)
          empty<<<1, 32>>>();
      }).times(1.0 / many));
  cudaStream_t stream;
  must(cudaStreamCreate(&stream), "stream");
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capture");
  for (int i = 0; i < many; ++i)
    empty<<<1, 32, 0, stream>>>();
  cudaGraph_t graph;
  must(cudaStreamEndCapture(stream, &graph), "capture");
  cudaGraphExec_t executable;
  must(cudaGraphInstantiate(&executable, graph, 0), "graph");
  row("launch", "each of many empty kernels of a graph", "us",
      microsOf("graph", [&] { cudaGraphLaunch(executable, nullptr); }).times(1.0 / many));
}

/// Empty blocks: how fast an SM gets rid of them.
void blockRows() {
  const double megahertz = [] {
    int kilo = 0;
    must(cudaDeviceGetAttribute(&kilo, cudaDevAttrClockRate, 0), "clock");
    return kilo / 1e3;
  }();
  for (int threads : {32, 64, 128, 256, 512, 1024}) {
    const int perSm = 512;
    const Quartiles took = moreMicros(
        "blocks", [&](int times) { empty<<<unsigned(sms() * perSm * times), unsigned(threads)>>>(); });
    row("block.empty", std::to_string(threads) + " threads", "cycles/block/SM",
        took.times(megahertz / perSm));
  }
}

/// Blocks that take a known time, with few of them resident: what each wave takes longer than that.
void successorRows(unsigned *out) {
  constexpr long long cycles = 4000;
  const double megahertz = [] {
    int kilo = 0;
    must(cudaDeviceGetAttribute(&kilo, cudaDevAttrClockRate, 0), "clock");
    return kilo / 1e3;
  }();
  must(cudaFuncSetAttribute(spin, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024), "shared");
  for (int resident : {1, 2, 4, 8, 16, 32})
    for (int threads : {32, 128, 256, 1024}) {
      if (threads * resident > 2048)
        continue;
      const int shared = std::min(200, 224 / resident - 1) * 1024;
      constexpr int waves = 50;
      const Quartiles took = moreMicros("waves", [&](int times) {
        spin<<<unsigned(sms() * resident * waves * times), unsigned(threads), unsigned(shared)>>>(cycles,
                                                                                                  out);
      });
      const Quartiles wave = took.times(megahertz / waves);
      row("block.successor",
          std::to_string(threads) + " threads, " + std::to_string(resident) + " blocks per SM", "cycles",
          {wave.median - cycles, wave.q1 - cycles, wave.q3 - cycles});
    }
}

__global__ void barriers(long long *cycles, int repeats) {
  timed(cycles, [&] {
#pragma unroll 1
    for (int i = 0; i < 64 * repeats; ++i)
#pragma unroll
      for (int u = 0; u < 8; ++u)
        asm volatile("bar.sync 0;" ::: "memory");
  });
}
/// As a reduction has it: something between the barriers that all warps wait for.
__global__ void barriersAndShared(long long *cycles, int repeats, unsigned *out) {
  __shared__ unsigned words[1024];
  words[threadIdx.x] = threadIdx.x;
  unsigned sum = 0;
  timed(cycles, [&] {
#pragma unroll 1
    for (int i = 0; i < 64 * repeats; ++i)
#pragma unroll
      for (int u = 0; u < 8; ++u) {
        sum += words[(threadIdx.x + 32) % blockDim.x];
        asm volatile("bar.sync 0;" ::: "memory");
        words[threadIdx.x] = sum;
        asm volatile("bar.sync 0;" ::: "memory");
      }
  });
  if (sum == 12345)
    *out = sum;
}

void barrierRows(unsigned *out) {
  Cycles clock;
  for (int warps : {1, 2, 4, 8, 16, 32})
    for (int resident : {1, 2, 4, 8, 16}) {
      if (warps * resident > 64)
        continue;
      const std::string which =
          std::to_string(warps) + " warps, " + std::to_string(resident) + " blocks per SM";
      const Quartiles more = clock.more("barriers", [&](long long *cycles, int times) {
        barriers<<<unsigned(sms() * resident), unsigned(warps * Warp)>>>(cycles, times);
      });
      row("barrier", which, "cycles", more.times(1.0 / (64 * 8)));
      const Quartiles between = clock.more("barriers", [&](long long *cycles, int times) {
        barriersAndShared<<<unsigned(sms() * resident), unsigned(warps * Warp)>>>(cycles, times, out);
      });
      row("barrier.exchange", which, "cycles", between.times(1.0 / (64 * 8)));
    }
}

} // namespace

int main() {
  auto *out = static_cast<unsigned *>(memory(8192));
  launchRows();
  blockRows();
  successorRows(out);
  barrierRows(out);
}
