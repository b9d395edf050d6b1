// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies from global to shared memory: by cp.async of every thread and by bulk copies of one thread, from data that
// fits L2 and from data that does not, by width or size and by how many are under way.
#include "Timing.h"

namespace {

constexpr uint64_t Mega = 1 << 20;

template <int Bytes> __device__ __forceinline__ void copy(unsigned to, const char *from) {
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(Bytes) : "memory");
}

/// `Stages` groups of one copy each are under way.
template <int Bytes, int Stages>
__global__ void __launch_bounds__(256) asynchronously(const char *data, uint64_t bytes, int passes) {
  __shared__ alignas(16) char buffer[Stages][256 * Bytes];
  const uint64_t step = uint64_t(gridDim.x) * 256 * Bytes,
                 first = (blockIdx.x * uint64_t(256) + threadIdx.x) * Bytes;
  const unsigned to = unsigned(__cvta_generic_to_shared(buffer[0])) + threadIdx.x * Bytes;
  int stage = 0;
#pragma unroll 1
  for (int pass = 0; pass < passes; ++pass)
#pragma unroll 1
    for (uint64_t at = first; at + Bytes <= bytes; at += step) {
      copy<Bytes>(to + unsigned(stage * 256 * Bytes), data + at);
      asm volatile("cp.async.commit_group;" ::: "memory");
      asm volatile("cp.async.wait_group %0;" ::"n"(Stages - 1) : "memory");
      stage = stage + 1 == Stages ? 0 : stage + 1;
    }
  asm volatile("cp.async.wait_group 0;" ::: "memory");
}

__device__ __forceinline__ void waitFor(unsigned barrier, unsigned parity) {
  asm volatile("{.reg .pred p;\n"
               "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
               "@!p bra AGAIN;}" ::"r"(barrier),
               "r"(parity)
               : "memory");
}

/// One thread copies `Size` bytes at a time; `Stages` of them are under way.
template <int Size, int Stages>
__global__ void __launch_bounds__(32) inBulk(const char *data, uint64_t bytes, int passes) {
  extern __shared__ __align__(128) char buffer[];
  __shared__ alignas(8) uint64_t barriers[Stages];
  if (threadIdx.x)
    return;
  const unsigned to = unsigned(__cvta_generic_to_shared(buffer)),
                 first = unsigned(__cvta_generic_to_shared(barriers));
  for (int s = 0; s < Stages; ++s)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(first + 8 * s) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  const uint64_t step = uint64_t(gridDim.x) * Size;
  unsigned issued = 0;
#pragma unroll 1
  for (int pass = 0; pass < passes; ++pass)
#pragma unroll 1
    for (uint64_t at = blockIdx.x * uint64_t(Size); at + Size <= bytes; at += step, ++issued) {
      const unsigned stage = issued % Stages, round = issued / Stages;
      if (round)
        waitFor(first + 8 * stage, (round - 1) & 1);
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(first + 8 * stage),
                   "n"(Size)
                   : "memory");
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
              to + stage * Size),
          "l"(data + at), "n"(Size), "r"(first + 8 * stage)
          : "memory");
    }
  for (unsigned back = issued < Stages ? issued : Stages; back; --back) {
    const unsigned one = issued - back;
    waitFor(first + 8 * (one % Stages), one / Stages & 1);
  }
}

struct Data {
  const char *data;
  uint64_t bytes;
  const char *from;
  int passes;
};

template <int Bytes, int Stages> void asyncRow(const Data &data) {
  for (int perSm : {1, 4, 8}) {
    if (perSm * Stages * 256 * Bytes > 200 * 1024)
      continue;
    const Quartiles took = moreMicros("cp.async", [&](int times) {
      asynchronously<Bytes, Stages>
          <<<unsigned(sms() * perSm), 256>>>(data.data, data.bytes, data.passes * times);
    });
    row(std::string("cp.async.") + std::to_string(Bytes),
        std::string(data.from) + ", " + std::to_string(perSm * 8) + " warps per SM, " +
            std::to_string(Stages) + " copies each",
        "GB/s", took.rateOf(double(data.bytes) * data.passes / 1e3));
  }
}
template <int Size, int Stages> void bulkRow(const Data &data) {
  must(cudaFuncSetAttribute(inBulk<Size, Stages>, cudaFuncAttributeMaxDynamicSharedMemorySize, Size * Stages),
       "shared");
  for (int perSm : {1, 4}) {
    if (perSm * Stages * Size > 200 * 1024)
      continue;
    const Quartiles took = moreMicros("bulk", [&](int times) {
      inBulk<Size, Stages>
          <<<unsigned(sms() * perSm), 32, Size * Stages>>>(data.data, data.bytes, data.passes * times);
    });
    row("cp.async.bulk",
        std::string(data.from) + ", " + std::to_string(perSm) + " blocks per SM, " + std::to_string(Stages) +
            " copies of " + std::to_string(Size) + " bytes",
        "GB/s", took.rateOf(double(data.bytes) * data.passes / 1e3));
  }
}

void allRows(const Data &data) {
  asyncRow<4, 1>(data);
  asyncRow<4, 4>(data);
  asyncRow<8, 4>(data);
  asyncRow<16, 1>(data);
  asyncRow<16, 2>(data);
  asyncRow<16, 4>(data);
  asyncRow<16, 8>(data);
  bulkRow<256, 8>(data);
  bulkRow<1024, 2>(data);
  bulkRow<1024, 8>(data);
  bulkRow<4096, 2>(data);
  bulkRow<4096, 8>(data);
  bulkRow<16384, 2>(data);
}

} // namespace

int main(int argc, char **argv) {
  const uint64_t most = (argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1024) * Mega;
  const auto *data = static_cast<const char *>(memory(most));
  allRows({data, std::min(most, 16 * Mega), "L2",
           int(std::max<uint64_t>(1, 256 * Mega / std::min(most, 16 * Mega)))});
  allRows({data, most, "DRAM", 1});
}
