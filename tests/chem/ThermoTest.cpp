// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/Thermo.h"

#include "Reference.h"
#include "Small.h"
#include "chem/Constants.h"
#include "chem/Mixture.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle::chem {
namespace {

/// cp/R = 3 + 2e-3 T below 1000 K and 4 + 1e-3 T above, h and s with constants chosen at random.
Thermo twoRanges() {
  return std::vector<Nasa7Range>{{300, 1000, {3, 2e-3, 0, 0, 0, -1000, 5}},
                                 {1000, 3000, {4, 1e-3, 0, 0, 0, -900, 2}}};
}

Thermo allCoefficients() {
  return std::vector<Nasa7Range>{{300, 3000, {2.5, 7e-3, -3e-6, 4e-10, 5e-14, -12000, 9}}};
}

TEST(Thermo, HeatCapacityIsThePolynomialOfTheRange) {
  EXPECT_DOUBLE_EQ(heatCapacity(twoRanges(), 500), 4);
  EXPECT_DOUBLE_EQ(heatCapacity(twoRanges(), 2000), 6);
}

TEST(Thermo, WhereTwoRangesMeetTheLowerOneCounts) {
  EXPECT_DOUBLE_EQ(heatCapacity(twoRanges(), 1000), 5);
  EXPECT_DOUBLE_EQ(enthalpy(twoRanges(), 1000), 3 + 1 - 1);
  EXPECT_DOUBLE_EQ(enthalpy(twoRanges(), std::nextafter(1000, 2000)), 4 + 0.5 - 0.9);
}

TEST(Thermo, RangesAtTheEndsGoOn) {
  EXPECT_DOUBLE_EQ(heatCapacity(twoRanges(), 100), 3.2);
  EXPECT_DOUBLE_EQ(heatCapacity(twoRanges(), 5000), 9);
}

TEST(Thermo, EnthalpyAndEntropyAreIntegralsOfTheHeatCapacity) {
  for (const Thermo &thermo : {allCoefficients(), Thermo(ConstantCp{298.15, 1e7, 2e5, 3e4, 200, 3000})})
    for (double t : {400.0, 900.0, 2500.0}) {
      double step = 1e-3 * t, low = t - step, high = t + step;
      double heat = heatCapacity(thermo, t);
      double fromEnthalpy = (high * enthalpy(thermo, high) - low * enthalpy(thermo, low)) / (2 * step);
      double fromEntropy = t * (entropy(thermo, high) - entropy(thermo, low)) / (2 * step);
      EXPECT_NEAR(fromEnthalpy, heat, 1e-5 * std::abs(heat)) << t;
      EXPECT_NEAR(fromEntropy, heat, 1e-5 * std::abs(heat)) << t;
      EXPECT_DOUBLE_EQ(gibbs(thermo, t), enthalpy(thermo, t) - entropy(thermo, t));
    }
}

TEST(Thermo, ConstantHeatCapacityIsMeasuredFromItsTemperature) {
  Thermo thermo = ConstantCp{300, 1e7, 2e5, 3e4, 200, 3000};
  EXPECT_DOUBLE_EQ(enthalpy(thermo, 300) * gasConstant * 300, 1e7);
  EXPECT_DOUBLE_EQ(entropy(thermo, 300) * gasConstant, 2e5);
  EXPECT_DOUBLE_EQ(enthalpy(thermo, 600) * gasConstant * 600, 1e7 + 3e4 * 300);
  EXPECT_NEAR(entropy(thermo, 600) * gasConstant, 2e5 + 3e4 * std::log(2), 1e-6);
}

TEST(Thermo, ValidRangeOfAMechanismIsThatOfAllItsSpecies) {
  Mechanism mechanism = small::mechanism({"A", "B"});
  mechanism.species[0].thermo = twoRanges();
  EXPECT_EQ(validRange(mechanism).low, 300);
  EXPECT_EQ(validRange(mechanism).high, 3000);
}

class ThermoReference : public testing::TestWithParam<std::string> {};

TEST_P(ThermoReference, AgreesWithCantera) {
  HEDDLE_LOAD_REFERENCE(reference, GetParam());
  for (const Json &state : reference.states()) {
    GivenState given = reference.state(state);
    std::vector<double> h = enthalpies(reference.mechanism, given.temperature);
    std::vector<double> wanted = state["enthalpy_mole"];
    for (size_t k = 0; k < h.size(); ++k) // enthalpies pass through zero: RT is their scale
      EXPECT_NEAR(h[k], wanted[k], 1e-12 * (std::abs(wanted[k]) + gasConstant * given.temperature));
    EXPECT_NEAR(heatCapacityByMass(reference.mechanism, given) / state["cp_mass"].get<double>(), 1, 1e-12);
    EXPECT_NEAR(density(reference.mechanism, given) / state["density"].get<double>(), 1, 1e-12);
    EXPECT_NEAR(meanWeight(reference.mechanism, given) / state["mean_molecular_weight"].get<double>(), 1,
                1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, ThermoReference, testing::ValuesIn(referenceNames()), testNameOf);
INSTANTIATE_TEST_SUITE_P(Forms, ThermoReference, testing::ValuesIn(formNames()), testNameOf);

} // namespace
} // namespace heddle::chem
