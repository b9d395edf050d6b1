// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/ChemistryProgram.h"

#include "chem/Kinetics.h"
#include "chem/ProgramContext.h"

namespace heddle::chem {

using flow::Expr;

namespace {

/// The net rate by the activities of species: see ChemistryProgram.h.
Expr equilibriumRate(ProgramContext &context, const Reaction &reaction, const Expr &k) {
  const auto scale = [&](unsigned species) { return context.thermoOf(species).scale; };
  const auto activity = [&](unsigned species) { return context.thermoOf(species).activity; };
  return k * productOf(reaction.reactants, scale) *
         (productOf(reaction.reactants, activity) - productOf(reaction.products, activity));
}

Expr netRate(ProgramContext &context, const Reaction &reaction, const ColliderValues &collider) {
  const Expr factor = reaction.collider && !reaction.isFalloff() ? collider.concentration : Expr(1.0);
  const Expr k = rateExpression(context, reaction.rate, collider) * factor;
  if (context.goesByActivities(reaction))
    return equilibriumRate(context, reaction, k);

  const auto concentration = [&](unsigned species) { return context.concentrationOf(species); };
  const Expr forward = k * productOf(forwardOrders(reaction), concentration);
  if (reaction.reverse == Reverse::None)
    return forward;
  const Expr reverse = reaction.reverse == Reverse::Equilibrium
                           ? k * exp2(context.logReciprocalEquilibrium(reaction))
                           : rateExpression(context, *reaction.reverseRate, collider) * factor;
  return forward - reverse * productOf(reverseOrders(reaction), concentration);
}

} // namespace

flow::Program chemistryProgram(const Mechanism &mechanism, const ChemistryUnits &units, bool isRegular) {
  ProgramContext context(mechanism, units.pressure, isRegular);
  for (const Reaction &reaction : mechanism.reactions) {
    context.prepare(reaction);
    const ColliderValues collider =
        reaction.collider ? context.colliderOf(*reaction.collider) : ColliderValues();
    context.builder.begin(reaction.equation);
    const Expr rate = context.builder.named("q" + std::to_string(&reaction - mechanism.reactions.data() + 1),
                                            netRate(context, reaction, collider));
    context.contribute(reaction, rate);
  }
  flow::Program program = context.builder.finish();
  program.resultScale = units.rate;
  return program;
}

} // namespace heddle::chem
