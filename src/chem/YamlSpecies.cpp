// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/YamlSpecies.h"

#include "chem/Constants.h"
#include "chem/JoinRanges.h"
#include "chem/TransportUnits.h"

#include <algorithm>
#include <cmath>

namespace heddle::chem {
namespace {

class SpeciesReader {
public:
  SpeciesReader(const YamlNode &node, const YamlUnits &units, const YamlValues &values)
      : node(node), units(values.unitsOf(node, units)), values(values), diagnostics(values.diagnostics) {
    species.name = node["name"].text();
    species.location = node["name"].location();
  }

  Species read(const std::vector<Element> &elements, const NameTable &elementNames) {
    values.keys.check(node, YamlMap::Species);
    readComposition(elements, elementNames);
    readThermo(node["thermo"]);
    if (YamlNode transport = node["transport"]; transport.exists())
      readTransport(transport);
    return std::move(species);
  }

private:
  void readComposition(const std::vector<Element> &elements, const NameTable &elementNames) {
    if (!node["composition"].isMap())
      diagnostics.error(species.location, fmt::format("species '{}' has no composition", species.name))
          .withHint("such as 'composition: {C: 1, H: 4}'");
    bool hasAtoms = !node["composition"].isMap();
    for (const auto &[symbol, amount] : node["composition"].pairs()) {
      std::optional<double> count = values.number(amount, fmt::format("the count of {}", symbol.text()));
      hasAtoms |= count != 0;
      if (!count || *count == 0)
        continue;
      std::optional<unsigned> element = elementNames.find(symbol.text());
      if (!element) {
        diagnostics
            .error(symbol.location(),
                   fmt::format("species '{}' has element '{}', which the phase does not declare",
                               species.name, symbol.text()))
            .withHint(elementNames.didYouMean(symbol.text()));
        continue;
      }
      species.composition.push_back({*element, *count});
      species.weight += *count * elements[*element].weight;
      if (elements[*element].name == "E")
        species.charge -= int(std::lround(*count));
    }
    if (!hasAtoms)
      diagnostics.error(node["composition"].location(),
                        fmt::format("species '{}' has no atoms", species.name));
  }

  // Thermo data

  void readThermo(const YamlNode &thermo) {
    std::string model = thermo["model"].text();
    if (!thermo.isMap())
      diagnostics.error(species.location,
                        fmt::format("there are no thermo data for species '{}'", species.name));
    else if (model == "NASA7")
      readNasa7(thermo);
    else if (model == "constant-cp")
      readConstantCp(thermo);
    else
      diagnostics
          .refuse(thermo["model"].exists() ? thermo["model"].location() : thermo.location(),
                  fmt::format("thermo model '{}' of species '{}' is not supported", model, species.name))
          .withHint("NASA7 and constant-cp are");
  }

  void readNasa7(const YamlNode &thermo) {
    values.keys.check(thermo, YamlMap::Nasa7);
    std::vector<double> limits;
    for (const YamlNode &item : thermo["temperature-ranges"].items())
      if (std::optional<double> limit = values.quantity(item, temperatureDimension, 1, "a temperature"))
        limits.push_back(*limit);
    std::vector<YamlNode> rows = thermo["data"].items();
    if (rows.empty() || limits.size() != rows.size() + 1) {
      diagnostics
          .error(thermo.location(), fmt::format("thermo data for '{}' have {} temperatures for {} ranges",
                                                species.name, limits.size(), rows.size()))
          .withHint("one range has two temperatures, two ranges three");
      return;
    }
    std::vector<Nasa7Range> ranges;
    for (size_t i = 0; i < rows.size(); ++i) {
      Nasa7Range range{limits[i], limits[i + 1], {}};
      if (!readRow(rows[i], range))
        return;
      ranges.push_back(range);
    }
    shiftEntropy(thermo, ranges);
    joinEqualRanges(ranges);
    species.thermo = std::move(ranges);
  }

  bool readRow(const YamlNode &row, Nasa7Range &range) {
    std::vector<YamlNode> items = row.items();
    if (items.size() != range.a.size()) {
      diagnostics.error(row.location(),
                        fmt::format("a range of the thermo data for '{}' has {} coefficients, not 7",
                                    species.name, items.size()));
      return false;
    }
    bool isSound = true;
    for (size_t i = 0; i < items.size(); ++i) {
      std::optional<double> value =
          values.number(items[i], fmt::format("a coefficient of '{}'", species.name));
      range.a[i] = value.value_or(0);
      isSound &= value.has_value();
    }
    return isSound;
  }

  /// Entropies are at 1 atm here; data for another pressure differ by R ln of the ratio.
  void shiftEntropy(const YamlNode &thermo, std::vector<Nasa7Range> &ranges) {
    if (std::optional<double> pressure = referencePressure(thermo))
      for (Nasa7Range &range : ranges)
        range.a[6] += std::log(*pressure / oneAtmosphere);
  }

  std::optional<double> referencePressure(const YamlNode &thermo) {
    YamlNode given = thermo["reference-pressure"];
    if (!given.exists())
      return std::nullopt;
    std::optional<double> pressure = values.quantity(given, pressureDimension, units.pressure, "a pressure");
    if (!pressure || *pressure > 0)
      return pressure;
    diagnostics.error(given.location(), "a reference pressure must be positive");
    return std::nullopt;
  }

  void readConstantCp(const YamlNode &thermo) {
    values.keys.check(thermo, YamlMap::ConstantCp);
    auto read = [&](std::string_view key, const Dimension &dimension, double unit, double byDefault) {
      YamlNode given = thermo[key];
      return given.exists() ? values.quantity(given, dimension, unit, key).value_or(byDefault) : byDefault;
    };
    double molarEnergy = units.energy / units.amount;
    ConstantCp data;
    data.temperature = read("T0", temperatureDimension, 1, 298.15);
    data.enthalpy = read("h0", molarEnergyDimension, molarEnergy, 0);
    data.entropy = read("s0", molarHeatDimension, molarEnergy, 0);
    data.cp = read("cp0", molarHeatDimension, molarEnergy, 0);
    data.low = read("T-min", temperatureDimension, 1, 0);
    data.high = read("T-max", temperatureDimension, 1, 1e5);
    if (std::optional<double> pressure = referencePressure(thermo))
      data.entropy += gasConstant * std::log(*pressure / oneAtmosphere);
    species.thermo = data;
  }

  // Transport data: their units are fixed (K, Angstrom, Debye), whatever the document's.

  void readTransport(const YamlNode &given) {
    if (std::string model = given["model"].text(); model != "gas") {
      diagnostics
          .refuse(given.location(),
                  fmt::format("transport model '{}' of species '{}' is not supported", model, species.name))
          .withHint("'gas' is");
      return;
    }
    values.keys.check(given, YamlMap::Transport);
    Transport data;
    bool isSound = readGeometry(given, data);
    auto read = [&](std::string_view key, double unit, double &value, bool isNeeded) {
      if (!isNeeded && !given[key].exists())
        return;
      std::optional<double> number =
          values.number(given, key, fmt::format("the transport data for '{}'", species.name));
      isSound &= number.has_value();
      value = number.value_or(0) * unit;
      if (isNeeded && number && *number <= 0) {
        diagnostics.error(given[key].location(),
                          fmt::format("{} of '{}' must be positive", key, species.name));
        isSound = false;
      }
    };
    constexpr double angstromToFifth = 1e-50;
    read("well-depth", 1, data.wellDepth, true);
    read("diameter", angstrom, data.diameter, true);
    read("dipole", debye, data.dipole, false);
    read("polarizability", cubicAngstrom, data.polarizability, false);
    read("rotational-relaxation", 1, data.rotationalRelaxation, false);
    read("acentric-factor", 1, data.acentricFactor, false);
    read("dispersion-coefficient", angstromToFifth, data.dispersion, false);
    read("quadrupole-polarizability", angstromToFifth, data.quadrupole, false);
    if (isSound)
      species.transport = data;
  }

  bool readGeometry(const YamlNode &given, Transport &data) {
    std::string geometry = given["geometry"].text();
    static constexpr std::string_view names[] = {"atom", "linear", "nonlinear"};
    auto found = std::ranges::find(names, geometry);
    if (found == std::ranges::end(names)) {
      diagnostics
          .error(given["geometry"].exists() ? given["geometry"].location() : given.location(),
                 fmt::format("'{}' is no geometry for '{}'", geometry, species.name))
          .withHint("geometries are atom, linear and nonlinear");
      return false;
    }
    data.geometry = Geometry(found - std::ranges::begin(names));
    return true;
  }

  const YamlNode &node;
  YamlUnits units;
  const YamlValues &values;
  Diagnostics &diagnostics;
  Species species;
};

} // namespace

Species readYamlSpecies(const YamlNode &node, const std::vector<Element> &elements,
                        const NameTable &elementNames, const YamlUnits &units, const YamlValues &values) {
  return SpeciesReader(node, units, values).read(elements, elementNames);
}

} // namespace heddle::chem
