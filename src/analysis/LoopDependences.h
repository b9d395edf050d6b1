// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/PairSystem.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::analysis {

/// How far apart two iterations are: the second access is at least `least` and at most `most` iterations of
/// its loop after the first access's in its own (negative: before it). The loops are the same one, or two
/// that count alike.
struct IterationsApart {
  const Loop *first = nullptr, *second = nullptr;
  std::optional<int64_t> least, most;
};

/// In which iterations two accesses are looked at. Loops that are not mentioned: in any.
struct Iterations {
  std::vector<const Loop *> same; ///< both are in the same iteration of these
  std::vector<IterationsApart> apart;
  Threads threads = Threads::Same; ///< of one thread, or of any two of a block
};

/// Two accesses (of one thread unless `Iterations` says otherwise) that touch the same memory, or may: they
/// have to stay in their order.
struct LoopDependence {
  const Access *first = nullptr, *second = nullptr;
  bool isCertain = false;
  std::string reason; ///< where not certain: why it cannot be excluded
  std::string hint;   ///< what would decide it
};

/// Answers which accesses of a thread, or of two of a block, depend on each other across the iterations of
/// loops. What cannot be decided depends: pointers that may overlap (PointersApart.h), subscripts without a
/// form, questions that are too hard.
///
/// Relied on: indices that reach memory do not wrap around. Values that only went through memory, and what is
/// left of a number that may have wrapped before it was divided, are not relied on.
class LoopDependences {
public:
  /// `dividesUnsigned`: somewhere an unsigned number that may have wrapped around is divided, shifted or
  /// masked.
  LoopDependences(const Accesses &accesses, bool dividesUnsigned)
      : accesses(accesses), dividesUnsigned(dividesUnsigned) {}

  /// Nothing where the two are independent in these iterations.
  std::optional<LoopDependence> between(const Access &first, const Access &second,
                                        const Iterations &iterations);

private:
  Formula domain(PairSystem &system, const Access &access, unsigned side) const;
  bool staysInRow(const Access &access, const Polynomial &index, const Polynomial &length);
  bool isReliable(const Polynomial &form) const;
  bool isReliable(const Condition &condition) const;
  std::optional<std::pair<int64_t, int64_t>> rangeOf(const Polynomial &form) const;

  const Accesses &accesses;
  bool dividesUnsigned;
  IslContext context;
};

} // namespace heddle::analysis
