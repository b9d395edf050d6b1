// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rate constants given at a few pressures: the logarithm of k is linear in ln P between two of them, and the
// nearest one counts outside. At one pressure the rates are summed before the logarithm is taken. Such a sum
// may have negative parts; where it is not positive itself it counts as no rate at all, at the ends of the table
// and beyond too. A reaction whose factors are all negative subtracts from a duplicate of it: the sign is kept.
#include "chem/RateConstant.h"

#include <algorithm>
#include <cmath>

namespace heddle::chem {
namespace {

double interpolate(double k1, double k2, double fraction) {
  double log1 = std::log(std::max(k1, tiny)), log2 = std::log(std::max(k2, tiny));
  return std::exp(log1 + (log2 - log1) * fraction);
}

/// With the sign of all rates taken away.
double positiveRate(const Plog &rate, const Surroundings &at) {
  const std::vector<Plog::Point> &points = rate.points;
  const double sign = isNegative(rate) ? -1 : 1;
  const auto sumAt = [&](const Plog::Point &point) {
    return std::max(sign * sumOfRates(point, at.temperature), 0.0);
  };
  if (at.pressure <= points.front().pressure)
    return sumAt(points.front());
  if (at.pressure >= points.back().pressure)
    return sumAt(points.back());
  auto above = std::ranges::upper_bound(points, at.pressure, {}, &Plog::Point::pressure);
  auto below = above - 1;
  double fraction = std::log(at.pressure / below->pressure) / std::log(above->pressure / below->pressure);
  return interpolate(sumAt(*below), sumAt(*above), fraction);
}

} // namespace

bool isNegative(const Plog &rate) {
  return std::ranges::all_of(rate.points, [](const Plog::Point &point) {
    return std::ranges::all_of(point.rates, [](const Arrhenius &each) { return each.a < 0; });
  });
}

double sumOfRates(const Plog::Point &point, double temperature) {
  double sum = 0;
  for (const Arrhenius &rate : point.rates)
    sum += rateConstant(rate, {temperature, 0, 0});
  return sum;
}

double rateConstant(const Plog &rate, const Surroundings &at) {
  const double k = positiveRate(rate, at);
  return isNegative(rate) ? -k : k;
}

} // namespace heddle::chem
