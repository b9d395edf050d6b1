// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/Qssa.h"

#include "Reference.h"
#include "Small.h"
#include "chem/Evaluator.h"
#include "chem/SpeciesList.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace heddle::chem {
namespace {

using small::bothWays;
using small::oneWay;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Concentrations with the quasi-steady ones filled in, and the plan that was followed.
struct Solved {
  Diagnostics diagnostics;
  QssaPlan plan;
  std::vector<double> concentrations;
  ProductionRates made;

  Solved(const Mechanism &mechanism, std::vector<unsigned> species, std::vector<double> given)
      : plan(planQssa(mechanism, std::move(species), diagnostics)), concentrations(std::move(given)) {
    RateConstants constants = rateConstants(mechanism, 1000, 1e5, concentrations);
    leaveOut(plan, constants);
    solveQuasiSteady(mechanism, plan, constants, concentrations);
    made = productionRates(mechanism, ratesOfProgress(mechanism, constants, concentrations));
  }
};

enum { A, B, Q, R, S };
Mechanism fiveSpecies() { return small::mechanism({"A", "B", "Q", "R", "S"}); }

TEST(Qssa, OneSpeciesIsWhatIsMadeOverWhatConsumesIt) {
  // A -> Q (2), Q + A -> B (5), Q = B (3, 7): Q = (2 A + 7 B)/(5 A + 3)
  Mechanism mechanism = fiveSpecies();
  mechanism.reactions = {oneWay({{A, 1}}, {{Q, 1}}, 2), oneWay({{Q, 1}, {A, 1}}, {{B, 1}}, 5),
                         bothWays({{Q, 1}}, {{B, 1}}, 3, 7)};
  Solved solved(mechanism, {Q}, {11, 13, 0, 0, 0});
  EXPECT_DOUBLE_EQ(solved.concentrations[Q], (2 * 11 + 7 * 13) / (5.0 * 11 + 3));
  EXPECT_NEAR(solved.made.net[Q], 0, 1e-14 * solved.made.creation[Q]);
  EXPECT_TRUE(solved.diagnostics.empty());
}

TEST(Qssa, AChainIsSolvedInOrderOfDependence) {
  // A -> S (2), S -> R (3), R -> Q (5), Q -> B (7): each is 2 A over its own constant
  Mechanism mechanism = fiveSpecies();
  mechanism.reactions = {oneWay({{A, 1}}, {{S, 1}}, 2), oneWay({{S, 1}}, {{R, 1}}, 3),
                         oneWay({{R, 1}}, {{Q, 1}}, 5), oneWay({{Q, 1}}, {{B, 1}}, 7)};
  Solved solved(mechanism, {Q, R, S}, {11, 0, 0, 0, 0});
  EXPECT_THAT(solved.plan.groups, ElementsAre(ElementsAre(S), ElementsAre(R), ElementsAre(Q)));
  EXPECT_DOUBLE_EQ(solved.concentrations[S], 22.0 / 3);
  EXPECT_DOUBLE_EQ(solved.concentrations[R], 22.0 / 5);
  EXPECT_DOUBLE_EQ(solved.concentrations[Q], 22.0 / 7);
}

TEST(Qssa, ACycleIsSolvedAtOnce) {
  // A -> Q (2), Q = R (3, 5), R -> B (7): Q (3) = 2 A + 5 R, R (5 + 7) = 3 Q
  Mechanism mechanism = fiveSpecies();
  mechanism.reactions = {oneWay({{A, 1}}, {{Q, 1}}, 2), bothWays({{Q, 1}}, {{R, 1}}, 3, 5),
                         oneWay({{R, 1}}, {{B, 1}}, 7)};
  Solved solved(mechanism, {Q, R}, {11, 0, 0, 0, 0});
  EXPECT_THAT(solved.plan.groups, ElementsAre(ElementsAre(Q, R)));
  double r = 22.0 / 7, q = 4 * r;
  EXPECT_NEAR(solved.concentrations[R], r, 1e-14 * r);
  EXPECT_NEAR(solved.concentrations[Q], q, 1e-14 * q);
  for (unsigned i : {Q, R})
    EXPECT_NEAR(solved.made.net[i], 0, 1e-14 * solved.made.creation[i]);
}

TEST(Qssa, ADirectionThatNeedsTwoQuasiSteadySpeciesIsLeftOutWithAWarning) {
  // A + B = Q + R: the reverse needs both
  Mechanism mechanism = fiveSpecies();
  mechanism.reactions = {bothWays({{A, 1}, {B, 1}}, {{Q, 1}, {R, 1}}, 2, 3), oneWay({{Q, 1}}, {{A, 1}}, 5),
                         oneWay({{R, 1}}, {{B, 1}}, 7), oneWay({{S, 2}}, {{A, 1}}, 1)};
  mechanism.reactions[0].equation = "A+B=Q+R";
  mechanism.reactions[0].location = {"chem.inp", 12};
  Solved solved(mechanism, {Q, R}, {11, 13, 0, 0, 0});
  ASSERT_EQ(solved.diagnostics.all().size(), 1u);
  EXPECT_EQ(solved.diagnostics.all()[0].severity, Severity::Warning);
  EXPECT_EQ(solved.diagnostics.all()[0].location.line, 12u);
  EXPECT_THAT(solved.diagnostics.all()[0].text, HasSubstr("reverse direction of 'A+B=Q+R' is left out"));
  EXPECT_THAT(solved.diagnostics.all()[0].text, HasSubstr("Q and R"));
  EXPECT_DOUBLE_EQ(solved.concentrations[Q], 2 * 11 * 13 / 5.0);
  EXPECT_DOUBLE_EQ(solved.concentrations[R], 2 * 11 * 13 / 7.0);
  EXPECT_NEAR(solved.made.net[Q], 0, 1e-14 * solved.made.creation[Q]);

  Solved squared(mechanism, {S}, {11, 13, 1, 1, 0});
  EXPECT_TRUE(squared.plan.withoutForward[3]);
}

TEST(Qssa, ASpeciesThatNothingConsumesHasNoConcentration) {
  Mechanism mechanism = fiveSpecies();
  mechanism.reactions = {oneWay({{A, 1}}, {{Q, 1}}, 2), oneWay({{Q, 1}, {B, 1}}, {{A, 1}}, 5)};
  EXPECT_EQ(Solved(mechanism, {Q}, {11, 0, 0, 0, 0}).concentrations[Q], 0);
}

TEST(Qssa, ANamedColliderCannotBeQuasiSteady) {
  Mechanism mechanism = fiveSpecies();
  mechanism.reactions = {oneWay({{A, 1}}, {{B, 1}}, 2)};
  mechanism.reactions[0].collider = Collider{Q, 1, {}};
  Diagnostics diagnostics;
  planQssa(mechanism, {Q}, diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.all()[0].severity, Severity::Error);
  EXPECT_THAT(diagnostics.all()[0].text, HasSubstr("'Q' is the collider"));
}

std::string refusalOf(const Mechanism &mechanism, std::vector<unsigned> species) {
  Diagnostics diagnostics;
  planQssa(mechanism, std::move(species), diagnostics);
  for (const Diagnostic &each : diagnostics.all())
    if (each.severity == Severity::Error)
      return each.text;
  return "";
}

TEST(Qssa, AnExplicitColliderThatNothingConsumesCannotBeQuasiSteady) {
  // A + B + Q = R + Q, as in H+O2+AR=HO2+AR
  Mechanism mechanism = fiveSpecies();
  mechanism.reactions = {bothWays({{A, 1}, {B, 1}, {Q, 1}}, {{R, 1}, {Q, 1}}, 2, 3)};
  mechanism.reactions[0].equation = "A+B+Q=R+Q";
  mechanism.reactions[0].location = {"chem.inp", 12};
  Diagnostics diagnostics;
  planQssa(mechanism, {Q}, diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 1u);
  const Diagnostic &error = diagnostics.all()[0];
  EXPECT_EQ(error.severity, Severity::Error);
  EXPECT_EQ(error.text,
            "'Q' cannot be quasi-steady: no reaction consumes it, so its concentration would be zero");
  ASSERT_EQ(error.notes.size(), 1u);
  EXPECT_EQ(error.notes[0].location.line, 12u);
  EXPECT_THAT(error.notes[0].text, HasSubstr("'A+B+Q=R+Q'"));

  // One that is consumed elsewhere has a concentration: 5 A/(7 B)
  mechanism.reactions.push_back(oneWay({{A, 1}}, {{Q, 1}}, 5));
  mechanism.reactions.push_back(oneWay({{Q, 1}, {B, 1}}, {{A, 1}}, 7));
  Solved solved(mechanism, {Q}, {11, 13, 0, 1, 0});
  EXPECT_TRUE(solved.diagnostics.empty());
  EXPECT_DOUBLE_EQ(solved.concentrations[Q], 5 * 11 / (7 * 13.0));
}

TEST(Qssa, ASpeciesThatNoReactionConsumesCannotBeQuasiSteady) {
  Mechanism mechanism = fiveSpecies();
  mechanism.reactions = {oneWay({{A, 1}}, {{Q, 1}}, 2), oneWay({{R, 2}}, {{A, 1}}, 3),
                         oneWay({{A, 1}, {S, 1}}, {{B, 1}}, 5)};
  mechanism.reactions[2].forwardOrders = {{{A, 1}}};
  EXPECT_THAT(refusalOf(mechanism, {Q}), HasSubstr("'Q' cannot be quasi-steady: no reaction consumes it"));
  EXPECT_THAT(refusalOf(mechanism, {R}), HasSubstr("all directions that consume it are left out"));
  EXPECT_THAT(refusalOf(mechanism, {S}), HasSubstr("no rate that consumes it depends on its concentration"));
  // An inert one.
  mechanism.reactions.resize(1);
  EXPECT_THAT(refusalOf(mechanism, {B}), HasSubstr("no reaction consumes it"));
}

TEST(Qssa, SpeciesThatOnlyMakeOneAnotherCannotBeQuasiSteady) {
  // A -> Q, Q = R
  Mechanism mechanism = fiveSpecies();
  mechanism.reactions = {oneWay({{A, 1}}, {{Q, 1}}, 2), bothWays({{Q, 1}}, {{R, 1}}, 3, 5)};
  EXPECT_THAT(refusalOf(mechanism, {Q, R}), HasSubstr("'Q' and 'R' cannot all be quasi-steady"));
  EXPECT_EQ(refusalOf(mechanism, {Q}), "");
  mechanism.reactions.push_back(oneWay({{R, 1}}, {{B, 1}}, 7));
  EXPECT_EQ(refusalOf(mechanism, {Q, R}), "");
}

TEST(Qssa, QuasiSteadySpeciesAreNoPartOfTheMixture) {
  Mechanism mechanism = fiveSpecies();
  Diagnostics diagnostics;
  QssaPlan plan = planQssa(mechanism, {Q}, diagnostics);
  State state = withoutQuasiSteady(plan, {1000, 1e5, {0.2, 0.2, 0.5, 0.1, 0}});
  EXPECT_THAT(state.moleFractions,
              ElementsAre(testing::DoubleEq(0.4), testing::DoubleEq(0.4), 0, testing::DoubleEq(0.2), 0));
}

// ---- stiffness

TEST(Stiffness, LeavesASlowSpeciesAlone) {
  // D dt theta = 1 * 1 * 0.0906 is below C
  EXPECT_EQ(stiffFactor(0.1, 5, 1, 0, 1), 1);
  EXPECT_EQ(stiffFactor(0, 5, 0, 0, 1), 1);
  // Negative, as in a flow solver; destruction is proportional to it, unless another concentration is negative too.
  EXPECT_EQ(stiffFactor(-1e-15, 5, -1e-20, 0, 1), 1);
  EXPECT_EQ(stiffFactor(-1e-15, 5, 40, 0, 1), 1);
}

TEST(Stiffness, DampsAFastOne) {
  // C = 1, K = 3, D = 40, d = 1, dt = 0.5: C' = 4/40 = 0.1, then (4 + 0.9/0.5)/40 = 0.145
  EXPECT_DOUBLE_EQ(stiffFactor(1, 3, 40, 1, 0.5), 0.145);
}

TEST(Stiffness, BeginsExactlyAboveTheThreshold) {
  double c = 40 * 0.5 * stiffnessThreshold;
  EXPECT_EQ(stiffFactor(c, 3, 40, 0, 0.5), 1);
  EXPECT_NE(stiffFactor(std::nextafter(c, 0), 3, 40, 0, 0.5), 1);
}

TEST(Stiffness, ScalesEveryRateThatConsumesTheSpeciesAndNoOther) {
  // Q -> A (40 Q), A + B -> Q (3 A B), Q + R = S (reverse makes Q): with C_Q = 1
  Mechanism mechanism = fiveSpecies();
  mechanism.reactions = {oneWay({{Q, 1}}, {{A, 1}}, 40), oneWay({{A, 1}, {B, 1}}, {{Q, 1}}, 3),
                         bothWays({{Q, 1}, {R, 1}}, {{S, 1}}, 10, 2)};
  std::vector<double> c = {1, 1, 1, 1, 1}, diffusion(5);
  RatesOfProgress rates = ratesOfProgress(mechanism, rateConstants(mechanism, 1000, 1e5, c), c);
  dampStiffRates(mechanism, {{Q}, 1}, c, diffusion, rates);
  double factor = stiffFactor(1, 3 + 2, 40 + 10, 0, 1);
  ASSERT_LT(factor, 0.2);
  EXPECT_DOUBLE_EQ(rates.forward[0], 40 * factor);
  EXPECT_DOUBLE_EQ(rates.forward[1], 3);
  EXPECT_DOUBLE_EQ(rates.forward[2], 10 * factor);
  EXPECT_DOUBLE_EQ(rates.reverse[2], 2);
}

TEST(Stiffness, ARateThatConsumesTwoStiffSpeciesIsScaledByBothFromTheSameRates) {
  Mechanism mechanism = fiveSpecies();
  mechanism.reactions = {oneWay({{Q, 1}, {R, 1}}, {{A, 1}}, 40), oneWay({{A, 1}}, {{Q, 1}}, 3),
                         oneWay({{B, 1}}, {{R, 1}}, 5)};
  std::vector<double> c = {1, 1, 1, 1, 1}, diffusion(5);
  for (std::vector<unsigned> order : {std::vector<unsigned>{Q, R}, std::vector<unsigned>{R, Q}}) {
    RatesOfProgress rates = ratesOfProgress(mechanism, rateConstants(mechanism, 1000, 1e5, c), c);
    dampStiffRates(mechanism, {order, 1}, c, diffusion, rates);
    EXPECT_DOUBLE_EQ(rates.forward[0], 40 * stiffFactor(1, 3, 40, 0, 1) * stiffFactor(1, 5, 40, 0, 1));
  }
}

// ---- real mechanisms

struct QssaCase {
  const char *mechanism, *list;
};

class QssaReference : public testing::TestWithParam<QssaCase> {};

/// What must hold whatever the numbers: quasi-steady species are made and consumed alike, concentrations are
/// not negative, and elements and mass are conserved, also with every species damped.
TEST_P(QssaReference, ConservesAndBalances) {
  HEDDLE_LOAD_REFERENCE(reference, GetParam().mechanism);
  const Mechanism &mechanism = reference.mechanism;
  Diagnostics diagnostics;
  auto source =
      readSource(sharedFolder() / "mechanisms" / GetParam().mechanism / GetParam().list, diagnostics);
  ASSERT_TRUE(source);
  Treatment treatment = {readSpeciesList(*source, mechanism, diagnostics), {}};
  Evaluator evaluator(mechanism, treatment, diagnostics);
  ASSERT_FALSE(diagnostics.has(Severity::Error));
  for (unsigned k = 0; k < mechanism.species.size(); ++k)
    treatment.stiffness.species.push_back(k);
  treatment.stiffness.timeStep = 1e-6;
  Evaluator damped(mechanism, treatment, diagnostics);

  for (double t : {800.0, 1500.0, 2400.0}) {
    GivenState state;
    state.temperature = t;
    state.pressure = 1e6;
    state.moleFractions.assign(mechanism.species.size(), 1.0 / mechanism.species.size());
    state.diffusionTerm.assign(mechanism.species.size(), 1e-3);
    Evaluation result = evaluator.at(state);
    for (unsigned k : evaluator.quasiSteady().species) {
      EXPECT_GE(result.concentrations[k], 0) << mechanism.species[k].name;
      EXPECT_NEAR(result.production.net[k], 0, 1e-10 * result.production.creation[k])
          << mechanism.species[k].name;
    }
    for (const Evaluation &each : {result, damped.at(state)}) {
      double mass = 0, grossMass = 0;
      std::vector<double> net(mechanism.elements.size()), gross(mechanism.elements.size());
      for (size_t k = 0; k < mechanism.species.size(); ++k) {
        double made = each.production.net[k],
               turned = each.production.creation[k] + each.production.destruction[k];
        mass += mechanism.species[k].weight * made;
        grossMass += mechanism.species[k].weight * turned;
        for (const ElementCount &element : mechanism.species[k].composition) {
          net[element.element] += element.count * made;
          gross[element.element] += element.count * turned;
        }
      }
      EXPECT_TRUE(std::isfinite(mass));
      EXPECT_LE(std::abs(mass), 1e-13 * grossMass);
      for (size_t e = 0; e < net.size(); ++e)
        EXPECT_LE(std::abs(net[e]), 1e-13 * gross[e]) << mechanism.elements[e].name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Lists, QssaReference,
    testing::Values(QssaCase{"LuDME", "qss_candidates.txt"}, QssaCase{"heptane_lu68", "qss_candidates.txt"},
                    QssaCase{"LuEthylene", "qss_species.txt"}, QssaCase{"dodecane_lu", "qss_species.txt"},
                    QssaCase{"heptane_lu_88sk", "qss_species.txt"}, QssaCase{"C1-C2-NO", "qss_species.txt"}),
    [](const testing::TestParamInfo<QssaCase> &info) {
      std::string name = info.param.mechanism;
      std::erase(name, '-');
      return name;
    });

/// PelePhysics' processed files lose one reverse direction for this reason.
TEST(QssaReference, LeavesOutTheDirectionsOfLuEthyleneThatNeedTwoQuasiSteadySpecies) {
  HEDDLE_LOAD_REFERENCE(reference, "LuEthylene");
  Diagnostics diagnostics;
  auto source = readSource(sharedFolder() / "mechanisms" / "LuEthylene" / "qss_species.txt", diagnostics);
  ASSERT_TRUE(source);
  QssaPlan plan =
      planQssa(reference.mechanism, readSpeciesList(*source, reference.mechanism, diagnostics), diagnostics);
  std::vector<std::string> forward, reverse;
  for (size_t i = 0; i < reference.mechanism.reactions.size(); ++i) {
    if (plan.withoutForward[i])
      forward.push_back(reference.mechanism.reactions[i].equation);
    if (plan.withoutReverse[i])
      reverse.push_back(reference.mechanism.reactions[i].equation);
  }
  EXPECT_THAT(forward, ElementsAre("CH2 + CH = C2H2 + H", "CH2 + CH2 = C2H2 + H2", "C2H3 + HCO = C2H4 + CO",
                                   "C2H5 + HCO = C2H6 + CO", "C2H3+C2H5 = aC3H5+CH3"));
  EXPECT_THAT(reverse, ElementsAre("C3H6 + O = C2H5 + HCO"));
}

} // namespace
} // namespace heddle::chem
