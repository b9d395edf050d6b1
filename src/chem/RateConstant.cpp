// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/RateConstant.h"

#include <cmath>

namespace heddle::chem {

double rateConstant(const Rate &rate, const Surroundings &at) {
  return std::visit([&](const auto &form) { return rateConstant(form, at); }, rate);
}

double rateConstant(const Arrhenius &rate, const Surroundings &at) {
  return rate.a * std::exp(rate.b * std::log(at.temperature) - rate.activationTemperature / at.temperature);
}

double rateConstant(const LandauTeller &rate, const Surroundings &at) {
  double root = std::cbrt(at.temperature);
  return rateConstant(rate.arrhenius, at) * std::exp(rate.b / root + rate.c / (root * root));
}

} // namespace heddle::chem
