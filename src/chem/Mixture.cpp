// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/Mixture.h"

#include "chem/Constants.h"
#include "chem/Thermo.h"

namespace heddle::chem {

std::vector<double> concentrations(const State &state) {
  double total = state.pressure / (gasConstant * state.temperature);
  std::vector<double> c = state.moleFractions;
  for (double &each : c)
    each *= total;
  return c;
}

double meanWeight(const Mechanism &mechanism, const State &state) {
  double sum = 0;
  for (size_t k = 0; k < mechanism.species.size(); ++k)
    sum += state.moleFractions[k] * mechanism.species[k].weight;
  return sum;
}

double density(const Mechanism &mechanism, const State &state) {
  return meanWeight(mechanism, state) * state.pressure / (gasConstant * state.temperature);
}

double heatCapacityByMass(const Mechanism &mechanism, const State &state) {
  double sum = 0;
  for (size_t k = 0; k < mechanism.species.size(); ++k)
    sum += state.moleFractions[k] * heatCapacity(mechanism.species[k].thermo, state.temperature);
  return sum * gasConstant / meanWeight(mechanism, state);
}

std::vector<double> enthalpies(const Mechanism &mechanism, double temperature) {
  std::vector<double> h;
  for (const Species &species : mechanism.species)
    h.push_back(enthalpy(species.thermo, temperature) * gasConstant * temperature);
  return h;
}

} // namespace heddle::chem
