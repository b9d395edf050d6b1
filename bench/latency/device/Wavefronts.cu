// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cycles that an SM's shared memory takes for an access of a warp, by width and by how its lanes are placed: all
// SMs, 32 warps each. What a GPU needs fewer cycles for than there are words, it merges.
#include "Timing.h"

namespace {

constexpr int Threads = 1024, Unroll = 16, Steps = 32;
constexpr unsigned Bytes = 32 * 1024, RowBytes = 128; ///< a row: all banks once

/// All words are used, because ptxas loads no others.
#define LOAD(ID, NAME, BYTES, TEXT, ...)                                                                     \
  struct ID {                                                                                                \
    static constexpr const char *name = NAME;                                                                \
    static constexpr unsigned bytes = BYTES;                                                                 \
    static __device__ __forceinline__ void access(unsigned at, unsigned &sum) {                              \
      unsigned a = 0, b = 0, c = 0, d = 0;                                                                   \
      asm volatile(TEXT : __VA_ARGS__ : "r"(at));                                                            \
      sum ^= a ^ b ^ c ^ d;                                                                                  \
    }                                                                                                        \
  };
LOAD(Load4, "ld.shared.4", 4, "ld.shared.u32 %0, [%1];", "=r"(a))
LOAD(Load8, "ld.shared.8", 8, "ld.shared.v2.u32 {%0,%1}, [%2];", "=r"(a), "=r"(b))
LOAD(Load16, "ld.shared.16", 16, "ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];", "=r"(a), "=r"(b), "=r"(c), "=r"(d))
#undef LOAD
struct Store4 {
  static constexpr const char *name = "st.shared.4";
  static constexpr unsigned bytes = 4;
  static __device__ __forceinline__ void access(unsigned at, unsigned &sum) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(sum));
  }
};
struct Store8 {
  static constexpr const char *name = "st.shared.8";
  static constexpr unsigned bytes = 8;
  static __device__ __forceinline__ void access(unsigned at, unsigned &sum) {
    asm volatile("st.shared.v2.u32 [%0], {%1,%1};" ::"r"(at), "r"(sum));
  }
};
struct Store16 {
  static constexpr const char *name = "st.shared.16";
  static constexpr unsigned bytes = 16;
  static __device__ __forceinline__ void access(unsigned at, unsigned &sum) {
    asm volatile("st.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(at), "r"(sum));
  }
};

/// `stride`: elements from lane to lane; `group`: lanes that have the same element.
template <class Access>
__global__ void __launch_bounds__(Threads)
    accesses(long long *cycles, unsigned stride, unsigned group, int repeats, unsigned *out) {
  __shared__ alignas(16) unsigned words[(Bytes + Unroll * RowBytes) / 4];
  for (unsigned i = threadIdx.x; i < (Bytes + Unroll * RowBytes) / 4; i += Threads)
    words[i] = 0;
  const unsigned base = unsigned(__cvta_generic_to_shared(words));
  const unsigned at = base + (threadIdx.x % Warp / group * stride * Access::bytes) % Bytes;
  unsigned sum = threadIdx.x;
  timed(cycles, [&] {
#pragma unroll 1
    for (int i = 0; i < Steps * repeats; ++i)
#pragma unroll
      for (int u = 0; u < Unroll; ++u)
        Access::access(at + u * RowBytes,
                       sum); // other words of the same banks: ptxas makes one of accesses to the same
  });
  if (sum == 12345)
    *out = sum;
}

template <class Access> void rows(unsigned *out) {
  Cycles clock;
  auto one = [&](const std::string &which, unsigned stride, unsigned group) {
    const Quartiles more = clock.more(Access::name, [&](long long *cycles, int times) {
      accesses<Access><<<sms(), Threads>>>(cycles, stride, group, times, out);
    });
    row(Access::name, which, "cycles/warp", more.times(1.0 / (double(Steps) * Unroll * Threads / Warp)));
  };
  for (unsigned stride : {0u, 1u, 2u, 3u, 4u, 8u, 16u, 32u})
    one("stride " + std::to_string(stride), stride, 1);
  for (unsigned group : {2u, 4u, 8u, 16u})
    one(std::to_string(group) + " lanes the same element", 1, group);
  one("two rows 17 elements apart, 16 lanes each the same", 17, 16);
}

} // namespace

int main() {
  auto *out = static_cast<unsigned *>(memory(4096));
  rows<Load4>(out);
  rows<Load8>(out);
  rows<Load16>(out);
  rows<Store4>(out);
  rows<Store8>(out);
  rows<Store16>(out);
}
