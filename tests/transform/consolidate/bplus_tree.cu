// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Search in a B+ tree: a block for each query, a thread for each of a node's 256 children; the one whose
// range holds the key says where to go on.
//
// For consolidation: barriers, but no shared memory: threads exchange the path through global memory. A
// warp's barrier must order that as well as the block's did. Only one thread of the block has anything to say
// in each step.
#include "Harness.h"

#include <climits>

constexpr int Order = 256;

__global__ void findKeys(int *answers, int *places, const int *tree, const int *queries, int height) {
  const int query = blockIdx.x, thread = threadIdx.x;
  const int key = queries[query];
  size_t level = 0, nodes = 1; // where the level begins, in nodes, and how many it has
  for (int depth = 0; depth < height; ++depth) {
    const int node = places[query];
    const int *separators = tree + (level + node) * Order;
    __syncthreads(); // all know the node: now it may change
    const int low = separators[thread];
    const int high = thread + 1 < Order ? separators[thread + 1] : INT_MAX;
    if (depth == height - 1) {
      if (low == key)
        answers[query] = node * Order + thread;
    } else if ((thread == 0 || low <= key) && key < high) {
      places[query] = node * Order + thread;
    }
    __syncthreads();
    level += nodes;
    nodes *= Order;
  }
}

int main(int argc, char **argv) {
  const int queryCount = argument(argc, argv, 1, 40), height = argument(argc, argv, 2, 2);
  if (height > 3)
    return std::fprintf(stderr, "at most 3 levels\n"), 2;
  size_t keyCount = 1;
  for (int depth = 0; depth < height; ++depth)
    keyCount *= Order;

  Numbers numbers(38);
  std::vector<int> keys(keyCount), tree, queries(queryCount), wanted(queryCount, -1);
  for (size_t i = 0; i < keyCount; ++i)
    keys[i] = int(3 * i) + numbers.below(3);
  for (size_t under = keyCount / Order; under > 0; under /= Order) // a level: the first key below each child
    for (size_t i = 0; i < keyCount; i += under)
      tree.push_back(keys[i]);
  for (int i = 0; i < queryCount; ++i) {
    const int key = numbers.below(int(3 * keyCount));
    queries[i] = key;
    if (keys[key / 3] == key)
      wanted[i] = key / 3;
  }

  int *answers = toDevice(std::vector<int>(queryCount, -1)), *places = zeros<int>(queryCount);
  findKeys<<<queryCount, Order>>>(answers, places, toDevice(tree), toDevice(queries), height);
  const std::vector<int> got = toHost(answers, queryCount);
  return verdict("bplus_tree", got, agree(got, [&](size_t i) { return wanted[i]; }, 0));
}
