// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rate constant of one reaction, in every form a mechanism may give it. Units are kmol, m3 and s.
#pragma once

#include "chem/Mechanism.h"

namespace heddle::chem {

/// All that a rate constant may depend on.
struct Surroundings {
  double temperature = 0; ///< K
  double pressure = 0;    ///< Pa
  double collider = 0;    ///< concentration of the collider with its efficiencies, kmol/m3; for falloff alone
};

double rateConstant(const Rate &rate, const Surroundings &at);

/// The forms one by one; rateConstant() chooses among them.
double rateConstant(const Arrhenius &rate, const Surroundings &at);
double rateConstant(const LandauTeller &rate, const Surroundings &at);
double rateConstant(const Falloff &rate, const Surroundings &at);
double rateConstant(const Plog &rate, const Surroundings &at);
double rateConstant(const Chebyshev &rate, const Surroundings &at);

/// Are all factors of the rates negative, so that the reaction subtracts from a duplicate?
bool isNegative(const Plog &rate);
/// Of the rates at one pressure; negative sums count as zero unless isNegative().
double sumOfRates(const Plog::Point &point, double temperature);

/// F of a falloff reaction at a reduced pressure.
double blending(const Shape &shape, double temperature, double reducedPressure);

/// Represents zero where a logarithm or a quotient needs more than that.
inline constexpr double tiny = 1e-300;

} // namespace heddle::chem
