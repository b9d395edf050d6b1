// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines after a reaction of a CHEMKIN file: LOW, TROE, PLOG, efficiencies, DUPLICATE and so on, taken apart but not yet
// checked.
#pragma once

#include "chem/Mechanism.h"
#include "chem/Names.h"
#include "chem/SourceText.h"

#include <map>
#include <optional>
#include <vector>

namespace heddle::chem {

enum class AuxiliaryKind {
#define NUMBERS_KEYWORD(name, text, least, most, numbers) name,
#include "chem/ChemkinAuxiliary.def"
};

/// `LOW / 1.0E20 -1.0 0.0 /`
struct NumbersEntry {
  SourceLocation location; ///< of the keyword and its numbers
  std::vector<double> numbers;
};

/// A species with a number: an efficiency, or an order of FORD or RORD.
struct SpeciesEntry {
  SourceLocation location;
  unsigned species;
  double value;
};

struct Auxiliary {
  std::map<AuxiliaryKind, std::vector<NumbersEntry>> numbers;
  std::vector<SpeciesEntry> efficiencies, forwardOrders, reverseOrders;
  std::vector<std::pair<SourceLocation, std::string>> unitWords;
  bool isDuplicate = false;

  bool has(AuxiliaryKind kind) const { return numbers.contains(kind); }
  /// The only or first one; it must be there.
  const NumbersEntry &get(AuxiliaryKind kind) const { return numbers.at(kind).front(); }
  const NumbersEntry *find(AuxiliaryKind kind) const { return has(kind) ? &get(kind) : nullptr; }
};

/// Takes one line apart; false, with the errors, where something in it is wrong. `reaction` is what messages
/// call the reaction it belongs to.
bool readAuxiliaryLine(const Line &line, std::string_view reaction, const NameTable &species,
                       Auxiliary &auxiliary, Diagnostics &diagnostics);

/// Does a line begin with an auxiliary keyword, supported or not? It may be without its slashes.
bool beginsWithAuxiliaryKeyword(const Line &line, const NameTable &species);

} // namespace heddle::chem
