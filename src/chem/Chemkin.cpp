// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/Chemkin.h"

#include "chem/CheckMechanism.h"
#include "chem/ChemkinBlocks.h"
#include "chem/ChemkinElements.h"
#include "chem/ChemkinReactions.h"
#include "chem/ChemkinThermo.h"
#include "chem/ChemkinTransport.h"

#include <algorithm>
#include <cmath>

namespace heddle::chem {
namespace {

class ChemkinReader {
public:
  ChemkinReader(const ChemkinText &text, const ChemkinOptions &options, Diagnostics &diagnostics)
      : text(text), repeats(options.acceptsRepeats ? Severity::Warning : Severity::Error),
        diagnostics(diagnostics), main(text.reactions) {}

  std::optional<Mechanism> read() {
    size_t before = diagnostics.all().size();
    cutIntoBlocks(main, std::nullopt, diagnostics);
    mechanism.name = std::filesystem::path(text.reactions.name).stem().string();
    const bool hasElements = requireBlock(Block::Elements, "ELEMENTS");
    if (!requireBlock(Block::Species, "SPECIES") || !hasElements)
      return std::nullopt; // everything that follows would be undeclared
    readElements();
    readSpecies();
    addThermo();
    addTransport();
    for (const ChemkinBlock *block : main.of(Block::Reactions))
      readReactionsBlock(*block, names, mechanism.reactions, diagnostics);
    checkMechanism(mechanism, diagnostics);
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

  bool requireBlock(Block kind, std::string_view what) {
    if (!main.of(kind).empty())
      return true;
    diagnostics.error({.file = text.reactions.name}, fmt::format("there is no {} block", what));
    return false;
  }

  void readElements() {
    for (const ChemkinBlock *block : main.of(Block::Elements))
      readElementsBlock(*block, elementNames, mechanism.elements, diagnostics);
  }

  // Species

  void readSpecies() {
    for (const ChemkinBlock *block : main.of(Block::Species))
      for (const Line &line : block->lines)
        for (const Word &word : splitWords(line))
          addSpecies(line, word);
  }

  void addSpecies(const Line &line, const Word &word) {
    SourceLocation location = line.at(word.column, word.text.size());
    if (std::string fault = faultOfSpeciesName(word.text); !fault.empty()) {
      diagnostics.error(location, std::move(fault));
      return;
    }
    auto [index, isNew] = names.add(word.text, location);
    if (!isNew) {
      diagnostics.add(repeats, location, fmt::format("species '{}' is declared again", word.text))
          .note(names.location(index), "first declared here")
          .withHint("remove it here" + orPermissive(repeats));
      return;
    }
    Species species;
    species.name = word.text;
    species.location = std::move(location);
    mechanism.species.push_back(std::move(species));
  }

  // Thermo data: those of the reaction file before those of the thermo file, which THERMO ALL makes
  // superfluous.

  void addThermo() {
    ThermoCards cards(mechanism.species.size());
    bool isAll = false;
    for (const ChemkinBlock *block : main.of(Block::Thermo)) {
      isThermoRefused |= !readThermoBlock(*block, names, repeats, cards, diagnostics);
      isAll |= block->isAll();
    }
    if (text.thermo && !isAll)
      addThermoFile(*text.thermo, cards);
    if (!text.thermo && main.of(Block::Thermo).empty()) {
      diagnostics
          .error({.file = text.reactions.name},
                 "there are no thermo data: no thermo file is given, and this file has no THERMO block")
          .withHint("add therm.dat to the folder, or name the thermo file");
      return;
    }
    for (unsigned i = 0; i < cards.size(); ++i)
      setThermo(mechanism.species[i], cards[i]);
  }

  void addThermoFile(const SourceText &file, ThermoCards &cards) {
    ChemkinBlocks blocks(file);
    cutIntoBlocks(blocks, Block::Thermo, diagnostics);
    ThermoCards ofFile(cards.size());
    bool hasText = false;
    for (const ChemkinBlock *block : blocks.of(Block::Thermo)) {
      hasText |= !std::ranges::all_of(block->lines, &Line::isBlank);
      isThermoRefused |= !readThermoBlock(*block, names, repeats, ofFile, diagnostics);
    }
    if (!hasText && main.of(Block::Thermo).empty()) {
      diagnostics.error({.file = file.name}, "this file has no thermo data");
      isThermoRefused = true;
    }
    for (size_t i = 0; i < cards.size(); ++i)
      if (!cards[i])
        cards[i] = std::move(ofFile[i]);
  }

  void setThermo(Species &species, const std::optional<ThermoCard> &card) {
    if (!card) {
      if (!isThermoRefused)
        diagnostics
            .error(species.location, fmt::format("there are no thermo data for species '{}'", species.name))
            .withHint("add them to the THERMO block or to the thermo file");
      return;
    }
    species.thermo = card->ranges;
    if (card->composition.empty() && !card->ranges.empty())
      diagnostics.error(card->location,
                        fmt::format("the thermo data for '{}' name no element", species.name));
    for (const ThermoCard::Atoms &atoms : card->composition)
      addAtoms(species, atoms);
  }

  /// Electrons make the charge; an element may be named twice.
  void addAtoms(Species &species, const ThermoCard::Atoms &atoms) {
    std::optional<unsigned> element = elementNames.find(atoms.element);
    if (!element) {
      diagnostics
          .error(atoms.location,
                 fmt::format("species '{}' has element '{}', which the ELEMENTS block does not declare",
                             species.name, atoms.element))
          .withHint(elementHint(atoms));
      return;
    }
    const Element &found = mechanism.elements[*element];
    auto same = std::ranges::find(species.composition, *element, &ElementCount::element);
    if (same == species.composition.end())
      species.composition.push_back({*element, atoms.count});
    else
      same->count += atoms.count;
    species.weight += atoms.count * found.weight;
    if (found.name == "E")
      species.charge -= int(std::lround(atoms.count));
  }

  /// `AO` where O is meant: a card that is one column too far to the right.
  std::string elementHint(const ThermoCard::Atoms &atoms) const {
    if (atoms.element.size() == 2 && elementNames.find(atoms.element.substr(1)))
      return fmt::format("'{}' is an element: is the entry one column too far to the right?",
                         atoms.element.substr(1));
    return elementNames.didYouMean(atoms.element);
  }

  // Transport data: where both files have them, those of the reaction file count.

  void addTransport() {
    TransportEntries entries(mechanism.species.size());
    mechanism.transportFile = text.transport                      ? text.transport->name
                              : main.of(Block::Transport).empty() ? ""
                                                                  : text.reactions.name;
    for (const ChemkinBlock *block : main.of(Block::Transport))
      readTransportBlock(*block, names, repeats, entries, diagnostics);
    if (text.transport)
      addTransportFile(*text.transport, entries);
    for (size_t i = 0; i < entries.size(); ++i)
      if (entries[i])
        mechanism.species[i].transport = entries[i]->data;
  }

  void addTransportFile(const SourceText &file, TransportEntries &entries) {
    ChemkinBlocks blocks(file);
    cutIntoBlocks(blocks, Block::Transport, diagnostics);
    TransportEntries ofFile(entries.size());
    for (const ChemkinBlock *block : blocks.of(Block::Transport))
      readTransportBlock(*block, names, repeats, ofFile, diagnostics);
    for (size_t i = 0; i < entries.size(); ++i)
      if (!entries[i])
        entries[i] = std::move(ofFile[i]);
  }

  const ChemkinText &text;
  Severity repeats; ///< in which what is given again is spoken of
  Diagnostics &diagnostics;
  ChemkinBlocks main;
  NameTable elementNames, names;
  Mechanism mechanism;
  bool isThermoRefused = false;
};

} // namespace

std::optional<Mechanism> readChemkin(const ChemkinText &text, Diagnostics &diagnostics,
                                     const ChemkinOptions &options) {
  return ChemkinReader(text, options, diagnostics).read();
}

std::optional<Mechanism> readChemkin(const ChemkinFiles &files, Diagnostics &diagnostics,
                                     const ChemkinOptions &options) {
  std::optional<SourceText> reactions = readSource(files.reactions, diagnostics);
  std::optional<SourceText> thermo, transport;
  if (!files.thermo.empty())
    thermo = readSource(files.thermo, diagnostics);
  if (!files.transport.empty())
    transport = readSource(files.transport, diagnostics);
  if (!reactions || (!files.thermo.empty() && !thermo) || (!files.transport.empty() && !transport))
    return std::nullopt;
  return readChemkin(ChemkinText{std::move(*reactions), std::move(thermo), std::move(transport)}, diagnostics,
                     options);
}

} // namespace heddle::chem
