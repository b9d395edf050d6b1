// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/Space.h"

namespace heddle::tune {

/// How far a model is off, in logarithms of measured over predicted times: one part that all candidates of a
/// space have in common, and one for each value of each dimension. What a model thinks of blocked maps, or of
/// four buffers, it thinks of all of them, so these parts are learned from few measurements.
///
/// This is linear regression as Bayes has it: parts are normally distributed around nothing before anything
/// was measured, and what is left of their spread says how much is still to be learned of a candidate.
class Belief {
public:
  /// `spread`: how far the part of one value is off, typically.
  Belief(const std::vector<Dimension> &dimensions, double spread);

  void observe(const Point &point, double error);

  struct Error {
    double mean = 0, deviation = 0;
  };
  Error of(const Point &point) const;

private:
  /// Which parts a candidate has.
  std::vector<size_t> partsOf(const Point &point) const;

  std::vector<size_t> firstOf; ///< by dimension: the part of its first value
  std::vector<double> means;   ///< by part
  std::vector<std::vector<double>> covariance;
};

} // namespace heddle::tune
