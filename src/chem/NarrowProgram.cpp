// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/NarrowProgram.h"

#include "chem/Kinetics.h"
#include "chem/ProgramContext.h"

namespace heddle::chem {

using flow::Expr;

namespace {

/// Fields of ProgramContext are temperature, pressure and mole fractions.
constexpr unsigned moleFractionsField = 2;

class NarrowProgram {
public:
  NarrowProgram(const Mechanism &mechanism, double pressureFactor)
      : mechanism(mechanism), context(mechanism, pressureFactor) {}

  flow::Program make(double rateFactor) {
    for (const Reaction &reaction : mechanism.reactions)
      add(reaction);
    flow::Program program = context.builder.finish();
    program.resultScale = rateFactor;
    return program;
  }

private:
  const Mechanism &mechanism;
  ProgramContext context;
  std::map<unsigned, Expr> concentrations;

  void prepareConcentrations(const std::vector<Term> &terms) {
    for (const Term &term : terms)
      if (!concentrations.contains(term.species)) {
        context.builder.begin("concentration of " + mechanism.species[term.species].name);
        const Expr fraction = context.builder.load(moleFractionsField, term.species);
        concentrations.emplace(term.species, context.builder.named("c_" + context.identifiers[term.species],
                                                                   context.at.total * fraction));
      }
  }

  Expr massAction(const std::vector<Term> &orders) {
    return productOf(orders, [&](unsigned species) { return concentrations.at(species); });
  }

  Expr netRate(const Reaction &reaction, const ColliderValues &collider) {
    const Expr factor = reaction.collider && !reaction.isFalloff() ? collider.concentration : Expr(1.0);
    const RateParts k = rateParts(context, reaction.rate, collider);
    const Expr forward = exp2(k.log) * massAction(forwardOrders(reaction));
    if (reaction.reverse == Reverse::None)
      return forward * k.factor * factor;
    if (reaction.reverse == Reverse::Explicit)
      return (forward * k.factor - rateExpression(context, *reaction.reverseRate, collider) *
                                       massAction(reverseOrders(reaction))) *
             factor;
    const Expr reverse =
        exp2(k.log + context.logReciprocalEquilibrium(reaction)) * massAction(reverseOrders(reaction));
    return (forward - reverse) * k.factor * factor;
  }

  void add(const Reaction &reaction) {
    context.prepare(reaction);
    prepareConcentrations(forwardOrders(reaction));
    prepareConcentrations(reverseOrders(reaction));
    const ColliderValues collider =
        reaction.collider ? context.colliderOf(*reaction.collider) : ColliderValues();
    context.builder.begin(reaction.equation);
    const std::string name = "q" + std::to_string(&reaction - mechanism.reactions.data() + 1);
    const Expr rate = context.builder.named(name, netRate(reaction, collider));
    context.contribute(reaction, rate);
  }
};

} // namespace

flow::Program narrowChemistryProgram(const Mechanism &mechanism, const ChemistryUnits &units) {
  return NarrowProgram(mechanism, units.pressure).make(units.rate);
}

} // namespace heddle::chem
