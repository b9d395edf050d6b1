// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/PairReverse.h"

#include <algorithm>

namespace heddle::chem {
namespace {

bool sameTerms(const std::vector<Term> &a, const std::vector<Term> &b) {
  return a.size() == b.size() && std::ranges::all_of(a, [&](const Term &term) {
           return std::ranges::any_of(b, [&](const Term &other) {
             return other.species == term.species && other.value == term.value;
           });
         });
}

bool sameCollider(const std::optional<Collider> &a, const std::optional<Collider> &b) {
  if (!a || !b)
    return a.has_value() == b.has_value();
  return a->named == b->named && a->defaultEfficiency == b->defaultEfficiency &&
         sameTerms(a->efficiencies, b->efficiencies);
}

bool isOneWayArrhenius(const Reaction &reaction) {
  return reaction.reverse == Reverse::None && std::holds_alternative<Arrhenius>(reaction.rate) &&
         !reaction.forwardOrders && !reaction.reverseOrders;
}

bool isReverseOf(const Reaction &second, const Reaction &first) {
  return isOneWayArrhenius(first) && isOneWayArrhenius(second) &&
         sameTerms(first.reactants, second.products) && sameTerms(first.products, second.reactants) &&
         sameCollider(first.collider, second.collider);
}

} // namespace

std::vector<size_t> pairReverseReactions(Mechanism &mechanism) {
  std::vector<Reaction> joined;
  std::vector<size_t> indices;
  for (Reaction &reaction : mechanism.reactions) {
    if (joined.empty() || !isReverseOf(reaction, joined.back())) {
      joined.push_back(std::move(reaction));
    } else {
      joined.back().reverse = Reverse::Explicit;
      if (size_t arrow = joined.back().equation.find("=>"); arrow != std::string::npos)
        joined.back().equation.insert(arrow, "<");
      joined.back().reverseRate = reaction.rate;
    }
    indices.push_back(joined.size() - 1);
  }
  mechanism.reactions = std::move(joined);
  return indices;
}

QssaPlan pairedPlan(QssaPlan plan, const std::vector<size_t> &indices) {
  if (plan.withoutForward.empty())
    return plan; // of no quasi-steady species
  std::vector<bool> withoutForward, withoutReverse;
  for (size_t i = 0; i < indices.size(); ++i)
    if (indices[i] < withoutForward.size()) { // the second of a pair
      withoutReverse.back() = plan.withoutForward[i];
    } else {
      withoutForward.push_back(plan.withoutForward[i]);
      withoutReverse.push_back(plan.withoutReverse[i]);
    }
  plan.withoutForward = std::move(withoutForward);
  plan.withoutReverse = std::move(withoutReverse);
  return plan;
}

} // namespace heddle::chem
