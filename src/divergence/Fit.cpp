// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "divergence/Fit.h"

#include "support/LeastSquares.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace heddle::divergence {
namespace {

double squaredNorm(const std::vector<double> &values) {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

/// Takes the mean off all values, and returns it.
double centre(std::vector<double> &values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
  for (double &value : values)
    value -= mean;
  return mean;
}

/// Centred and scaled first: thread numbers in the millions beside elements between 0 and 1 would leave few
/// digits.
LinearModel nearestModel(std::vector<std::vector<double>> columns, std::vector<double> y) {
  LinearModel model;
  std::vector<double> means, scales;
  const double mean = centre(y);
  for (std::vector<double> &column : columns) {
    means.push_back(centre(column));
    const double norm = std::sqrt(squaredNorm(column));
    scales.push_back(norm == 0 ? 1 : norm);
    for (double &value : column)
      value /= scales.back();
  }
  const std::vector<double> solved = leastSquares(columns, y);
  model.coefficients = {mean};
  for (size_t c = 0; c < columns.size(); ++c) {
    model.coefficients.push_back(solved[c] / scales[c]);
    model.coefficients[0] -= model.coefficients.back() * means[c];
    for (size_t r = 0; r < y.size(); ++r)
      y[r] -= solved[c] * columns[c][r];
  }
  model.trainingError = squaredNorm(y) / double(y.size());
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
    const auto completeOnes = [&](std::span<const double> values) {
      std::vector<double> kept;
      kept.reserve(complete.size());
      for (size_t r : complete)
        kept.push_back(values[r]);
      return kept;
    };
    std::vector<std::vector<double>> inputs;
    inputs.reserve(columns.size());
    for (const std::vector<double> &column : columns)
      inputs.push_back(completeOnes(column));
    model = nearestModel(std::move(inputs), completeOnes(counts));
  }
  if (complete.size() < counts.size())
    model.absent = absentSum / double(counts.size() - complete.size());
  return model;
}

} // namespace heddle::divergence
