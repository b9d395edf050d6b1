// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "divergence/Fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace heddle::divergence {
namespace {

/// Centred and scaled first: thread numbers in the millions beside elements between 0 and 1 would leave few
/// digits.
LinearModel leastSquares(Eigen::MatrixXd a, const Eigen::VectorXd &y) {
  const Eigen::Index width = a.cols();
  LinearModel model;
  model.coefficients.assign(size_t(width) + 1, 0);
  model.coefficients[0] = y.mean();
  const Eigen::VectorXd centred = y.array() - y.mean();
  model.trainingError = centred.squaredNorm() / double(y.size());
  if (width == 0)
    return model;
  const Eigen::RowVectorXd means = a.colwise().mean();
  a.rowwise() -= means;
  Eigen::RowVectorXd scales = a.colwise().norm();
  scales = (scales.array() == 0).select(1.0, scales);
  a.array().rowwise() /= scales.array();
  const Eigen::VectorXd solved = a.completeOrthogonalDecomposition().solve(centred);
  for (Eigen::Index c = 0; c < width; ++c) {
    model.coefficients[size_t(c) + 1] = solved(c) / scales(c);
    model.coefficients[0] -= model.coefficients[size_t(c) + 1] * means(c);
  }
  model.trainingError = (a * solved - centred).squaredNorm() / double(y.size());
  return model;
}

} // namespace

double LinearModel::predict(std::span<const double> values) const {
  double sum = coefficients.front();
  for (size_t i = 0; i < values.size(); ++i)
    sum += coefficients[i + 1] * values[i];
  return std::isnan(sum) ? absent : sum;
}

LinearModel fit(const std::vector<std::vector<double>> &columns, std::span<const double> counts) {
  std::vector<size_t> complete;
  double absentSum = 0;
  for (size_t r = 0; r < counts.size(); ++r)
    if (std::any_of(columns.begin(), columns.end(),
                    [&](const auto &column) { return std::isnan(column[r]); }))
      absentSum += counts[r];
    else
      complete.push_back(r);
  LinearModel model;
  model.coefficients.assign(columns.size() + 1, 0);
  if (!complete.empty()) {
    Eigen::MatrixXd a(Eigen::Index(complete.size()), Eigen::Index(columns.size()));
    Eigen::VectorXd y(a.rows());
    for (Eigen::Index r = 0; r < a.rows(); ++r) {
      for (Eigen::Index c = 0; c < a.cols(); ++c)
        a(r, c) = columns[size_t(c)][complete[size_t(r)]];
      y(r) = counts[complete[size_t(r)]];
    }
    model = leastSquares(std::move(a), y);
  }
  if (complete.size() < counts.size())
    model.absent = absentSum / double(counts.size() - complete.size());
  return model;
}

} // namespace heddle::divergence
