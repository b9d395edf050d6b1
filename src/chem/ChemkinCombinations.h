// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "chem/ChemkinRates.h"
#include "support/Diagnostics.h"

#include <string_view>

namespace heddle::chem {

/// The keyword as files have it: "TROE".
std::string_view textOf(AuxiliaryKind kind);

/// Does the rate constant depend on pressure itself (PLOG, CHEB), or is it that of a falloff reaction?
bool dependsOnPressureItself(const Auxiliary &auxiliary);
bool isFalloff(const Auxiliary &auxiliary);

/// Reports keywords of a reaction that exclude each other, that lack others, or that its equation has no use for.
/// Returns whether a rate can be made of them.
bool checkCombinations(const ChemkinReaction &reaction, Diagnostics &diagnostics);

} // namespace heddle::chem
