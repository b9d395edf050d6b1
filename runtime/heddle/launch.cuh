// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of kernels whose threads (or blocks) were merged: the block (or grid) is divided by the factors. If a block is not
// divisible, the program ends with a message, because the kernel would omit work otherwise. The same for a block that is not the
// one which --block stated. A grid is rounded up.
#ifndef HEDDLE_LAUNCH_CUH
#define HEDDLE_LAUNCH_CUH

#include <cstdio>
#include <cstdlib>

namespace heddle {

/// The block of a launch of a kernel that was transformed for blocks of X * Y * Z threads, as stated by --block.
template <unsigned X, unsigned Y, unsigned Z> dim3 statedBlock(dim3 block, const char *kernel) {
  if (block.x == X && block.y == Y && block.z == Z)
    return block;
  std::fprintf(stderr,
               "heddle: kernel '%s' was transformed for blocks of (%u, %u, %u), as stated by --block, and is "
               "launched with (%u, %u, %u)\n",
               kernel, X, Y, Z, block.x, block.y, block.z);
  std::abort();
}

/// The block for a kernel in which each thread does the work of X * Y * Z threads.
template <unsigned X, unsigned Y, unsigned Z> dim3 mergedBlock(dim3 block, const char *kernel) {
  if (block.x % X == 0 && block.y % Y == 0 && block.z % Z == 0)
    return dim3(block.x / X, block.y / Y, block.z / Z);
  std::fprintf(stderr,
               "heddle: kernel '%s' was coarsened by (%u, %u, %u), and the block of this launch, (%u, %u, "
               "%u), does not "
               "divide by that\n",
               kernel, X, Y, Z, block.x, block.y, block.z);
  std::abort();
}

/// The grid for a kernel in which each block does the work of X blocks, and which skips blocks that this grid does not have.
template <unsigned X> dim3 roundedGrid(dim3 grid) { return dim3((grid.x + X - 1) / X, grid.y, grid.z); }

} // namespace heddle

#endif // HEDDLE_LAUNCH_CUH
