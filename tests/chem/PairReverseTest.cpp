// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/PairReverse.h"

#include "Small.h"

#include <gmock/gmock.h>

namespace heddle::chem {
namespace {

using small::oneWay;
using testing::ElementsAre;

/// A + B => C and back, twice over, around a reaction that has no reverse.
Mechanism ofPairs() {
  Mechanism made = small::mechanism({"A", "B", "C"});
  const std::vector<Term> ab = {{0, 1}, {1, 1}}, ba = {{1, 1}, {0, 1}}, c = {{2, 1}}, a = {{0, 1}};
  made.reactions = {oneWay(ab, c, 1), oneWay(c, ba, 2), oneWay(c, a, 3), oneWay(ab, c, 4), oneWay(c, ab, 5)};
  made.reactions[0].equation = "A + B => C";
  return made;
}

TEST(PairReverse, JoinsAReactionAndItsReverse) {
  Mechanism mechanism = ofPairs();
  EXPECT_THAT(pairReverseReactions(mechanism), ElementsAre(0, 0, 1, 2, 2));
  ASSERT_EQ(mechanism.reactions.size(), 3u);
  EXPECT_EQ(mechanism.reactions[0].equation, "A + B <=> C");
  EXPECT_EQ(mechanism.reactions[0].reverse, Reverse::Explicit);
  EXPECT_EQ(std::get<Arrhenius>(*mechanism.reactions[0].reverseRate).a, 2);
  EXPECT_EQ(mechanism.reactions[1].reverse, Reverse::None);
  EXPECT_EQ(std::get<Arrhenius>(*mechanism.reactions[2].reverseRate).a, 5);
}

TEST(PairReverse, LeavesOtherCollidersOrdersAndRatesAlone) {
  const auto unchanged = [](auto change) {
    Mechanism mechanism = ofPairs();
    mechanism.reactions.resize(2);
    change(mechanism.reactions[1]);
    EXPECT_THAT(pairReverseReactions(mechanism), ElementsAre(0, 1));
    EXPECT_EQ(mechanism.reactions.size(), 2u);
  };
  unchanged([](Reaction &reaction) { reaction.collider = Collider(); });
  unchanged([](Reaction &reaction) { reaction.forwardOrders = std::vector<Term>{{2, 0.5}}; });
  unchanged([](Reaction &reaction) { reaction.rate = LandauTeller(); });
  unchanged([](Reaction &reaction) { reaction.reverse = Reverse::Equilibrium; });
}

TEST(PairReverse, KeepsDirectionsThatAreLeftOut) {
  Mechanism mechanism = ofPairs();
  QssaPlan plan;
  plan.withoutForward = {false, true, true, true, false};
  plan.withoutReverse = {false, false, true, false, false};
  plan = pairedPlan(plan, pairReverseReactions(mechanism));
  EXPECT_THAT(plan.withoutForward, ElementsAre(false, true, true));
  EXPECT_THAT(plan.withoutReverse, ElementsAre(true, true, false));
}

} // namespace
} // namespace heddle::chem
