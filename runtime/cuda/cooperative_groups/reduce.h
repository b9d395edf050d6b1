// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folding one value of each thread of a group into one that all of them get.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {

#define HEDDLE_CG_OPERATION(name, expression)                                                                \
  template <class T = void> struct name {                                                                    \
    HEDDLE_CG_MEMBER T operator()(T a, T b) const { return expression; }                                     \
  };                                                                                                         \
  template <> struct name<void> {                                                                            \
    template <class T> HEDDLE_CG_MEMBER T operator()(T a, T b) const { return expression; }                  \
  };
HEDDLE_CG_OPERATION(plus, a + b)
HEDDLE_CG_OPERATION(less, b < a ? b : a)
HEDDLE_CG_OPERATION(greater, a < b ? b : a)
HEDDLE_CG_OPERATION(bit_and, a &b)
HEDDLE_CG_OPERATION(bit_or, a | b)
HEDDLE_CG_OPERATION(bit_xor, a ^ b)
#undef HEDDLE_CG_OPERATION

/// A butterfly: after log2(size) exchanges every thread holds the result.
template <unsigned int Size, class Parent, class T, class Operation>
HEDDLE_CG_MEMBER typename heddle::Plain<T>::type reduce(const thread_block_tile<Size, Parent> &tile,
                                                        T &&value, Operation &&operation) {
  static_assert(Size <= 32, "reduce works on tiles within a warp");
  typename heddle::Plain<T>::type folded = value;
#pragma unroll
  for (unsigned int distance = Size / 2; distance > 0; distance /= 2)
    folded = operation(folded, tile.shfl_xor(folded, (int)distance));
  return folded;
}

/// Any number of threads: halve, rounding up, then give the first one's result to all.
template <class T, class Operation>
HEDDLE_CG_MEMBER typename heddle::Plain<T>::type reduce(const coalesced_group &group, T &&value,
                                                        Operation &&operation) {
  typename heddle::Plain<T>::type folded = value;
  for (unsigned int left = group.num_threads(); left > 1;) {
    unsigned int half = (left + 1) / 2;
    auto other = group.shfl_down(folded, half);
    if (group.thread_rank() + half < left)
      folded = operation(folded, other);
    left = half;
  }
  return group.shfl(folded, 0);
}

} // namespace cooperative_groups
