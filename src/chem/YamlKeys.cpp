// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/YamlKeys.h"

#include "support/Suggest.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace heddle::chem {
namespace {

using Keys = std::vector<std::string>;

Keys withKeys(Keys first, const Keys &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// In every map.
const Keys &remarks() {
  static const Keys keys = {"note",      "notes",      "comment", "comments", "description",
                            "reference", "references", "source",  "id",       "units"};
  return keys;
}

struct Kind {
  std::string_view name; ///< in messages
  bool holdsNumbers;
  Keys keys;
};

const Kind &kindOfMap(YamlMap map) {
  static const Keys reaction = {"equation",           "type",      "duplicate", "orders", "negative-orders",
                                "nonreactant-orders", "negative-A"};
  // Efficiencies of a reaction that has no third body are reported by its reader.
  static const Keys efficiencies = {"efficiencies"};
  static const Keys arrhenius = {"A", "b", "Ea"};
  static const std::map<YamlMap, Kind> kinds = {
      {YamlMap::Phase,
       {"a phase",
        false,
        {"name", "thermo", "elements", "species", "kinetics", "reactions", "transport", "state",
         "skip-undeclared-elements", "skip-undeclared-third-bodies", "explicit-third-body-duplicates",
         "adjacent-phases", "Motz-Wise"}}},
      {YamlMap::Element, {"an element", false, {"symbol", "atomic-weight", "atomic-number", "entropy298"}}},
      {YamlMap::Species,
       {"a species",
        false,
        {"name", "composition", "thermo", "transport", "equation-of-state", "critical-parameters",
         "coverage-dependencies", "sites", "Debye-Huckel"}}},
      {YamlMap::Nasa7, {"NASA7 data", true, {"model", "temperature-ranges", "data", "reference-pressure"}}},
      {YamlMap::ConstantCp,
       {"constant-cp data",
        true,
        {"model", "T0", "h0", "s0", "cp0", "T-min", "T-max", "reference-pressure"}}},
      {YamlMap::Transport,
       {"transport data",
        true,
        {"model", "geometry", "well-depth", "diameter", "dipole", "polarizability", "rotational-relaxation",
         "acentric-factor", "dispersion-coefficient", "quadrupole-polarizability"}}},
      {YamlMap::Elementary,
       {"an elementary reaction", false, withKeys(withKeys(reaction, efficiencies), {"rate-constant"})}},
      {YamlMap::ThreeBody,
       {"a three-body reaction", false,
        withKeys(withKeys(reaction, efficiencies), {"rate-constant", "default-efficiency"})}},
      {YamlMap::Falloff,
       {"a falloff reaction", false,
        withKeys(withKeys(reaction, efficiencies), {"low-P-rate-constant", "high-P-rate-constant",
                                                    "default-efficiency", "Troe", "SRI", "Tsang"})}},
      {YamlMap::Plog,
       {"a pressure-dependent-Arrhenius reaction", false,
        withKeys(withKeys(reaction, efficiencies), {"rate-constants"})}},
      {YamlMap::Chebyshev,
       {"a Chebyshev reaction", false,
        withKeys(withKeys(reaction, efficiencies), {"temperature-range", "pressure-range", "data"})}},
      {YamlMap::RateConstant, {"a rate constant", true, arrhenius}},
      {YamlMap::RateConstantAtPressure, {"a rate constant", true, withKeys(arrhenius, {"P"})}},
      {YamlMap::Troe, {"Troe", true, {"A", "T3", "T1", "T2"}}},
      {YamlMap::Sri, {"SRI", true, {"A", "B", "C", "D", "E"}}},
  };
  return kinds.at(map);
}

bool contains(const Keys &keys, const std::string &key) { return std::ranges::find(keys, key) != keys.end(); }

bool isWholeNumber(const std::string &text) {
  return !text.empty() && std::ranges::all_of(text, [](char letter) {
    return std::isdigit(static_cast<unsigned char>(letter));
  });
}

/// One letter is near every other; only its case can be wrong.
std::string keyHint(const std::string &key, const Keys &known) {
  const auto found =
      std::ranges::find_if(known, [&](const std::string &each) { return equalsIgnoringCase(each, key); });
  if (found != known.end())
    return fmt::format("did you mean '{}'?", *found);
  return key.size() > 1 ? didYouMean(key, known) : "";
}

} // namespace

void YamlKeys::check(const YamlNode &map, YamlMap which) {
  const Kind &kind = kindOfMap(which);
  for (const auto &[key, value] : map.pairs()) {
    const std::string name = key.text();
    if (contains(remarks(), name))
      continue;
    if (kind.holdsNumbers && !value.exists()) {
      diagnostics.error(key.location(), fmt::format("key '{}' of {} has no value", name, kind.name))
          .withHint(isWholeNumber(name) ? "a comma separates keys: numbers take a decimal point" : "");
      continue;
    }
    if (contains(kind.keys, name))
      continue;
    Unknown &entry = unknown[{which, name}];
    if (entry.count++ == 0)
      entry.location = key.location();
  }
}

void YamlKeys::report() {
  for (auto &[id, entry] : unknown) {
    const Kind &kind = kindOfMap(id.first);
    std::string text = fmt::format("{} {} no key '{}'; it is ignored", kind.name,
                                   kind.name.ends_with("data") ? "have" : "has", id.second);
    if (entry.count > 1)
      text += fmt::format(" ({} times)", entry.count);
    diagnostics.warning(std::move(entry.location), std::move(text)).withHint(keyHint(id.second, kind.keys));
  }
}

} // namespace heddle::chem
