// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mechanisms of a few species made up in code, small enough to compute results by hand.
#pragma once

#include "chem/Mechanism.h"

#include <initializer_list>
#include <utility>

namespace heddle::chem::small {

/// A species of constant heat capacity; h in J/kmol and s in J/kmol/K at 298.15 K.
inline Species species(std::string name, double weight = 1, double h = 0, double s = 0, double cp = 29000) {
  Species made;
  made.name = std::move(name);
  made.weight = weight;
  made.thermo = ConstantCp{298.15, h, s, cp, 200, 5000};
  return made;
}

/// Species of these names and no reactions.
inline Mechanism mechanism(std::initializer_list<const char *> names) {
  Mechanism made;
  for (const char *name : names)
    made.species.push_back(species(name));
  return made;
}

/// One way, with a rate constant that depends on nothing.
inline Reaction oneWay(std::vector<Term> reactants, std::vector<Term> products, double k) {
  Reaction made;
  made.equation = "made up";
  made.reactants = std::move(reactants);
  made.products = std::move(products);
  made.rate = Arrhenius{k, 0, 0};
  made.reverse = Reverse::None;
  return made;
}

/// Both ways, each with a rate constant of its own.
inline Reaction bothWays(std::vector<Term> reactants, std::vector<Term> products, double forward,
                         double reverse) {
  Reaction made = oneWay(std::move(reactants), std::move(products), forward);
  made.reverse = Reverse::Explicit;
  made.reverseRate = Arrhenius{reverse, 0, 0};
  return made;
}

} // namespace heddle::chem::small
