// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/QssaValues.h"

namespace heddle::chem {

void WantedValues::add(const Step &step) {
  for (const Way &way : step.ways)
    add(*step.reaction, way);
  if (!step.isKept && context.goesByActivities(*step.reaction))
    for (const Term &term : step.reaction->reactants)
      add(term.species, Wanted::Scale);
}

void WantedValues::add(const Reaction &reaction, const Way &way) {
  const bool byActivity = context.goesByActivities(reaction);
  for (const Term &term : *way.direction.orders) {
    const bool damped = way.isDamped(term.species);
    if (damped)
      add(term.species, byActivity ? Wanted::DampedActivity : Wanted::DampedConcentration);
    if (term.value != 0 && (!damped || term.value > 1))
      add(term.species, byActivity ? Wanted::Activity : Wanted::Concentration);
  }
  if (!way.isPlain)
    for (unsigned species : way.damped)
      add(species, Wanted::Factor);
}

void WantedValues::add(unsigned species, Wanted what) {
  static constexpr const char *const prefixes[] = {"phi_",     "act_",     "conc_",
                                                   "dampedA_", "dampedC_", "damping_"};
  if (what == Wanted::Concentration && !roles.isQuasiSteady(species)) {
    context.carriedConcentrationOf(species);
    return;
  }
  auto [place, isNew] = kept.try_emplace({species, what}, 0);
  if (isNew)
    place->second =
        context.builder.addInnerSum(names.own(prefixes[size_t(what)] + context.identifiers[species]));
  if (what != Wanted::Scale && needsScale(species, what))
    add(species, Wanted::Scale);
}

/// Does stage 2 need phi for that? From it and the mole fraction an activity is a few instructions.
bool WantedValues::needsScale(unsigned species, Wanted what) const {
  const bool isActivity = what == Wanted::Activity || what == Wanted::DampedActivity;
  return roles.isQuasiSteady(species) ? context.hasScale(species) && (!isActivity || roles.isStiff(species))
                                      : isActivity;
}

std::string SumNames::own(std::string name) {
  while (!taken.insert(name).second)
    name += "_";
  return name;
}

} // namespace heddle::chem
