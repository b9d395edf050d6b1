// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies by a whole group, going on in the background where the hardware can (global to shared, 16, 8 or 4
// bytes).
#pragma once

#include "../cooperative_groups.h"
#include "../heddle/async_copy.h"

namespace cooperative_groups {

template <class Group>
HEDDLE_CG_MEMBER void memcpy_async(const Group &group, void *to, const void *from, size_t bytes) {
  ::heddleCopyAsync(to, from, bytes, (unsigned int)group.thread_rank(), (unsigned int)group.num_threads());
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <class Group, class T>
HEDDLE_CG_MEMBER void memcpy_async(const Group &group, T *to, size_t toCount, const T *from,
                                   size_t fromCount) {
  memcpy_async(group, (void *)to, (const void *)from,
               (toCount < fromCount ? toCount : fromCount) * sizeof(T));
}

template <class Group> HEDDLE_CG_MEMBER void wait(const Group &group) {
  asm volatile("cp.async.wait_all;" ::: "memory");
  group.sync();
}
template <unsigned int Stages, class Group> HEDDLE_CG_MEMBER void wait_prior(const Group &group) {
  asm volatile("cp.async.wait_group %0;" ::"n"(Stages) : "memory");
  group.sync();
}

} // namespace cooperative_groups
