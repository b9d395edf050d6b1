// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cooperative groups inside a block: the block, tiles of it, tiles of tiles, and coalesced lanes.
#include "Check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <class Group> __device__ int sumOf(const Group &group, int value) {
  for (int step = group.size() / 2; step > 0; step /= 2)
    value += group.shfl_down(value, step);
  return group.shfl(value, 0);
}

__global__ void tiles(int *out) {
  cg::thread_block block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto eight = cg::tiled_partition<8>(block);
  auto four = cg::tiled_partition<4>(eight);
  int i = block.thread_rank();
  int *row = out + i * 6;
  row[0] = sumOf(warp, i);
  row[1] = sumOf(eight, i);
  row[2] = sumOf(four, i);
  row[3] = eight.meta_group_rank() * 100 + eight.thread_rank();
  row[4] = int(warp.ballot(i % 2 == 0));
  row[5] = eight.any(i % 64 == 9) * 2 + four.all(i < 100);
  block.sync();
}

__global__ void exchange(int *out) {
  __shared__ int cells[96];
  cg::thread_block block = cg::this_thread_block();
  int i = block.thread_rank();
  cells[i] = i * 3;
  cg::sync(block);
  out[i] = cells[block.size() - 1 - i] + block.group_index().x;
}

// Lanes that came here together count for all with one atomic.
__global__ void aggregated(const int *in, int n, int *count, int *order) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in[i] % 3)
    return;
  cg::coalesced_group active = cg::coalesced_threads();
  int base = 0;
  if (active.thread_rank() == 0)
    base = atomicAdd(count, int(active.size()));
  base = active.shfl(base, 0);
  order[base + active.thread_rank()] = in[i];
}

int main() {
  DeviceArray<int> out(128 * 6);
  tiles<<<1, 128>>>(out);
  CHECK_LAUNCH();
  std::vector<int> got = out.host();
  for (int i = 0; i < 128; ++i) {
    const int *row = &got[i * 6];
    auto groupSum = [i](int size) { return i / size * size * size + size * (size - 1) / 2; };
    CHECK(row[0] == groupSum(32) && row[1] == groupSum(8) && row[2] == groupSum(4));
    CHECK(row[3] == i / 8 * 100 + i % 8);
    CHECK(row[4] == 0x55555555);
    CHECK(row[5] == (i % 64 / 8 == 1) * 2 + (i / 4 < 25));
  }

  DeviceArray<int> swapped(96);
  exchange<<<1, 96>>>(swapped);
  CHECK_LAUNCH();
  got = swapped.host();
  for (int i = 0; i < 96; ++i)
    CHECK(got[i] == (95 - i) * 3);

  constexpr int n = 1000;
  std::vector<int> values(n);
  int multiples = 0;
  long long sum = 0;
  for (int i = 0; i < n; ++i) {
    values[i] = i * 17 % 256;
    if (values[i] % 3 == 0)
      ++multiples, sum += values[i];
  }
  DeviceArray<int> in(values), count(1), order(n);
  aggregated<<<8, 128>>>(in, n, count, order);
  CHECK_LAUNCH();
  CHECK(count.host()[0] == multiples);
  for (int v : order.host())
    sum -= v;
  CHECK(sum == 0);
  return pass();
}
