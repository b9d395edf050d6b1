// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From concentrations to rates: rate constants, rates of progress, and what they make and consume of each
// species. Slow and plain on purpose: every faster form is checked against this one.
#pragma once

#include "chem/Mechanism.h"

#include <optional>
#include <vector>

namespace heddle::chem {

/// Per reaction, without the concentrations of its species.
struct RateConstants {
  std::vector<double> forward, reverse; ///< kmol, m3, s; falloff at this pressure
  std::vector<double> collider; ///< what multiplies both: [M], or 1 where there is none or it is falloff
};

/// Per reaction, kmol/m3/s
struct RatesOfProgress {
  std::vector<double> forward, reverse;
};

/// Per species, kmol/m3/s
struct ProductionRates {
  std::vector<double> creation, destruction, net;
};

RateConstants rateConstants(const Mechanism &mechanism, double temperature, double pressure,
                            const std::vector<double> &concentrations);

RatesOfProgress ratesOfProgress(const Mechanism &mechanism, const RateConstants &constants,
                                const std::vector<double> &concentrations);

/// A species that is on both sides of a reaction counts in creation and in destruction, unless it is a
/// spectator.
ProductionRates productionRates(const Mechanism &mechanism, const RatesOfProgress &rates);

/// What takes part in turning over each species, whatever the sign: the size that net rates, which may cancel
/// to little, are compared by.
std::vector<double> grossRates(const Mechanism &mechanism, const RatesOfProgress &rates);

/// Sum of the concentrations that a collider represents, by their efficiencies.
double colliderConcentration(const Collider &collider, const std::vector<double> &concentrations);

/// 1/Kc: exp(sum_k nu_k g_k/RT) (P0/RT)^(-sum_k nu_k) with nu_k products minus reactants and P0 = 1 atm.
double reciprocalEquilibrium(const Mechanism &mechanism, const Reaction &reaction, double temperature);

/// A collider that an equation names as if it were a reactant, AR in H+O2+AR=HO2+AR: the one species that
/// is on both sides, where coefficients are whole, three molecules meet on one side at least, and there
/// is no collider besides. Cantera's rule. It has no bearing on rates of progress and net rates, but takes
/// the species out of the gross rates.
std::optional<unsigned> spectator(const Reaction &reaction);
/// Reactants and products less the spectator.
std::vector<Term> consumed(const Reaction &reaction);
std::vector<Term> made(const Reaction &reaction);

/// The exponents of concentrations in one direction: the orders where given, else the stoichiometric
/// coefficients.
const std::vector<Term> &forwardOrders(const Reaction &reaction);
const std::vector<Term> &reverseOrders(const Reaction &reaction);

/// Product of c^order. An order of zero makes a species irrelevant; with any order but 1, 2 and 3, a
/// concentration that is not positive makes the product zero, also where the order is negative.
double massAction(const std::vector<Term> &orders, const std::vector<double> &concentrations);

} // namespace heddle::chem
