// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the equation, the three numbers and the auxiliary lines of a CHEMKIN reaction to its rate in SI units.
#pragma once

#include "chem/ChemkinAuxiliary.h"
#include "chem/ChemkinUnits.h"
#include "chem/Equation.h"

#include <array>

namespace heddle::chem {

/// The parts of a reaction of a CHEMKIN file, taken apart.
struct ChemkinReaction {
  SourceLocation location; ///< of the equation
  std::string text;
  Equation equation;
  std::array<double, 3> arrhenius{}; ///< A, b, E in the units of the file
  Auxiliary auxiliary;
};

/// What does not fit together is reported; the reaction then has its equation right, but no sensible rate.
Reaction buildReaction(const ChemkinReaction &parts, ChemkinUnits units, Diagnostics &diagnostics);

} // namespace heddle::chem
