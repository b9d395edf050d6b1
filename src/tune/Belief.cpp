// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Belief.h"

#include "model/Thresholds.h"

#include <algorithm>
#include <cmath>

namespace heddle::tune {
namespace {

// Of the part that all have in common nothing is known before: models of another size of the problem, or of
// another GPU, may be wrong by any factor.
using model::threshold::tune::spreadOfAll;
// What two measurements of candidates with the same parts differ by, typically: what no sum of parts explains.
using model::threshold::tune::restOfModels;

} // namespace

Belief::Belief(const std::vector<Dimension> &dimensions, double spread) {
  size_t parts = 1;
  for (const Dimension &dimension : dimensions) {
    firstOf.push_back(parts);
    parts += dimension.values.size();
  }
  means.resize(parts);
  covariance.assign(parts, std::vector<double>(parts));
  for (size_t i = 0; i < parts; ++i)
    covariance[i][i] = std::pow(i == 0 ? spreadOfAll : spread, 2);
}

std::vector<size_t> Belief::partsOf(const Point &point) const {
  std::vector<size_t> parts = {0};
  for (size_t d = 0; d < firstOf.size(); ++d)
    parts.push_back(firstOf[d] + point[d]);
  return parts;
}

/// Each part takes of what was not expected as much as it varies with the sum: Kalman's step.
void Belief::observe(const Point &point, double error) {
  const std::vector<size_t> parts = partsOf(point);
  const Error expected = of(point);
  const double surprise = error - expected.mean;
  const double variance = expected.deviation * expected.deviation + restOfModels * restOfModels;
  std::vector<double> withSum(means.size());
  for (size_t i = 0; i < means.size(); ++i)
    for (size_t part : parts)
      withSum[i] += covariance[i][part];
  for (size_t i = 0; i < means.size(); ++i) {
    means[i] += withSum[i] / variance * surprise;
    for (size_t j = 0; j < means.size(); ++j)
      covariance[i][j] -= withSum[i] * withSum[j] / variance;
  }
}

Belief::Error Belief::of(const Point &point) const {
  Error error;
  double variance = 0;
  const std::vector<size_t> parts = partsOf(point);
  for (size_t a : parts) {
    error.mean += means[a];
    for (size_t b : parts)
      variance += covariance[a][b];
  }
  error.deviation = std::sqrt(std::max(variance, 0.0));
  return error;
}

} // namespace heddle::tune
