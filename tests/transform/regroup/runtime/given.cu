// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An order that was computed elsewhere, HEDDLE_REGROUP_ORDER, goes before keys and before counting; one that
// leaves a thread out is not used, and launches of other sizes go by their keys.
//
// Usage: given used|refused, with the order in the environment: the numbers 191 down to 0, or others
#include <cstdio>
#include <cstring>
#include <heddle/regroup.cuh>

constexpr unsigned threads = 192;

struct KeyWays : heddle::Ways<64> {
  static __device__ unsigned key(unsigned *, int *keyCalls) {
    atomicAdd(keyCalls, 1);
    return heddle::keyOf(blockIdx.x * blockDim.x + threadIdx.x == 5);
  }
};
struct CountWays : heddle::Ways<64> {};

template <class Way> __global__ void note(heddle::Regrouped<Way> regrouped, unsigned *doneAt, int *) {
  const heddle::Item item = regrouped.item();
  doneAt[heddle::regrouping::numberOfThread()] = item.blockIdx.x * 64 + item.threadIdx.x;
}
__global__ void counted(heddle::Counted, unsigned *, int *counts) { atomicAdd(counts, 1); }

int main(int, char **argv) {
  const bool isUsed = std::strcmp(argv[1], "used") == 0;
  unsigned *doneAt = nullptr;
  int *calls = nullptr;
  cudaMallocManaged(&doneAt, 2 * threads * sizeof *doneAt);
  cudaMallocManaged(&calls, sizeof *calls);
  bool isRight = true;
  const auto expect = [&](bool holds, const char *what) {
    if (!holds)
      std::printf("%s\n", what);
    isRight &= holds;
  };
  const auto isReversed = [&] {
    cudaDeviceSynchronize();
    for (unsigned i = 0; i < threads; ++i)
      if (doneAt[i] != threads - 1 - i)
        return false;
    return true;
  };
  *calls = 0;
  heddle::regroup(note<KeyWays>, threads / 64, 64)(doneAt, calls);
  expect(isReversed() == isUsed, "with keys");
  if (!isUsed)
    expect(doneAt[0] == 5, "an order that is none was not passed over");
  *calls = 0;
  heddle::regroup(note<CountWays>, counted, threads / 64, 64)(doneAt, calls);
  expect(isReversed() == isUsed, "with counting");
  expect(*calls == (isUsed ? 0 : int(threads)), "work was counted for nothing, or not at all");
  heddle::regroup(note<KeyWays>, 2 * threads / 64, 64)(doneAt, calls);
  cudaDeviceSynchronize();
  expect(doneAt[0] == 5, "a launch of another size");
  std::printf(isRight ? "PASS\n" : "FAIL\n");
  return !isRight;
}
