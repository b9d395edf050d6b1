// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/YamlValues.h"

#include "chem/Numbers.h"

#include <algorithm>

namespace heddle::chem {

std::optional<std::pair<double, Unit>> YamlValues::numberAndUnit(const YamlNode &node,
                                                                 std::string_view what) const {
  std::string text = node.text();
  size_t blank = std::min(text.find(' '), text.size());
  std::optional<double> value = parseNumber(std::string_view(text).substr(0, blank));
  if (!value) {
    diagnostics
        .error(node.location(), node.isText() ? fmt::format("'{}' is no number for {}", text, what)
                                              : fmt::format("{} must be a number", what))
        .withHint(numberHint(text));
    return std::nullopt;
  }
  if (blank == text.size())
    return std::pair{*value, Unit{0, noDimension}};
  std::optional<Unit> unit = parseUnit(std::string_view(text).substr(blank));
  if (!unit) {
    diagnostics
        .error(node.location(blank + 1, text.size() - blank - 1),
               fmt::format("'{}' is no unit that is known", trimmed(std::string_view(text).substr(blank))))
        .withHint("known are products and quotients of " + namesOfUnits());
    return std::nullopt;
  }
  return std::pair{*value, *unit};
}

std::optional<double> YamlValues::number(const YamlNode &node, std::string_view what) const {
  std::optional<double> value = parseNumber(node.text());
  if (!value)
    diagnostics
        .error(node.location(), node.isText() ? fmt::format("'{}' is no number for {}", node.text(), what)
                                              : fmt::format("{} must be a number", what))
        .withHint(numberHint(node.text()));
  return value;
}

std::optional<double> YamlValues::number(const YamlNode &map, std::string_view key,
                                         std::string_view what) const {
  YamlNode node = map[key];
  if (node.exists())
    return number(node, fmt::format("{} of {}", key, what));
  diagnostics.error(map.location(), fmt::format("'{}' is missing from {}", key, what));
  return std::nullopt;
}

std::optional<double> YamlValues::quantity(const YamlNode &node, const Dimension &dimension, double unit,
                                           std::string_view what) const {
  auto given = numberAndUnit(node, what);
  if (!given)
    return std::nullopt;
  if (given->second.size == 0)
    return given->first * unit;
  if (isSame(given->second.dimension, dimension))
    return given->first * given->second.size;
  diagnostics.error(node.location(), fmt::format("'{}' has the wrong unit for {}", node.text(), what))
      .withHint(fmt::format("a unit of the same kind as {}", asText(dimension)));
  return std::nullopt;
}

std::optional<double> YamlValues::activationTemperature(const YamlNode &node, const YamlUnits &units) const {
  auto given = numberAndUnit(node, "an activation energy");
  if (!given)
    return std::nullopt;
  if (given->second.size == 0)
    return given->first * units.kelvinsPerActivationEnergy();
  if (std::optional<double> kelvins = kelvinsPer(given->second)) {
    warnOfMolecularEnergy(node, given->second, diagnostics);
    return given->first * *kelvins;
  }
  diagnostics
      .error(node.location(), fmt::format("'{}' has the wrong unit for an activation energy", node.text()))
      .withHint("such as cal/mol, J/kmol, eV or K");
  return std::nullopt;
}

bool YamlValues::flag(const YamlNode &node) const {
  std::string text = upperCase(node.text());
  if (!node.exists() || text == "FALSE" || text == "NO")
    return false;
  if (text != "TRUE" && text != "YES")
    diagnostics.error(node.location(), fmt::format("'{}' is neither true nor false", node.text()));
  return true;
}

} // namespace heddle::chem
