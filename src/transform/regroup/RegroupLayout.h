// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

#include <string>
#include <vector>

namespace heddle::transform {

/// An array of which each thread touches the element with its own number and no other.
struct OwnArray {
  unsigned parameter = 0; ///< its number among the kernel's
  std::string name;
  bool isOverwritten = false;                 ///< every thread writes all of its element and none reads one
  std::vector<clang::SourceRange> subscripts; ///< the texts between brackets
};

/// The arrays that may be reordered: their copies hold the elements in the order of places, and what each
/// thread touches lies next to its neighbour's again.
///
/// An array is one of them where every mention of it is `array[i]` with i the thread's number in a grid of
/// one dimension, and where every thread that gets beyond the kernel's first guards comes by one of them:
/// then the element is there, and may be copied.
std::vector<OwnArray> findOwnArrays(const KernelFacts &facts);

} // namespace heddle::transform
