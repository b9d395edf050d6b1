// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running folds: thread r gets the values of threads 0 to r (inclusive) or 0 to r - 1 (exclusive) folded.
#pragma once

#include "reduce.h"

namespace cooperative_groups {

template <class Group, class T, class Operation>
HEDDLE_CG_MEMBER typename heddle::Plain<T>::type inclusive_scan(const Group &group, T &&value,
                                                                Operation &&operation) {
  typename heddle::Plain<T>::type folded = value;
  for (unsigned int distance = 1; distance < group.num_threads(); distance *= 2) {
    auto other = group.shfl_up(folded, distance);
    if (group.thread_rank() >= distance)
      folded = operation(other, folded);
  }
  return folded;
}
template <class Group, class T>
HEDDLE_CG_MEMBER typename heddle::Plain<T>::type inclusive_scan(const Group &group, T &&value) {
  return inclusive_scan(group, value, plus<typename heddle::Plain<T>::type>());
}

template <class Group, class T, class Operation>
HEDDLE_CG_MEMBER typename heddle::Plain<T>::type exclusive_scan(const Group &group, T &&value,
                                                                Operation &&operation) {
  auto before = group.shfl_up(inclusive_scan(group, value, operation), 1u);
  return group.thread_rank() == 0 ? typename heddle::Plain<T>::type{} : before;
}
template <class Group, class T>
HEDDLE_CG_MEMBER typename heddle::Plain<T>::type exclusive_scan(const Group &group, T &&value) {
  return exclusive_scan(group, value, plus<typename heddle::Plain<T>::type>());
}

} // namespace cooperative_groups
