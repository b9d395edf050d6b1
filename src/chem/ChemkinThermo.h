// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NASA-7 cards of a THERMO block.
#pragma once

#include "chem/ChemkinBlocks.h"
#include "chem/Mechanism.h"
#include "chem/Names.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace heddle::chem {

/// The thermo data of a species; its elements still by name.
struct ThermoCard {
  struct Atoms {
    std::string element;
    double count;
    SourceLocation location;
  };
  std::vector<Atoms> composition;
  std::vector<Nasa7Range> ranges;
  SourceLocation location;
  bool isExact = true; ///< the name is written as it is declared, not only in another case
};

/// For each species its card.
using ThermoCards = std::vector<std::optional<ThermoCard>>;

/// Adds the cards of a block that are for a species of the mechanism and that are not there yet; cards for
/// others are skipped unread, since a database of which a few are used need not be sound all over.
/// `repeats` is the severity for a card given again with other numbers. False where the block as a whole is
/// refused.
bool readThermoBlock(const ChemkinBlock &block, const NameTable &species, Severity repeats,
                     ThermoCards &cards, Diagnostics &diagnostics);

} // namespace heddle::chem
