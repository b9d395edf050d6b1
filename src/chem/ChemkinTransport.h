// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of a TRANSPORT block: name, geometry, well depth (K), diameter (Angstrom), dipole moment (Debye),
// polarizability (cubic Angstrom), rotational relaxation collision number.
#pragma once

#include "chem/ChemkinBlocks.h"
#include "chem/Mechanism.h"
#include "chem/Names.h"

#include <optional>
#include <vector>

namespace heddle::chem {

struct TransportEntry {
  Transport data;
  SourceLocation location;
  bool isExact = true; ///< the name is written as it is declared, not only in another case
};
using TransportEntries = std::vector<std::optional<TransportEntry>>;

/// Adds the entries for species of the mechanism that are not there yet; lines for others are skipped unread.
/// `repeats` is the severity for an entry given again with other numbers.
void readTransportBlock(const ChemkinBlock &block, const NameTable &species, Severity repeats,
                        TransportEntries &entries, Diagnostics &diagnostics);

} // namespace heddle::chem
