// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <set>
#include <utility>

namespace heddle::source {

class Program;
struct Kernel;

/// Pointer parameters of a kernel, by number, and what every launch in the file gives them.
struct DisjointArguments {
  std::set<std::pair<unsigned, unsigned>> pairs; ///< allocations of their own; the smaller number first
  std::set<unsigned> allocated; ///< memory that the host allocates: not part of a `__device__` variable

  bool areDisjoint(unsigned a, unsigned b) const { return pairs.contains(std::minmax(a, b)); }
};

/// Follows the pointers that the kernel is launched with to where the host allocates them. Nothing is
/// disjoint where a launch cannot be followed. `isSaidToBeWhole`: no other file calls the file's functions.
DisjointArguments disjointArguments(const Program &program, const Kernel &kernel, bool isSaidToBeWhole);

} // namespace heddle::source
