// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/QssaSteps.h"

#include "chem/ProgramContext.h"

#include <map>

namespace heddle::chem {
namespace {

Way wayOf(const Reaction &reaction, const Direction &direction, const SpeciesRoles &roles) {
  Way way = {direction, factorOf(roles.plan, direction), consumed(reaction), made(reaction), {}, true};
  if (!direction.forward)
    std::swap(way.consumed, way.made);
  for (const Term &term : way.consumed)
    if (roles.isStiff(term.species))
      way.damped.push_back(term.species);
  way.isPlain = direction.orders == direction.consumed && hasWholePowers(*direction.orders);
  return way;
}

/// What a direction gives to a part.
struct Share {
  size_t way = 0;
  double coefficient = 0;
  auto operator<=>(const Share &) const = default;
};
using Shares = std::map<BalancePart, std::vector<Share>>;

void addShares(Shares &shares, const Way &way, size_t number, const SpeciesRoles &roles) {
  const auto add = [&](Balance balance, unsigned species, double coefficient) {
    shares[{balance, species, way.factor}].push_back({number, coefficient});
  };
  for (const auto &[species, change] : changes(roles.plan, way.direction))
    add(Balance::Net, species, change);
  for (const Term &term : way.consumed)
    if (roles.isStiff(term.species))
      add(Balance::Destruction, term.species, term.value);
  for (const Term &term : way.made)
    if (roles.isStiff(term.species))
      add(Balance::Creation, term.species, term.value);
}

} // namespace

std::vector<Step> stepsOf(const Mechanism &mechanism, const SpeciesRoles &roles) {
  std::vector<Step> steps;
  for (const Direction &direction : directionsOf(mechanism)) {
    const Reaction &reaction = mechanism.reactions[direction.reaction];
    if (steps.empty() || steps.back().reaction != &reaction)
      steps.push_back({&reaction, std::to_string(direction.reaction + 1), {}, {0.0, 0.0}, false, true});
    if (!isLeftOut(roles.plan, direction))
      steps.back().ways.push_back(wayOf(reaction, direction, roles));
  }
  return steps;
}

Balances balancesOf(const std::vector<Step> &steps, const SpeciesRoles &roles) {
  Shares shares;
  size_t ways = 0;
  for (const Step &step : steps)
    for (const Way &way : step.ways)
      addShares(shares, way, ways++, roles);

  Balances balances;
  balances.ofWays.resize(ways);
  std::map<std::vector<Share>, size_t> known;
  for (const auto &[part, list] : shares) {
    const double scale = list.front().coefficient;
    std::vector<Share> scaled = list;
    for (Share &share : scaled)
      share.coefficient /= scale;
    auto [place, isNew] = known.try_emplace(scaled, balances.sums.size());
    balances.parts.push_back({part, place->second, scale});
    if (!isNew)
      continue;
    balances.sums.push_back(part);
    for (const Share &share : scaled)
      balances.ofWays[share.way].push_back({place->second, share.coefficient});
  }
  return balances;
}

} // namespace heddle::chem
