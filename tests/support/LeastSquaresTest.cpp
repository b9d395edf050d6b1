// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/LeastSquares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace heddle {
namespace {

using Columns = std::vector<std::vector<double>>;

double dot(const std::vector<double> &a, const std::vector<double> &b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}

std::vector<double> residual(const Columns &columns, std::vector<double> values,
                             const std::vector<double> &x) {
  for (size_t c = 0; c < columns.size(); ++c)
    for (size_t r = 0; r < values.size(); ++r)
      values[r] -= x[c] * columns[c][r];
  return values;
}

Columns randomColumns(size_t rows, size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> between(-1, 1);
  Columns columns(count, std::vector<double>(rows));
  for (auto &column : columns)
    for (double &each : column)
      each = between(random);
  return columns;
}

TEST(LeastSquares, SolvesASystem) {
  const std::vector<double> x = leastSquares({{2, 1, 0}, {0, 3, 1}, {1, 0, -4}}, {5, 7, -10});
  ASSERT_EQ(x.size(), 3u);
  EXPECT_NEAR(x[0], 1, 1e-14);
  EXPECT_NEAR(x[1], 2, 1e-14);
  EXPECT_NEAR(x[2], 3, 1e-14);
}

TEST(LeastSquares, LeavesWhatIsOrthogonalToAllColumns) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Columns columns = randomColumns(30, 1 + seed % 6, seed);
    for (size_t c = 0; c < columns.size(); ++c)
      for (double &each : columns[c])
        each *= std::pow(100.0, double(c)); // of different lengths
    const std::vector<double> values = randomColumns(30, 1, seed + 100)[0];
    const std::vector<double> left = residual(columns, values, leastSquares(columns, values));
    for (const auto &column : columns)
      EXPECT_NEAR(dot(column, left) / std::sqrt(dot(column, column)), 0, 1e-12) << "seed " << seed;
  }
}

TEST(LeastSquares, TakesTheSmallestCoefficientsOfDependentColumns) {
  // The third column is the sum of the others: x + t (1, 1, -1) is as near for every t.
  for (unsigned seed = 0; seed < 20; ++seed) {
    Columns columns = randomColumns(12, 2, seed);
    columns.push_back(columns[0]);
    for (size_t r = 0; r < 12; ++r)
      columns[2][r] += columns[1][r];
    const std::vector<double> values = randomColumns(12, 1, seed + 100)[0];
    const std::vector<double> x = leastSquares(columns, values);
    EXPECT_NEAR(x[0] + x[1] - x[2], 0, 1e-12) << "seed " << seed;
    const std::vector<double> left = residual(columns, values, x);
    for (const auto &column : columns)
      EXPECT_NEAR(dot(column, left), 0, 1e-12) << "seed " << seed;
  }
}

TEST(LeastSquares, SharesAValueBetweenEqualColumns) {
  const std::vector<double> x = leastSquares({{1, 1}, {1, 1}, {0, 0}, {1, 1}}, {2, 4});
  for (size_t c : {0, 1, 3})
    EXPECT_NEAR(x[c], 1, 1e-14);
  EXPECT_EQ(x[2], 0);
}

TEST(LeastSquares, HasMoreColumnsThanRows) {
  // x + 2 y + 2 z = 9, nearest to the origin.
  const std::vector<double> x = leastSquares({{1}, {2}, {2}}, {9});
  EXPECT_NEAR(x[0], 1, 1e-14);
  EXPECT_NEAR(x[1], 2, 1e-14);
  EXPECT_NEAR(x[2], 2, 1e-14);
}

TEST(LeastSquares, TakesNothingOfColumnsOfZeros) {
  EXPECT_EQ(leastSquares({{0, 0}, {0, 0}}, {1, 2}), (std::vector<double>{0, 0}));
  EXPECT_EQ(leastSquares({}, {1, 2}), std::vector<double>());
  EXPECT_EQ(leastSquares({{}, {}}, {}), (std::vector<double>{0, 0}));
}

} // namespace
} // namespace heddle
