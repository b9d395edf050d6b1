// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Histogram merge: partial histograms of 256 bins become one, a block of 256 threads for each bin.
//
// For consolidation: the plainest reduction tree over shared memory there is. All steps down to half = 32 add
// one register to another of the same lane; only the last five cross lanes. The barrier is spelled as the SDK
// spells it.
#include "Harness.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int Bins = 256;
constexpr int Threads = 256;

__global__ void mergeHistograms(unsigned *merged, const unsigned *partials, int partialCount) {
  cg::thread_block block = cg::this_thread_block();
  __shared__ unsigned sums[Threads];
  const unsigned *image = partials + size_t(blockIdx.y) * partialCount * Bins;

  unsigned sum = 0;
  for (int i = threadIdx.x; i < partialCount; i += Threads)
    sum += image[size_t(i) * Bins + blockIdx.x];
  sums[threadIdx.x] = sum;
  cg::sync(block);

  for (int half = Threads / 2; half > 0; half >>= 1) {
    if (int(threadIdx.x) < half)
      sums[threadIdx.x] += sums[threadIdx.x + half];
    cg::sync(block);
  }

  if (threadIdx.x == 0)
    merged[blockIdx.y * Bins + blockIdx.x] = sums[0];
}

int main(int argc, char **argv) {
  const int partialCount = argument(argc, argv, 1, 300);
  const int images = argument(argc, argv, 2, 1);
  const std::vector<unsigned> partials = integers<unsigned>(size_t(images) * partialCount * Bins, 1, 1000);

  unsigned *devicePartials = toDevice(partials);
  unsigned *merged = zeros<unsigned>(images * Bins);
  dim3 grid(Bins, images);
  mergeHistograms<<<grid, Threads>>>(merged, devicePartials, partialCount);
  const std::vector<unsigned> got = toHost(merged, images * Bins);

  const auto wanted = [&](size_t at) {
    unsigned sum = 0;
    for (int i = 0; i < partialCount; ++i)
      sum += partials[(at / Bins * partialCount + i) * Bins + at % Bins];
    return sum;
  };
  return verdict("histogram_merge", got, agree(got, wanted, 0));
}
