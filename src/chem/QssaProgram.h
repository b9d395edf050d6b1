// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Net production rates with quasi-steady and stiff species, as operations.
//
// What has to be known before what makes three stages, and nothing but sums goes from one to the next:
//
//   1. The directions of reactions, each by its rate per unit of the quasi-steady concentration that it may
//      depend on, make up the linear equations of quasi-steady species, and creation and destruction of
//      stiff ones. Both are linear in the concentrations that are not known yet, so their sums are made
//      apart for each of them: K_i = K_i0 + sum_q K_iq u_q needs no second look at the reactions.
//   2. The equations are solved for u_q, and C'/C of each stiff species follows. A species' activity times
//      that factor is its damped activity.
//   3. Reactions again, with quasi-steady and damped activities: as many instructions as without QSSA and stiff species.
//
// Reactions that neither depend on a quasi-steady species nor consume a stiff one are done in stage 1.
//
// Rate constants are wanted in stages 1 and 3. Keeping one costs memory, recomputing it instructions:
// `keepFrom` is the number of instructions above which it is kept.
#pragma once

#include "chem/ChemistryProgram.h"
#include "chem/Qssa.h"

namespace heddle::chem {

/// Fields: temperature, pressure, mole fractions (a component for each species; those of quasi-steady ones
/// are not read, the others add up to 1), and where there are stiff species `diffusion` (a component for each
/// of them, in the list's order and the unit of rates) and the uniform `timeStep`, s. Sums: net production of
/// each species. That of a quasi-steady one is zero without stiff species; else it is what damping leaves
/// over, and only together with it are elements conserved.
flow::Program qssaProgram(const Mechanism &mechanism, const ChemistryUnits &units,
                          const QssaPlan &quasiSteady, const std::vector<unsigned> &stiff, unsigned keepFrom);

} // namespace heddle::chem
