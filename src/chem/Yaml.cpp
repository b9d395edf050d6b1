// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A document has `phases`, of which the first is read, and sections of `species` and `reactions` that the
// phase takes from: all of the sections of these names, or those it lists. Without phases, everything is
// taken.
#include "chem/Yaml.h"

#include "chem/CheckMechanism.h"
#include "chem/Elements.h"
#include "chem/PairReverse.h"
#include "chem/YamlReactions.h"
#include "chem/YamlSpecies.h"

#include <algorithm>
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
      : source(source), document(source), diagnostics(diagnostics), values(diagnostics) {}

  std::optional<Mechanism> read() {
    size_t before = diagnostics.all().size();
    root = document.parse(diagnostics);
    if (failedSince(before))
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
    readReactions();
    checkMechanism(mechanism, diagnostics);
    pairReverseReactions(mechanism);
    return failedSince(before) ? std::nullopt : std::optional(std::move(mechanism));
  }

private:
  bool failedSince(size_t before) const {
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
    for (const YamlNode &item : root["elements"].items())
      if (std::optional<double> weight = values.number(item, "atomic-weight", "an element"))
        ownWeights[upperCase(item["symbol"].text())] = {*weight, item};
    YamlNode listed = phase["elements"];
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
    for (const YamlNode &entry : listed.items())
      if (entry.isMap())
        addSection(entry, known);
      else
        addSpecies(entry, known);
    if (mechanism.species.empty())
      diagnostics.error(document.wholeFile(), "there are no species");
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
      if (isOfOtherFile(section))
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

  // Reactions

  void readReactions() {
    YamlNode listed = phase["reactions"];
    if (listed.text() == "none" || (phase.exists() && !phase["kinetics"].exists() && !listed.exists()))
      return;
    if (!listed.isList()) {
      addReactions("reactions", listed.text() == "declared-species");
      return;
    }
    for (const YamlNode &entry : listed.items()) {
      if (entry.isText() && !isOfOtherFile(entry))
        addReactions(entry.text(), false);
      for (const auto &[section, which] : entry.pairs())
        if (which.text() != "none" && !isOfOtherFile(section))
          addReactions(section.text(), which.text() == "declared-species");
    }
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

  /// `declared-species` leaves out what cannot be read with the species that there are.
  bool usesUndeclared(const SectionItem &item) {
    Diagnostics ignored;
    YamlValues quiet(ignored);
    return !readYamlReaction(item.node, names, true, item.units, quiet);
  }

  const SourceText &source;
  YamlDocument document;
  Diagnostics &diagnostics;
  YamlValues values;
  YamlNode root, phase;
  YamlUnits units;
  std::map<std::string, std::pair<double, YamlNode>> ownWeights;
  NameTable elementNames, names;
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
