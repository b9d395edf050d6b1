// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Producer and consumer warps that synchronize at named barriers only: bar.arrive on one side, bar.sync on the
// other.
#include "Check.h"

__device__ void barrierSync(int name, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(name), "r"(threads) : "memory");
}
__device__ void barrierArrive(int name, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(name), "r"(threads) : "memory");
}

// One producer warp fills two buffers in turn; three consumer warps empty them. Barriers 1 and 2 say "full",
// barriers 3 and 4 say "empty".
constexpr int warps = 4, rounds = 9, threads = warps * 32;

__global__ void doubleBuffer(const int *in, int *out) {
  __shared__ int buffers[2][32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 0) {
    for (int round = 0; round < rounds; ++round) {
      int b = round & 1;
      if (round >= 2)
        barrierSync(3 + b, threads);
      buffers[b][lane] = in[round * 32 + lane];
      barrierArrive(1 + b, threads);
    }
  } else {
    for (int round = 0; round < rounds; ++round) {
      int b = round & 1;
      barrierSync(1 + b, threads);
      out[(round * (warps - 1) + warp - 1) * 32 + lane] = buffers[b][31 - lane] * warp;
      if (round + 2 < rounds)
        barrierArrive(3 + b, threads);
    }
  }
}

// A chain: warp w waits for warp w-1, each pair with a barrier of its own.
__global__ void chain(int *out) {
  __shared__ int value;
  int warp = threadIdx.x / 32, last = blockDim.x / 32 - 1;
  if (warp == 0) {
    if (threadIdx.x == 0)
      value = 1;
  } else {
    barrierSync(warp, 64);
  }
  if (warp > 0 && threadIdx.x % 32 == 0)
    value = value * 3 + warp;
  if (warp < last)
    barrierArrive(warp + 1, 64);
  else if (threadIdx.x % 32 == 0)
    *out = value;
}

// Half of the block meets on its own while the other half does something else.
__global__ void halves(int *out) {
  __shared__ int cells[128];
  int half = threadIdx.x / 64, i = threadIdx.x % 64;
  cells[threadIdx.x] = i + half * 1000;
  if (half == 0) {
    barrierSync(5, 64);
    out[i] = cells[63 - i];
  } else {
    for (int round = 0; round < 3; ++round) {
      barrierSync(6, 64);
      int next = cells[64 + (i + 1) % 64];
      barrierSync(6, 64);
      cells[64 + i] = next;
    }
    out[64 + i] = cells[64 + i];
  }
}

int main() {
  std::vector<int> values(rounds * 32);
  for (int i = 0; i < rounds * 32; ++i)
    values[i] = i * 11 % 1009;
  DeviceArray<int> in(values), out(rounds * 3 * 32);
  doubleBuffer<<<1, threads>>>(in, out);
  CHECK_LAUNCH();
  std::vector<int> got = out.host();
  for (int round = 0; round < rounds; ++round)
    for (int warp = 1; warp < warps; ++warp)
      for (int lane = 0; lane < 32; ++lane)
        CHECK(got[(round * 3 + warp - 1) * 32 + lane] == values[round * 32 + 31 - lane] * warp);

  DeviceArray<int> end(1);
  chain<<<1, 8 * 32>>>(end);
  CHECK_LAUNCH();
  int expected = 1;
  for (int warp = 1; warp < 8; ++warp)
    expected = expected * 3 + warp;
  CHECK(end.host()[0] == expected);

  DeviceArray<int> both(128);
  halves<<<1, 128>>>(both);
  CHECK_LAUNCH();
  got = both.host();
  for (int i = 0; i < 64; ++i)
    CHECK(got[i] == 63 - i && got[64 + i] == 1000 + (i + 3) % 64);
  return pass();
}
