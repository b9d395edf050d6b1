// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Species in a quasi-steady state: what is made of them is consumed at once, so their concentrations are not
// carried along but follow from those of the other species.
//
// Zero net production of each gives an equation for each. They are linear as long as no direction of a
// reaction needs two such species, or one of them to a power but the first. A direction that does is left out
// of the whole computation (not of the QSS equations alone: then net production would not come out as zero),
// and a warning names it.
//
// Quasi-steady species are no part of the mixture: their mole fractions are zero, the others add up to 1, and
// they do not count as colliders.
#pragma once

#include "chem/Kinetics.h"
#include "chem/Mixture.h"

#include <map>
#include <optional>
#include <vector>

namespace heddle::chem {

struct QssaPlan {
  std::vector<unsigned> species; ///< in the mechanism's order
  /// The same species in the order they are solved for. Those of a group need each other, and else only
  /// species of groups before theirs.
  std::vector<std::vector<unsigned>> groups;
  std::vector<bool> withoutForward, withoutReverse; ///< directions left out, a reaction each

  bool isQuasiSteady(unsigned index) const;
};

/// One direction of a reaction, looked at by itself. It points into the mechanism.
struct Direction {
  size_t reaction = 0;
  bool forward = true;
  const std::vector<Term> *consumed = nullptr, *made = nullptr, *orders = nullptr;
};

/// All that a mechanism has, forward before reverse.
std::vector<Direction> directionsOf(const Mechanism &mechanism);

bool isLeftOut(const QssaPlan &plan, const Direction &direction);

/// The one quasi-steady species that the rate of a direction that is not left out is proportional to, if any.
std::optional<unsigned> factorOf(const QssaPlan &plan, const Direction &direction);

/// How many of each quasi-steady species a direction makes, less what it consumes.
std::map<unsigned, double> changes(const QssaPlan &plan, const Direction &direction);

/// Errors for quasi-steady species that are colliders by name, or that no direction that is kept consumes; warnings for
/// what is left out, at the reaction.
QssaPlan planQssa(const Mechanism &mechanism, std::vector<unsigned> species, Diagnostics &diagnostics);

/// The state without the quasi-steady species.
State withoutQuasiSteady(const QssaPlan &plan, State state);

/// Fills in the concentrations of the quasi-steady species. One that nothing consumes here has none.
void solveQuasiSteady(const Mechanism &mechanism, const QssaPlan &plan, const RateConstants &constants,
                      std::vector<double> &concentrations);

/// Takes the directions that are left out, out of the rate constants.
void leaveOut(const QssaPlan &plan, RateConstants &constants);

} // namespace heddle::chem
