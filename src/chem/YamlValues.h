// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "chem/YamlKeys.h"
#include "chem/YamlUnits.h"

#include <optional>
#include <string_view>
#include <utility>

namespace heddle::chem {

/// Reads values out of nodes and reports those that are missing or wrong. `what` names them in messages.
class YamlValues {
public:
  YamlValues(Diagnostics &diagnostics, YamlKeys &keys) : diagnostics(diagnostics), keys(keys) {}

  /// A plain number.
  std::optional<double> number(const YamlNode &node, std::string_view what) const;
  std::optional<double> number(const YamlNode &map, std::string_view key, std::string_view what) const;
  /// A number with a unit of the dimension, or without one, then in `unit`.
  std::optional<double> quantity(const YamlNode &node, const Dimension &dimension, double unit,
                                 std::string_view what) const;
  /// In kelvins, from kelvins, or energy for an amount or a particle.
  std::optional<double> activationTemperature(const YamlNode &node, const YamlUnits &units) const;
  bool flag(const YamlNode &node) const;
  YamlUnits unitsOf(const YamlNode &node, const YamlUnits &units) const {
    return chem::unitsOf(node, units, diagnostics);
  }

  Diagnostics &diagnostics;
  YamlKeys &keys;

private:
  std::optional<std::pair<double, Unit>> numberAndUnit(const YamlNode &node, std::string_view what) const;
};

} // namespace heddle::chem
