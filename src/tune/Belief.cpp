// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Belief.h"

#include <Eigen/Cholesky>
#include <cmath>

namespace heddle::tune {
namespace {

// Of the part that all have in common nothing is known before: models of another size of the problem, or of
// another GPU, may be off by any factor.
constexpr double spreadOfAll = 10;

} // namespace

Belief::Belief(const std::vector<Dimension> &dimensions, double spread) {
  Eigen::Index parts = 1;
  for (const Dimension &dimension : dimensions) {
    firstOf.push_back(parts);
    parts += Eigen::Index(dimension.values.size());
  }
  Eigen::VectorXd variances = Eigen::VectorXd::Constant(parts, spread * spread);
  variances(0) = spreadOfAll * spreadOfAll;
  covariance = variances.asDiagonal();
  precision = variances.cwiseInverse().asDiagonal();
  weighted = means = Eigen::VectorXd::Zero(parts);
}

std::vector<Eigen::Index> Belief::partsOf(const Point &point) const {
  std::vector<Eigen::Index> parts = {0};
  for (size_t d = 0; d < firstOf.size(); ++d)
    parts.push_back(firstOf[d] + Eigen::Index(point[d]));
  return parts;
}

void Belief::observe(const Point &point, double error) {
  constexpr double weight = 1 / (Rest * Rest);
  const std::vector<Eigen::Index> parts = partsOf(point);
  for (Eigen::Index a : parts) {
    weighted(a) += weight * error;
    for (Eigen::Index b : parts)
      precision(a, b) += weight;
  }
  const Eigen::Index size = precision.rows();
  covariance = precision.llt().solve(Eigen::MatrixXd::Identity(size, size));
  means = covariance * weighted;
}

Belief::Error Belief::of(const Point &point) const {
  Error error;
  double variance = 0;
  const std::vector<Eigen::Index> parts = partsOf(point);
  for (Eigen::Index a : parts) {
    error.mean += means(a);
    for (Eigen::Index b : parts)
      variance += covariance(a, b);
  }
  error.deviation = std::sqrt(std::max(variance, 0.0));
  return error;
}

} // namespace heddle::tune
