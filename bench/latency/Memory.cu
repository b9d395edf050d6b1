// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Latency of memory by pointer chases: each element says where the next one is, and one thread follows. Where
// the elements lie decides which memory answers: a ring that fits L1, one that fits L2 (read past L1), one
// that fits nothing. Rings are walked in an order that no prefetcher guesses, and once before the clock
// starts.
//
// Stores and reductions have no result to wait for: what is measured is how soon a warp can issue the next
// one.
#include "Rows.h"

#include <cstdint>
#include <utility>

namespace {

constexpr int Warp = 32, ThroughputThreads = 1024;
constexpr int Steps = 4096; ///< of a chase that is timed; a multiple of Unroll
constexpr int Unroll = 16;

/// Element i is followed by element (i * 5 + 1) mod count (times a power of two away from it): a ring of all
/// elements where count is a power of two (multiplier 1 mod 4, odd increment).
__global__ void makeRing(uint64_t *ring, uint64_t count, uint64_t stride, uint64_t multiplier) {
  for (uint64_t i = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x; i < count;
       i += uint64_t(gridDim.x) * blockDim.x)
    ring[i * stride] = reinterpret_cast<uint64_t>(ring + (i * multiplier + 12345) % count * stride);
}

struct ThroughL1 {
  static __device__ __forceinline__ void step(uint64_t &at) {
    asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
  }
};
struct PastL1 {
  static __device__ __forceinline__ void step(uint64_t &at) {
    asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
  }
};
struct Generic {
  static __device__ __forceinline__ void step(uint64_t &at) {
    asm volatile("ld.u64 %0, [%0];" : "+l"(at)::"memory");
  }
};
/// The old value of an atomic that changes nothing is the pointer; the next atomic goes where it points.
struct Atomic {
  static __device__ __forceinline__ void step(uint64_t &at) {
    asm volatile("atom.global.or.b64 %0, [%0], 0;" : "+l"(at)::"memory");
  }
};
struct CompareAndSwap {
  static __device__ __forceinline__ void step(uint64_t &at) {
    asm volatile("atom.global.cas.b64 %0, [%0], 0, 0;" : "+l"(at)::"memory");
  }
};

template <class Load> __global__ void chase(Span *spans, uint64_t *start, uint64_t warmUp, int steps) {
  uint64_t at = reinterpret_cast<uint64_t>(start);
  for (uint64_t i = 0; i < warmUp; ++i)
    Load::step(at);
  const long long begin = now();
#pragma unroll 1
  for (int i = 0; i < steps; i += Unroll)
#pragma unroll
    for (int u = 0; u < Unroll; ++u)
      Load::step(at);
  const long long end = now();
  spans[0] = {begin, end};
  if (at == 0)
    *start = 0;
}

/// Cycles for one step around a ring of `bytes`, its elements `stride` bytes apart.
template <class Load>
void chaseRow(Stopwatch &watch, const char *name, uint64_t bytes, uint64_t stride, bool warm) {
  uint64_t *ring;
  must(cudaMalloc(&ring, bytes), name);
  const uint64_t count = bytes / stride;
  makeRing<<<1024, 256>>>(ring, count, stride / sizeof(uint64_t), count > 4096 ? 1664525 : 5);
  must(cudaDeviceSynchronize(), name);
  // A ring that fits nothing: each launch goes on where other launches have not been.
  uint64_t launch = 0;
  const double cycles = watch.cycles(1, name, [&](Span *spans) {
    const uint64_t first = warm ? 0 : launch++ * 7919 * 4099 % count;
    chase<Load><<<1, 1>>>(spans, ring + first * (stride / sizeof(uint64_t)), warm ? count : Unroll, Steps);
  });
  printRow(name, "chase", 1, cycles / Steps, 0);
  must(cudaFree(ring), name);
}

// --- shared, constant, parameter and local memory: offsets instead of addresses
// -----------------------------------

constexpr unsigned SmallRing = 256; ///< elements: 1 KiB, which the first constant cache holds

__constant__ unsigned constantRing[SmallRing];
struct Ring {
  unsigned next[SmallRing];
};

struct SharedLoad {
  static constexpr const char *name = "ld.shared";
  static __device__ __forceinline__ void step(unsigned &at) {
    asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
  }
};
struct SharedAtomic {
  static constexpr const char *name = "atom.shared";
  static __device__ __forceinline__ void step(unsigned &at) {
    asm volatile("atom.shared.or.b32 %0, [%0], 0;" : "+r"(at)::"memory");
  }
};
struct SharedCas {
  static constexpr const char *name = "atom.shared.cas";
  static __device__ __forceinline__ void step(unsigned &at) {
    asm volatile("atom.shared.cas.b32 %0, [%0], 0, 0;" : "+r"(at)::"memory");
  }
};
/// Every lane reads the row that the step before gave; all of shared memory says "row at 0".
struct MatrixLoad {
  static constexpr const char *name = "ldmatrix";
  static __device__ __forceinline__ void step(unsigned &at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%0];" : "+r"(at)::"memory");
  }
};

/// `multiplier` 0: each element points at the first.
template <class Load>
__global__ void chaseShared(Span *spans, unsigned *out, unsigned multiplier, int steps) {
  __shared__ alignas(16) unsigned ring[SmallRing];
  const unsigned base = unsigned(__cvta_generic_to_shared(ring));
  for (unsigned i = threadIdx.x; i < SmallRing; i += blockDim.x)
    ring[i] = multiplier ? base + (i * multiplier + 7) % SmallRing * 4 : base;
  __syncthreads();
  unsigned at = base;
  const long long begin = now();
#pragma unroll 1
  for (int i = 0; i < steps; i += Unroll)
#pragma unroll
    for (int u = 0; u < Unroll; ++u)
      Load::step(at);
  const long long end = now();
  spans[0] = {begin, end};
  out[threadIdx.x] = at;
}

template <class Load> void sharedRow(Stopwatch &watch, unsigned *out, int threads, unsigned multiplier) {
  const double cycles = watch.cycles(
      1, Load::name, [&](Span *spans) { chaseShared<Load><<<1, threads>>>(spans, out, multiplier, Steps); });
  printRow(Load::name, "chase", 1, cycles / Steps, 0);
}

__global__ void chaseConstant(Span *spans, unsigned *out, int steps) {
  unsigned at = threadIdx.x;
  long long begin = 0;
#pragma unroll 1
  for (int round = 0; round < 2; ++round) { // the first brings it in
    begin = now();
#pragma unroll 1
    for (int i = 0; i < steps; i += Unroll)
#pragma unroll
      for (int u = 0; u < Unroll; ++u)
        at = *reinterpret_cast<const unsigned *>(reinterpret_cast<const char *>(constantRing) + at);
  }
  const long long end = now();
  spans[0] = {begin, end};
  out[threadIdx.x] = at;
}

__global__ void chaseParameter(Span *spans, unsigned *out, const __grid_constant__ Ring ring, int steps) {
  unsigned at = threadIdx.x;
  long long begin = 0;
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
    begin = now();
#pragma unroll 1
    for (int i = 0; i < steps; i += Unroll)
#pragma unroll
      for (int u = 0; u < Unroll; ++u)
        at = *reinterpret_cast<const unsigned *>(reinterpret_cast<const char *>(ring.next) + at);
  }
  const long long end = now();
  spans[0] = {begin, end};
  out[threadIdx.x] = at;
}

/// The ring lies on the thread's stack: filled at run time with what the host says, so that it has to be
/// there.
__global__ void chaseLocal(Span *spans, unsigned *out, unsigned multiplier, int steps) {
  unsigned ring[SmallRing];
  const unsigned base = unsigned(__cvta_generic_to_local(ring));
  for (unsigned i = 0; i < SmallRing; ++i)
    ring[i] = base + (i * multiplier + 7) % SmallRing * 4;
  unsigned at = base;
  const long long begin = now();
#pragma unroll 1
  for (int i = 0; i < steps; i += Unroll)
#pragma unroll
    for (int u = 0; u < Unroll; ++u)
      asm volatile("ld.local.u32 %0, [%0];" : "+r"(at)::"memory");
  const long long end = now();
  spans[0] = {begin, end};
  out[threadIdx.x] = at;
}

// --- what is only issued: cycles between two of them in one warp, and how many a multiprocessor takes
// -------------

// Eight places in turn: ptxas makes one of accesses to the same.
constexpr int Places = 8, PlaceBytes = ThroughputThreads * 4;

struct GlobalStore {
  static constexpr const char *name = "st.global";
  template <int Offset>
  static __device__ __forceinline__ void step(uint64_t global, unsigned, unsigned &value) {
    asm volatile("st.global.u32 [%0+%2], %1;" ::"l"(global), "r"(value), "n"(Offset) : "memory");
  }
};
struct SharedStore {
  static constexpr const char *name = "st.shared";
  template <int Offset>
  static __device__ __forceinline__ void step(uint64_t, unsigned shared, unsigned &value) {
    asm volatile("st.shared.u32 [%0+%2], %1;" ::"r"(shared), "r"(value), "n"(Offset) : "memory");
  }
};
struct Reduction {
  static constexpr const char *name = "red.global";
  template <int Offset>
  static __device__ __forceinline__ void step(uint64_t global, unsigned, unsigned &value) {
    asm volatile("red.global.add.u32 [%0+%2], %1;" ::"l"(global), "r"(value), "n"(Offset) : "memory");
  }
};
struct LoadsL1 {
  static constexpr const char *name = "ld.global.l1";
  template <int Offset>
  static __device__ __forceinline__ void step(uint64_t global, unsigned, unsigned &value) {
    unsigned got;
    asm volatile("ld.global.ca.u32 %0, [%1+%2];" : "=r"(got) : "l"(global), "n"(Offset) : "memory");
    value ^= got;
  }
};
struct LoadsShared {
  static constexpr const char *name = "ld.shared";
  template <int Offset>
  static __device__ __forceinline__ void step(uint64_t, unsigned shared, unsigned &value) {
    unsigned got;
    asm volatile("ld.shared.u32 %0, [%1+%2];" : "=r"(got) : "r"(shared), "n"(Offset) : "memory");
    value ^= got;
  }
};

template <class Row, int... Place>
__device__ __forceinline__ void body(uint64_t global, unsigned shared, unsigned &value,
                                     std::integer_sequence<int, Place...>) {
  (Row::template step<Place * PlaceBytes>(global, shared, value), ...);
}

template <class Row> __global__ void issue(Span *spans, unsigned *global, unsigned mask, int steps) {
  __shared__ unsigned words[Places * ThroughputThreads];
  for (int k = 0; k < Places; ++k)
    words[k * ThroughputThreads + threadIdx.x] = 0;
  const uint64_t at = reinterpret_cast<uint64_t>(global + threadIdx.x);
  const unsigned sharedAt = unsigned(__cvta_generic_to_shared(words + threadIdx.x));
  unsigned value = threadIdx.x;
  __syncthreads();
  const long long begin = now();
#pragma unroll 1
  for (unsigned i = 0; i < unsigned(steps); i += Places)
    body<Row>(at + (i & mask), sharedAt + (i & mask), value,
              std::make_integer_sequence<int, Places>()); // mask: 0
  const long long end = now();
  if (threadIdx.x % Warp == 0)
    spans[threadIdx.x / Warp] = {begin, end};
  global[Places * ThroughputThreads + threadIdx.x] = value;
}

/// Between `steps` and twice as many, so that filling the queues is not counted.
template <class Row> double issueCycles(Stopwatch &watch, unsigned *out, int threads) {
  constexpr int steps = 2048;
  double cycles[2];
  for (int times = 1; times <= 2; ++times)
    cycles[times - 1] = watch.cycles(threads / Warp, Row::name, [&](Span *spans) {
      issue<Row><<<1, threads>>>(spans, out, 0, times * steps);
    });
  return (cycles[1] - cycles[0]) / steps;
}
template <class Row> void issueRow(Stopwatch &watch, unsigned *out) {
  printRow(Row::name, "issue", 1, issueCycles<Row>(watch, out, Warp),
           ThroughputThreads / issueCycles<Row>(watch, out, ThroughputThreads));
}

} // namespace

int main(int argc, char **argv) {
  // The ring that fits no cache. A rehearsal without a GPU asks for less.
  const uint64_t largeBytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : uint64_t(2) << 30;
  const uint64_t l2Bytes = argc > 1 ? largeBytes / 2 : uint64_t(4) << 20;
  Stopwatch watch(ThroughputThreads / Warp);
  unsigned *out;
  must(cudaMalloc(&out, (Places + 1) * PlaceBytes), "cudaMalloc");

  chaseRow<ThroughL1>(watch, "ld.global.l1", 16 << 10, 64, true);
  chaseRow<PastL1>(watch, "ld.global.l2", l2Bytes, 128, true);
  chaseRow<PastL1>(watch, "ld.global.dram", largeBytes, 256, false);
  chaseRow<Generic>(watch, "ld.generic.l1", 16 << 10, 64, true);
  chaseRow<Atomic>(watch, "atom.global", 64 << 10, 128, true);
  chaseRow<CompareAndSwap>(watch, "atom.global.cas", 64 << 10, 128, true);

  sharedRow<SharedLoad>(watch, out, 1, 5);
  sharedRow<SharedAtomic>(watch, out, 1, 5);
  sharedRow<SharedCas>(watch, out, 1, 5);
  sharedRow<MatrixLoad>(watch, out, Warp, 0);

  Ring ring;
  for (unsigned i = 0; i < SmallRing; ++i)
    ring.next[i] = (i * 5 + 7) % SmallRing * 4;
  must(cudaMemcpyToSymbol(constantRing, ring.next, sizeof ring.next), "cudaMemcpyToSymbol");
  auto row = [&](const char *name, auto launch) {
    printRow(name, "chase", 1, watch.cycles(1, name, launch) / Steps, 0);
  };
  row("ld.const", [&](Span *spans) { chaseConstant<<<1, 1>>>(spans, out, Steps); });
  row("ld.param", [&](Span *spans) { chaseParameter<<<1, 1>>>(spans, out, ring, Steps); });
  row("ld.local", [&](Span *spans) { chaseLocal<<<1, 1>>>(spans, out, 5, Steps); });

  issueRow<GlobalStore>(watch, out);
  issueRow<SharedStore>(watch, out);
  issueRow<Reduction>(watch, out);
  issueRow<LoadsL1>(watch, out);
  issueRow<LoadsShared>(watch, out);
}
