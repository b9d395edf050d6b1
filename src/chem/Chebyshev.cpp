// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A surface of Chebyshev polynomials T_i over reduced inverse temperature and reduced logarithm of pressure:
//
//     log10 k = sum_i sum_j c_ij T_i(t) T_j(p)
//     t = (2/T - 1/Tmin - 1/Tmax)/(1/Tmax - 1/Tmin),   p = (2 lg P - lg Pmin - lg Pmax)/(lg Pmax - lg Pmin)
//
// Outside the ranges the polynomials go on: there is no clamping.
#include "chem/RateConstant.h"

#include <cmath>

namespace heddle::chem {
namespace {

/// T_0(x), T_1(x), ... of the given count
std::vector<double> polynomials(double x, unsigned count) {
  std::vector<double> t = {1, x};
  while (t.size() < count)
    t.push_back(2 * x * t[t.size() - 1] - t[t.size() - 2]);
  return t;
}

/// To -1 at `low` and 1 at `high`.
double reduced(double x, double low, double high) { return (2 * x - low - high) / (high - low); }

} // namespace

double rateConstant(const Chebyshev &rate, const Surroundings &at) {
  double t = reduced(1 / at.temperature, 1 / rate.lowTemperature, 1 / rate.highTemperature);
  double p = reduced(std::log10(at.pressure), std::log10(rate.lowPressure), std::log10(rate.highPressure));
  std::vector<double> overT = polynomials(t, rate.temperatures), overP = polynomials(p, rate.pressures);
  double sum = 0;
  for (unsigned i = 0; i < rate.temperatures; ++i)
    for (unsigned j = 0; j < rate.pressures; ++j)
      sum += rate.coefficients[i * rate.pressures + j] * overT[i] * overP[j];
  return std::pow(10, sum);
}

} // namespace heddle::chem
