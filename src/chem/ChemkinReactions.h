// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REACTIONS blocks of a CHEMKIN file.
#pragma once

#include "chem/ChemkinBlocks.h"
#include "chem/Mechanism.h"
#include "chem/Names.h"

#include <vector>

namespace heddle::chem {

/// Adds the block's reactions to the list, in file order. Those with an error in their rate are in it too, so
/// that their equations can still be checked.
void readReactionsBlock(const ChemkinBlock &block, const NameTable &species, std::vector<Reaction> &reactions,
                        Diagnostics &diagnostics);

} // namespace heddle::chem
