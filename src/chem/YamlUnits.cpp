// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/YamlUnits.h"

#include "chem/Constants.h"

#include <algorithm>
#include <cmath>

namespace heddle::chem {
namespace {

/// What the `units` map may set, but for activation energies; those without a member change nothing that is
/// read.
struct Setting {
  std::string_view name;
  Dimension dimension;
  double YamlUnits::*member;
};
constexpr Setting settings[] = {
    {"length", {0, 1, 0, 0, 0}, &YamlUnits::length},   {"time", {0, 0, 1, 0, 0}, &YamlUnits::time},
    {"quantity", {0, 0, 0, 0, 1}, &YamlUnits::amount}, {"pressure", pressureDimension, &YamlUnits::pressure},
    {"energy", energyDimension, &YamlUnits::energy},   {"mass", {1, 0, 0, 0, 0}, nullptr},
    {"temperature", temperatureDimension, nullptr},
};

bool set(YamlUnits &units, const Setting &setting, const std::optional<Unit> &unit) {
  if (!unit || !isSame(unit->dimension, setting.dimension))
    return false;
  if (setting.member)
    units.*setting.member = unit->size;
  return true;
}

bool setActivationEnergy(YamlUnits &units, const std::optional<Unit> &unit) {
  std::optional<double> kelvins = unit ? kelvinsPer(*unit) : std::nullopt;
  if (kelvins)
    units.activationEnergy = kelvins;
  return kelvins.has_value();
}

void setOne(YamlUnits &units, const YamlNode &key, const YamlNode &value, Diagnostics &diagnostics) {
  std::string name = key.text();
  std::optional<Unit> unit = parseUnit(value.text());
  auto setting = std::ranges::find(settings, name, &Setting::name);
  bool isActivationEnergy = name == "activation-energy";
  if (setting == std::ranges::end(settings) && !isActivationEnergy) {
    diagnostics.error(key.location(), fmt::format("'{}' is nothing that has a unit here", name))
        .withHint("length, mass, time, quantity, pressure, energy, activation-energy");
    return;
  }
  if (isActivationEnergy ? !setActivationEnergy(units, unit) : !set(units, *setting, unit))
    diagnostics.error(value.location(), fmt::format("'{}' is no unit of {}", value.text(), name))
        .withHint(isActivationEnergy ? "such as cal/mol, J/kmol, eV or K" : "");
  else if (isActivationEnergy)
    warnOfMolecularEnergy(value, *unit, diagnostics);
}

} // namespace

double YamlUnits::kelvinsPerActivationEnergy() const {
  return activationEnergy.value_or(energy / amount / gasConstant);
}

double YamlUnits::rateFactor(double order) const {
  return std::pow(length * length * length / amount, order - 1) / time;
}

std::optional<double> kelvinsPer(const Unit &unit) {
  if (isSame(unit.dimension, temperatureDimension))
    return unit.size;
  if (isSame(unit.dimension, molarEnergyDimension))
    return unit.size / gasConstant;
  if (isSame(unit.dimension, energyDimension))
    return unit.size / boltzmann;
  return std::nullopt;
}

void warnOfMolecularEnergy(const YamlNode &node, const Unit &unit, Diagnostics &diagnostics) {
  const std::string text = node.text(), name = text.substr(text.find_last_of(" \t") + 1);
  if (isSame(unit.dimension, energyDimension) && !name.ends_with("eV"))
    diagnostics
        .warning(node.location(), fmt::format("an activation energy in '{}' is one per molecule", name))
        .withHint(fmt::format("write '{}/mol' if it is one per mole", name));
}

YamlUnits unitsOf(const YamlNode &node, YamlUnits units, Diagnostics &diagnostics) {
  for (const auto &[key, value] : node["units"].pairs())
    if (key.text() != "current")
      setOne(units, key, value, diagnostics);
  return units;
}

} // namespace heddle::chem
