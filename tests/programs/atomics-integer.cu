// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every integer atomic, 32 and 64 bits, on shared and on global memory, with old values that are used.
#include "Check.h"

struct Cells {
  int add, sub, min, max;
  unsigned umin, umax, inc, dec, bitAnd, bitOr, bitXor, exchanged;
  long long smin64, smax64;
  unsigned long long add64, umin64, umax64, and64, or64, xor64;
  int casCounter;
};

__device__ void touch(Cells *cells, int i) {
  atomicAdd(&cells->add, i);
  atomicSub(&cells->sub, 2 * i);
  atomicMin(&cells->min, 50 - i);
  atomicMax(&cells->max, i - 50);
  atomicMin(&cells->umin, 0xffffff00u - i);
  atomicMax(&cells->umax, 0x80000000u + i);
  atomicInc(&cells->inc, 16);
  atomicDec(&cells->dec, 9);
  atomicAnd(&cells->bitAnd, ~(1u << (i % 31)));
  atomicOr(&cells->bitOr, 1u << (i % 32));
  atomicXor(&cells->bitXor, 1u << (i % 7));
  atomicMin(&cells->smin64, -(1ll << 33) - i);
  atomicMax(&cells->smax64, (1ll << 33) + i);
  atomicAdd(&cells->add64, (1ull << 32) + i);
  atomicMin(&cells->umin64, (1ull << 50) - i);
  atomicMax(&cells->umax64, (1ull << 50) + i);
  atomicAnd(&cells->and64, ~(1ull << (i % 64)));
  atomicOr(&cells->or64, 1ull << (i % 60));
  atomicXor(&cells->xor64, 1ull << (33 + i % 3));
  int seen = cells->casCounter, expected;
  do {
    expected = seen;
    seen = atomicCAS(&cells->casCounter, expected, expected + 3);
  } while (seen != expected);
}

__host__ __device__ Cells initial() {
  Cells cells = {};
  cells.min = cells.max = 0;
  cells.umin = cells.bitAnd = 0xffffffffu;
  cells.umin64 = cells.and64 = ~0ull;
  return cells;
}

__global__ void onGlobal(Cells *cells) { touch(cells, blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void onShared(Cells *out) {
  __shared__ Cells cells;
  if (threadIdx.x == 0)
    cells = initial();
  __syncthreads();
  touch(&cells, threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0)
    *out = cells;
}

// Tickets: the old values of one atomic are a permutation; exchanges hand every value on exactly once.
__global__ void tickets(unsigned *next, unsigned *taken, unsigned *baton, unsigned long long *sum) {
  unsigned ticket = atomicAdd(next, 1u);
  atomicAdd(&taken[ticket], 1u);
  unsigned before = atomicExch(baton, threadIdx.x + blockIdx.x * blockDim.x + 1);
  atomicAdd(sum, (unsigned long long)before);
}

void verify(const Cells &cells, int n) {
  long long sum = (long long)n * (n - 1) / 2;
  CHECK(cells.add == int(sum) && cells.sub == int(-2 * sum));
  CHECK(cells.min == (50 - (n - 1) < 0 ? 50 - (n - 1) : 0) && cells.max == (n - 51 > 0 ? n - 51 : 0));
  CHECK(cells.umin == 0xffffff00u - (n - 1) && cells.umax == 0x80000000u + (n - 1));
  CHECK(cells.inc == unsigned(n) % 17);
  CHECK(cells.dec == (10 - n % 10) % 10u);
  CHECK(cells.bitAnd == (n >= 31 ? 0x80000000u : 0) && cells.bitOr == 0xffffffffu);
  unsigned bitXor = 0;
  unsigned long long xor64 = 0, and64 = ~0ull, or64 = 0;
  for (int i = 0; i < n; ++i) {
    bitXor ^= 1u << (i % 7);
    xor64 ^= 1ull << (33 + i % 3);
    and64 &= ~(1ull << (i % 64));
    or64 |= 1ull << (i % 60);
  }
  CHECK(cells.bitXor == bitXor && cells.xor64 == xor64 && cells.and64 == and64 && cells.or64 == or64);
  CHECK(cells.smin64 == -(1ll << 33) - (n - 1) && cells.smax64 == (1ll << 33) + (n - 1));
  CHECK(cells.add64 == ((unsigned long long)n << 32) + sum);
  CHECK(cells.umin64 == (1ull << 50) - (n - 1) && cells.umax64 == (1ull << 50) + (n - 1));
  CHECK(cells.casCounter == 3 * n);
}

int main() {
  DeviceArray<Cells> cells(std::vector<Cells>{initial()});
  onGlobal<<<5, 96>>>(cells);
  CHECK_LAUNCH();
  verify(cells.host()[0], 480);
  onShared<<<1, 160>>>(cells);
  CHECK_LAUNCH();
  verify(cells.host()[0], 160);

  constexpr int n = 512;
  DeviceArray<unsigned> next(1), taken(n), baton(1);
  DeviceArray<unsigned long long> sum(1);
  tickets<<<4, 128>>>(next, taken, baton, sum);
  CHECK_LAUNCH();
  for (unsigned times : taken.host())
    CHECK(times == 1);
  CHECK(sum.host()[0] + baton.host()[0] == n * (n + 1) / 2);
  return pass();
}
