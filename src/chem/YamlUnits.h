// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "chem/Units.h"
#include "chem/YamlNodes.h"

#include <optional>

namespace heddle::chem {

/// The units that numbers without one are in: Cantera's `units` map, at any level of the document.
struct YamlUnits {
  double length = 1, time = 1, amount = 1, pressure = 1, energy = 1;
  std::optional<double> activationEnergy; ///< kelvins; `energy` by `amount` where it is not given

  double kelvinsPerActivationEnergy() const;
  /// What converts a rate constant of this order into kmol, m3, s.
  double rateFactor(double order) const;
};

/// `units` with what the map `units` of a node, where it has one, states for them.
YamlUnits unitsOf(const YamlNode &node, YamlUnits units, Diagnostics &diagnostics);

/// What one of this unit is in kelvins: activation energies are given for an amount, for a particle, or as
/// the temperature that they make with R. Nothing where the unit is of something else.
std::optional<double> kelvinsPer(const Unit &unit);

/// 'kcal' without '/mol' is kcal per molecule, and a rate with it is practically zero: who writes it means kcal/mol.
/// Nothing for eV, which is used per molecule.
void warnOfMolecularEnergy(const YamlNode &node, const Unit &unit, Diagnostics &diagnostics);

} // namespace heddle::chem
