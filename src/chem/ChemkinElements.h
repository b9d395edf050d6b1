// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ELEMENTS blocks of a CHEMKIN file: `H`, or `CI / 13.003 /` with a weight of its own.
#pragma once

#include "chem/ChemkinBlocks.h"
#include "chem/Mechanism.h"
#include "chem/Names.h"

#include <vector>

namespace heddle::chem {

void readElementsBlock(const ChemkinBlock &block, NameTable &names, std::vector<Element> &elements,
                       Diagnostics &diagnostics);

} // namespace heddle::chem
