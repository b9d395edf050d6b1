// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A ring of shared buffers between a producer warp and consumer warps, each slot guarded by two mbarriers
// whose parity is carried over many rounds of the ring.
#include "Check.h"

__device__ unsigned sharedAddress(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }

__device__ void init(unsigned long long *barrier, unsigned count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(count) : "memory");
}
__device__ void arrive(unsigned long long *barrier) {
  unsigned long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(sharedAddress(barrier)) : "memory");
}
__device__ void wait(unsigned long long *barrier, unsigned parity) {
  unsigned done;
  do {
    asm volatile("{\n"
                 " .reg .pred p;\n"
                 " mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
                 " selp.u32 %0, 1, 0, p;\n"
                 "}\n"
                 : "=r"(done)
                 : "r"(sharedAddress(barrier)), "r"(parity)
                 : "memory");
  } while (!done);
}

constexpr int slots = 3, consumers = 3, rounds = 20;

__global__ void ring(const float *in, float *out) {
  __shared__ float data[slots][32];
  __shared__ alignas(8) unsigned long long full[slots], empty[slots];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x < slots) {
    init(&full[threadIdx.x], 32);
    init(&empty[threadIdx.x], 32 * consumers);
  }
  __syncthreads();
  if (warp == 0) {
    for (int round = 0; round < rounds; ++round) {
      int slot = round % slots, turn = round / slots;
      if (turn > 0)
        wait(&empty[slot], (turn - 1) & 1);
      data[slot][lane] = in[round * 32 + lane] * 2;
      arrive(&full[slot]);
    }
  } else {
    float sum = 0;
    for (int round = 0; round < rounds; ++round) {
      int slot = round % slots, turn = round / slots;
      wait(&full[slot], turn & 1);
      sum += data[slot][(lane + warp) % 32];
      arrive(&empty[slot]);
    }
    out[(warp - 1) * 32 + lane] = sum;
  }
}

// Arrivals with a state token, test_wait, and pending counts that differ from the thread count.
__global__ void tokens(int *out) {
  __shared__ alignas(8) unsigned long long barrier;
  __shared__ int cells[64];
  if (threadIdx.x == 0)
    init(&barrier, 64);
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < 4; ++round) {
    cells[threadIdx.x] = threadIdx.x + round * 100;
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                 : "=l"(state)
                 : "r"(sharedAddress(&barrier))
                 : "memory");
    unsigned done;
    do {
      asm volatile("{\n"
                   " .reg .pred p;\n"
                   " mbarrier.test_wait.shared.b64 p, [%1], %2;\n"
                   " selp.u32 %0, 1, 0, p;\n"
                   "}\n"
                   : "=r"(done)
                   : "r"(sharedAddress(&barrier)), "l"(state)
                   : "memory");
    } while (!done);
    sum += cells[63 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
  if (threadIdx.x == 0)
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(sharedAddress(&barrier)) : "memory");
}

int main() {
  std::vector<float> values(rounds * 32);
  for (int i = 0; i < rounds * 32; ++i)
    values[i] = float(i * 29 % 211);
  DeviceArray<float> in(values), out(consumers * 32);
  ring<<<1, 32 * (1 + consumers)>>>(in, out);
  CHECK_LAUNCH();
  std::vector<float> got = out.host();
  for (int warp = 1; warp <= consumers; ++warp)
    for (int lane = 0; lane < 32; ++lane) {
      float sum = 0;
      for (int round = 0; round < rounds; ++round)
        sum += values[round * 32 + (lane + warp) % 32] * 2;
      CHECK(got[(warp - 1) * 32 + lane] == sum);
    }

  DeviceArray<int> sums(64);
  tokens<<<1, 64>>>(sums);
  CHECK_LAUNCH();
  std::vector<int> totals = sums.host();
  for (int i = 0; i < 64; ++i)
    CHECK(totals[i] == 4 * (63 - i) + 600);
  return pass();
}
