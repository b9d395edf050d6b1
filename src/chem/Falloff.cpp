// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Falloff between a low-pressure and a high-pressure limit, by the reduced pressure Pr = k_low [M]/k_high:
//
//     falloff                k = k_high Pr/(1+Pr) F
//     chemically activated   k = k_low   1/(1+Pr) F
//
// with F = 1 (Lindemann), or by Troe:
//
//     log10 F = log10 F_cent / (1 + f^2),   f = (log10 Pr + c)/(n - 0.14 (log10 Pr + c)),
//     c = -0.4 - 0.67 log10 F_cent,         n = 0.75 - 1.27 log10 F_cent
//     F_cent = (1-a) exp(-T/T3) + a exp(-T/T1) + exp(-T2/T)
//
// or by SRI:
//
//     F = d T^e [a exp(-b/T) + exp(-T/c)]^X,   X = 1/(1 + (log10 Pr)^2)
#include "chem/RateConstant.h"

#include <algorithm>
#include <cmath>

namespace heddle::chem {
namespace {

double blendingOf(const Lindemann &, double, double) { return 1; }

/// A T3 or T1 of zero makes its exponential vanish, as -T/0 does in floating point. A T2 of zero counts as
/// none: files write it to mean that, and with it F_cent would be above 1.
double centre(const Troe &troe, double t) {
  double sum = (1 - troe.a) * std::exp(-t / troe.t3) + troe.a * std::exp(-t / troe.t1);
  if (troe.t2.value_or(0) != 0)
    sum += std::exp(-*troe.t2 / t);
  return sum;
}

double blendingOf(const Troe &troe, double t, double logPressure) {
  double logCentre = std::log10(std::max(centre(troe, t), tiny));
  double c = -0.4 - 0.67 * logCentre, n = 0.75 - 1.27 * logCentre;
  double f = (logPressure + c) / (n - 0.14 * (logPressure + c));
  return std::pow(10, logCentre / (1 + f * f));
}

double blendingOf(const Sri &sri, double t, double logPressure) {
  double base = sri.a * std::exp(-sri.b / t);
  if (sri.c != 0)
    base += std::exp(-t / sri.c);
  return sri.d * std::pow(t, sri.e) * std::pow(base, 1 / (1 + logPressure * logPressure));
}

} // namespace

double blending(const Shape &shape, double temperature, double reducedPressure) {
  double logPressure = std::log10(std::max(reducedPressure, tiny));
  return std::visit([&](const auto &form) { return blendingOf(form, temperature, logPressure); }, shape);
}

double rateConstant(const Falloff &rate, const Surroundings &at) {
  double low = rateConstant(rate.low, at), high = rateConstant(rate.high, at);
  double reduced = low * at.collider / (high + tiny);
  double f = blending(rate.shape, at.temperature, reduced);
  return (rate.chemicallyActivated ? low : high * reduced) / (1 + reduced) * f;
}

} // namespace heddle::chem
