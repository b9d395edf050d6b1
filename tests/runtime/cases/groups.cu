// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative groups: blocks, tiles of all sizes, coalesced lanes, the grid; collectives on them.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

struct Pair {
  double weight;
  int index;
};

__device__ int sumOfAnyGroup(cg::thread_group group, int *scratch, int value) {
  int rank = int(group.thread_rank());
  for (int half = int(group.size()) / 2; half > 0; half /= 2) {
    scratch[rank] = value;
    group.sync();
    if (rank < half)
      value += scratch[rank + half];
    group.sync();
  }
  return value;
}

template <unsigned int Size> __device__ int tileWork(const cg::thread_block_tile<Size> &tile, int value) {
  value += tile.shfl_down(value, 1) + tile.shfl_xor(value, 1) + tile.shfl(value, 0) + tile.shfl_up(value, 1);
  value += tile.any(value) + tile.all(value) + int(tile.ballot(value)) + int(tile.match_any(value));
  tile.sync();
  return cg::reduce(tile, value, cg::plus<int>()) + cg::inclusive_scan(tile, value) +
         cg::exclusive_scan(tile, value, cg::plus<int>()) +
         int(tile.meta_group_rank() + tile.meta_group_size());
}

__global__ void groups(int *out, const int *in) {
  __shared__ int scratch[1024];
  cg::thread_block block = cg::this_thread_block();
  int i = int(block.thread_rank());
  cg::memcpy_async(block, scratch, in, sizeof(int) * block.size());
  cg::wait(block);

  int value = sumOfAnyGroup(block, scratch, in[i]);
  auto warp = cg::tiled_partition<32>(block);
  value += tileWork<32>(warp, value) + tileWork<8>(cg::tiled_partition<8>(warp), value);
  value += tileWork<1>(cg::tiled_partition<1>(block), value);
  value += sumOfAnyGroup(cg::tiled_partition(block, 4), scratch + i / 4 * 4, value);
  auto half = cg::tiled_partition<64>(block);
  half.sync();

  Pair pair = {double(i), i};
  pair = warp.shfl(pair, 3);
  if (i % 3 == 0) {
    cg::coalesced_group together = cg::coalesced_threads();
    value += int(together.shfl(value, 0) + together.size() + together.thread_rank());
    value += cg::reduce(together, value, cg::greater<int>());
  }
  cg::sync(block);
  out[i] = value + pair.index + int(cg::reduce(warp, float(value), cg::less<float>()));
}

__global__ void grids(int *out) {
  cg::grid_group grid = cg::this_grid();
  out[grid.thread_rank()] = int(grid.size());
  grid.sync();
  if (grid.is_valid())
    out[grid.thread_rank()] += out[(grid.thread_rank() + 1) % grid.num_threads()];
}

int main() {
  int *out = nullptr;
  const int *in = nullptr;
  groups<<<1, 128>>>(out, in);
  void *arguments[] = {&out};
  return cudaLaunchCooperativeKernel(grids, dim3(4), dim3(64), arguments);
}
