// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ways in which a kernel can be specialized: each is tried and its results are compared with those of the
// plain kernel, bit for bit. With -DCOPY=Ld -DBARRIER=Named -DBUFFERS=2 -DPRODUCERS=1 -DCONSUMERS=1 there is
// only that one.
#pragma once

#include "../Harness.h"

#include <cstring>
#include <heddle/pipeline.cuh>

inline const char *nameOf(heddle::Copy how) {
  return how == heddle::Copy::Ld ? "ld" : how == heddle::Copy::CpAsync ? "cpasync" : "bulk";
}
inline const char *nameOf(heddle::Barrier kind) {
  return kind == heddle::Barrier::Named ? "named" : "mbarrier";
}

template <class T> bool sameBits(const std::vector<T> &a, const std::vector<T> &b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// One way: who, and the ring between.
template <class RolesOf, unsigned Stages, heddle::Copy How, heddle::Barrier Kind> struct Way {
  using Roles = RolesOf;
  using Pipe = heddle::Pipeline<Roles, Stages, How, Kind>;
  static constexpr heddle::Copy copy = How;

  static bool report(bool fine, int size) {
    if (!fine)
      std::fprintf(stderr, "size %d: copy=%s barrier=%s buffers=%u producers=%u consumers=%u differs\n", size,
                   nameOf(How), nameOf(Kind), Stages, Roles::producers / 32, Roles::groups);
    return fine;
  }
};

namespace combinations {
using heddle::Barrier;
using heddle::Copy;

template <unsigned Threads, unsigned Stages, Copy How, Barrier Kind, class Try> bool eachRoles(Try attempt) {
  using heddle::Roles;
  bool fine = attempt(Way<Roles<Threads, 1, 1>, Stages, How, Kind>());
  fine &= attempt(Way<Roles<Threads, 1, 2>, Stages, How, Kind>());
  fine &= attempt(Way<Roles<Threads, 2, 1>, Stages, How, Kind>());
  return attempt(Way<Roles<Threads, 2, 2>, Stages, How, Kind>()) && fine;
}
template <unsigned Threads, unsigned Stages, class Try> bool eachCopy(Try attempt) {
  bool fine = eachRoles<Threads, Stages, Copy::Ld, Barrier::Named>(attempt);
  fine &= eachRoles<Threads, Stages, Copy::Ld, Barrier::Mbarrier>(attempt);
  fine &= eachRoles<Threads, Stages, Copy::CpAsync, Barrier::Named>(attempt);
  fine &= eachRoles<Threads, Stages, Copy::CpAsync, Barrier::Mbarrier>(attempt);
  return eachRoles<Threads, Stages, Copy::Bulk, Barrier::Mbarrier>(attempt) && fine;
}
} // namespace combinations

/// Calls attempt(Way) for every way to specialize a kernel whose block has that many threads.
template <unsigned Threads, class Try> bool eachWay(Try attempt) {
#ifdef COPY
  return attempt(Way<heddle::Roles<Threads, CONSUMERS, PRODUCERS>, BUFFERS, heddle::Copy::COPY,
                     heddle::Barrier::BARRIER>());
#else
  bool fine = combinations::eachCopy<Threads, 1>(attempt);
  fine &= combinations::eachCopy<Threads, 2>(attempt);
  fine &= combinations::eachCopy<Threads, 3>(attempt);
  return combinations::eachCopy<Threads, 4>(attempt) && fine;
#endif
}
