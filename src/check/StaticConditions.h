// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/StaticForms.h"
#include "ptx/Isa.h"

#include <cstdint>
#include <vector>

namespace heddle::check {

/// Sums that are at least 0, lane by lane; an opaque one says nothing.
struct Facts {
  static constexpr unsigned Most = 4;
  unsigned count = 0;
  std::array<LaneForms, Most> atLeastZero;

  void add(const LaneForms &sum) {
    if (count < Most)
      atLeastZero[count++] = sum;
  }
  void addAll(const Facts &other) {
    for (unsigned i = 0; i < other.count; ++i)
      add(other.atLeastZero[i]);
  }
  void dropLanes(uint32_t lanes);
};

/// What follows from a predicate whose value is not known: where it is true, and where it is false.
struct Condition {
  Facts ifTrue, ifFalse;

  bool isEmpty() const { return !ifTrue.count && !ifFalse.count; }
  void dropLanes(uint32_t lanes) { ifTrue.dropLanes(lanes), ifFalse.dropLanes(lanes); }
};

/// Of a comparison of integers. Unsigned ones say something only of sums that cannot be negative: `(unsigned)(i - 1) < n`
/// compares another number where i is 0.
Condition conditionOf(Forms &forms, ptx::CmpOp compare, bool isSigned, uint32_t lanes, const LaneForms &a,
                      const LaneForms &b);
/// The largest or smallest of some numbers, in some lanes: compilers make `x < n && y < n` of one comparison with n.
struct Extremum {
  bool isMax = false, isSigned = false;
  unsigned bits = 32;
  uint32_t lanes = 0;
  std::vector<LaneForms> parts;

  bool isLike(const Extremum &other) const {
    return isMax == other.isMax && isSigned == other.isSigned && bits == other.bits;
  }
};
/// Of a comparison of it with `other`, on the left or on the right.
Condition conditionOf(Forms &forms, ptx::CmpOp compare, uint32_t lanes, const Extremum &extremum,
                      const LaneForms &other, bool isLeft);
/// Of `a && b`; null: nothing is known of it.
Condition conditionOfAnd(const Condition *a, const Condition *b);
/// Of `a || b`.
Condition conditionOfOr(const Condition *a, const Condition *b);

} // namespace heddle::check
