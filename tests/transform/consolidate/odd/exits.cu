// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that return before barriers and votes, uniform loops and branches around barriers, and a vote that
// ends a loop.
#include "../Harness.h"

/// The last threads return before the first barrier, and must not be counted any more.
__global__ void tail(int *out, const int *in, int count) {
  __shared__ int best[100];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  best[threadIdx.x] = in[i];
  __syncthreads();
  const int small = __syncthreads_count(in[i] < 500);
  const int here = __syncthreads_count(1);
  const int all = __syncthreads_and(in[i] >= 0);
  out[i] = best[threadIdx.x / 2] + small + 1000 * here + 7 * all;
}

/// Threads leave one after the other while the rest goes on.
__global__ void fading(int *out, const int *in) {
  __shared__ int row[128];
  row[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  for (int round = 0; round < 5; ++round) {
    const int value = row[(threadIdx.x + round) % 128];
    if (value % 7 == round) {
      out[blockIdx.x * 128 + threadIdx.x] = value + round;
      return;
    }
    __syncthreads();
    if (__syncthreads_or(value % 11 == 0))
      row[threadIdx.x] += 1;
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = -1;
}

/// Continues until no thread changes anything any more: a fixed point.
__global__ void settle(int *values, int rounds) {
  __shared__ int now[80];
  int *mine = values + blockIdx.x * 80;
  now[threadIdx.x] = mine[threadIdx.x];
  __syncthreads();
  int changed;
  do {
    const int left = threadIdx.x > 0 ? now[threadIdx.x - 1] : 0;
    __syncthreads();
    const bool grows = left > now[threadIdx.x];
    if (grows)
      now[threadIdx.x] = left;
    changed = __syncthreads_or(grows);
  } while (changed && --rounds > 0);
  if (rounds % 2 == 0) {
    now[threadIdx.x] *= 2;
    __syncthreads();
    mine[threadIdx.x] = now[79 - threadIdx.x];
  } else {
    mine[threadIdx.x] = now[threadIdx.x] + rounds;
  }
}

int main() {
  std::vector<int> all;
  const auto keep = [&](const int *data, int count) {
    for (int each : toHost(data, count))
      all.push_back(each);
  };
  int *in = toDevice(integers(400, 3, 1000)), *out = zeros<int>(400);
  tail<<<4, 100>>>(out, in, 333);
  keep(out, 400);
  int *faded = zeros<int>(384);
  fading<<<3, 128>>>(faded, in);
  keep(faded, 384);
  settle<<<4, 80>>>(in, 30);
  keep(in, 400);
  return verdict("exits", all, true);
}
