// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of kernels in which one warp does the work of a block. The kernel was rewritten for certain block sizes. A block
// size that is known only at run time is checked at the launch: a block that is not supported ends the program
// with a message, because the kernel would omit work otherwise.
#ifndef HEDDLE_CONSOLIDATE_CUH
#define HEDDLE_CONSOLIDATE_CUH

#include <cstdio>
#include <cstdlib>

namespace heddle {

[[noreturn]] inline void doesNotFit(const char *kernel, const char *what, dim3 shape, const char *wanted,
                                    unsigned long long number) {
  std::fprintf(stderr,
               "heddle: kernel '%s' was consolidated, and the %s of this launch, (%u, %u, %u), %s %llu\n",
               kernel, what, shape.x, shape.y, shape.z, wanted, number);
  std::abort();
}

/// The original block of a launch, for a kernel that takes it as a parameter and whose work loops support up to Most threads.
template <unsigned Most> dim3 blockShape(dim3 block, const char *kernel) {
  if (1ull * block.x * block.y * block.z > Most)
    doesNotFit(kernel, "block", block, "has more threads than", Most);
  return block;
}
template <unsigned Most> unsigned blockThreads(dim3 block, const char *kernel) {
  return blockShape<Most>(block, kernel).x * block.y * block.z;
}

/// LX * LY * LZ lanes instead of a block of X * Y * Z threads, for which the kernel was rewritten.
template <unsigned X, unsigned Y, unsigned Z, unsigned LX, unsigned LY, unsigned LZ>
dim3 warpOf(dim3 block, const char *kernel) {
  if (block.x != X || block.y != Y || block.z != Z)
    doesNotFit(kernel, "block", block,
               "is not the one it was consolidated for, with threads:", 1ull * X * Y * Z);
  return dim3(LX, LY, LZ);
}

/// A grid of more, smaller blocks, for kernels whose threads only use their index in the grid.
template <unsigned X, unsigned Y, unsigned Z> dim3 grownGrid(dim3 grid, const char *kernel) {
  const unsigned long long x = 1ull * grid.x * X, y = 1ull * grid.y * Y, z = 1ull * grid.z * Z;
  if (x > 0x7fffffff)
    doesNotFit(kernel, "grid", grid, "would become too long in x when multiplied by", X);
  if (y > 65535)
    doesNotFit(kernel, "grid", grid, "would become too long in y when multiplied by", Y);
  if (z > 65535)
    doesNotFit(kernel, "grid", grid, "would become too long in z when multiplied by", Z);
  return dim3(unsigned(x), unsigned(y), unsigned(z));
}

/// The same for a one-dimensional block whose size is known only at run time.
inline dim3 gridOfWarps(dim3 grid, dim3 block, const char *kernel) {
  if (block.x % 32 != 0 || block.y != 1 || block.z != 1)
    doesNotFit(kernel, "block", block, "is not one row whose length is a multiple of", 32);
  const unsigned long long x = 1ull * grid.x * (block.x / 32);
  if (x > 0x7fffffff)
    doesNotFit(kernel, "grid", grid, "would become too long in x when multiplied by", block.x / 32);
  return dim3(unsigned(x), grid.y, grid.z);
}

} // namespace heddle

#endif // HEDDLE_CONSOLIDATE_CUH
