// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mixture of ideal gases at one point, and what follows from its state without chemistry or transport.
#pragma once

#include "chem/Mechanism.h"

#include <vector>

namespace heddle::chem {

/// Temperature, pressure and composition of a gas.
struct State {
  double temperature = 0;            ///< K
  double pressure = 0;               ///< Pa
  std::vector<double> moleFractions; ///< in the order of the mechanism's species; they add up to 1
};

/// X_k P/RT of each species, kmol/m3
std::vector<double> concentrations(const State &state);
/// kg/kmol
double meanWeight(const Mechanism &mechanism, const State &state);
/// kg/m3
double density(const Mechanism &mechanism, const State &state);
/// J/kg/K
double heatCapacityByMass(const Mechanism &mechanism, const State &state);
/// J/kmol of each species, with the heat of formation
std::vector<double> enthalpies(const Mechanism &mechanism, double temperature);

} // namespace heddle::chem
