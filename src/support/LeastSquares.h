// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

namespace heddle {

/// The coefficients x for which the sum of x[c] * columns[c] is nearest to `values`, by least squares. Where several are equally near, as with
/// columns that depend on each other, those with the smallest sum of squares.
std::vector<double> leastSquares(const std::vector<std::vector<double>> &columns,
                                 const std::vector<double> &values);

} // namespace heddle
