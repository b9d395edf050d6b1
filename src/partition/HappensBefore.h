// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each warp knows of the others at each of its steps, by the points that it has waited at: vector clocks
// that count steps. This looks at the lists of steps alone, not at how they were made.
#pragma once

#include "partition/WarpPrograms.h"

#include <string>

namespace heddle::partition {

class HappensBefore {
public:
  /// Points must be attended as `orderFault` wants it.
  explicit HappensBefore(const Partitioned &partitioned);

  /// Is step `first` of warp `a` over, in every run, when warp `b` begins its step `second`?
  bool isBefore(unsigned a, size_t first, unsigned b, size_t second) const;
  /// The step at which a warp of a point arrives there or waits.
  size_t attendance(unsigned point, unsigned warp) const { return attendances[point * warps + warp]; }

private:
  /// Steps of each warp that are known to be over.
  using Clock = std::vector<size_t>;
  struct Learnt {
    size_t step = 0; ///< from the step after this one on
    Clock clock;
  };

  size_t warps;
  std::vector<std::vector<Learnt>> learnt; ///< of each warp, in order
  std::vector<size_t> attendances;

  const Clock *clockAt(unsigned warp, size_t step) const;
};

/// Every warp of a point attends it once, in the way that the point says; waits come in rising order, and no
/// arrival comes after a wait at a later point. Then all waits end: the first point that is not complete has no warp stuck before
/// it. Empty, or what is wrong.
std::string orderFault(const Partitioned &partitioned);

} // namespace heddle::partition
