// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The coefficients of the Runge-Kutta-Chebyshev method of second order: B. P. Sommeijer, L. F. Shampine, J. G. Verwer, RKC: an explicit
// solver for parabolic PDEs, Journal of Computational and Applied Mathematics 88 (1998) 315-326, equations 2.4 to 2.8.
#pragma once

#include <vector>

/// Y(j) = start Y(0) + last Y(j-1) + before Y(j-2) + dt (slope F(j-1) + startSlope F(0))
struct RkcStage {
  double start, last, before, slope, startSlope;
};

/// The stages 1 to `count` of a step; count >= 2.
inline std::vector<RkcStage> rkcStages(int count) {
  const double w0 = 1 + 2.0 / 13.0 / (double(count) * count); // 2/13: damping
  // Chebyshev polynomials at w0, with their first and second derivatives.
  std::vector<double> t = {1, w0}, t1 = {0, 1}, t2 = {0, 0};
  for (int j = 2; j <= count; ++j) {
    t.push_back(2 * w0 * t[j - 1] - t[j - 2]);
    t1.push_back(2 * t[j - 1] + 2 * w0 * t1[j - 1] - t1[j - 2]);
    t2.push_back(4 * t1[j - 1] + 2 * w0 * t2[j - 1] - t2[j - 2]);
  }
  const double w1 = t1[count] / t2[count];
  auto b = [&](int j) { return t2[j < 2 ? 2 : j] / (t1[j < 2 ? 2 : j] * t1[j < 2 ? 2 : j]); };
  std::vector<RkcStage> stages = {{0, 1, 0, b(1) * w1, 0}};
  for (int j = 2; j <= count; ++j) {
    const double mu = 2 * b(j) * w0 / b(j - 1), nu = -b(j) / b(j - 2), slope = 2 * b(j) * w1 / b(j - 1);
    stages.push_back({1 - mu - nu, mu, nu, slope, -(1 - b(j - 1) * t[j - 1]) * slope});
  }
  return stages;
}
