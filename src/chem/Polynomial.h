// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

namespace heddle::chem {

/// c0 + c1 x + c2 x^2 + ...
struct Polynomial {
  std::vector<double> coefficients;

  double operator()(double x) const;
};

/// The polynomial that is nearest to y(x) by least squares. Each point's distance is multiplied by its weight
/// before it is squared; without weights all are 1.
Polynomial fitPolynomial(unsigned degree, const std::vector<double> &x, const std::vector<double> &y,
                         const std::vector<double> &weights = {});

} // namespace heddle::chem
