// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which reactions count as the same, which as balanced; and what the comparison of two mechanisms sees.
#include "SmallChemkin.h"
#include "chem/CompareMechanisms.h"

#include <algorithm>
#include <functional>

namespace heddle::chem {
namespace {

using test::complaints;
using test::readSmall;

bool areDuplicates(std::string_view first, std::string_view second) {
  std::string said = complaints(fmt::format("REACTIONS\n{}\n{}\nEND\n", first, second));
  EXPECT_TRUE(said.empty() || said.find("not marked as a duplicate") != std::string::npos) << said;
  return !said.empty();
}

TEST(Duplicates, SameReversedAndMultiples) {
  EXPECT_TRUE(areDuplicates("A+B=C 1 0 0", "B+A=C 1 0 0"));
  EXPECT_TRUE(areDuplicates("A+B=C 1 0 0", "C=>A+B 1 0 0"));
  EXPECT_TRUE(areDuplicates("A+B=C 1 0 0", "2A+2B=2C 1 0 0"));
  EXPECT_TRUE(areDuplicates("2C=2A+2B 1 0 0", "A+B=C 1 0 0"));
  EXPECT_TRUE(areDuplicates("A+B+M=C+M 1 0 0", "A+B+M=C+M 1 0 0\nX/2/"));
}

TEST(Duplicates, OppositeOneWaysAndOtherCollisionsAreNotTheSame) {
  EXPECT_FALSE(areDuplicates("A+B=>C 1 0 0", "C=>A+B 1 0 0"));
  EXPECT_FALSE(areDuplicates("A+B=C 1 0 0", "A+B+M=C+M 1 0 0"));
  EXPECT_FALSE(areDuplicates("A+B+M=C+M 1 0 0", "A+B(+M)=C(+M) 1 0 0\nLOW/1 0 0/"));
  EXPECT_FALSE(areDuplicates("A+B+AR=C+AR 1 0 0", "A+B+M=C+M 1 0 0"));
  EXPECT_FALSE(areDuplicates("A+B=C 1 0 0", "A+D=C 1 0 0"));
}

TEST(Duplicates, BothMustBeMarked) {
  EXPECT_FALSE(areDuplicates("A=B 1 0 0\nDUP", "A=B 2 0 0\nDUP"));
  EXPECT_TRUE(areDuplicates("A=B 1 0 0\nDUP", "A=B 2 0 0"));
  EXPECT_TRUE(areDuplicates("A=B 1 0 0", "A=B 2 0 0\nDUP"));
}

TEST(Duplicates, AnUnmarkedOneIsReportedOnce) {
  std::string said = complaints("REACTIONS\nA=B 1 0 0\nA=B 2 0 0\nDUP\nA=B 3 0 0\nDUP\nEND\n");
  EXPECT_EQ(said.find("error"), said.rfind("error")) << said;
}

/// Cantera takes D for a collider in A+D=B+D, and requires both to be marked.
TEST(Duplicates, OneWithASpeciesInPlaceOfMIsAPartner) {
  EXPECT_EQ(complaints("REACTIONS\nA+M=B+M 1 0 0\nDUP\nA+D=B+D 1 0 0\nDUP\nEND\n"), "");
  EXPECT_EQ(complaints("REACTIONS\nA+M=B+M 1 0 0\nDUP\nB+A=2A 1 0 0\nDUP\nEND\n"), "");
  EXPECT_NE(complaints("REACTIONS\nA=B 1 0 0\nA+D=B+D 1 0 0\nDUP\nEND\n").find("occurs once"),
            std::string::npos);
}

TEST(Duplicates, AMarkedOneWithoutAPartnerIsAWarning) {
  const std::string said = complaints("REACTIONS\nA=B 1 0 0\nDUP\nA=D 1 0 0\nEND\n");
  EXPECT_NE(said.find("small.inp:8:1: warning: reaction 'A=B' is marked as a duplicate, but occurs once"),
            std::string::npos)
      << said;
  EXPECT_EQ(complaints("REACTIONS\nA+B=C 1 0 0\nDUP\nA+B(+M)=C(+M) 1 0 0\nLOW/1 0 0/\nDUP\nEND\n"), "");
}

std::string falloffComplaints(std::string_view low, std::string_view shape) {
  return complaints(fmt::format("REACTIONS\nA(+M)=B(+M) 1 0 0\nLOW/{} 0 0/\n{}\nEND\n", low, shape));
}

TEST(Falloff, LimitsOfDifferentSignAreAnError) {
  EXPECT_NE(
      falloffComplaints("-1", "").find("error: the two limits of reaction 'A(+M)=B(+M)' have factors A of "
                                       "different sign"),
      std::string::npos);
  EXPECT_EQ(falloffComplaints("1", ""), "");
}

TEST(Falloff, SriHasNoNegativeParameters) {
  EXPECT_EQ(falloffComplaints("1", "SRI/0.5 200 1000/"), "");
  EXPECT_EQ(falloffComplaints("1", "SRI/0.5 200 0 2 0.1/"), "");
  for (const char *shape : {"SRI/-0.5 200 1000/", "SRI/0.5 200 -1000/", "SRI/0.5 200 1000 -1 0/"})
    EXPECT_NE(falloffComplaints("1", shape).find("it takes a >= 0, c >= 0 and d > 0"), std::string::npos)
        << shape;
}

TEST(Falloff, TemperaturesOfZeroAreAWarning) {
  EXPECT_EQ(falloffComplaints("1", "TROE/0.5 100 1000/"), "");
  EXPECT_NE(falloffComplaints("1", "TROE/0.5 100 1000 0/")
                .find("warning: Troe's T** of reaction 'A(+M)=B(+M)' is zero: its term is left out"),
            std::string::npos);
}

TEST(Falloff, ACentreWithoutTermsIsAWarning) {
  EXPECT_NE(falloffComplaints("1", "TROE/0 0 0 0/").find("F_cent of reaction 'A(+M)=B(+M)' has no term left"),
            std::string::npos);
  EXPECT_EQ(falloffComplaints("1", "TROE/1 0 1000/"), "");
}

/// Of a mechanism with these reactions.
std::string saidOf(std::string_view reactions) {
  return complaints(fmt::format("REACTIONS\n{}\nEND\n", reactions));
}

TEST(Hints, ForSlashesArrowsAndThirdBodies) {
  const std::string slash = saidOf("A=D 1 0 0\nA=B 1E14 0.0 1.0D3 /\nDUP\nA=B 1 0 0\nDUP");
  EXPECT_NE(slash.find("small.inp:9:20: error: a '/' after the three numbers of a reaction\n"),
            std::string::npos)
      << slash;
  EXPECT_EQ(slash.find("error"), slash.rfind("error")) << slash;
  EXPECT_NE(saidOf("A==B 1 0 0").find("error: the equation has more than one '='\n"), std::string::npos);
  EXPECT_NE(saidOf("A+M=B 1 0 0").find("hint: write the same third body once on both sides\n"),
            std::string::npos);
  EXPECT_NE(saidOf("A+M=B+M 1 0 0\nM/2/").find("hint: 'M' represents any species\n"), std::string::npos);
  EXPECT_EQ(saidOf("A=Q 1 0 0").find("did you mean"), std::string::npos) << "one letter is near every other";
}

TEST(Signs, ANegativeFactorOfASingleReactionIsAWarning) {
  EXPECT_NE(saidOf("A=B -1 0 0")
                .find("small.inp:8:1: warning: the factor A of reaction 'A=B' is negative, and the "
                      "reaction is no duplicate"),
            std::string::npos);
  EXPECT_NE(saidOf("A(+M)=B(+M) -1 0 0\nLOW/-1 0 0/").find("is negative, and"), std::string::npos);
  EXPECT_NE(saidOf("A=B 1 0 0\nPLOG/1 -1 0 0/\nPLOG/10 -1 0 0/").find("is negative, and"), std::string::npos);
  EXPECT_EQ(saidOf("A=B -1 0 0\nDUP\nA=B 2 0 0\nDUP"), "");
}

TEST(Signs, ANegativeEfficiencyIsAnError) {
  EXPECT_NE(complaints("REACTIONS\nA+M=B+M 1 0 0\nX/-2/\nEND\n")
                .find("small.inp:8:1: error: the efficiency of X in reaction 'A+M=B+M' is negative"),
            std::string::npos);
  EXPECT_EQ(complaints("REACTIONS\nA+M=B+M 1 0 0\nX/0/\nEND\n"), "");
}

TEST(Orders, WithAReverseRateFromEquilibriumAreAWarning) {
  EXPECT_NE(saidOf("A=B 1 0 0\nFORD/A 0.5/")
                .find("warning: reaction 'A=B' has orders and a reverse rate from the "
                      "equilibrium constant: its net rate is not zero at equilibrium"),
            std::string::npos);
  EXPECT_EQ(saidOf("A=>B 1 0 0\nFORD/A 0.5/"), "");
  EXPECT_EQ(saidOf("A=B 1 0 0\nFORD/A 0.5/\nREV/2 0 0/"), "");
}

/// The small mechanism with another a6 (of h) in the lower range of some species.
std::string saidOfJumps(unsigned count) {
  ChemkinText text = test::smallText("REACTIONS\nA=B 1 0 0\nEND\n");
  for (size_t at = 0; count > 0; --count, ++at) {
    at = text.thermo->text.find("-1.02466476E+04", at);
    text.thermo->text.replace(at, 15, "-1.82466476E+04");
  }
  return complaints(text);
}

TEST(Continuity, OneWarningForAllThermoDataThatJump) {
  EXPECT_EQ(saidOfJumps(0), "");
  const std::string one = saidOfJumps(1);
  EXPECT_NE(one.find("small.inp:5:1: warning: the thermo data of 1 species jump where two temperature ranges "
                     "meet; those "
                     "of 'A' at 1000 K: cp/R by "),
            std::string::npos)
      << one;
  EXPECT_NE(one.find("h/RT by 8, s/R by "), std::string::npos) << one;
  const std::string two = saidOfJumps(2);
  EXPECT_NE(two.find("of 2 species jump"), std::string::npos) << two;
  EXPECT_NE(two.find("small.inp:5:3: note: those of 'B' at 1000 K"), std::string::npos) << two;
}

TEST(Plog, ASumThatIsNegativeSomewhereIsAWarning) {
  const auto said = [](std::string_view lines) {
    return complaints(fmt::format("REACTIONS\nA=B 1 0 0\n{}\nEND\n", lines));
  };
  EXPECT_NE(
      said("PLOG/1 -1 0 0/\nPLOG/10 1 0 0/")
          .find(
              "warning: the rates of reaction 'A=B' at 1 atm add up to a negative number at 300 K; it counts "
              "as zero"),
      std::string::npos);
  EXPECT_EQ(said("PLOG/1 -1 0 0/\nPLOG/10 -1 0 0/").find("add up"), std::string::npos);
  EXPECT_EQ(said("PLOG/1 2 0 0/\nPLOG/1 -1 0 0/"), "");
}

TEST(Geometry, MustAgreeWithTheNumberOfAtoms) {
  const auto said = [](int geometryOfX, int geometryOfAr, int geometryOfA) {
    ChemkinText text = test::smallText("REACTIONS\nA=B 1 0 0\nEND\n");
    text.transport =
        SourceText{"tran.dat", fmt::format("X {} 38 2.9 0 0.8 280\nAR {} 136 3.3 0 0 0\nA {} 141 3.7 0 "
                                           "2.6 13\n",
                                           geometryOfX, geometryOfAr, geometryOfA)};
    return complaints(text);
  };
  EXPECT_EQ(said(1, 0, 2), "");
  EXPECT_EQ(said(1, 0, 1), "");
  EXPECT_NE(said(2, 0, 2).find("error: species 'X' has 2 atoms: the geometry in its transport data must be 1 "
                               "(linear), not 2 (nonlinear)"),
            std::string::npos);
  EXPECT_NE(said(1, 1, 2).find("'AR' has 1 atom: the geometry in its transport data must be 0 (atom)"),
            std::string::npos);
  EXPECT_NE(said(1, 0, 0).find("'A' has 5 atoms: the geometry in its transport data must be 1 (linear) or 2"),
            std::string::npos);
}

TEST(Balance, FractionsMayBeRounded) {
  EXPECT_EQ(complaints("REACTIONS\nA=>.33333 C+.33334A 1 0 0\nEND\n"), "");
  EXPECT_NE(complaints("REACTIONS\nA=>.333 C+.333A 1 0 0\nEND\n").find("is not balanced"), std::string::npos);
}

TEST(Balance, ChargeIsAnElement) {
  std::string thermo = test::card("P", "H   1E  -1") + test::card("H", "H   1") + test::card("E", "E   1");
  ChemkinText text{{"a.inp", "ELEMENTS H E END\nSPECIES H P E END\nREACTIONS\nH=P+E 1 0 0\nH=P 1 0 0\nEND\n"},
                   SourceText{"t.dat", thermo},
                   std::nullopt};
  std::string said = complaints(text);
  EXPECT_NE(said.find("a.inp:5:1: error: reaction 'H=P' is not balanced: 0 E to the left, -1 to the right"),
            std::string::npos)
      << said;
  EXPECT_EQ(said.find("'H=P+E'"), std::string::npos);
}

// The comparison

Mechanism hydrogenLike() {
  return readSmall(
      "REACTIONS\nA+B+M=C+M 1E12 0.5 100\nX/2/ AR/0.5/\nA+D(+M)=C(+M) 1E12 0 0\nLOW/1E18 0 0/\n"
      "TROE/0.5 100 1000 2000/\nB+D=C 1 0 0\nPLOG/1 1 0 0/\nPLOG/10 2 0 0/\nA=B 1 0 0\nREV/2 0 0/\n"
      "2A=C 1 0 0\nFORD/A 1.5/\nEND\n");
}

TEST(CompareMechanisms, SameIsSame) {
  EXPECT_EQ(firstDifference(hydrogenLike(), hydrogenLike()), std::nullopt);
}

TEST(CompareMechanisms, OrderOfTermsDoesNotCount) {
  Mechanism other = hydrogenLike();
  std::ranges::reverse(other.reactions[0].reactants);
  std::ranges::reverse(other.reactions[0].collider->efficiencies);
  std::ranges::reverse(other.species[0].composition);
  EXPECT_EQ(firstDifference(hydrogenLike(), other), std::nullopt);
}

TEST(CompareMechanisms, SeesAChangeOfAnything) {
  struct Change {
    const char *said;
    std::function<void(Mechanism &)> make;
  };
  auto nudge = [](double &value) { value *= 1 + 1e-11; };
  const Change changes[] = {
      {"weight of element H", [&](Mechanism &m) { nudge(m.elements[0].weight); }},
      {"name of a species", [](Mechanism &m) { m.species[2].name = "Z"; }},
      {"species A, atoms", [](Mechanism &m) { m.species[0].composition[0].count += 1; }},
      {"species A, charge", [](Mechanism &m) { m.species[0].charge = 1; }},
      {"species B, a3 of range 2",
       [&](Mechanism &m) { nudge(std::get<std::vector<Nasa7Range>>(m.species[1].thermo)[1].a[2]); }},
      {"species B, upper limit",
       [&](Mechanism &m) { nudge(std::get<std::vector<Nasa7Range>>(m.species[1].thermo)[1].high); }},
      {"species B, kind of thermo data", [](Mechanism &m) { m.species[1].thermo = ConstantCp{}; }},
      {"species D, has transport data", [](Mechanism &m) { m.species[3].transport = Transport{}; }},
      {"reaction 1 (A+B+M=C+M), A", [&](Mechanism &m) { nudge(std::get<Arrhenius>(m.reactions[0].rate).a); }},
      {"reaction 1 (A+B+M=C+M), efficiencies",
       [&](Mechanism &m) { nudge(m.reactions[0].collider->efficiencies[1].value); }},
      {"reaction 1 (A+B+M=C+M), reactants", [&](Mechanism &m) { nudge(m.reactions[0].reactants[0].value); }},
      {"reaction 1 (A+B+M=C+M), kind of reverse rate",
       [](Mechanism &m) { m.reactions[0].reverse = Reverse::None; }},
      {"reaction 2 (A+D(+M)=C(+M)), low, b",
       [](Mechanism &m) { std::get<Falloff>(m.reactions[1].rate).low.b = 1e-9; }},
      {"reaction 2 (A+D(+M)=C(+M)), has Troe T2",
       [](Mechanism &m) { std::get<Troe>(std::get<Falloff>(m.reactions[1].rate).shape).t2.reset(); }},
      {"reaction 3 (B+D=C), pressure",
       [&](Mechanism &m) { nudge(std::get<Plog>(m.reactions[2].rate).points[1].pressure); }},
      {"reaction 4 (A=B), reverse, A",
       [&](Mechanism &m) { nudge(std::get<Arrhenius>(*m.reactions[3].reverseRate).a); }},
      {"reaction 5 (2A=C), orders", [](Mechanism &m) { m.reactions[4].forwardOrders.reset(); }},
      {"number of reactions", [](Mechanism &m) { m.reactions.pop_back(); }},
  };
  for (const Change &change : changes) {
    Mechanism other = hydrogenLike();
    change.make(other);
    std::optional<std::string> difference = firstDifference(hydrogenLike(), other);
    EXPECT_TRUE(difference && difference->starts_with(change.said))
        << change.said << ": " << difference.value_or("nothing");
  }
}

TEST(CompareMechanisms, ExplicitReverseMayBeAReactionOfItsOwn) {
  Mechanism one = readSmall("REACTIONS\nA+B=C 1 0 0\nREV/5 0 100/\nEND\n");
  Mechanism two = readSmall("REACTIONS\nA+B=>C 1 0 0\nC=>A+B 5 0 100\nEND\n");
  EXPECT_EQ(two.reactions.size(), 2u) << "what the file says stays";
  EXPECT_EQ(firstDifference(one, two), std::nullopt);
}

} // namespace
} // namespace heddle::chem
