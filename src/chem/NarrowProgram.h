// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Net production rates for numbers of single precision. ChemistryProgram.h's activities overflow there: an
// exponent of 127 is soon reached by exp(g/RT) at low temperatures. Here both directions of a reaction have
// an exponential of their own, whose argument holds rate and equilibrium constant together:
//
//     q = 2^(log k) prod C_r - 2^(log k - log Kc) prod C_p
//
// so that what goes into it may be large, but what comes out is a rate constant.
#pragma once

#include "chem/ChemistryProgram.h"

namespace heddle::chem {

/// Fields and sums as of chemistryProgram. Exponentials are expected to end at the smallest and the largest
/// number.
flow::Program narrowChemistryProgram(const Mechanism &mechanism, const ChemistryUnits &units);

} // namespace heddle::chem
