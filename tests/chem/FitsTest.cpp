// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/Fits.h"

#include "Reference.h"
#include "Small.h"
#include "chem/Constants.h"
#include "chem/KineticTheory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace heddle::chem {
namespace {

constexpr double angstrom = 1e-10;

Species withTransport(Species species, Transport transport) {
  species.transport = transport;
  return species;
}

/// Lennard-Jones data as CHEMKIN's transport files have them.
Species argon() {
  return withTransport(small::species("AR", 39.95, 0, 0, 2.5 * gasConstant),
                       {Geometry::Atom, 136.5, 3.33 * angstrom, 0, 0, 0, 0, 0, 0});
}
Species nitrogen() {
  return withTransport(small::species("N2", 28.014, 0, 0, 3.5 * gasConstant),
                       {Geometry::Linear, 97.53, 3.621 * angstrom, 0, 1.76e-30, 4, 0, 0, 0});
}
Species hydrogen() {
  return withTransport(small::species("H2", 2.016, 0, 0, 3.5 * gasConstant),
                       {Geometry::Linear, 38, 2.92 * angstrom, 0, 0.79e-30, 280, 0, 0, 0});
}
Species water() {
  return withTransport(small::species("H2O", 18.015, 0, 0, 4.04 * gasConstant),
                       {Geometry::Nonlinear, 572.4, 2.605 * angstrom, 1.844 * debye, 0, 4, 0, 0, 0});
}

TEST(Polynomial, FitFindsThePolynomialThatThePointsLieOn) {
  std::vector<double> x, y;
  for (double at : {-1.0, 0.0, 0.5, 2.0, 3.0, 4.0}) {
    x.push_back(at);
    y.push_back(3 - 2 * at + 0.5 * at * at);
  }
  Polynomial fit = fitPolynomial(2, x, y);
  EXPECT_NEAR(fit.coefficients[0], 3, 1e-12);
  EXPECT_NEAR(fit.coefficients[1], -2, 1e-12);
  EXPECT_NEAR(fit.coefficients[2], 0.5, 1e-12);
  EXPECT_NEAR(fit(10), 33, 1e-10);
}

TEST(Polynomial, AConstantFitIsTheMeanByTheSquaresOfTheWeights) {
  EXPECT_NEAR(fitPolynomial(0, {1, 2}, {10, 20})(0), 15, 1e-12);
  EXPECT_NEAR(fitPolynomial(0, {1, 2}, {10, 20}, {1, 3})(0), 19, 1e-12);
}

TEST(CollisionIntegrals, AreTheTableWhereItHasAValue) {
  EXPECT_DOUBLE_EQ(omega22({1, 0}), 1.5929);
  EXPECT_DOUBLE_EQ(omega22({10, 0}), 0.82435);
  EXPECT_DOUBLE_EQ(omega11({1, 0}), 1.5929 / 1.1063);
  // Over delta* the row is a polynomial of degree 6 through eight values: near them, not on them.
  EXPECT_NEAR(omega22({1, 1}), 1.838, 1e-3);
  EXPECT_NEAR(omega22({0.5, 2}), 3.727, 5e-3);
}

TEST(CollisionIntegrals, ComeNearToWhatNeufeldAndOthersFittedWithoutDipoles) {
  // P. D. Neufeld, A. R. Janzen, R. A. Aziz, J. Chem. Phys. 57 (1972) 1100: within 0.1 % of the Lennard-Jones
  // integral.
  for (double t = 0.4; t < 50; t *= 1.13) {
    double wanted =
        1.16145 * std::pow(t, -0.14874) + 0.52487 * std::exp(-0.77320 * t) + 2.16178 * std::exp(-2.43787 * t);
    EXPECT_NEAR(omega22({t, 0}) / wanted, 1, 4e-3) << t;
  }
}

TEST(KineticTheory, ViscositiesAndDiffusionComeNearToMeasuredOnes) {
  EXPECT_NEAR(pureViscosity(argon(), 300) / 22.7e-6, 1, 0.02);
  EXPECT_NEAR(pureViscosity(nitrogen(), 300) / 17.9e-6, 1, 0.02);
  EXPECT_NEAR(pureViscosity(hydrogen(), 300) / 8.96e-6, 1, 0.02);
  EXPECT_NEAR(pureConductivity(nitrogen(), 300) / 0.0259, 1, 0.05);
  EXPECT_NEAR(pairDiffusion(pairOf(hydrogen(), nitrogen()), 298) / oneAtmosphere / 7.79e-5, 1, 0.05);
}

TEST(KineticTheory, AtomsConductByTranslationAlone) {
  for (double t : {300.0, 2000.0})
    EXPECT_NEAR(pureConductivity(argon(), t) / (15.0 / 4 * gasConstant / 39.95 * pureViscosity(argon(), t)),
                1, 1e-12);
}

TEST(KineticTheory, APairOfAPolarAndANonpolarMoleculeIsCorrectedForInduction) {
  Species polar = water(), nonpolar = nitrogen();
  const Transport &p = *polar.transport, &n = *nonpolar.transport;
  double dipole =
      p.dipole * p.dipole /
      (4 * std::numbers::pi * vacuumPermittivity * p.wellDepth * boltzmann * std::pow(p.diameter, 3));
  double xi =
      1 + 0.25 * n.polarizability / std::pow(n.diameter, 3) * dipole * std::sqrt(p.wellDepth / n.wellDepth);
  ASSERT_GT(xi, 1.01);
  for (const CollisionPair &pair : {pairOf(polar, nonpolar), pairOf(nonpolar, polar)}) {
    EXPECT_NEAR(pair.diameter / ((p.diameter + n.diameter) / 2 * std::pow(xi, -1.0 / 6)), 1, 1e-14);
    EXPECT_NEAR(pair.wellDepth / (std::sqrt(p.wellDepth * n.wellDepth) * xi * xi), 1, 1e-14);
    EXPECT_EQ(pair.dipole, 0);
  }
  CollisionPair both = pairOf(polar, polar);
  EXPECT_NEAR(both.diameter / p.diameter, 1, 1e-15);
  EXPECT_NEAR(both.dipole / (dipole / 2), 1, 1e-14);
}

TEST(Fits, PairsAreNumberedByRowsOfTheUpperTriangle) {
  size_t expected = 0;
  for (size_t i = 0; i < 5; ++i)
    for (size_t j = i; j < 5; ++j, ++expected) {
      EXPECT_EQ(pairIndex(i, j, 5), expected);
      EXPECT_EQ(pairIndex(j, i, 5), expected);
    }
}

Mechanism fourGases() {
  Mechanism mechanism;
  mechanism.species = {argon(), nitrogen(), hydrogen(), water()};
  return mechanism;
}

TEST(Fits, LieWithinTheirStatedErrors) {
  Mechanism mechanism = fourGases();
  for (FitForm form : {FitForm::Chemkin, FitForm::Cantera}) {
    TransportFits fits = fitTransport(mechanism, form);
    EXPECT_LT(fits.errors.viscosity, 0.02);
    for (double t : {250.0, 777.0, 4321.0}) {
      std::vector<double> eta = viscosities(fits, t), lambda = conductivities(fits, t),
                          d = diffusions(fits, t);
      for (size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(eta[i] / pureViscosity(mechanism.species[i], t), 1, 1.01 * fits.errors.viscosity);
        EXPECT_NEAR(lambda[i] / pureConductivity(mechanism.species[i], t), 1,
                    1.01 * fits.errors.conductivity);
        for (size_t j = i; j < 4; ++j)
          EXPECT_NEAR(d[pairIndex(i, j, 4)] /
                          pairDiffusion(pairOf(mechanism.species[i], mechanism.species[j]), t),
                      1, 1.01 * fits.errors.diffusion);
      }
    }
  }
}

TEST(Fits, OfReciprocalDiffusionImproveWithTheDegree) {
  Mechanism mechanism = fourGases();
  ReciprocalDiffusionFits three = fitReciprocalDiffusion(mechanism, 3),
                          four = fitReciprocalDiffusion(mechanism, 4);
  EXPECT_LT(four.error, three.error);
  EXPECT_LT(three.error, 0.02);
  for (double t : {250.0, 777.0, 4321.0}) {
    std::vector<double> reciprocal = reciprocalDiffusions(four, t);
    for (size_t i = 0; i < 4; ++i)
      for (size_t j = i; j < 4; ++j)
        EXPECT_NEAR(reciprocal[pairIndex(i, j, 4)] *
                        pairDiffusion(pairOf(mechanism.species[i], mechanism.species[j]), t),
                    1, 1.01 * four.error);
  }
}

class FitsReference : public testing::TestWithParam<std::string> {};

/// The largest relative distance between our fits and Cantera's over the fitted range.
double distanceOfFits(const std::vector<double> &ours, const std::vector<double> &theirs) {
  double largest = 0;
  for (size_t i = 0; i < ours.size(); ++i)
    largest = std::max(largest, std::abs(ours[i] / theirs[i] - 1));
  return largest;
}

std::vector<Polynomial> fittedPolynomials(const Json &lists) {
  std::vector<Polynomial> all;
  for (const Json &list : lists)
    all.push_back({list.get<std::vector<double>>()});
  return all;
}

TEST_P(FitsReference, AgreeWithCanterasFits) {
  HEDDLE_LOAD_REFERENCE(reference, GetParam());
  for (FitForm form : {FitForm::Chemkin, FitForm::Cantera}) {
    const Json &given = reference.fits[form == FitForm::Chemkin ? "mixture-averaged-CK" : "mixture-averaged"];
    TransportFits ours = fitTransport(reference.mechanism, form), theirs = ours;
    EXPECT_EQ(reference.fits["fit_range"][0], ours.range.low);
    EXPECT_EQ(reference.fits["fit_range"][1], ours.range.high);
    theirs.viscosity = fittedPolynomials(given["viscosity"]);
    theirs.conductivity = fittedPolynomials(given["conductivity"]);
    if (given.contains("binary_diffusion"))
      theirs.diffusion = fittedPolynomials(given["binary_diffusion"]);
    for (double t = ours.range.low; t <= ours.range.high; t += 97) {
      EXPECT_LT(distanceOfFits(viscosities(ours, t), viscosities(theirs, t)), 1e-10) << t;
      EXPECT_LT(distanceOfFits(conductivities(ours, t), conductivities(theirs, t)), 1e-10) << t;
      EXPECT_LT(distanceOfFits(diffusions(ours, t), diffusions(theirs, t)), 1e-10) << t;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, FitsReference, testing::ValuesIn(referenceNames()), testNameOf);

} // namespace
} // namespace heddle::chem
