// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Reference.h"
#include "Small.h"
#include "chem/MixtureTransport.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle::chem {
namespace {

TEST(MixtureViscosity, OfEqualGasesIsThatOfEach) {
  EXPECT_NEAR(mixtureViscosity({0.2, 0.3, 0.5}, {28, 28, 28}, {2e-5, 2e-5, 2e-5}), 2e-5, 1e-19);
}

TEST(MixtureViscosity, OfTwoGasesIsWilkesRuleWrittenOut) {
  // W = 2 and 32, eta = 9e-6 and 2e-5, x = 1/4 and 3/4
  double phi12 =
      std::pow(1 + std::sqrt(9e-6 / 2e-5) * std::pow(32.0 / 2, 0.25), 2) / std::sqrt(8 * (1 + 2.0 / 32));
  double phi21 =
      std::pow(1 + std::sqrt(2e-5 / 9e-6) * std::pow(2.0 / 32, 0.25), 2) / std::sqrt(8 * (1 + 32.0 / 2));
  double wanted = 0.25 * 9e-6 / (0.25 + 0.75 * phi12) + 0.75 * 2e-5 / (0.75 + 0.25 * phi21);
  EXPECT_NEAR(mixtureViscosity({0.25, 0.75}, {2, 32}, {9e-6, 2e-5}) / wanted, 1, 1e-15);
}

TEST(MixtureConductivity, IsTheMeanOfTwoMeans) {
  EXPECT_DOUBLE_EQ(mixtureConductivity({0.5, 0.5}, {1, 3}), (2 + 1.5) / 2);
}

/// Fits that do not depend on temperature: viscosity, conductivity and D P are exp of these.
TransportFits constants(std::vector<double> eta, std::vector<double> lambda, std::vector<double> diffusion) {
  TransportFits fits;
  fits.form = FitForm::Chemkin;
  for (double each : eta)
    fits.viscosity.push_back({{std::log(each)}});
  for (double each : lambda)
    fits.conductivity.push_back({{std::log(each)}});
  for (double each : diffusion)
    fits.diffusion.push_back({{std::log(each)}});
  return fits;
}

TEST(MixtureDiffusion, OfTwoSpeciesIsTheBinaryCoefficientByMass) {
  Mechanism mechanism = small::mechanism({"A", "B"});
  mechanism.species[0].weight = 2;
  mechanism.species[1].weight = 32;
  TransportFits fits = constants({1e-5, 2e-5}, {0.1, 0.2}, {1, 5, 2});
  State state = {1000, 10, {0.25, 0.75}};
  MixtureTransport got = mixtureTransport(mechanism, fits, state);
  // (W - x W_k)/(P W sum x_j/(D P)), W = 24.5
  EXPECT_NEAR(got.diffusion[0], (24.5 - 0.5) / (10 * 24.5 * 0.75 / 5), 1e-15);
  EXPECT_NEAR(got.diffusion[1], (24.5 - 24) / (10 * 24.5 * 0.25 / 5), 1e-15);
}

TEST(MixtureDiffusion, OfOneSpeciesIsItsOwn) {
  Mechanism mechanism = small::mechanism({"A"});
  MixtureTransport got = mixtureTransport(mechanism, constants({1e-5}, {0.1}, {5}), {1000, 10, {1}});
  EXPECT_NEAR(got.diffusion[0], 0.5, 1e-15);
  EXPECT_NEAR(got.viscosity, 1e-5, 1e-20);
}

TEST(MixtureDiffusion, OfAPureGasAmongOthersIsFinite) {
  Mechanism mechanism = small::mechanism({"A", "B"});
  MixtureTransport got =
      mixtureTransport(mechanism, constants({1e-5, 2e-5}, {0.1, 0.2}, {1, 5, 2}), {1000, 10, {1, 0}});
  EXPECT_NEAR(got.diffusion[0], 0.5, 1e-15); // the weights are equal
  EXPECT_NEAR(got.diffusion[1], 0.5, 1e-15);
}

TEST(MixtureDiffusion, OfASpeciesThatIsNearlyAloneKeepsItsDigits) {
  Mechanism mechanism = small::mechanism({"A", "B"});
  mechanism.species[0].weight = 40;
  mechanism.species[1].weight = 2;
  for (double trace : {1e-6, 1e-10, 1e-14, 1e-16, 1e-18}) {
    MixtureTransport got = mixtureTransport(mechanism, constants({1e-5, 2e-5}, {0.1, 0.2}, {1, 5, 2}),
                                            {1000, 10, {1 - trace, trace}});
    // x_B W_B / (P W x_B/(D P))
    EXPECT_NEAR(got.diffusion[0] / (2 * 5 / (10 * (40 - 38 * trace))), 1, 1e-14) << trace;
  }
}

class TransportReference : public testing::TestWithParam<std::string> {
protected:
  void expectNear(const Json &state, const std::string &field, const std::vector<double> &got,
                  double tolerance) {
    std::vector<double> wanted = state[field].is_array() ? state[field].get<std::vector<double>>()
                                                         : std::vector<double>{state[field].get<double>()};
    ASSERT_EQ(got.size(), wanted.size()) << field;
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_LE(std::abs(got[i] / wanted[i] - 1), tolerance)
          << field << " " << i << " in state " << state["index"];
  }

  void expectAll(const Json &state, const std::string &suffix, const MixtureTransport &got,
                 double tolerance) {
    expectNear(state, "species_viscosities" + suffix, got.speciesViscosities, tolerance);
    expectNear(state, "viscosity" + suffix, {got.viscosity}, tolerance);
    expectNear(state, "thermal_conductivity" + suffix, {got.conductivity}, tolerance);
    if (!got.diffusion.empty())
      expectNear(state, "mix_diff_coeffs" + suffix, got.diffusion, tolerance);
  }
};

std::vector<Polynomial> polynomials(const Json &lists) {
  std::vector<Polynomial> all;
  for (const Json &list : lists)
    all.push_back({list.get<std::vector<double>>()});
  return all;
}

TEST_P(TransportReference, WithCanterasCoefficientsAgrees) {
  HEDDLE_LOAD_REFERENCE(reference, GetParam());
  for (FitForm form : {FitForm::Chemkin, FitForm::Cantera}) {
    bool chemkin = form == FitForm::Chemkin;
    const Json &given = reference.fits[chemkin ? "mixture-averaged-CK" : "mixture-averaged"];
    TransportFits fits;
    fits.form = form;
    fits.viscosity = polynomials(given["viscosity"]);
    fits.conductivity = polynomials(given["conductivity"]);
    // Cantera's degree-4 coefficients of diffusion are not in the file: any will do, and they are not
    // compared.
    size_t count = reference.mechanism.species.size();
    fits.diffusion = chemkin ? polynomials(given["binary_diffusion"])
                             : std::vector<Polynomial>(count * (count + 1) / 2, Polynomial{{1}});
    for (const Json &state : reference.states()) {
      MixtureTransport got = mixtureTransport(reference.mechanism, fits, reference.state(state));
      if (!chemkin)
        got.diffusion.clear();
      expectAll(state, chemkin ? "_ck" : "", got, 1e-12);
    }
  }
}

/// Asked for is 0.5 %; the fits are made of the same data in the same way, so they agree much better.
TEST_P(TransportReference, WithOurOwnFitsAgrees) {
  HEDDLE_LOAD_REFERENCE(reference, GetParam());
  for (FitForm form : {FitForm::Chemkin, FitForm::Cantera}) {
    TransportFits fits = fitTransport(reference.mechanism, form);
    for (const Json &state : reference.states())
      expectAll(state, form == FitForm::Chemkin ? "_ck" : "",
                mixtureTransport(reference.mechanism, fits, reference.state(state)), 1e-10);
  }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, TransportReference, testing::ValuesIn(referenceNames()), testNameOf);

} // namespace
} // namespace heddle::chem
