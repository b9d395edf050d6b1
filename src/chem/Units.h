// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Units of measure as Cantera's YAML files write them: `cm^3/mol/s`, `kcal/mol`, `atm`.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::chem {

/// Exponents of mass, length, time, temperature and amount. Fractions occur: a rate of order 1.25.
using Dimension = std::array<double, 5>;

inline constexpr Dimension noDimension = {0, 0, 0, 0, 0};
inline constexpr Dimension temperatureDimension = {0, 0, 0, 1, 0};
inline constexpr Dimension energyDimension = {1, 2, -2, 0, 0};
inline constexpr Dimension molarEnergyDimension = {1, 2, -2, 0, -1};
inline constexpr Dimension molarHeatDimension = {1, 2, -2, -1, -1};
inline constexpr Dimension pressureDimension = {1, -1, -2, 0, 0};
/// Of a rate constant: (m3/kmol)^(order - 1)/s.
Dimension rateDimension(double order);

bool isSame(const Dimension &a, const Dimension &b);

struct Unit {
  double size = 1; ///< in kg, m, s, K, kmol
  Dimension dimension = noDimension;
};

/// All names of units, for a message: "kg, g, mg, ...".
std::string namesOfUnits();

/// Factors joined by `*`, `/` and blanks, each with an exponent where it is not 1. Nothing where one is not
/// known.
std::optional<Unit> parseUnit(std::string_view text);

/// `kmol`, `m^3/s`...: what a dimension is in our own units.
std::string asText(const Dimension &dimension);

} // namespace heddle::chem
