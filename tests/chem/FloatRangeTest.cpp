// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The temperature from which on rates fit into a float, for rate constants that reach 2^127 where it is known.
#include "chem/FloatRange.h"

#include "Small.h"
#include "chem/Constants.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle::chem {
namespace {

constexpr double log2OfE = 1.44269504088896340736;

/// A and B, which differ in enthalpy and entropy as given.
Mechanism isomers(double enthalpy = 0, double entropy = 0) {
  Mechanism made = small::mechanism({"A", "B"});
  made.species[1] = small::species("B", 1, enthalpy, entropy);
  return made;
}

/// 2^127 at `temperature`, more below: k = 2^(127 Tx/T).
Rate reaching(double temperature) { return Arrhenius{1, 0, -127 / log2OfE * temperature}; }

double lowestOf(const Mechanism &mechanism) { return floatRange(mechanism).lowest.value_or(-1); }

Mechanism withRate(Rate rate, Reverse reverse = Reverse::None, Mechanism made = isomers()) {
  Reaction reaction = small::oneWay({{0, 1}}, {{1, 1}}, 1);
  reaction.rate = std::move(rate);
  reaction.reverse = reverse;
  made.reactions.push_back(std::move(reaction));
  return made;
}

TEST(FloatRange, OfSmallNumbersIsAsOfDoubles) {
  const FloatRange range = floatRange(withRate(Arrhenius{1e10, 0, 5000}, Reverse::Equilibrium));
  EXPECT_EQ(range.lowest, FloatRange::coldest);
  EXPECT_EQ(range.limiting, nullptr);
  EXPECT_EQ(lowestOf(isomers()), FloatRange::coldest);
}

TEST(FloatRange, EndsWhereARateConstantExceedsTheLargestPower) {
  // 100 atm are less than 1 kmol/m3 above 1219 K: there, only the rate constant counts.
  Mechanism mechanism = withRate(reaching(1995));
  EXPECT_EQ(lowestOf(mechanism), 2000);
  EXPECT_EQ(floatRange(mechanism).limiting, &mechanism.reactions[0]);
  EXPECT_EQ(lowestOf(withRate(reaching(1985))), 1990);
  EXPECT_EQ(floatRange(withRate(Arrhenius{1e39, 0, 0})).lowest, std::nullopt);
}

TEST(FloatRange, CountsReverseRateConstants) {
  // 1/Kc = exp(h/RT) = 2^(127 Tx/T)
  const double enthalpy = 127 / log2OfE * 1995 * gasConstant;
  EXPECT_EQ(lowestOf(withRate(Arrhenius{1, 0, 0}, Reverse::None, isomers(enthalpy))), FloatRange::coldest);
  EXPECT_EQ(lowestOf(withRate(Arrhenius{1, 0, 0}, Reverse::Equilibrium, isomers(enthalpy))), 2000);
  EXPECT_EQ(lowestOf(withRate(Arrhenius{std::exp2(-20), 0, 0}, Reverse::Equilibrium, isomers(enthalpy))),
            1730)
      << "127 * 1995 / 147 = 1723.5";
  Mechanism explicitly = withRate(Arrhenius{1, 0, 0}, Reverse::Explicit);
  explicitly.reactions[0].reverseRate = reaching(1995);
  EXPECT_EQ(lowestOf(explicitly), 2000);
}

TEST(FloatRange, OfRatesThatAreApartFromTheirExponentialCountsBothAlone) {
  const double enthalpy = 127 / log2OfE * 1995 * gasConstant;
  const Plog plog{{{1e5, {Arrhenius{std::exp2(-20), 0, 0}}}}};
  EXPECT_EQ(lowestOf(withRate(plog, Reverse::Equilibrium, isomers(enthalpy))), 2000);
}

TEST(FloatRange, CountsConcentrationsAndColliders) {
  // At 1500 K, 100 atm are 0.81 kmol/m3, and with an efficiency of 1024, [M] is 832.
  Mechanism mechanism = withRate(Arrhenius{std::exp2(120), 0, 0});
  EXPECT_EQ(lowestOf(mechanism), FloatRange::coldest) << "8.1 kmol/m3 at 150 K";
  mechanism.reactions[0].collider = Collider{{}, 1, {{1, 1024}}};
  EXPECT_EQ(floatRange(mechanism).lowest, std::nullopt);
  mechanism.reactions[0].reactants[0].value = 3;
  mechanism.reactions[0].collider = std::nullopt;
  // (P/RT)^3 = 2^7 at 1218.7 K / 2^(7/3)
  EXPECT_EQ(lowestOf(mechanism), 250) << "241.8";
}

TEST(FloatRange, OfFalloffIsThatOfItsLimitAndOfItsReducedPressure) {
  Falloff falloff{Arrhenius{1, 0, 0}, std::get<Arrhenius>(reaching(1995)), Lindemann{}};
  Mechanism mechanism = withRate(falloff);
  mechanism.reactions[0].collider = Collider{};
  EXPECT_EQ(lowestOf(mechanism), 2000);
  std::swap(falloff.low, falloff.high);
  mechanism.reactions[0].rate = falloff;
  // k_low [M] / k_high: 126 = 127 * 1995 / T + log2 [M], [M] about 0.6
  EXPECT_EQ(lowestOf(mechanism), 2000);
  falloff.chemicallyActivated = true;
  mechanism.reactions[0].rate = falloff;
  EXPECT_EQ(lowestOf(mechanism), 2000);
}

} // namespace
} // namespace heddle::chem
