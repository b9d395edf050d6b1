// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a reaction equation, as CHEMKIN files and Cantera's YAML write it.
#pragma once

#include "chem/Mechanism.h"
#include "chem/Names.h"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace heddle::chem {

/// `+M` or `(+M)`, or a species in place of the M of the second.
struct ColliderMark {
  bool inParentheses = false;
  std::optional<unsigned> species;

  bool operator==(const ColliderMark &) const = default;
};

struct Equation {
  std::vector<Term> reactants, products; ///< each species once on a side, in the order of its first mention
  std::optional<ColliderMark> collider;
  bool isReversible = true;
};

/// The place of some letters of an equation: column from 0, length.
using EquationLocation = std::function<SourceLocation(size_t, size_t)>;

/// Nothing, with every error that was found, where it is no equation of the species given.
std::optional<Equation> readEquation(std::string_view text, const NameTable &species,
                                     const EquationLocation &location, Diagnostics &diagnostics);

/// Does an equation name a species that is not declared? False for an equation that is malformed otherwise.
bool usesUndeclaredSpecies(std::string_view text, const NameTable &species);

} // namespace heddle::chem
