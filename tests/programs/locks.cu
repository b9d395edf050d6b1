// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locks that the lanes of one warp fight for: each lane must get its turn, whatever the others do.
#include "Check.h"

__device__ int mutex;

__device__ void lock(int *m) {
  while (atomicCAS(m, 0, 1) != 0)
    ;
  __threadfence();
}

__device__ void unlock(int *m) {
  __threadfence();
  atomicExch(m, 0);
}

__global__ void spin(int *value, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    lock(&mutex);
    *(volatile int *)value = *(volatile int *)value + 1;
    unlock(&mutex);
  }
}

// A lane holds two locks at once, always in the same order.
__global__ void transfer(int *accounts, int *locks, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int from = i % n, to = (i * 7 + 1) % n;
  if (from == to)
    return;
  int first = from < to ? from : to, second = from < to ? to : from;
  lock(&locks[first]);
  lock(&locks[second]);
  volatile int *balance = accounts;
  balance[from] = balance[from] - 1;
  balance[to] = balance[to] + 1;
  unlock(&locks[second]);
  unlock(&locks[first]);
}

__global__ void ticketLock(int *next, int *serving, int *order) {
  int ticket = atomicAdd(next, 1);
  while (atomicAdd(serving, 0) != ticket)
    ;
  __threadfence();
  order[ticket] = blockIdx.x * blockDim.x + threadIdx.x;
  __threadfence();
  atomicAdd(serving, 1);
}

int main() {
  DeviceArray<int> value(1);
  spin<<<2, 48>>>(value, 3);
  CHECK_LAUNCH();
  CHECK(value.host()[0] == 2 * 48 * 3);

  constexpr int n = 10;
  DeviceArray<int> accounts(std::vector<int>(n, 100)), locks(n);
  transfer<<<2, 64>>>(accounts, locks, n);
  CHECK_LAUNCH();
  std::vector<int> expected(n, 100), got = accounts.host();
  for (int i = 0; i < 128; ++i)
    if (i % n != (i * 7 + 1) % n) {
      --expected[i % n];
      ++expected[(i * 7 + 1) % n];
    }
  CHECK(got == expected);

  DeviceArray<int> next(1), serving(1), order(64);
  ticketLock<<<1, 64>>>(next, serving, order);
  CHECK_LAUNCH();
  long long seen = 0;
  for (int thread : order.host())
    seen += 1 + thread;
  CHECK(seen == 64 * 65 / 2);
  return pass();
}
