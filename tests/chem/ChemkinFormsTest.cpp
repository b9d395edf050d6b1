// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every form of a reaction in CHEMKIN files, and its numbers in SI units. Factors are written out here as
// powers of ten, since the conversion is what is tested: 1 cm3/mol is 1e-3 m3/kmol.
#include "SmallChemkin.h"
#include "chem/Constants.h"

namespace heddle::chem {
namespace {

using test::card;
using test::complaints;
using test::readSmall;

constexpr double caloriesToKelvins = 4184 / gasConstant;

template <typename T> const T &rateOf(const Mechanism &mechanism, size_t which = 0) {
  return std::get<T>(mechanism.reactions.at(which).rate);
}

void expectArrhenius(const Arrhenius &rate, double a, double b, double temperature) {
  EXPECT_DOUBLE_EQ(rate.a, a);
  EXPECT_DOUBLE_EQ(rate.b, b);
  EXPECT_DOUBLE_EQ(rate.activationTemperature, temperature);
}

TEST(ChemkinForms, UnimolecularRateHasNoVolumeInIt) {
  Mechanism m = readSmall("REACTIONS\nA=B 1.0E12 0.5 2000\nEND\n");
  expectArrhenius(rateOf<Arrhenius>(m), 1e12, 0.5, 2000 * caloriesToKelvins);
  EXPECT_EQ(m.reactions[0].reverse, Reverse::Equilibrium);
  EXPECT_EQ(m.reactions[0].equation, "A=B");
}

TEST(ChemkinForms, BimolecularRateIsConverted) {
  Mechanism m = readSmall("REACTIONS\nA+B=>C 1.0E12 0 0\nEND\n");
  EXPECT_DOUBLE_EQ(rateOf<Arrhenius>(m).a, 1e9);
  EXPECT_EQ(m.reactions[0].reverse, Reverse::None);
}

TEST(ChemkinForms, UnitsOfEnergyHaveTheNamesOfChemkin) {
  auto temperature = [](std::string_view unit) {
    Mechanism m = readSmall(fmt::format("REACTIONS {}\nA=B 1 0 100\nEND\n", unit));
    return rateOf<Arrhenius>(m).activationTemperature;
  };
  for (const char *unit : {"", "CAL/MOLE", "cal/mol", "CAL", "CAL/"})
    EXPECT_DOUBLE_EQ(temperature(unit), 100 * caloriesToKelvins) << unit;
  for (const char *unit : {"KCAL/MOLE", "KCAL/MOL", "KCAL"})
    EXPECT_DOUBLE_EQ(temperature(unit), 1e5 * caloriesToKelvins) << unit;
  for (const char *unit : {"JOULES/MOLE", "JOULES/MOL", "JOUL"})
    EXPECT_DOUBLE_EQ(temperature(unit), 1e5 / gasConstant) << unit;
  for (const char *unit : {"KJOULES/MOLE", "KJOULES/MOL", "KJOU"})
    EXPECT_DOUBLE_EQ(temperature(unit), 1e8 / gasConstant) << unit;
  EXPECT_DOUBLE_EQ(temperature("KJOULES/MOLE MOLES"), 1e8 / gasConstant);
  EXPECT_DOUBLE_EQ(temperature("KELVINS"), 100);
  EXPECT_NEAR(temperature("EVOLTS"), 100 * 11604.518121550082, 1e-6);
}

TEST(ChemkinForms, UnitsThatOnlyBeginAsKnownOnesAreErrors) {
  for (const char *unit :
       {"JOULES/KMOLE", "CAL/MOLECULE", "cal/mole/K", "KELVINZ", "MOLECULE/CM3", "J/KMOL"}) {
    const std::string expected = fmt::format("small.inp:7:11: error: '{}' is not a unit", unit);
    const std::string said = complaints(fmt::format("REACTIONS {}\nA=B 1 0 100\nEND\n", unit));
    EXPECT_NE(said.find(expected), std::string::npos) << said;
    EXPECT_NE(said.find("hint: units are CAL/MOLE"), std::string::npos) << said;
  }
  EXPECT_NE(complaints("REACTIONS\nA=B 1 0 100\n UNITS / JOULES/KMOLE /\nEND\n")
                .find("small.inp:9:10: error: 'JOULES/KMOLE' is not a unit"),
            std::string::npos);
}

TEST(ChemkinForms, ASecondUnitOfAKindIsAnError) {
  const std::string said = complaints("REACTIONS CAL/MOLE KELVINS MOLES\nA=B 1 0 100\nEND\n");
  EXPECT_NE(said.find("small.inp:7:20: error: a second unit of activation energy, 'KELVINS'"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("small.inp:7:11: note: 'CAL/MOLE' is given here"), std::string::npos) << said;
  EXPECT_NE(complaints("REACTIONS\nA=B 1 0 100\n UNITS / KCAL KELVINS /\nEND\n").find("a second unit"),
            std::string::npos);
  // A reaction's own units replace those of the block.
  EXPECT_EQ(complaints("REACTIONS CAL/MOLE MOLES\nA=B 1 0 100\n UNITS / KELVINS /\nEND\n"), "");
}

TEST(ChemkinForms, AFourthNumberIsNoSpecies) {
  const std::string said = complaints("REACTIONS\nA = B  3.5E+15 -0.4 16599. 1.0\nEND\n");
  EXPECT_NE(
      said.find("small.inp:8:8: error: a reaction ends in three numbers, A, b and E; this line has more"),
      std::string::npos)
      << said;
  EXPECT_EQ(said.find("declare"), std::string::npos) << said;
}

TEST(ChemkinForms, NumbersThatAreNoneAreNamed) {
  std::string said = complaints("REACTIONS\nA = B 3.547E+400 0 0\nEND\n");
  EXPECT_NE(said.find("small.inp:8:7: error: '3.547E+400' is too large for a double"), std::string::npos)
      << said;
  said = complaints("REACTIONS\nA = B 3,547E+15 0 0\nEND\n");
  EXPECT_NE(said.find("small.inp:8:7: error: '3,547E+15' is not a number"), std::string::npos) << said;
  EXPECT_NE(said.find("hint: write '3.547E+15'"), std::string::npos) << said;
}

TEST(ChemkinForms, AShapeBesidePlogNeedsItsLimit) {
  const std::string said =
      complaints("REACTIONS\nA(+M)=B(+M) 1 0 0\nPLOG/1 1 0 0/\nTROE/0.5 100 1000/\nEND\n");
  EXPECT_NE(said.find("error: TROE needs LOW or HIGH on the same reaction"), std::string::npos) << said;
}

TEST(ChemkinForms, ThermoDataWithTabsAreReportedOnce) {
  ChemkinText text = test::smallText("REACTIONS\nA=B 1 0 0\nEND\n");
  for (size_t at; (at = text.thermo->text.find("   ")) != std::string::npos;)
    text.thermo->text.replace(at, 3, "\t");
  const std::string said = complaints(text);
  EXPECT_NE(said.find("small.dat:3:1: error: this line has tabs; thermo data have fixed columns"),
            std::string::npos)
      << said;
  EXPECT_EQ(said.find("error"), said.rfind("error")) << said;
}

TEST(ChemkinForms, AThermoFileWithoutTextIsNamed) {
  ChemkinText text = test::smallText("REACTIONS\nA=B 1 0 0\nEND\n");
  text.thermo->text = "\n";
  const std::string said = complaints(text);
  EXPECT_NE(said.find("small.dat: error: this file has no thermo data"), std::string::npos) << said;
  EXPECT_EQ(said.find("there are no thermo data for species"), std::string::npos) << said;
}

TEST(ChemkinForms, MoleculesAreCountedByAvogadro) {
  Mechanism m = readSmall("REACTIONS MOLECULES\nA+B=C 1.0E-12 0 0\nEND\n");
  EXPECT_DOUBLE_EQ(rateOf<Arrhenius>(m).a, 1e-12 * 1e-6 * avogadro);
}

TEST(ChemkinForms, UnitsOfOneReactionCountAtAnyPosition) {
  Mechanism m = readSmall("REACTIONS KELVIN MOLECULES\n"
                          "A+B=C 2.0E12 0 500\n UNITS / CAL/MOLE /\n UNITS / MOLES /\n"
                          "A+D=C 2.0E12 0 500\nEND\n");
  expectArrhenius(rateOf<Arrhenius>(m, 0), 2e9, 0, 500 * caloriesToKelvins);
  expectArrhenius(rateOf<Arrhenius>(m, 1), 2e12 * 1e-6 * avogadro, 0, 500);
}

TEST(ChemkinForms, ThirdBodyCountsInTheOrder) {
  Mechanism m = readSmall("REACTIONS\nA+B+M=C+M 1.0E18 -1 0\nX/2.5/ AR/0/ A/1.0/\nEND\n");
  EXPECT_DOUBLE_EQ(rateOf<Arrhenius>(m).a, 1e12);
  const std::optional<Collider> &collider = m.reactions[0].collider;
  ASSERT_TRUE(collider);
  EXPECT_FALSE(collider->named);
  ASSERT_EQ(collider->efficiencies.size(), 2u) << "an efficiency of 1 is the default";
  EXPECT_EQ(collider->efficiencies[0].species, *m.find("X"));
  EXPECT_EQ(collider->efficiencies[0].value, 2.5);
  EXPECT_EQ(collider->efficiencies[1].value, 0);
}

TEST(ChemkinForms, NamedSpeciesOnBothSidesIsAReactant) {
  Mechanism m = readSmall("REACTIONS\nA+B+AR=C+AR 1.0E18 0 0\nEND\n");
  EXPECT_FALSE(m.reactions[0].collider);
  EXPECT_EQ(m.reactions[0].reactants.size(), 3u);
  EXPECT_DOUBLE_EQ(rateOf<Arrhenius>(m).a, 1e12);
}

TEST(ChemkinForms, FalloffHasTwoLimits) {
  Mechanism m = readSmall("REACTIONS\nA+B(+M)=C(+M) 1.0E12 0.1 100\nLOW/2.0E18 -1 200/\nEND\n");
  const Falloff &rate = rateOf<Falloff>(m);
  expectArrhenius(rate.high, 1e9, 0.1, 100 * caloriesToKelvins);
  expectArrhenius(rate.low, 2e12, -1, 200 * caloriesToKelvins);
  EXPECT_FALSE(rate.chemicallyActivated);
  EXPECT_TRUE(std::holds_alternative<Lindemann>(rate.shape));
  EXPECT_FALSE(m.reactions[0].collider->named);
}

TEST(ChemkinForms, FalloffMayNameItsCollider) {
  Mechanism m = readSmall("REACTIONS\nA+B( + AR ) = C (+AR) 1.0E12 0 0\nLOW/2.0E18 0 0/\nEND\n");
  EXPECT_EQ(m.reactions[0].collider->named, m.find("AR"));
}

TEST(ChemkinForms, ColliderMayBeAmongTheTerms) {
  Mechanism m = readSmall("REACTIONS\nA(+M)+B = C(+M) 1.0E12 0 0\nLOW/2.0E18 0 0/\nEND\n");
  EXPECT_EQ(m.reactions[0].reactants.size(), 2u);
  EXPECT_TRUE(m.reactions[0].isFalloff());
  EXPECT_NE(complaints("REACTIONS\nA(+M)+B(+M) = C(+M) 1 0 0\nEND\n").find("error: the third bodies differ"),
            std::string::npos);
}

TEST(ChemkinForms, ChemicallyActivatedRateHasTheUnitOfItsLowLimit) {
  Mechanism m = readSmall("REACTIONS\nA+B(+M)=C(+M) 3.0E12 0 0\nHIGH/4.0E5 0 0/\nEND\n");
  const Falloff &rate = rateOf<Falloff>(m);
  EXPECT_TRUE(rate.chemicallyActivated);
  EXPECT_DOUBLE_EQ(rate.low.a, 3e9);
  EXPECT_DOUBLE_EQ(rate.high.a, 4e5);
}

TEST(ChemkinForms, TroeHasThreeOrFourNumbers) {
  auto read = [](std::string_view numbers) {
    Mechanism m =
        readSmall(fmt::format("REACTIONS\nA(+M)=B(+M) 1 0 0\nLOW/1 0 0/\nTROE/{}/\nEND\n", numbers));
    return std::get<Troe>(rateOf<Falloff>(m).shape);
  };
  EXPECT_FALSE(read("0.5 1e-30 1e30").t2);
  EXPECT_EQ(read("0.902, 696.,358., 3856.").t1, 358) << "commas are fine";
  Troe four = read(".56 91 5836. 8.552D3");
  EXPECT_EQ(four.a, 0.56);
  EXPECT_EQ(four.t3, 91);
  EXPECT_EQ(four.t1, 5836);
  EXPECT_EQ(four.t2, 8552);
}

TEST(ChemkinForms, SriHasThreeOrFiveNumbers) {
  auto text = [](std::string_view numbers) {
    return fmt::format("REACTIONS\nA(+M)=B(+M) 1 0 0\nLOW/1 0 0/\nSRI/{}/\nEND\n", numbers);
  };
  Sri three = std::get<Sri>(rateOf<Falloff>(readSmall(text("0.54 201 1024"))).shape);
  EXPECT_EQ(three.d, 1);
  EXPECT_EQ(three.e, 0);
  Sri five = std::get<Sri>(rateOf<Falloff>(readSmall(text("1.1 700 1234 56 0.7"))).shape);
  EXPECT_EQ(five.d, 56);
  EXPECT_EQ(five.e, 0.7);
  EXPECT_NE(complaints(text("1 2 3 4")).find("SRI of 'A(+M)=B(+M)' has 4 numbers"), std::string::npos);
}

TEST(ChemkinForms, PlogIsSortedAndAddsUpAtOnePressure) {
  Mechanism m = readSmall("REACTIONS\nA+B+M=C+M 1 0 0\nPLOG/10 3E12 0 0/\nPLOG/0.1 1E12 0 0/\n"
                          "plog/10 -4E12 1 0/\nEND\n");
  const Plog &rate = rateOf<Plog>(m);
  ASSERT_EQ(rate.points.size(), 2u);
  EXPECT_DOUBLE_EQ(rate.points[0].pressure, 10132.5);
  EXPECT_DOUBLE_EQ(rate.points[0].rates[0].a, 1e9);
  ASSERT_EQ(rate.points[1].rates.size(), 2u);
  EXPECT_DOUBLE_EQ(rate.points[1].rates[1].a, -4e9);
  EXPECT_FALSE(m.reactions[0].collider) << "the pressure is in the rate already";
}

TEST(ChemkinForms, ChebyshevMayGoOverSeveralLines) {
  Mechanism m = readSmall("REACTIONS\nA+B(+M)=C(+M) 1 0 0\nTCHEB/300 2000/ PCHEB/0.01 100/\n"
                          "CHEB/2 3 1.0 0.1/\nCHEB/0.2 /\nCHEB/2.0 0.3 0.4/\nEND\n");
  const Chebyshev &rate = rateOf<Chebyshev>(m);
  EXPECT_EQ(rate.lowTemperature, 300);
  EXPECT_EQ(rate.highTemperature, 2000);
  EXPECT_DOUBLE_EQ(rate.lowPressure, 1013.25);
  EXPECT_DOUBLE_EQ(rate.highPressure, 1.01325e7);
  EXPECT_EQ(rate.temperatures, 2u);
  EXPECT_EQ(rate.pressures, 3u);
  ASSERT_EQ(rate.coefficients.size(), 6u);
  EXPECT_NEAR(rate.coefficients[0], 1.0 - 3, 1e-14) << "log10 of cm3/mol in m3/kmol";
  EXPECT_EQ(rate.coefficients[3], 2.0);
}

TEST(ChemkinForms, LandauTellerHasTwoMoreNumbers) {
  Mechanism m =
      readSmall("REACTIONS\nA+B=C 1.0E12 0.5 100\nLT/-64 58.5/\nREV/2E11 0.4 80/\nRLT/-28 10/\nEND\n");
  EXPECT_DOUBLE_EQ(rateOf<LandauTeller>(m).arrhenius.a, 1e9);
  EXPECT_EQ(rateOf<LandauTeller>(m).b, -64);
  EXPECT_EQ(rateOf<LandauTeller>(m).c, 58.5);
  EXPECT_EQ(m.reactions[0].reverse, Reverse::Explicit);
  const auto &reverse = std::get<LandauTeller>(*m.reactions[0].reverseRate);
  EXPECT_DOUBLE_EQ(reverse.arrhenius.a, 2e11) << "C alone: a unimolecular reverse";
  EXPECT_EQ(reverse.b, -28);
}

TEST(ChemkinForms, ExplicitReverseHasTheUnitOfItsOwnOrder) {
  Mechanism m =
      readSmall("REACTIONS\nC=A+B 1E5 0 0\nREV/1.0E12 1 100/\nA+M=X+Y+M 1 0 0\nREV/1E18 0 0/\nEND\n");
  EXPECT_DOUBLE_EQ(std::get<Arrhenius>(*m.reactions[0].reverseRate).a, 1e9);
  EXPECT_DOUBLE_EQ(std::get<Arrhenius>(*m.reactions[1].reverseRate).a, 1e12);
}

TEST(ChemkinForms, ReverseRateOfZeroMakesAReactionIrreversible) {
  Mechanism m = readSmall("REACTIONS\nC=A+B 1 0 0\nREV/0.0E00 0 0/\nEND\n");
  EXPECT_EQ(m.reactions[0].reverse, Reverse::None);
  EXPECT_FALSE(m.reactions[0].reverseRate);
}

TEST(ChemkinForms, OrdersMayBeFractionalZeroNegativeAndOfOthers) {
  Mechanism m =
      readSmall("REACTIONS\nA+B=>C 1E12 0 0\nFORD/A 1.5/\nFORD/B 0/\nFORD/X -0.5/\nFORD/AR 0.25/\nEND\n");
  const std::vector<Term> &orders = *m.reactions[0].forwardOrders;
  ASSERT_EQ(orders.size(), 3u) << "an order of zero is left out";
  EXPECT_EQ(orders[0].value, 1.5);
  EXPECT_EQ(orders[1].species, *m.find("X"));
  EXPECT_EQ(orders[1].value, -0.5);
  EXPECT_NEAR(rateOf<Arrhenius>(m).a, 1e12 * std::pow(1e-3, 0.25), 1e-2);
  EXPECT_EQ(m.reactions[0].reactants.size(), 2u) << "what is used up stays as it was";
}

TEST(ChemkinForms, ReverseOrdersCountForTheReverseRate) {
  Mechanism m = readSmall("REACTIONS\nC=A+B 1 0 0\nREV/1E12 0 0/\nRORD/A 2/\nEND\n");
  ASSERT_TRUE(m.reactions[0].reverseOrders);
  EXPECT_EQ(m.reactions[0].reverseOrders->at(0).value, 2);
  EXPECT_DOUBLE_EQ(std::get<Arrhenius>(*m.reactions[0].reverseRate).a, 1e6);
  EXPECT_FALSE(m.reactions[0].forwardOrders);
}

TEST(ChemkinForms, CoefficientsMayBeFractions) {
  Mechanism m = readSmall("REACTIONS\n1.5A+.5B=>1.C 1E12 0 0\nA => 5E-1 C 1 0 0\nEND\n");
  EXPECT_EQ(m.reactions[0].reactants[0].value, 1.5);
  EXPECT_EQ(m.reactions[0].reactants[1].value, 0.5);
  EXPECT_EQ(m.reactions[0].products[0].value, 1);
  EXPECT_EQ(m.reactions[1].products[0].value, 0.5);
}

TEST(ChemkinForms, ASpeciesTwiceOnASideIsOneTerm) {
  Mechanism m = readSmall("REACTIONS\nA+A=C 1 0 0\nEND\n");
  ASSERT_EQ(m.reactions[0].reactants.size(), 1u);
  EXPECT_EQ(m.reactions[0].reactants[0].value, 2);
}

TEST(ChemkinForms, NegativeFactorsAndDuplicates) {
  Mechanism m = readSmall("REACTIONS\nA=B 1 0 0\nDUPLICATE\nA=B -2 0 0\ndup\nEND\n");
  EXPECT_TRUE(m.reactions[0].duplicate && m.reactions[1].duplicate);
  EXPECT_EQ(rateOf<Arrhenius>(m, 1).a, -2);
}

// What does not fit together

TEST(ChemkinForms, ReverseOfAnIrreversibleReactionIsAnError) {
  EXPECT_NE(complaints("REACTIONS\nA=>B 1 0 0\nREV/1 0 0/\nEND\n")
                .find("small.inp:9:1: error: REV is given for an "
                      "irreversible reaction"),
            std::string::npos);
}

TEST(ChemkinForms, EfficienciesNeedAThirdBody) {
  EXPECT_NE(complaints("REACTIONS\nA=B 1 0 0\nX/2/\nEND\n")
                .find("9:1: error: efficiencies are given for a reaction "
                      "without a third body"),
            std::string::npos);
  EXPECT_NE(complaints("REACTIONS\nA(+AR)=B(+AR) 1 0 0\nLOW/1 0 0/\nX/2/\nEND\n")
                .find("10:1: error: efficiencies need"),
            std::string::npos);
}

TEST(ChemkinForms, KeywordsOfOtherModelsAreRefusedByName) {
  EXPECT_NE(complaints("REACTIONS\nA=B 1 0 0\nFIT1/1 2 3 4/\nEND\n")
                .find("9:1: error: 'FIT1', a power-series rate, is "
                      "not supported"),
            std::string::npos);
}

TEST(ChemkinForms, KeywordsOfOtherModelsAreRefusedByNameWithoutSlashesToo) {
  for (const char *keyword : {
#define UNSUPPORTED_KEYWORD(text, what) text,
#include "chem/ChemkinAuxiliary.def"
       })
    for (const char *rest : {"", " / 1 /", " 1 2 3"}) {
      const std::string said = complaints(fmt::format("REACTIONS\nA=B 1 0 0\n{}{}\nEND\n", keyword, rest));
      EXPECT_NE(said.find(fmt::format("small.inp:9:1: error: '{}', ", keyword)), std::string::npos) << said;
      EXPECT_EQ(said.find("error:"), said.rfind("error:")) << said;
    }
  const std::string second = complaints("REACTIONS\nA+M=B+M 1 0 0\nA/2/ mome\nEND\n");
  EXPECT_NE(second.find("small.inp:9:6: error: 'MOME', a plasma momentum-transfer rate, is not supported\n"),
            std::string::npos)
      << second;
  EXPECT_NE(complaints("REACTIONS\nA=B 1 0 0\nTROE\nEND\n")
                .find("error: the keyword 'TROE' needs its numbers between two slashes\n"),
            std::string::npos);
}

/// Nothing keeps a species from being called as a keyword.
TEST(ChemkinForms, ASpeciesMayHaveTheNameOfAnUnsupportedKeyword) {
  const auto text = [](std::string_view reactions) {
    return ChemkinText{{"small.inp", fmt::format("ELEMENTS\nH\nEND\nSPECIES\nMOME HV\nEND\n{}", reactions)},
                       SourceText{"small.dat", "THERMO ALL\n   300.000  1000.000  5000.000\n" +
                                                   card("MOME", "H   2") + card("HV", "H   2") + "END\n"},
                       std::nullopt};
  };
  EXPECT_EQ(complaints(text("REACTIONS\nMOME+M=HV+M 1 0 0\nMOME/2/ HV/3/\nEND\n")), "");
  EXPECT_NE(
      complaints(text("REACTIONS\nMOME=HV 1 0 0\nMOME\nEND\n")).find("error: this is neither a reaction"),
      std::string::npos);
}

TEST(ChemkinForms, AnUndeclaredColliderIsNamedOnceAndWithoutItsParenthesis) {
  const std::string said = complaints("REACTIONS\nA (+HE) = B ( + HE ) 1 0 0\nLOW/1 0 0/\nEND\n");
  EXPECT_NE(said.find("small.inp:8:5: error: the collider 'HE' is not a declared species\n"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("hint: declare 'HE' among the species, or write (+M)\n"), std::string::npos) << said;
  EXPECT_EQ(said.find("error:"), said.rfind("error:")) << said;
}

TEST(ChemkinForms, AMisspelledKeywordIsNotTakenForASpecies) {
  const std::string said =
      complaints("REACTIONS\nA(+M) = B(+M) 1 0 0\nLOW/1 0 0/\nTORE / 0.5 1E-30 1E30 /\nEND\n");
  EXPECT_NE(said.find("small.inp:10:1: error: 'TORE' is neither a keyword nor a declared species\n"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("hint: did you mean 'TROE'?\n"), std::string::npos) << said;
  EXPECT_NE(complaints("REACTIONS\nA+M = B+M 1 0 0\nX / 1 2 /\nEND\n")
                .find("error: the efficiency of 'X' is one number"),
            std::string::npos);
}

TEST(ChemkinForms, TextAfterTheNumbersOfAReactionIsNotTakenForAuxiliaryData) {
  const auto expect = [](const char *reactions, const char *message) {
    const std::string said = complaints(fmt::format("REACTIONS\n{}\nEND\n", reactions));
    EXPECT_NE(said.find(message), std::string::npos) << said;
    EXPECT_EQ(said.find("error:"), said.rfind("error:")) << said;
  };
  expect("A+M=B+M 1 0 0 X/2/", "small.inp:8:15: error: text after the three numbers of a reaction\n");
  expect("A=B 1 0 0\nC=2 A 1 0 0 /ref. 3/", "small.inp:9:13: error: text after the three numbers");
  expect("A=B 1 0 0\nC=2 A 1 0 0 /ref. 3/", "hint: auxiliary data are in lines of their own");
  expect("A=B 1 0 0 /", "error: a '/' after the three numbers of a reaction\n");
}

TEST(ChemkinForms, AllErrorsAreReportedInOneGo) {
  std::string said =
      complaints("REACTIONS\nA=Q 1 0 0\nA=B 1 0\nLOW/1 0/\nC=A 1 0 0\nA+B=C 1 0 0\nX/2/\nEND\n");
  for (const char *part :
       {"8:3: error: reaction uses species 'Q'", "9:1: error: a reaction ends in three numbers",
        "10:1: error: LOW of 'A=B 1 0' has 2 numbers", "11:1: error: reaction 'C=A' is not balanced",
        "13:1: error: efficiencies are given"})
    EXPECT_NE(said.find(part), std::string::npos) << part << "\n" << said;
}

} // namespace
} // namespace heddle::chem
