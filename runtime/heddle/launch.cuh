// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of kernels whose threads (or blocks) were merged: the block (or grid) is divided by the factors. If it is not
// divisible, the program ends with a message, because the kernel would omit work otherwise. The same for a block that is not the
// one which --block stated.
#ifndef HEDDLE_LAUNCH_CUH
#define HEDDLE_LAUNCH_CUH

#include <cstdio>
#include <cstdlib>

namespace heddle {

inline dim3 dividedShape(dim3 shape, unsigned x, unsigned y, unsigned z, const char *what,
                         const char *kernel) {
  if (shape.x % x == 0 && shape.y % y == 0 && shape.z % z == 0)
    return dim3(shape.x / x, shape.y / y, shape.z / z);
  std::fprintf(
      stderr,
      "heddle: kernel '%s' was coarsened by (%u, %u, %u), and the %s of this launch, (%u, %u, %u), does not "
      "divide by that\n",
      kernel, x, y, z, what, shape.x, shape.y, shape.z);
  std::abort();
}

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
  return dividedShape(block, X, Y, Z, "block", kernel);
}

/// The grid for a kernel in which each block does the work of X * Y * Z blocks.
template <unsigned X, unsigned Y, unsigned Z> dim3 mergedGrid(dim3 grid, const char *kernel) {
  return dividedShape(grid, X, Y, Z, "grid", kernel);
}

} // namespace heddle

#endif // HEDDLE_LAUNCH_CUH
