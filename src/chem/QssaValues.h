// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of species that go from one stage of a program with quasi-steady and stiff species to the next.
#pragma once

#include "chem/ProgramContext.h"
#include "chem/QssaSteps.h"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace heddle::chem {

/// Names of sums. Names of species may be such that two sums would be called alike.
class SumNames {
public:
  std::string own(std::string name);

private:
  std::set<std::string> taken;
};

/// What stage 3 asks of a species. Scale is phi, Factor is C'/C.
enum class Wanted { Scale, Activity, Concentration, DampedActivity, DampedConcentration, Factor };

/// Sums that stages 2 and 3 read, one for each value of a species that some reaction wants.
using KeptValues = std::map<std::pair<unsigned, Wanted>, unsigned>;

/// Collects what reactions want, and adds a sum for each value. Concentrations that the mole fraction alone gives
/// are made in `context` where they are wanted: that is cheaper than memory.
class WantedValues {
public:
  WantedValues(const SpeciesRoles &roles, ProgramContext &context, SumNames &names)
      : roles(roles), context(context), names(names) {}

  /// A reaction that is not done at once, with its rate constants.
  void add(const Step &step);
  KeptValues take() && { return std::move(kept); }

private:
  void add(const Reaction &reaction, const Way &way);
  void add(unsigned species, Wanted what);
  bool needsScale(unsigned species, Wanted what) const;

  const SpeciesRoles &roles;
  ProgramContext &context;
  SumNames &names;
  KeptValues kept;
};

/// What is known after stage 2.
struct Solved {
  std::map<unsigned, flow::Expr>
      activities;                         ///< of quasi-steady species; where there is no phi, concentrations
  std::map<unsigned, flow::Expr> factors; ///< C'/C of stiff species
};

} // namespace heddle::chem
