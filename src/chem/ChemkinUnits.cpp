// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/ChemkinUnits.h"

#include "chem/SourceText.h"

#include <cmath>
#include <span>

namespace heddle::chem {
namespace {

constexpr double cubicMetresPerCubicCentimetre = 1e-6;

struct UnitWord {
  std::string_view name;
  double value;
};

constexpr UnitWord energyUnits[] = {
#define ENERGY_UNIT(name, kelvins) {name, kelvins},
#include "chem/ChemkinUnits.def"
};
constexpr UnitWord amountUnits[] = {
#define AMOUNT_UNIT(name, perKmol) {name, perKmol},
#include "chem/ChemkinUnits.def"
};

bool take(const std::string &word, std::span<const UnitWord> units, double &value) {
  for (const UnitWord &unit : units)
    if (word == unit.name) {
      value = unit.value;
      return true;
    }
  return false;
}

} // namespace

bool ChemkinUnits::set(std::string_view word) {
  std::string upper = upperCase(word);
  return take(upper, energyUnits, kelvinsPerEnergy) || take(upper, amountUnits, amountsPerKmol);
}

double ChemkinUnits::rateFactor(double order) const {
  return std::pow(cubicMetresPerCubicCentimetre * amountsPerKmol, order - 1);
}

Arrhenius ChemkinUnits::convert(double a, double b, double energy, double order) const {
  return {a * rateFactor(order), b, energy * kelvinsPerEnergy};
}

} // namespace heddle::chem
