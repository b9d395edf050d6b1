// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/ChemkinUnits.h"

#include "chem/SourceText.h"

#include <fmt/format.h>

#include <algorithm>
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

using LocatedWord = std::pair<SourceLocation, std::string>;

/// Units of one kind: the first one that a line names counts.
struct UnitKind {
  std::string_view name;
  std::span<const UnitWord> units;
  double &value;
  const LocatedWord *first = nullptr;

  /// False where the word is none of these units.
  bool take(const LocatedWord &word, Diagnostics &diagnostics) {
    const std::string upper = upperCase(word.second);
    const auto unit = std::ranges::find(units, upper, &UnitWord::name);
    if (unit == units.end())
      return false;
    if (!first) {
      first = &word;
      value = unit->value;
    } else if (unit->value != value) {
      diagnostics.error(word.first, fmt::format("a second unit of {}, '{}'", name, word.second))
          .note(first->first, fmt::format("'{}' is given here", first->second))
          .withHint("remove one of the two");
    }
    return true;
  }
};

} // namespace

void ChemkinUnits::set(const std::vector<LocatedWord> &words, Diagnostics &diagnostics) {
  UnitKind energy{"activation energy", energyUnits, kelvinsPerEnergy},
      amount{"amount", amountUnits, amountsPerKmol};
  for (const LocatedWord &word : words)
    if (!energy.take(word, diagnostics) && !amount.take(word, diagnostics))
      diagnostics
          .error(word.first, fmt::format("'{}' is not a unit of activation energy or of amount", word.second))
          .withHint(std::string(unitWordsHint));
}

double ChemkinUnits::rateFactor(double order) const {
  return std::pow(cubicMetresPerCubicCentimetre * amountsPerKmol, order - 1);
}

Arrhenius ChemkinUnits::convert(double a, double b, double energy, double order) const {
  return {a * rateFactor(order), b, energy * kelvinsPerEnergy};
}

} // namespace heddle::chem
