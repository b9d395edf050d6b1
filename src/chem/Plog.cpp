// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rate constants given at a few pressures: the logarithm of k is linear in ln P between two of them, and the
// nearest one counts outside. At one pressure the rates are summed before the logarithm is taken. Such a sum
// may have negative parts; where it is not positive itself it counts as no rate at all, unless it is negative
// at both pressures: then the whole reaction takes away from a duplicate of it, and the sign is kept.
#include "chem/RateConstant.h"

#include <algorithm>
#include <cmath>

namespace heddle::chem {
namespace {

double sumAt(const Plog::Point &point, const Surroundings &at) {
  double sum = 0;
  for (const Arrhenius &rate : point.rates)
    sum += rateConstant(rate, at);
  return sum;
}

double interpolate(double k1, double k2, double fraction) {
  double sign = k1 < 0 && k2 < 0 ? -1 : 1;
  double log1 = std::log(std::max(sign * k1, tiny)), log2 = std::log(std::max(sign * k2, tiny));
  return sign * std::exp(log1 + (log2 - log1) * fraction);
}

} // namespace

double rateConstant(const Plog &rate, const Surroundings &at) {
  const std::vector<Plog::Point> &points = rate.points;
  if (at.pressure <= points.front().pressure)
    return sumAt(points.front(), at);
  if (at.pressure >= points.back().pressure)
    return sumAt(points.back(), at);
  auto above = std::ranges::upper_bound(points, at.pressure, {}, &Plog::Point::pressure);
  auto below = above - 1;
  double fraction = std::log(at.pressure / below->pressure) / std::log(above->pressure / below->pressure);
  return interpolate(sumAt(*below, at), sumAt(*above, at), fraction);
}

} // namespace heddle::chem
