// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thermodynamic functions of one species as an ideal gas at 1 atm, without units.
#pragma once

#include "chem/Mechanism.h"

namespace heddle::chem {

/// cp/R
double heatCapacity(const Thermo &thermo, double temperature);
/// h/RT, with the heat of formation
double enthalpy(const Thermo &thermo, double temperature);
/// s/R
double entropy(const Thermo &thermo, double temperature);
/// g/RT = h/RT - s/R
double gibbs(const Thermo &thermo, double temperature);

/// Where the data are said to hold. They are used outside of it too, as the ranges at the ends go on.
struct TemperatureRange {
  double low = 0, high = 0; ///< K
};
TemperatureRange validRange(const Thermo &thermo);
/// Where the data of all species hold.
TemperatureRange validRange(const Mechanism &mechanism);

/// The range whose coefficients count at a temperature; where two meet, the lower one.
const Nasa7Range &rangeAt(const std::vector<Nasa7Range> &ranges, double temperature);

} // namespace heddle::chem
