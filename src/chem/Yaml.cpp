// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A document has `phases`, of which the first is read, and sections of `species` and `reactions` that the
// phase takes from: all of the sections of these names, or those it lists. Without phases, everything is
// taken.
#include "chem/Yaml.h"

#include "chem/CheckMechanism.h"
#include "chem/Elements.h"
#include "chem/Equation.h"
#include "chem/YamlReactions.h"
#include "chem/YamlSpecies.h"
#include "support/Suggest.h"

#include <algorithm>
#include <initializer_list>
#include <map>

namespace heddle::chem {
namespace {

/// An item of a section and the units it is in.
struct SectionItem {
  YamlNode node;
  YamlUnits units;
};

class YamlReader {
public:
  YamlReader(const SourceText &source, Diagnostics &diagnostics)
      : source(source), document(source), diagnostics(diagnostics), before(diagnostics.all().size()),
        keys(diagnostics), values(diagnostics, keys) {}

  std::optional<Mechanism> read() {
    root = document.parse(diagnostics);
    if (hasFailed())
      return std::nullopt;
    if (!root.isMap()) {
      diagnostics.error(document.wholeFile(), "this file holds no mechanism")
          .withHint("a mechanism has 'phases', 'species' and 'reactions'");
      return std::nullopt;
    }
    units = values.unitsOf(root, {});
    std::vector<YamlNode> phases = root["phases"].items();
    phase = phases.empty() ? YamlNode() : phases[0];
    mechanism.name = std::filesystem::path(source.name).stem().string();
    checkPhase();
    readElements();
    readSpecies();
    if (std::ranges::any_of(mechanism.species,
                            [](const Species &each) { return each.transport.has_value(); }))
      mechanism.transportFile = source.name;
    if (!mechanism.species.empty())
      readReactions();
    keys.report();
    checkMechanism(mechanism, diagnostics);
    return hasFailed() ? std::nullopt : std::optional(std::move(mechanism));
  }

private:
  bool hasFailed() const {
    return std::any_of(diagnostics.all().begin() + long(before), diagnostics.all().end(),
                       [](const Diagnostic &each) {
                         return each.severity == Severity::Error || each.severity == Severity::Refusal ||
                                each.severity == Severity::InternalError;
                       });
  }

  void checkPhase() {
    YamlNode model = phase["thermo"];
    if (model.exists() && model.text() != "ideal-gas")
      diagnostics.refuse(model.location(), fmt::format("a phase that is '{}' is not supported", model.text()))
          .withHint("'ideal-gas' is");
    else
      keys.check(phase, YamlMap::Phase);
    checkKinetics();
    noteTransportModel();
    // It changes the efficiencies of reactions; the other values only decide what is reported.
    if (YamlNode rule = phase["explicit-third-body-duplicates"]; rule.text() == "modify-efficiency")
      diagnostics.refuse(rule.location(), "'modify-efficiency' is not supported")
          .withHint("set the efficiencies of these third bodies to zero in the reactions with M");
  }

  /// Cantera's names, and those of its earlier versions.
  static bool isOneOf(const YamlNode &node, std::initializer_list<std::string_view> names) {
    return node.isText() && std::ranges::find(names, node.text()) != names.end();
  }

  void checkKinetics() {
    const YamlNode model = phase["kinetics"];
    if (!model.exists() || isOneOf(model, {"gas", "Gas", "bulk", "none", "None"}))
      return;
    if (model.isText())
      diagnostics.refuse(model.location(), fmt::format("kinetics '{}' are not supported", model.text()))
          .withHint("'gas' and 'none' are");
    else
      diagnostics.error(model.location(), "'kinetics' of a phase is one name").withHint("'gas' or 'none'");
  }

  /// Whether it matters depends on what is computed: see checkTransport.
  void noteTransportModel() {
    const YamlNode model = phase["transport"];
    if (!model.exists() ||
        isOneOf(model, {"mixture-averaged", "Mix", "mixture-averaged-CK", "CK_Mix", "none", "None"}))
      return;
    if (!model.isText()) {
      diagnostics.error(model.location(), "'transport' of a phase is one name")
          .withHint("'mixture-averaged' or 'none'");
      return;
    }
    mechanism.unsupportedTransport = model.text();
    mechanism.transportModelLocation = model.location();
  }

  /// `gri30.yaml/species` is a section of another file.
  bool isOfOtherFile(const YamlNode &section) {
    if (section.text().find('/') == std::string::npos)
      return false;
    diagnostics
        .refuse(section.location(),
                fmt::format("'{}' is of another file, which is not supported", section.text()))
        .withHint("put what is needed of it into this file");
    return true;
  }

  /// Does the file have the section that an entry of the phase names?
  bool hasSection(const YamlNode &entry) {
    const std::string name = entry.text();
    const auto pairs = root.pairs();
    const auto found =
        std::ranges::find_if(pairs, [&](const auto &pair) { return pair.first.text() == name; });
    if (found == pairs.end())
      diagnostics.error(entry.location(), fmt::format("the file has no section '{}'", name))
          .withHint(didYouMean(name, sections()));
    else if (found->second.exists() && !found->second.isList())
      diagnostics.error(entry.location(), fmt::format("section '{}' is no list", name))
          .note(found->second.location(), "it is here");
    else
      return true;
    return false;
  }

  /// Those that may hold species or reactions.
  std::vector<std::string> sections() const {
    std::vector<std::string> result;
    for (const auto &[key, value] : root.pairs())
      if (value.isList() && key.text() != "phases" && key.text() != "elements")
        result.push_back(key.text());
    return result;
  }

  /// The items of a section; an item that is only `units` sets those of the items after it.
  std::vector<SectionItem> itemsOf(std::string_view section) {
    std::vector<SectionItem> items;
    YamlUnits ofSection = units;
    for (const YamlNode &node : root[section].items()) {
      if (node["units"].exists() && node.pairs().size() == 1)
        ofSection = values.unitsOf(node, ofSection);
      else
        items.push_back({node, ofSection});
    }
    return items;
  }

  // Elements

  void readElements() {
    for (const YamlNode &item : root["elements"].items()) {
      keys.check(item, YamlMap::Element);
      if (std::optional<double> weight = values.number(item, "atomic-weight", "an element"))
        ownWeights[upperCase(item["symbol"].text())] = {*weight, item};
    }
    YamlNode listed = phase["elements"];
    skipsElements = values.flag(phase["skip-undeclared-elements"]);
    for (const YamlNode &symbol : listed.items())
      if (!symbol.isMap())
        addElement(symbol);
    if (listed.isList())
      return;
    for (const SectionItem &item : itemsOf("species"))
      for (const auto &[symbol, count] : item.node["composition"].pairs())
        if (!elementNames.find(symbol.text()))
          addElement(symbol);
  }

  void addElement(const YamlNode &node) {
    std::string symbol = elementSymbol(node.text());
    std::optional<double> weight = standardAtomicWeight(symbol);
    if (auto own = ownWeights.find(upperCase(symbol)); own != ownWeights.end())
      weight = own->second.first;
    if (!weight || *weight <= 0)
      diagnostics
          .error(node.location(), fmt::format("no atomic weight is known for element '{}'", node.text()))
          .withHint("give it in the section 'elements', with 'symbol' and 'atomic-weight'");
    if (elementNames.add(symbol, node.location()).second)
      mechanism.elements.push_back({symbol, weight.value_or(1)});
  }

  // Species

  void readSpecies() {
    std::map<std::string, SectionItem> known;
    collectSpecies("species", known);
    YamlNode listed = phase["species"];
    if (!listed.exists() || listed.text() == "all")
      for (const SectionItem &item : itemsOf("species"))
        addSpecies(item.node["name"], known);
    const bool isSearched = hasSpeciesSection(listed);
    for (const YamlNode &entry : listed.items())
      if (entry.isMap())
        addSection(entry, known);
      else if (isSearched)
        addSpecies(entry, known);
    // A section that is missing has been reported.
    if (mechanism.species.empty() && !hasFailed())
      diagnostics.error(document.wholeFile(), "there are no species");
  }

  /// Names in the list are of the section 'species'. If it is missing, that is one error, not one per name.
  bool hasSpeciesSection(const YamlNode &listed) {
    if (std::ranges::any_of(root.pairs(), [](const auto &pair) { return pair.first.text() == "species"; }))
      return true;
    for (const YamlNode &entry : listed.items())
      if (entry.isText()) {
        diagnostics.error(entry.location(), "the phase names species, but the file has no section 'species'")
            .withHint(didYouMean("species", sections()));
        break;
      }
    return false;
  }

  void collectSpecies(std::string_view section, std::map<std::string, SectionItem> &known) {
    for (SectionItem &item : itemsOf(section)) {
      YamlNode name = item.node["name"];
      if (!name.isText())
        diagnostics.error(item.node.location(), "a species lacks its name");
      else if (auto [at, isNew] = known.try_emplace(name.text(), item); !isNew)
        diagnostics.error(name.location(), fmt::format("species '{}' is given again", name.text()))
            .note(at->second.node["name"].location(), "first given here")
            .withHint("remove it here");
    }
  }

  /// `- other-section: [A, B]` or `- other-section: all`
  void addSection(const YamlNode &entry, const std::map<std::string, SectionItem> &ofSpecies) {
    for (const auto &[section, listed] : entry.pairs()) {
      std::map<std::string, SectionItem> known;
      if (isOfOtherFile(section) || !hasSection(section))
        continue;
      if (section.text() == "species")
        known = ofSpecies;
      else
        collectSpecies(section.text(), known);
      if (listed.text() == "all")
        for (const SectionItem &item : itemsOf(section.text()))
          addSpecies(item.node["name"], known);
      for (const YamlNode &name : listed.items())
        addSpecies(name, known);
    }
  }

  void addSpecies(const YamlNode &name, const std::map<std::string, SectionItem> &known) {
    if (!name.isText())
      return;
    auto found = known.find(name.text());
    if (found == known.end()) {
      diagnostics.error(name.location(), fmt::format("species '{}' of the phase is not given", name.text()))
          .withHint("add it to the section 'species'");
      return;
    }
    if (std::string fault = faultOfSpeciesName(name.text()); !fault.empty()) {
      diagnostics.error(name.location(), std::move(fault));
      return;
    }
    if (skipsElements && hasUndeclaredElement(found->second.node))
      return;
    auto [index, isNew] = names.add(name.text(), name.location());
    if (!isNew) {
      diagnostics.error(name.location(), fmt::format("species '{}' is declared again", name.text()))
          .note(names.location(index), "first declared here")
          .withHint("remove it here");
      return;
    }
    mechanism.species.push_back(
        readYamlSpecies(found->second.node, mechanism.elements, elementNames, found->second.units, values));
  }

  /// By its name alone, as in Cantera: an element counts even if there are zero atoms of it.
  bool hasUndeclaredElement(const YamlNode &species) const {
    return std::ranges::any_of(species["composition"].pairs(),
                               [&](const auto &part) { return !elementNames.find(part.first.text()); });
  }

  // Reactions

  void readReactions() {
    YamlNode listed = phase["reactions"], kinetics = phase["kinetics"];
    if (listed.text() == "none" || isOneOf(kinetics, {"none", "None"}))
      return;
    if (phase.exists() && !kinetics.exists() && !listed.exists()) {
      warnWithoutKinetics();
      return;
    }
    if (!listed.exists() && kinetics.exists())
      warnWithoutReactions(kinetics);
    if (!listed.isList() && (!listed.exists() || isRule(listed)))
      addReactions("reactions", listed.text() == "declared-species");
    for (const YamlNode &entry : listed.items()) {
      if (entry.isText() && !isOfOtherFile(entry) && hasSection(entry))
        addReactions(entry.text(), false);
      for (const auto &[section, which] : entry.pairs())
        if (isRule(which) && which.text() != "none" && !isOfOtherFile(section) && hasSection(section))
          addReactions(section.text(), which.text() == "declared-species");
    }
  }

  /// As in Cantera, which does not report it either: easily overlooked in a file that was written by hand.
  void warnWithoutKinetics() {
    const size_t count = itemsOf("reactions").size();
    if (count > 0)
      diagnostics
          .warning(phase.location(),
                   fmt::format("the phase has no 'kinetics': the {} of the file {} not read",
                               count == 1 ? "reaction" : fmt::format("{} reactions", count),
                               count == 1 ? "is" : "are"))
          .withHint("add 'kinetics: gas' to the phase, or 'reactions: none' if this is meant");
  }

  /// Most likely the name of the section is misspelt. A section that is there and empty is not.
  void warnWithoutReactions(const YamlNode &kinetics) {
    if (!std::ranges::any_of(root.pairs(), [](const auto &pair) { return pair.first.text() == "reactions"; }))
      diagnostics
          .warning(kinetics.location(), "the phase has kinetics, but the file has no section 'reactions'")
          .withHint(didYouMean("reactions", sections()));
  }

  bool isRule(const YamlNode &node) {
    static const std::vector<std::string> rules = {"all", "declared-species", "none"};
    if (std::ranges::find(rules, node.text()) != rules.end())
      return true;
    const std::string near = didYouMean(node.text(), rules);
    diagnostics
        .error(node.location(), node.isText()
                                    ? fmt::format("'{}' does not state which reactions are read", node.text())
                                    : "which reactions of the section are read is not stated")
        .withHint(near.empty() ? "'all', 'declared-species', 'none' or a list of sections" : near);
    return false;
  }

  void addReactions(const std::string &section, bool onlyDeclared) {
    bool skipsThirdBodies = values.flag(phase["skip-undeclared-third-bodies"]);
    for (const SectionItem &item : itemsOf(section)) {
      if (onlyDeclared && usesUndeclared(item))
        continue;
      if (std::optional<Reaction> reaction =
              readYamlReaction(item.node, names, skipsThirdBodies, item.units, values))
        mechanism.reactions.push_back(std::move(*reaction));
    }
  }

  /// What `declared-species` leaves out. An equation that is malformed is read, and reported then.
  bool usesUndeclared(const SectionItem &item) const {
    return usesUndeclaredSpecies(item.node["equation"].text(), names) ||
           std::ranges::any_of(item.node["orders"].pairs(),
                               [&](const auto &order) { return !names.find(order.first.text()); });
  }

  const SourceText &source;
  YamlDocument document;
  Diagnostics &diagnostics;
  const size_t before; ///< messages that were there
  YamlKeys keys;
  YamlValues values;
  YamlNode root, phase;
  YamlUnits units;
  std::map<std::string, std::pair<double, YamlNode>> ownWeights;
  NameTable elementNames, names;
  bool skipsElements = false; ///< species with elements that the phase does not declare are left out
  Mechanism mechanism;
};

} // namespace

std::optional<Mechanism> readYaml(const SourceText &source, Diagnostics &diagnostics) {
  try {
    return YamlReader(source, diagnostics).read();
  } catch (const YAML::Exception &error) {
    // Every call of yaml-cpp that may throw is meant to be after a check of the node.
    diagnostics.add(Severity::InternalError, {.file = source.name},
                    fmt::format("reading YAML: {}", error.what()));
    return std::nullopt;
  }
}

std::optional<Mechanism> readYaml(const std::filesystem::path &file, Diagnostics &diagnostics) {
  std::optional<SourceText> source = readSource(file, diagnostics);
  return source ? readYaml(*source, diagnostics) : std::nullopt;
}

} // namespace heddle::chem
