// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic additions of all threads of the device to a number of addresses: drawn at random as in a histogram, or
// the same for all lanes of a warp, or one after the other. And the same in shared memory.
#include "Timing.h"

namespace {

constexpr int Threads = 256, Steps = 64;

/// How a thread finds its address.
enum class Draw { Random, SameInWarp, Consecutive, SectorsApart };

__device__ __forceinline__ unsigned next(unsigned &state) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

template <Draw How>
__device__ __forceinline__ unsigned addressOf(unsigned &state, unsigned mask, unsigned step) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (How == Draw::Random)
    return next(state) & mask;
  if (How == Draw::SameInWarp)
    return (thread / Warp + step) & mask;
  if (How == Draw::SectorsApart)
    return (thread * 8 + step * Warp * 8) & mask;
  return (thread + step * Warp) & mask;
}

struct Reduce {
  static constexpr const char *name = "red.u32";
  static __device__ __forceinline__ unsigned add(unsigned *at) {
    asm volatile("red.global.add.u32 [%0], 1;" ::"l"(at) : "memory");
    return 0;
  }
};
struct Fetch {
  static constexpr const char *name = "atom.u32";
  static __device__ __forceinline__ unsigned add(unsigned *at) {
    unsigned old;
    asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(at) : "memory");
    return old;
  }
};
struct ReduceFloat {
  static constexpr const char *name = "red.f32";
  static __device__ __forceinline__ unsigned add(unsigned *at) {
    asm volatile("red.global.add.f32 [%0], 0f3F800000;" ::"l"(at) : "memory");
    return 0;
  }
};

template <class Op, Draw How>
__global__ void onGlobal(unsigned *data, unsigned mask, int repeats, unsigned *out) {
  unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u, sum = 0;
#pragma unroll 1
  for (int i = 0; i < repeats; ++i)
#pragma unroll 4
    for (int s = 0; s < Steps; ++s)
      sum += Op::add(data + addressOf<How>(state, mask, i * Steps + s));
  if (sum == 12345)
    *out = sum + state;
}

template <class Op, Draw How>
void globalRows(unsigned *data, const char *how, std::initializer_list<unsigned> counts) {
  for (unsigned addresses : counts) {
    const int blocks = sms() * 4;
    const int repeats = addresses <= 16 && How != Draw::SameInWarp ? 1 : 4; // the slow ones
    const Quartiles took = moreMicros(Op::name, [&](int times) {
      onGlobal<Op, How><<<blocks, Threads>>>(data, addresses - 1, repeats * times, data + (1 << 22));
    });
    row(std::string("atomics.global.") + Op::name, std::to_string(addresses) + " addresses, " + how,
        "lanes/us", took.rateOf(double(blocks) * Threads * Steps * repeats));
  }
}
template <class Op> void globalTable(unsigned *data) {
  globalRows<Op, Draw::Random>(data, "random", {1, 4, 16, 64, 256, 1024, 4096, 65536, 1 << 20});
  globalRows<Op, Draw::SameInWarp>(data, "same in a warp", {1, 64, 4096, 65536});
  globalRows<Op, Draw::Consecutive>(data, "consecutive", {32, 256, 1024, 65536, 1 << 20});
  globalRows<Op, Draw::SectorsApart>(data, "each lane another sector", {256, 2048, 1 << 20});
}

struct SharedReduce {
  static constexpr const char *name = "red.u32";
  static __device__ __forceinline__ unsigned add(unsigned *at) {
    atomicAdd(at, 1u);
    return 0;
  }
};
struct SharedFetch {
  static constexpr const char *name = "atom.u32";
  static __device__ __forceinline__ unsigned add(unsigned *at) { return atomicAdd(at, 1u); }
};
struct SharedFloat {
  static constexpr const char *name = "red.f32";
  static __device__ __forceinline__ unsigned add(unsigned *at) {
    atomicAdd(reinterpret_cast<float *>(at), 1.0f);
    return 0;
  }
};

template <class Op, Draw How> __global__ void onShared(unsigned mask, int repeats, unsigned *out) {
  __shared__ unsigned bins[4096];
  for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x)
    bins[i] = 0;
  __syncthreads();
  unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u, sum = 0;
#pragma unroll 1
  for (int i = 0; i < repeats; ++i)
#pragma unroll 4
    for (int s = 0; s < Steps; ++s)
      sum += Op::add(bins + addressOf<How>(state, mask, i * Steps + s));
  __syncthreads();
  out[(blockIdx.x * blockDim.x + threadIdx.x) % 1024] = bins[threadIdx.x] + sum + state;
}

template <class Op, Draw How>
void sharedRows(unsigned *out, const char *how, std::initializer_list<unsigned> counts) {
  for (unsigned addresses : counts) {
    constexpr int repeats = 4;
    const int blocks = sms() * 4;
    const Quartiles took = moreMicros(Op::name, [&](int times) {
      onShared<Op, How><<<blocks, Threads>>>(addresses - 1, repeats * times, out);
    });
    row(std::string("atomics.shared.") + Op::name, std::to_string(addresses) + " addresses, " + how,
        "lanes/us/SM", took.rateOf(double(blocks) * Threads * Steps * repeats / sms()));
  }
}
template <class Op> void sharedTable(unsigned *out) {
  sharedRows<Op, Draw::Random>(out, "random", {1, 2, 4, 8, 16, 32, 64, 256, 1024, 4096});
  sharedRows<Op, Draw::SameInWarp>(out, "same in a warp", {1, 8, 256});
  sharedRows<Op, Draw::Consecutive>(out, "consecutive", {32, 1024});
}

} // namespace

int main() {
  auto *data = static_cast<unsigned *>(memory((size_t(1) << 24) + 4096));
  globalTable<Reduce>(data);
  globalTable<Fetch>(data);
  globalTable<ReduceFloat>(data);
  sharedTable<SharedReduce>(data);
  sharedTable<SharedFetch>(data);
  sharedTable<SharedFloat>(data);
}
