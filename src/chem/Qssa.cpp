// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each direction of a reaction is looked at by itself. One that is kept has a rate that is either constant or
// proportional to one quasi-steady concentration C_q, so the equation of species i reads
//
//     sum over directions of (made - consumed)_i rate(C_q = 1) C_q = 0
//
// A species needs those others that are in its equation. The strongly connected components of this relation
// are the groups; each is a small dense system, solved by elimination without pivoting: what one species
// loses the others cannot gain more of, so columns are dominated by their diagonal and pivots are where they
// should be.
#include "chem/Qssa.h"

#include "graph/Components.h"
#include "support/Text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace heddle::chem {

std::vector<Direction> directionsOf(const Mechanism &mechanism) {
  std::vector<Direction> all;
  for (size_t i = 0; i < mechanism.reactions.size(); ++i) {
    const Reaction &r = mechanism.reactions[i];
    all.push_back({i, true, &r.reactants, &r.products, &forwardOrders(r)});
    if (r.reverse != Reverse::None)
      all.push_back({i, false, &r.products, &r.reactants, &reverseOrders(r)});
  }
  return all;
}

bool isLeftOut(const QssaPlan &plan, const Direction &direction) {
  return (direction.forward ? plan.withoutForward : plan.withoutReverse)[direction.reaction];
}

namespace {

/// The quasi-steady species that a direction's rate depends on, with the sum of their orders.
std::map<unsigned, double> quasiSteadyOrders(const QssaPlan &plan, const Direction &direction) {
  std::map<unsigned, double> orders;
  for (const Term &term : *direction.orders)
    if (term.value != 0 && plan.isQuasiSteady(term.species))
      orders[term.species] += term.value;
  return orders;
}

bool isLinear(const std::map<unsigned, double> &orders) {
  return orders.empty() || (orders.size() == 1 && orders.begin()->second == 1);
}

} // namespace

std::optional<unsigned> factorOf(const QssaPlan &plan, const Direction &direction) {
  std::map<unsigned, double> orders = quasiSteadyOrders(plan, direction);
  return orders.empty() ? std::nullopt : std::optional(orders.begin()->first);
}

std::map<unsigned, double> changes(const QssaPlan &plan, const Direction &direction) {
  std::map<unsigned, double> change;
  for (const Term &term : *direction.made)
    if (plan.isQuasiSteady(term.species))
      change[term.species] += term.value;
  for (const Term &term : *direction.consumed)
    if (plan.isQuasiSteady(term.species))
      change[term.species] -= term.value;
  std::erase_if(change, [](const auto &each) { return each.second == 0; });
  return change;
}

namespace {

void warnLeftOut(const Mechanism &mechanism, const Direction &direction,
                 const std::map<unsigned, double> &orders, Diagnostics &diagnostics) {
  const Reaction &reaction = mechanism.reactions[direction.reaction];
  std::vector<std::string> names;
  for (const auto &[species, order] : orders)
    names.push_back(mechanism.species[species].name);
  diagnostics.warning(reaction.location,
                      fmt::format("the {} direction of '{}' is left out: it is not linear in quasi-steady {}",
                                  direction.forward ? "forward" : "reverse", reaction.equation,
                                  joinAnd(names)));
}

void leaveOutNonlinear(const Mechanism &mechanism, QssaPlan &plan, Diagnostics &diagnostics) {
  for (const Direction &direction : directionsOf(mechanism)) {
    std::map<unsigned, double> orders = quasiSteadyOrders(plan, direction);
    if (isLinear(orders))
      continue;
    (direction.forward ? plan.withoutForward : plan.withoutReverse)[direction.reaction] = true;
    warnLeftOut(mechanism, direction, orders, diagnostics);
  }
}

void refuseColliders(const Mechanism &mechanism, const QssaPlan &plan, Diagnostics &diagnostics) {
  for (const Reaction &reaction : mechanism.reactions)
    if (reaction.collider && reaction.collider->named && plan.isQuasiSteady(*reaction.collider->named))
      diagnostics.error(reaction.location,
                        fmt::format("'{}' is the collider of '{}' and cannot be quasi-steady",
                                    mechanism.species[*reaction.collider->named].name, reaction.equation));
}

bool isNamedCollider(const Mechanism &mechanism, unsigned species) {
  return std::ranges::any_of(mechanism.reactions, [&](const Reaction &reaction) {
    return reaction.collider && reaction.collider->named == species;
  });
}

/// Does a direction that is kept consume one of these species more than it makes of them, at a rate that is proportional
/// to one of them?
bool isConsumed(const Mechanism &mechanism, const QssaPlan &plan, const std::vector<unsigned> &species) {
  const auto has = [&](unsigned each) { return std::ranges::find(species, each) != species.end(); };
  return std::ranges::any_of(directionsOf(mechanism), [&](const Direction &direction) {
    if (isLeftOut(plan, direction))
      return false;
    const std::optional<unsigned> factor = factorOf(plan, direction);
    double change = 0;
    for (const auto &[each, count] : changes(plan, direction))
      change += has(each) ? count : 0;
    return factor && has(*factor) && change < 0;
  });
}

/// Why isConsumed is false for one species.
std::string whyNotConsumed(const Mechanism &mechanism, const QssaPlan &plan, unsigned species) {
  bool isKept = false, isConsumedAtAll = false;
  for (const Direction &direction : directionsOf(mechanism)) {
    const std::map<unsigned, double> change = changes(plan, direction);
    if (const auto found = change.find(species); found == change.end() || found->second > 0)
      continue;
    isConsumedAtAll = true;
    isKept |= !isLeftOut(plan, direction);
  }
  return !isConsumedAtAll ? "no reaction consumes it"
         : isKept         ? "no rate that consumes it depends on its concentration"
                          : "all directions that consume it are left out";
}

/// A species on both sides of a reaction multiplies its rate, and is not consumed by it.
void noteColliders(const Mechanism &mechanism, unsigned species, Diagnostic &diagnostic) {
  const auto isIn = [&](const std::vector<Term> &terms) {
    return std::ranges::find(terms, species, &Term::species) != terms.end();
  };
  for (const Reaction &reaction : mechanism.reactions)
    if (isIn(reaction.reactants) && isIn(reaction.products)) {
      diagnostic.note(reaction.location, fmt::format("a collider in '{}', on both sides", reaction.equation));
      return;
    }
}

/// Its equation has no solution, or any.
void refuseNotConsumed(const Mechanism &mechanism, const QssaPlan &plan, Diagnostics &diagnostics) {
  for (unsigned species : plan.species) {
    if (isConsumed(mechanism, plan, {species}) || isNamedCollider(mechanism, species))
      continue;
    Diagnostic &error = diagnostics.error(
        mechanism.species[species].location,
        fmt::format("'{}' cannot be quasi-steady: {}, so its concentration would be zero",
                    mechanism.species[species].name, whyNotConsumed(mechanism, plan, species)));
    noteColliders(mechanism, species, error);
    error.withHint("remove it from the list of quasi-steady species");
  }
}

/// The same for species that are consumed, but only to make one another.
void refuseClosedGroups(const Mechanism &mechanism, const QssaPlan &plan, Diagnostics &diagnostics) {
  for (const std::vector<unsigned> &group : plan.groups) {
    if (group.size() < 2 || isConsumed(mechanism, plan, group))
      continue;
    std::vector<std::string> names;
    for (unsigned species : group)
      names.push_back(fmt::format("'{}'", mechanism.species[species].name));
    diagnostics
        .error(mechanism.species[group[0]].location,
               fmt::format("{} cannot all be quasi-steady: reactions only convert them into one another, so "
                           "their concentrations are not determined",
                           joinAnd(names)))
        .withHint("remove one of them from the list of quasi-steady species");
  }
}

/// What each species' equation holds besides itself, by places in plan.species.
std::vector<std::vector<unsigned>> needsOf(const Mechanism &mechanism, const QssaPlan &plan) {
  auto locationOf = [&](unsigned species) {
    return unsigned(std::ranges::lower_bound(plan.species, species) - plan.species.begin());
  };
  std::vector<std::set<unsigned>> needs(plan.species.size());
  for (const Direction &direction : directionsOf(mechanism)) {
    std::optional<unsigned> factor = factorOf(plan, direction);
    if (isLeftOut(plan, direction) || !factor)
      continue;
    for (const auto &[species, change] : changes(plan, direction))
      if (species != *factor)
        needs[locationOf(species)].insert(locationOf(*factor));
  }
  std::vector<std::vector<unsigned>> lists;
  for (const std::set<unsigned> &each : needs)
    lists.emplace_back(each.begin(), each.end());
  return lists;
}

/// Rows of A x = b.
struct DenseSystem {
  std::vector<std::vector<double>> a;
  std::vector<double> b;

  explicit DenseSystem(size_t n) : a(n, std::vector<double>(n)), b(n) {}
};

/// A pivot of zero belongs to a species that nothing consumes: it gets zero.
std::vector<double> eliminate(DenseSystem s) {
  size_t n = s.b.size();
  for (size_t p = 0; p < n; ++p)
    for (size_t row = p + 1; row < n && s.a[p][p] != 0; ++row) {
      double factor = s.a[row][p] / s.a[p][p];
      for (size_t column = p; column < n; ++column)
        s.a[row][column] -= factor * s.a[p][column];
      s.b[row] -= factor * s.b[p];
    }
  std::vector<double> x(n);
  for (size_t p = n; p-- > 0;) {
    double rest = s.b[p];
    for (size_t column = p + 1; column < n; ++column)
      rest -= s.a[p][column] * x[column];
    x[p] = s.a[p][p] == 0 ? 0 : rest / s.a[p][p];
  }
  return x;
}

/// What a direction that is kept adds to the equations: its rate per unit of the quasi-steady concentration
/// it depends on, if any, and the species whose equations it is in.
struct LinearRate {
  double rate = 0;
  std::optional<unsigned> factor;
  std::map<unsigned, double> changes;
};

std::vector<LinearRate> linearRates(const Mechanism &mechanism, const QssaPlan &plan,
                                    const RateConstants &constants, std::vector<double> concentrations) {
  for (unsigned species : plan.species)
    concentrations[species] = 1;
  std::vector<LinearRate> rates;
  for (const Direction &direction : directionsOf(mechanism)) {
    if (isLeftOut(plan, direction))
      continue;
    size_t i = direction.reaction;
    double k = (direction.forward ? constants.forward : constants.reverse)[i] * constants.collider[i];
    rates.push_back({k * massAction(*direction.orders, concentrations), factorOf(plan, direction),
                     changes(plan, direction)});
  }
  return rates;
}

void solveGroup(const std::vector<unsigned> &group, const std::vector<LinearRate> &rates,
                std::vector<double> &concentrations) {
  auto locationOf = [&](unsigned species) {
    return size_t(std::ranges::find(group, species) - group.begin());
  };
  DenseSystem system(group.size());
  for (const LinearRate &rate : rates)
    for (const auto &[species, change] : rate.changes) {
      size_t row = locationOf(species);
      if (row == group.size())
        continue;
      if (rate.factor && locationOf(*rate.factor) < group.size())
        system.a[row][locationOf(*rate.factor)] += change * rate.rate;
      else
        system.b[row] -= change * rate.rate * (rate.factor ? concentrations[*rate.factor] : 1);
    }
  std::vector<double> solution = eliminate(std::move(system));
  for (size_t i = 0; i < group.size(); ++i)
    concentrations[group[i]] = solution[i];
}

/// Groups of species that need each other, each after those that it needs.
std::vector<std::vector<unsigned>> inOrderOfNeed(const graph::Adjacency &needs) {
  graph::Adjacency groups = graph::components(needs);
  std::ranges::reverse(groups);
  for (std::vector<unsigned> &group : groups)
    std::ranges::sort(group);
  return groups;
}

} // namespace

bool QssaPlan::isQuasiSteady(unsigned index) const { return std::ranges::binary_search(species, index); }

QssaPlan planQssa(const Mechanism &mechanism, std::vector<unsigned> species, Diagnostics &diagnostics) {
  std::ranges::sort(species);
  std::vector<bool> nothing(mechanism.reactions.size());
  QssaPlan plan = {std::move(species), {}, nothing, nothing};
  refuseColliders(mechanism, plan, diagnostics);
  leaveOutNonlinear(mechanism, plan, diagnostics);
  refuseNotConsumed(mechanism, plan, diagnostics);
  plan.groups = inOrderOfNeed(needsOf(mechanism, plan));
  for (std::vector<unsigned> &group : plan.groups)
    for (unsigned &location : group)
      location = plan.species[location];
  refuseClosedGroups(mechanism, plan, diagnostics);
  return plan;
}

State withoutQuasiSteady(const QssaPlan &plan, State state) {
  for (unsigned species : plan.species)
    state.moleFractions[species] = 0;
  double sum = 0;
  for (double x : state.moleFractions)
    sum += x;
  for (double &x : state.moleFractions)
    x /= sum;
  return state;
}

void solveQuasiSteady(const Mechanism &mechanism, const QssaPlan &plan, const RateConstants &constants,
                      std::vector<double> &concentrations) {
  std::vector<LinearRate> rates = linearRates(mechanism, plan, constants, concentrations);
  for (const std::vector<unsigned> &group : plan.groups)
    solveGroup(group, rates, concentrations);
}

void leaveOut(const QssaPlan &plan, RateConstants &constants) {
  for (size_t i = 0; i < plan.withoutForward.size(); ++i) {
    if (plan.withoutForward[i])
      constants.forward[i] = 0;
    if (plan.withoutReverse[i])
      constants.reverse[i] = 0;
  }
}

} // namespace heddle::chem
