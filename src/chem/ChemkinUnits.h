// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "chem/Constants.h"
#include "chem/Mechanism.h"

#include <string_view>

namespace heddle::chem {

inline constexpr std::string_view unitWordsHint =
    "units are CAL/MOLE, KCAL/MOLE, JOULES/MOLE, KJOULES/MOLE, KELVINS, EVOLTS; MOLES, MOLECULES";

/// The units of rates in a CHEMKIN file: cm3, s, and what REACTIONS or UNITS state for the rest.
struct ChemkinUnits {
  double kelvinsPerEnergy = calorie * 1e3 / gasConstant;
  double amountsPerKmol = 1e3;

  /// Takes unit words over. Those that are none, and a second one of a kind that says something else, are errors.
  void set(const std::vector<std::pair<SourceLocation, std::string>> &words, Diagnostics &diagnostics);

  /// What converts a rate constant of this order (the sum of the concentrations' exponents) into kmol, m3, s.
  double rateFactor(double order) const;
  Arrhenius convert(double a, double b, double energy, double order) const;
};

} // namespace heddle::chem
