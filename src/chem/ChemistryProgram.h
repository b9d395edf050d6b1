// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Net production rates of all species at one point, as operations.
//
// A reversible reaction needs its equilibrium constant, an exponential of its own in the usual form. Here
// each species has, once, phi = exp(-g/RT) P0/RT and a = C/phi; since the constant is the product of the phi
// of the products over that of the reactants, the net rate is
//
//     q = k prod phi_r (prod a_r - prod a_p)
//
// with an exponential and a reciprocal per species and none per reaction beyond that of k. All exponentials are
// powers of two:
// their arguments are linear in log2 T and 1/T with constants that take the factor ln 2 in.
#pragma once

#include "chem/Mechanism.h"
#include "flow/Program.h"

namespace heddle::chem {

/// Factors between the units of a caller and SI with kmol.
struct ChemistryUnits {
  double pressure = 1; ///< what a caller's pressure is multiplied by to be in Pa
  double rate = 1;     ///< what kmol/m3/s are multiplied by to be in the caller's unit
};

/// Fields: temperature, pressure, mole fractions (a component for each species, adding up to 1). Sums: net
/// production of each species.
/// `isRegular`: rate constants are all computed by the same instructions, also where a parameter is zero, for
/// forms in which operations of the same structure share their code.
flow::Program chemistryProgram(const Mechanism &mechanism, const ChemistryUnits &units,
                               bool isRegular = false);

} // namespace heddle::chem
