// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/Polynomial.h"

#include <Eigen/Dense>

namespace heddle::chem {

double Polynomial::operator()(double x) const {
  double sum = 0;
  for (size_t i = coefficients.size(); i-- > 0;)
    sum = sum * x + coefficients[i];
  return sum;
}

Polynomial fitPolynomial(unsigned degree, const std::vector<double> &x, const std::vector<double> &y,
                         const std::vector<double> &weights) {
  Eigen::MatrixXd powers(x.size(), degree + 1);
  Eigen::VectorXd values(x.size());
  for (size_t row = 0; row < x.size(); ++row) {
    double term = weights.empty() ? 1 : weights[row];
    values[row] = term * y[row];
    for (unsigned column = 0; column <= degree; ++column, term *= x[row])
      powers(row, column) = term;
  }
  Eigen::VectorXd solution = powers.colPivHouseholderQr().solve(values);
  return {{solution.begin(), solution.end()}};
}

} // namespace heddle::chem
