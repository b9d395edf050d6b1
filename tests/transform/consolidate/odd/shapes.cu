// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that are no whole warps of one shape, or less than a warp, with barriers and votes.
#include "../Harness.h"

/// Each thread adds up its column of the block's tile; the block counts odd elements on the way.
__global__ void columns(int *out, const int *in) {
  __shared__ int tile[10][12];
  __shared__ int odd;
  const int at = blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = in[at];
  const int odds = __syncthreads_count(in[at] % 2);
  if (threadIdx.x == 0 && threadIdx.y == 0)
    odd = odds;
  __syncthreads();
  int sum = odd;
  for (unsigned y = 0; y < blockDim.y; ++y)
    sum += tile[y][threadIdx.x] * int(y + threadIdx.y + 1);
  out[at] = sum;
}

__device__ int neighbour(const int (*box)[3][5], unsigned step) {
  return box[(threadIdx.z + step) % blockDim.z][threadIdx.y][(threadIdx.x + step) % blockDim.x];
}

/// A box of 105 threads, and a function that asks for the thread's index in it.
__global__ void box(int *out, const int *in) {
  __shared__ int values[7][3][5];
  const unsigned thread = (threadIdx.z * 3 + threadIdx.y) * 5 + threadIdx.x;
  values[threadIdx.z][threadIdx.y][threadIdx.x] = in[blockIdx.x * 105 + thread];
  __syncthreads();
  for (int step = 1; step < 4; ++step) {
    const int next = neighbour(values, step);
    __syncthreads();
    values[threadIdx.z][threadIdx.y][threadIdx.x] += next;
    __syncthreads();
  }
  const bool allPositive = __syncthreads_and(values[threadIdx.z][threadIdx.y][threadIdx.x] > 0);
  const bool anyLarge = __syncthreads_or(values[threadIdx.z][threadIdx.y][threadIdx.x] > 5000);
  out[blockIdx.x * 105 + thread] =
      values[threadIdx.z][threadIdx.y][threadIdx.x] + 10 * allPositive + 20 * anyLarge;
}

/// 24 threads: less than a warp, in two rows.
__global__ void less(int *out, const int *in) {
  __shared__ int row[24];
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  row[thread] = in[blockIdx.x * 24 + thread];
  __syncthreads();
  out[blockIdx.x * 24 + thread] = row[23 - thread] + 100 * __syncthreads_count(row[thread] % 3 == 0);
}

/// Whole warps in two directions at once, with shuffles.
__global__ void wide(int *out, const int *in) {
  __shared__ int sums[8];
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  int sum = in[blockIdx.x * 256 + thread];
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, distance);
  if (thread % 32 == 0)
    sums[thread / 32] = sum;
  __syncthreads();
  out[blockIdx.x * 256 + thread] = sums[thread / 32] - sums[(thread / 32 + 3) % 8] + thread;
}

/// Three warps of 24 x 4 threads: rows go across warps.
__global__ void across(int *out, const int *in) {
  __shared__ int last[3];
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  const int before = __shfl_up_sync(0xffffffff, in[blockIdx.x * 96 + thread], 1);
  if (thread % 32 == 31)
    last[thread / 32] = before;
  __syncthreads();
  out[blockIdx.x * 96 + thread] = before + last[(thread / 32 + 1) % 3] * int(threadIdx.x) + int(threadIdx.y);
}

int main() {
  const int blocks = 3;
  std::vector<int> all;
  const auto run = [&](int threads, auto launch) {
    int *in = toDevice(integers(blocks * threads, 7, 1000)), *out = zeros<int>(blocks * threads);
    launch(out, in);
    for (int each : toHost(out, blocks * threads))
      all.push_back(each);
  };
  run(120, [&](int *out, int *in) { columns<<<blocks, dim3(12, 10)>>>(out, in); });
  run(105, [&](int *out, int *in) { box<<<blocks, dim3(5, 3, 7)>>>(out, in); });
  run(24, [&](int *out, int *in) { less<<<blocks, dim3(12, 2)>>>(out, in); });
  run(256, [&](int *out, int *in) { wide<<<blocks, dim3(64, 4)>>>(out, in); });
  run(96, [&](int *out, int *in) { across<<<blocks, dim3(24, 4)>>>(out, in); });
  return verdict("shapes", all, true);
}
