// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes per second of the whole device, by the size of the data: what fits L2 comes from there. Loads pass L1.
// Then the same with few loads in flight, which says how many it takes to reach the rate.
#include "Timing.h"

namespace {

constexpr uint64_t Mega = 1 << 20;
constexpr int Threads = 1024;

struct Wide {
  using Word = uint4;
  static __device__ __forceinline__ unsigned load(const Word *from) {
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(from));
    return v.x ^ v.y ^ v.z ^ v.w;
  }
};
struct Narrow {
  using Word = unsigned;
  static __device__ __forceinline__ unsigned load(const Word *from) {
    unsigned v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(from));
    return v;
  }
};

/// Every thread reads words `grid` apart; `InFlight` of them before it uses the first.
template <class Load, int InFlight>
__global__ void __launch_bounds__(Threads)
    readAll(const typename Load::Word *data, uint64_t words, int passes, unsigned *out) {
  const uint64_t threads = uint64_t(gridDim.x) * blockDim.x,
                 me = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x;
  unsigned sum = 0;
#pragma unroll 1
  for (int pass = 0; pass < passes; ++pass)
#pragma unroll 1
    for (uint64_t at = me; at < words; at += InFlight * threads) {
      unsigned got[InFlight];
#pragma unroll
      for (int i = 0; i < InFlight; ++i)
        got[i] = at + i * threads < words ? Load::load(data + at + i * threads) : 0;
#pragma unroll
      for (int i = 0; i < InFlight; ++i)
        sum ^= got[i];
    }
  if (sum == 12345)
    *out = sum;
}

/// Each lane a sector of its own: 4 of 32 bytes are used.
__global__ void __launch_bounds__(Threads)
    readSectors(const unsigned *data, uint64_t sectors, int passes, unsigned *out) {
  const uint64_t threads = uint64_t(gridDim.x) * blockDim.x,
                 me = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x;
  unsigned sum = 0;
#pragma unroll 1
  for (int pass = 0; pass < passes; ++pass)
#pragma unroll 4
    for (uint64_t at = me; at < sectors; at += threads)
      sum ^= Narrow::load(data + at * 8);
  if (sum == 12345)
    *out = sum;
}

__global__ void __launch_bounds__(Threads) writeAll(uint4 *data, uint64_t words, int passes) {
  const uint64_t threads = uint64_t(gridDim.x) * blockDim.x,
                 me = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x;
#pragma unroll 1
  for (int pass = 0; pass < passes; ++pass)
#pragma unroll 4
    for (uint64_t at = me; at < words; at += threads)
      data[at] = make_uint4(unsigned(at), pass, 2, 3);
}

__global__ void __launch_bounds__(Threads) copyAll(uint4 *to, const uint4 *from, uint64_t words, int passes) {
  const uint64_t threads = uint64_t(gridDim.x) * blockDim.x,
                 me = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x;
#pragma unroll 1
  for (int pass = 0; pass < passes; ++pass)
#pragma unroll 4
    for (uint64_t at = me; at < words; at += threads)
      to[at] = __ldcg(from + at);
}

/// As many passes as about this many bytes need.
int passesOf(uint64_t bytes) { return int(std::max<uint64_t>(1, 1024 * Mega / bytes)); }

template <class Pass> void sizes(const char *quantity, uint64_t most, double bytesPerByte, Pass pass) {
  for (uint64_t bytes : {4 * Mega, 8 * Mega, 16 * Mega, 24 * Mega, 32 * Mega, 40 * Mega, 48 * Mega, 56 * Mega,
                         64 * Mega, 96 * Mega, 128 * Mega, 256 * Mega, 1024 * Mega}) {
    if (bytes > most)
      continue;
    const int passes = passesOf(bytes);
    const Quartiles took = moreMicros(quantity, [&](int times) { pass(bytes, passes * times); });
    row(quantity, sizeOf(bytes), "GB/s", took.rateOf(double(bytes) * bytesPerByte * passes / 1e3));
  }
}

template <class Load, int InFlight>
void concurrency(const void *data, uint64_t bytes, const char *from, unsigned *out) {
  for (int warps : {1, 2, 4, 8, 16, 32, 64}) {
    const int threads = std::min(warps * Warp, Threads), blocks = sms() * std::max(1, warps / 32);
    const uint64_t words = bytes / sizeof(typename Load::Word);
    const int passes = std::max(1, int(256 * Mega / bytes));
    const Quartiles took = moreMicros("loads in flight", [&](int times) {
      readAll<Load, InFlight>
          <<<blocks, threads>>>(static_cast<const typename Load::Word *>(data), words, passes * times, out);
    });
    row(std::string("read.") + from + ".by.loads",
        std::to_string(warps) + " warps per SM, " + std::to_string(InFlight) + " loads of " +
            std::to_string(sizeof(typename Load::Word)) + " bytes",
        "GB/s", took.rateOf(double(bytes) * passes / 1e3));
  }
}

template <class Load>
void allConcurrencies(const void *data, uint64_t bytes, const char *from, unsigned *out) {
  concurrency<Load, 1>(data, bytes, from, out);
  concurrency<Load, 2>(data, bytes, from, out);
  concurrency<Load, 4>(data, bytes, from, out);
  concurrency<Load, 8>(data, bytes, from, out);
}

/// The clock that the table of the device has to be compared with: while every SM works.
__global__ void spin(long long *out, long long cycles) {
  long long from, to;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(from)::"memory");
  const long long begin = now();
  while (now() - begin < cycles)
    ;
  const long long end = now();
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(to)::"memory");
  if (blockIdx.x == 0 && threadIdx.x == 0)
    out[0] = end - begin, out[1] = to - from;
}
void clockRow() {
  auto *onDevice = static_cast<long long *>(memory(16));
  std::vector<double> all;
  for (int round = 0; round <= Rounds; ++round) {
    long long seen[2];
    spin<<<sms(), 256>>>(onDevice, 10'000'000);
    must(cudaMemcpy(seen, onDevice, sizeof seen, cudaMemcpyDeviceToHost), "clock");
    if (round)
      all.push_back(double(seen[0]) / double(seen[1]) * 1e3);
  }
  row("clock", "all SMs spin", "MHz", quartilesOf(all));
}

} // namespace

int main(int argc, char **argv) {
  const uint64_t most = (argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1024) * Mega;
  auto *from = static_cast<uint4 *>(memory(most)), *to = static_cast<uint4 *>(memory(most));
  unsigned *out = reinterpret_cast<unsigned *>(to);
  const int blocks = sms() * 2;
  clockRow();
  sizes("read.16", most, 1, [&](uint64_t bytes, int passes) {
    readAll<Wide, 4><<<blocks, Threads>>>(from, bytes / 16, passes, out);
  });
  sizes("read.4", most, 1, [&](uint64_t bytes, int passes) {
    readAll<Narrow, 8><<<blocks, Threads>>>(reinterpret_cast<unsigned *>(from), bytes / 4, passes, out);
  });
  sizes("read.sectors", most, 1, [&](uint64_t bytes, int passes) {
    readSectors<<<blocks, Threads>>>(reinterpret_cast<unsigned *>(from), bytes / 32, passes, out);
  });
  sizes("write.16", most, 1,
        [&](uint64_t bytes, int passes) { writeAll<<<blocks, Threads>>>(to, bytes / 16, passes); });
  sizes("copy.16", most, 1,
        [&](uint64_t bytes, int passes) { copyAll<<<blocks, Threads>>>(to, from, bytes / 32, passes); });
  const uint64_t small = std::min(16 * Mega, most);
  allConcurrencies<Narrow>(from, small, "l2", out);
  allConcurrencies<Wide>(from, small, "l2", out);
  allConcurrencies<Narrow>(from, most, "dram", out);
  allConcurrencies<Wide>(from, most, "dram", out);
}
