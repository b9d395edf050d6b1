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

void pairReverseReactions(Mechanism &mechanism) {
  std::vector<Reaction> joined;
  for (Reaction &reaction : mechanism.reactions) {
    if (joined.empty() || !isReverseOf(reaction, joined.back())) {
      joined.push_back(std::move(reaction));
      continue;
    }
    joined.back().reverse = Reverse::Explicit;
    if (size_t arrow = joined.back().equation.find("=>"); arrow != std::string::npos)
      joined.back().equation.insert(arrow, "<");
    joined.back().reverseRate = reaction.rate;
  }
  mechanism.reactions = std::move(joined);
}

} // namespace heddle::chem
