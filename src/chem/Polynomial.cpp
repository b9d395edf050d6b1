// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/Polynomial.h"

#include "support/LeastSquares.h"

namespace heddle::chem {

double Polynomial::operator()(double x) const {
  double sum = 0;
  for (size_t i = coefficients.size(); i-- > 0;)
    sum = sum * x + coefficients[i];
  return sum;
}

Polynomial fitPolynomial(unsigned degree, const std::vector<double> &x, const std::vector<double> &y,
                         const std::vector<double> &weights) {
  std::vector<std::vector<double>> powers(degree + 1, std::vector<double>(x.size()));
  std::vector<double> values(x.size());
  for (size_t row = 0; row < x.size(); ++row) {
    double term = weights.empty() ? 1 : weights[row];
    values[row] = term * y[row];
    for (unsigned column = 0; column <= degree; ++column, term *= x[row])
      powers[column][row] = term;
  }
  return {leastSquares(powers, values)};
}

} // namespace heddle::chem
