// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one file that includes Eigen: its templates take longer to compile than the rest of a module that uses them.
#include "support/LeastSquares.h"

#include <Eigen/Dense>

namespace heddle {

std::vector<double> leastSquares(const std::vector<std::vector<double>> &columns,
                                 const std::vector<double> &values) {
  Eigen::MatrixXd matrix(values.size(), columns.size());
  for (size_t c = 0; c < columns.size(); ++c)
    matrix.col(Eigen::Index(c)) = Eigen::VectorXd::Map(columns[c].data(), Eigen::Index(values.size()));
  const auto wanted = Eigen::VectorXd::Map(values.data(), Eigen::Index(values.size()));
  if (matrix.size() == 0)
    return std::vector<double>(columns.size());
  const Eigen::VectorXd solution = matrix.completeOrthogonalDecomposition().solve(wanted);
  return {solution.begin(), solution.end()};
}

} // namespace heddle
