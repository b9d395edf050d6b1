// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reactions of a mechanism with quasi-steady and stiff species, one direction at a time.
#pragma once

#include "chem/Mechanism.h"
#include "chem/Qssa.h"
#include "flow/Builder.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace heddle::chem {

/// Which species are quasi-steady and which are stiff; some are both.
struct SpeciesRoles {
  const QssaPlan &plan;
  const std::vector<unsigned> &stiff;
  bool isStiff(unsigned species) const { return std::ranges::find(stiff, species) != stiff.end(); }
  bool isQuasiSteady(unsigned species) const { return plan.isQuasiSteady(species); }
};

/// One direction of a reaction that is not left out.
struct Way {
  Direction direction;
  std::optional<unsigned> factor;   ///< the quasi-steady species that its rate is proportional to
  std::vector<Term> consumed, made; ///< less the spectator
  std::vector<unsigned> damped;     ///< stiff species that it consumes
  /// Orders are stoichiometric coefficients: one power of each consumed species is there.
  bool isPlain = true;

  /// Is one power of this species taken as its damped value?
  bool isDamped(unsigned species) const {
    return isPlain && std::ranges::find(damped, species) != damped.end();
  }
};

/// A rate constant of each direction; where a reaction goes by activities, the same one.
using WayConstants = std::array<flow::Expr, 2>;

struct Step {
  const Reaction *reaction = nullptr;
  std::string number;
  std::vector<Way> ways; ///< forward first
  // --- known once its rate constants are
  WayConstants constants = {0.0, 0.0};
  bool isKept = false;      ///< its constants go from stage 1 to 3
  bool isDoneAtOnce = true; ///< in stage 1

  const flow::Expr &constantOf(const Way &way) const { return constants[way.direction.forward ? 0 : 1]; }
};

/// All reactions, without their rate constants.
std::vector<Step> stepsOf(const Mechanism &mechanism, const SpeciesRoles &roles);

/// What stage 2 reads: net production of quasi-steady species, creation and destruction of stiff ones.
enum class Balance { Net, Creation, Destruction };

/// A species' balance is linear in the activities of quasi-steady species, which are not known when it is
/// added up: it has a part for each quasi-steady species that rates are proportional to, and one for the rates
/// that are proportional to none.
struct BalancePart {
  Balance balance = Balance::Net;
  unsigned species = 0;
  std::optional<unsigned> factor;
  auto operator<=>(const BalancePart &) const = default;
};

/// Which sums the parts are made of. Parts that are multiples of each other have one sum: many are what a single
/// direction makes of two species.
struct Balances {
  struct Contribution {
    size_t sum = 0;
    double coefficient = 0;
  };
  struct Part {
    BalancePart part;
    size_t sum = 0;
    double scale = 0;
  };
  std::vector<BalancePart> sums;                 ///< each by the first part that it is for
  std::vector<Part> parts;                       ///< sorted
  std::vector<std::vector<Contribution>> ofWays; ///< ways counted over all steps
};

Balances balancesOf(const std::vector<Step> &steps, const SpeciesRoles &roles);

} // namespace heddle::chem
