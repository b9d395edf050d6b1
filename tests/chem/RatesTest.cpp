// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Reference.h"
#include "Small.h"
#include "chem/Constants.h"
#include "chem/Evaluator.h"
#include "chem/RateConstant.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle::chem {
namespace {

using small::bothWays;
using small::oneWay;

constexpr double relative = 1e-14;

void expectNear(double got, double wanted) { EXPECT_NEAR(got, wanted, relative * std::abs(wanted)); }

TEST(RateConstant, Arrhenius) {
  expectNear(rateConstant(Rate(Arrhenius{2e5, 1.5, 3000}), {1000, 1e5, 0}),
             2e5 * std::pow(1000, 1.5) * std::exp(-3.0));
  expectNear(rateConstant(Rate(Arrhenius{-2, 0, 0}), {1000, 1e5, 0}), -2);
}

TEST(RateConstant, LandauTellerAddsRootsOfTheTemperature) {
  Rate rate = LandauTeller{{3e4, 0.5, 2000}, -60, 100};
  expectNear(rateConstant(rate, {1000, 1e5, 0}), 3e4 * std::sqrt(1000) * std::exp(-2.0 - 6.0 + 1.0));
}

/// k_low = 10, k_high = 5, [M] = 2: Pr = 4
Falloff falloff(Shape shape) { return {{10, 0, 0}, {5, 0, 0}, std::move(shape), false}; }

TEST(RateConstant, LindemannFalloff) {
  expectNear(rateConstant(Rate(falloff(Lindemann())), {1000, 1e5, 2}), 4.0);
}

TEST(RateConstant, ChemicallyActivatedFallsWithPressure) {
  Falloff rate = falloff(Lindemann());
  rate.chemicallyActivated = true;
  expectNear(rateConstant(Rate(rate), {1000, 1e5, 2}), 2.0);
  expectNear(rateConstant(Rate(rate), {1000, 1e5, 0}), 10.0);
}

/// log10 F with log10 F_cent and log10 Pr, by the formula as it is printed.
double troeF(double fcent, double pr) {
  double l = std::log10(fcent), c = -0.4 - 0.67 * l, n = 0.75 - 1.27 * l, x = std::log10(pr) + c;
  return std::pow(10, l / (1 + std::pow(x / (n - 0.14 * x), 2)));
}

TEST(RateConstant, TroeWithThreeAndWithFourNumbers) {
  double three = 0.4 * std::exp(-1000 / 200.0) + 0.6 * std::exp(-1000 / 2000.0);
  expectNear(rateConstant(Rate(falloff(Troe{0.6, 200, 2000, {}})), {1000, 1e5, 2}), 4 * troeF(three, 4));
  double four = three + std::exp(-5000 / 1000.0);
  expectNear(rateConstant(Rate(falloff(Troe{0.6, 200, 2000, 5000})), {1000, 1e5, 2}), 4 * troeF(four, 4));
}

TEST(RateConstant, TroeTemperaturesOfZeroMakeTheirTermsVanish) {
  double only = 0.6 * std::exp(-1000 / 2000.0);
  expectNear(rateConstant(Rate(falloff(Troe{0.6, 0, 2000, {}})), {1000, 1e5, 2}), 4 * troeF(only, 4));
  expectNear(rateConstant(Rate(falloff(Troe{0.6, 0, 2000, 0.0})), {1000, 1e5, 2}), 4 * troeF(only, 4));
}

TEST(RateConstant, SriWithThreeAndWithFiveNumbers) {
  double x = 1 / (1 + std::pow(std::log10(4), 2));
  double base = 0.5 * std::exp(-200 / 1000.0) + std::exp(-1000 / 2000.0);
  expectNear(rateConstant(Rate(falloff(Sri{0.5, 200, 2000, 1, 0})), {1000, 1e5, 2}), 4 * std::pow(base, x));
  expectNear(rateConstant(Rate(falloff(Sri{0.5, 200, 2000, 1.5, 0.1})), {1000, 1e5, 2}),
             4 * 1.5 * std::pow(1000, 0.1) * std::pow(base, x));
}

TEST(RateConstant, FalloffWithoutAColliderIsZero) {
  for (Shape shape : {Shape(Lindemann()), Shape(Troe{0.6, 200, 2000, {}}), Shape(Sri{0.5, 200, 2000, 1, 0})})
    EXPECT_EQ(rateConstant(Rate(falloff(shape)), {1000, 1e5, 0}), 0);
}

TEST(RateConstant, PlogIsLinearInLogarithmsAndConstantOutside) {
  Rate rate = Plog{{{1e4, {{100, 0, 0}}}, {1e6, {{10000, 0, 0}}}}};
  expectNear(rateConstant(rate, {1000, 1e5, 0}), 1000);
  expectNear(rateConstant(rate, {1000, 1e4, 0}), 100);
  expectNear(rateConstant(rate, {1000, 1e3, 0}), 100);
  expectNear(rateConstant(rate, {1000, 1e7, 0}), 10000);
}

TEST(RateConstant, PlogAddsUpTheRatesAtOnePressure) {
  Rate rate = Plog{{{1e4, {{150, 0, 0}, {-50, 0, 0}}}, {1e6, {{10000, 0, 0}}}}};
  expectNear(rateConstant(rate, {1000, 1e5, 0}), 1000);
}

TEST(RateConstant, PlogOfOnePressureDoesNotDependOnIt) {
  Rate rate = Plog{{{1e5, {{7, 0, 0}}}}};
  for (double pressure : {1e3, 1e5, 1e7})
    expectNear(rateConstant(rate, {1000, pressure, 0}), 7);
}

TEST(RateConstant, PlogKeepsTheSignOfARateThatIsNegativeThroughout) {
  Rate rate = Plog{{{1e4, {{-100, 0, 0}}}, {1e6, {{-10000, 0, 0}}}}};
  expectNear(rateConstant(rate, {1000, 1e5, 0}), -1000);
}

TEST(RateConstant, PlogCountsANegativeSumAsZeroAtTheEndsToo) {
  Rate rate = Plog{{{1e4, {{-100, 0, 0}}}, {1e6, {{10000, 0, 0}}}}};
  for (double pressure : {1e3, 1e4})
    EXPECT_EQ(rateConstant(rate, {1000, pressure, 0}), 0);
  EXPECT_GE(rateConstant(rate, {1000, 1e5, 0}), 0);
  expectNear(rateConstant(rate, {1000, 1e6, 0}), 10000);
  Rate sum = Plog{{{1e4, {{50, 0, 0}, {-100, 0, 0}}}, {1e6, {{50, 0, 0}, {-100, 0, 0}}}}};
  for (double pressure : {1e3, 1e5, 1e7})
    EXPECT_NEAR(rateConstant(sum, {1000, pressure, 0}), 0, 1e-290);
}

TEST(RateConstant, ChebyshevIsTheDoubleSum) {
  // At T = 2/(1/500 + 1/2000) the reduced temperature is 0, at P = 1e6 the reduced pressure is 1/2.
  Chebyshev rate = {500, 2000, 1e3, 1e7, 3, 2, {1, 0.5, 0.25, 0.125, -0.5, 0.75}};
  double t = 800, wanted = 1 + 0.5 * 0.5 - (-0.5 + 0.75 * 0.5);
  expectNear(rateConstant(Rate(rate), {t, 1e6, 0}), std::pow(10, wanted));
}

TEST(Kinetics, CollidersCountByTheirEfficiencies) {
  Collider all = {{}, 1, {{1, 5}, {2, 0}}};
  EXPECT_DOUBLE_EQ(colliderConcentration(all, {1, 2, 4}), 1 + 10);
  Collider onlyListed = {{}, 0, {{1, 5}}};
  EXPECT_DOUBLE_EQ(colliderConcentration(onlyListed, {1, 2, 4}), 10);
  Collider named = {2, 1, {}};
  EXPECT_DOUBLE_EQ(colliderConcentration(named, {1, 2, 4}), 4);
}

TEST(Kinetics, OrdersThatAreZeroOrNegativeHaveTheirLimits) {
  EXPECT_DOUBLE_EQ(massAction({{0, 0.5}, {1, -1}}, {4, 8}), 2.0 / 8);
  EXPECT_EQ(massAction({{0, 0}}, {0}), 1);
  EXPECT_EQ(massAction({{0, -1}}, {0}), 0);
  EXPECT_EQ(massAction({{0, 0.5}}, {-1e-20}), 0);
  EXPECT_DOUBLE_EQ(massAction({{0, 1}}, {-1e-20}), -1e-20);
}

TEST(Kinetics, EquilibriumConstantHasAStandardStateOfOneAtmosphere) {
  // A = 2 B with no change of enthalpy or entropy: Kp = 1, Kc = P0/RT
  Mechanism mechanism = small::mechanism({"A", "B"});
  mechanism.species[0] = small::species("A", 2, 0, 0, 58000);
  Reaction reaction = oneWay({{0, 1}}, {{1, 2}}, 1);
  double t = 298.15;
  expectNear(1 / reciprocalEquilibrium(mechanism, reaction, t), oneAtmosphere / (gasConstant * t));
}

TEST(Kinetics, ForwardAndReverseBalanceAtEquilibrium) {
  Mechanism mechanism = small::mechanism({"A", "B"});
  mechanism.species[1] = small::species("B", 1, 2e7, 1e4);
  Reaction reaction = oneWay({{0, 1}}, {{1, 1}}, 5);
  reaction.reverse = Reverse::Equilibrium;
  mechanism.reactions = {reaction};
  double t = 298.15, equilibrium = std::exp(-2e7 / (gasConstant * t) + 1e4 / gasConstant);
  std::vector<double> c = {3, 3 * equilibrium};
  RatesOfProgress rates = ratesOfProgress(mechanism, rateConstants(mechanism, t, 1e5, c), c);
  expectNear(rates.forward[0], 15);
  expectNear(rates.reverse[0], 15);
}

TEST(Kinetics, ASpeciesOnBothSidesCountsInBothGrossRates) {
  Mechanism mechanism = small::mechanism({"A", "B", "N"});
  mechanism.reactions = {bothWays({{0, 1}, {2, 1}}, {{1, 1}, {2, 1}}, 2, 3)};
  std::vector<double> c = {5, 7, 11};
  ProductionRates made =
      productionRates(mechanism, ratesOfProgress(mechanism, rateConstants(mechanism, 1000, 1e5, c), c));
  EXPECT_EQ(made.creation, (std::vector<double>{3 * 7 * 11, 2 * 5 * 11, 110 + 231}));
  EXPECT_EQ(made.destruction, (std::vector<double>{2 * 5 * 11, 3 * 7 * 11, 110 + 231}));
  EXPECT_EQ(made.net, (std::vector<double>{121, -121, 0}));
}

TEST(Kinetics, ASpectatorIsTheOneSpeciesOnBothSidesWhereThreeMeet) {
  EXPECT_EQ(spectator(oneWay({{0, 1}, {1, 1}, {2, 1}}, {{3, 1}, {2, 1}}, 1)), 2u);
  EXPECT_EQ(spectator(oneWay({{0, 2}, {1, 1}}, {{1, 2}}, 1)), 1u); // 2H+H2=2H2
  EXPECT_EQ(spectator(oneWay({{0, 1}, {2, 1}}, {{1, 1}, {2, 1}}, 1)), std::nullopt) << "only two meet";
  EXPECT_EQ(spectator(oneWay({{0, 1}, {1, 1}, {2, 1}}, {{1, 1}, {2, 1}}, 1)), std::nullopt)
      << "either may watch";
  EXPECT_EQ(spectator(oneWay({{0, 0.5}, {1, 1.5}, {2, 1}}, {{3, 1}, {2, 1}}, 1)), std::nullopt)
      << "not whole";
}

TEST(Kinetics, ASpectatorIsNeitherMadeNorConsumed) {
  Mechanism mechanism = small::mechanism({"A", "B", "N"});
  mechanism.reactions = {oneWay({{0, 2}, {2, 1}}, {{1, 1}, {2, 1}}, 2)};
  ProductionRates rates = productionRates(mechanism, {{3}, {5}});
  EXPECT_EQ(rates.creation, (std::vector<double>{10, 3, 0}));
  EXPECT_EQ(rates.destruction, (std::vector<double>{6, 5, 0}));
  EXPECT_EQ(rates.net, (std::vector<double>{4, -2, 0}));
}

TEST(Kinetics, AColliderMultipliesBothDirectionsButNotAFalloffRate) {
  Mechanism mechanism = small::mechanism({"A", "B"});
  Reaction third = bothWays({{0, 1}}, {{1, 1}}, 2, 3), fall = third;
  third.collider = fall.collider = Collider{};
  fall.rate = falloff(Lindemann());
  mechanism.reactions = {third, fall};
  std::vector<double> c = {1.5, 0.5};
  RateConstants constants = rateConstants(mechanism, 1000, 1e5, c);
  EXPECT_DOUBLE_EQ(constants.forward[0], 2);
  EXPECT_DOUBLE_EQ(constants.forward[1], 4);
  RatesOfProgress rates = ratesOfProgress(mechanism, constants, c);
  EXPECT_DOUBLE_EQ(rates.forward[0], 2 * 1.5 * 2);
  EXPECT_DOUBLE_EQ(rates.reverse[0], 3 * 0.5 * 2);
  EXPECT_DOUBLE_EQ(rates.forward[1], 4 * 1.5);
}

class RatesReference : public testing::TestWithParam<std::string> {};

/// Gross rates are the scale: net rates can be a tiny rest of large ones.
constexpr double agreement = 1e-10;

void expectWithin(const std::vector<double> &got, const Json &wanted, const std::vector<double> &scale,
                  const char *what) {
  ASSERT_EQ(got.size(), wanted.size()) << what;
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_LE(std::abs(got[i] - wanted[i].get<double>()), agreement * scale[i]) << what << " " << i;
}

std::vector<double> magnitudes(const Json &values) {
  std::vector<double> all;
  for (const Json &each : values)
    all.push_back(std::abs(each.get<double>()));
  return all;
}

/// Rates of species; they do not depend on how a mechanism's reactions are cut up.
void expectProduction(const Reference &reference, const RatesOfProgress &rates, const Json &state) {
  ProductionRates made = productionRates(reference.mechanism, rates);
  std::vector<double> gross = magnitudes(state["creation_rates"]),
                      destruction = magnitudes(state["destruction_rates"]);
  for (size_t k = 0; k < gross.size(); ++k)
    gross[k] += destruction[k];
  expectWithin(made.net, state["net_production_rates"], gross, "net");
  expectWithin(made.creation, state["creation_rates"], gross, "creation");
  expectWithin(made.destruction, state["destruction_rates"], gross, "destruction");
}

void expectReactions(const RateConstants &constants, const RatesOfProgress &rates, const Json &state) {
  auto compare = [&](const std::vector<double> &got, const char *field) {
    if (state.contains(field))
      expectWithin(got, state[field], magnitudes(state[field]), field);
  };
  compare(rates.forward, "fwd_rates_of_progress");
  compare(rates.reverse, "rev_rates_of_progress");
  compare(constants.forward, "fwd_rate_constants");
  compare(constants.reverse, "rev_rate_constants");
}

void expectAgreement(const Reference &reference) {
  const Mechanism &mechanism = reference.mechanism;
  for (const Json &state : reference.states()) {
    SCOPED_TRACE(fmt::format("state {}", state["index"].dump()));
    GivenState given = reference.state(state);
    std::vector<double> c = concentrations(given);
    RateConstants constants = rateConstants(mechanism, given.temperature, given.pressure, c);
    RatesOfProgress rates = ratesOfProgress(mechanism, constants, c);
    expectProduction(reference, rates, state);
    expectReactions(constants, rates, state);
  }
}

TEST_P(RatesReference, AgreeWithCantera) {
  HEDDLE_LOAD_REFERENCE(reference, GetParam());
  ASSERT_EQ(reference.mechanism.reactions.size(), reference.results["n_reactions"]);
  expectAgreement(reference);
}

/// The results have the reactions of CHEMKIN files. In Cantera and in its files, a reaction with REV is two: the reverse rate is
/// the forward rate of the second.
void splitExplicitReverses(Json &results) {
  const auto split = [&](Json &state, const std::string &forward, const std::string &reverse) {
    if (!state.contains(forward))
      return;
    Json forwards = Json::array(), reverses = Json::array();
    for (size_t i = 0; i < results["reactions"].size(); ++i) {
      const bool isExplicit = results["reactions"][i][1] == "explicit";
      forwards.push_back(state[forward][i]);
      reverses.push_back(isExplicit ? Json(0.0) : state[reverse][i]);
      if (isExplicit) {
        forwards.push_back(state[reverse][i]);
        reverses.push_back(0.0);
      }
    }
    state[forward] = std::move(forwards);
    state[reverse] = std::move(reverses);
  };
  for (Json &state : results["states"]) {
    split(state, "fwd_rates_of_progress", "rev_rates_of_progress");
    split(state, "fwd_rate_constants", "rev_rate_constants");
  }
}

TEST_P(RatesReference, AgreeWithCanteraWhenReadFromYaml) {
  HEDDLE_LOAD_REFERENCE(reference, GetParam(), MechanismForm::Yaml);
  ASSERT_EQ(reference.mechanism.reactions.size(), reference.results["n_reactions_in_cantera"]);
  splitExplicitReverses(reference.results);
  expectAgreement(reference);
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, RatesReference, testing::ValuesIn(referenceNames()), testNameOf);
INSTANTIATE_TEST_SUITE_P(Forms, RatesReference, testing::ValuesIn(formNames()), testNameOf);

TEST(RatesReference, LandauTellerAgreesWithTheClosedForm) {
  HEDDLE_LOAD_REFERENCE(reference, "forms/landau-teller");
  for (const Json &state : reference.states()) {
    std::vector<double> nothing(reference.mechanism.species.size());
    RateConstants got = rateConstants(reference.mechanism, state["T"], 1e5, nothing);
    expectWithin(got.forward, state["fwd_rate_constants"], magnitudes(state["fwd_rate_constants"]), "kf");
    expectWithin(got.reverse, state["rev_rate_constants"], magnitudes(state["rev_rate_constants"]), "kr");
  }
}

class FiniteRates : public testing::TestWithParam<std::string> {};

/// Mechanisms without results: all rates are numbers, and what is made has the elements of what is consumed.
TEST_P(FiniteRates, AreNumbersAndConserveElements) {
  HEDDLE_LOAD_REFERENCE(reference, GetParam());
  const Mechanism &mechanism = reference.mechanism;
  size_t count = mechanism.species.size();
  for (double t : {300.0, 1000.0, 2500.0})
    for (double p : {1e4, 1e5, 6e6}) {
      State state = {t, p, std::vector<double>(count, 1.0 / count)};
      std::vector<double> c = concentrations(state);
      ProductionRates made =
          productionRates(mechanism, ratesOfProgress(mechanism, rateConstants(mechanism, t, p, c), c));
      std::vector<double> net(mechanism.elements.size()), gross(mechanism.elements.size());
      for (size_t k = 0; k < count; ++k) {
        ASSERT_TRUE(std::isfinite(made.net[k]))
            << mechanism.species[k].name << " at " << t << " K, " << p << " Pa";
        for (const ElementCount &element : mechanism.species[k].composition) {
          net[element.element] += element.count * made.net[k];
          gross[element.element] +=
              element.count * (std::abs(made.creation[k]) + std::abs(made.destruction[k]));
        }
      }
      for (size_t e = 0; e < net.size(); ++e)
        EXPECT_LE(std::abs(net[e]), 1e-12 * gross[e]) << mechanism.elements[e].name;
    }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, FiniteRates, testing::ValuesIn(otherNames()), testNameOf);

} // namespace
} // namespace heddle::chem
