// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Accesses.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace heddle::analysis {

/// Loads by different threads of one element, which become one load if the threads are merged (CREST,
/// section 4.4).
struct Reuse {
  enum class Kind {
    Self, ///< one reference, and the thread index along `dimension` is in none of its subscripts
    Group ///< two references that touch the same element from threads `distance` apart
  };
  Kind kind = Kind::Self;
  unsigned first = 0, second = 0; ///< numbers of accesses; the same for Self
  unsigned dimension = 0;         ///< 0, 1, 2: along threadIdx.x, .y, .z
  int64_t distance = 0;           ///< Group: thread of `first` minus thread of `second`
  int64_t iterations = 0; ///< Group through a loop: so many iterations later (one reference, a[tid + i])
  bool isCertain = true;  ///< Group through a loop: it is known to run more than `iterations` times
};

const char *nameOf(Reuse::Kind kind);

/// Conditions let at most one thread pass along the dimension of this threadIdx: `if (threadIdx.x == 0)`.
bool isOfOneThread(const Access &access, const Symbol *thread);

/// How threads are merged: neighbours, or threads B/F apart.
enum class Map { Blocked, Interleaved };

/// Loads in the text before and after merging `factor` threads along a dimension, with each element loaded
/// once.
struct LoadCount {
  int64_t before = 0, after = 0;
  double saved() const { return before ? double(before - after) / double(before) : 0; }
};

/// Inter-thread reuse of one kernel's loads from shared and global memory.
class InterThreadReuse {
public:
  static InterThreadReuse of(const Accesses &accesses);

  const std::vector<Reuse> &all() const { return list; }
  bool isAlong(unsigned dimension) const;
  std::vector<const Reuse *> ofAccess(unsigned access) const;

  /// Loads of one memory space per work item and iteration, each reference counted once (trip counts of loops
  /// do not weigh). Nothing where the interleaved map needs a block size that is not known.
  std::optional<LoadCount> loads(Array::Space space, unsigned dimension, int64_t factor, Map map) const;

private:
  const Accesses *accesses = nullptr;
  std::vector<Reuse> list;
};

} // namespace heddle::analysis
