// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How real CHEMKIN files look: line ends, tabs, missing ENDs, odd names, data in several places.
#include "SmallChemkin.h"
#include "chem/Constants.h"

#include <algorithm>

namespace heddle::chem {
namespace {

using test::card;
using test::complaints;
using test::readSmall;
using test::smallText;

Mechanism readText(const ChemkinText &text) {
  Diagnostics diagnostics;
  std::optional<Mechanism> mechanism = readChemkin(text, diagnostics);
  EXPECT_TRUE(mechanism) << test::printed(diagnostics);
  return mechanism.value_or(Mechanism{});
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

const std::vector<Nasa7Range> &rangesOf(const Mechanism &mechanism, const char *name) {
  return std::get<std::vector<Nasa7Range>>(mechanism.species[*mechanism.find(name)].thermo);
}

// Lines

TEST(ChemkinLayout, LineEndsOfEverySystem) {
  for (const char *end : {"\n", "\r\n", "\r"}) {
    ChemkinText text = smallText("REACTIONS\nA+B=C 1E12 0 0 ! note\nDUP\nA+B=C 1 0 0\nDUP\nEND");
    text.reactions.text = replaced(text.reactions.text, "\n", end);
    text.thermo->text = replaced(text.thermo->text, "\n", end);
    EXPECT_EQ(readText(text).reactions.size(), 2u);
  }
}

TEST(ChemkinLayout, LineNumbersCountEveryLineEnd) {
  EXPECT_NE(complaints("REACTIONS\r\n\r\n! no\r\nA=Q 1 0 0\r\nEND\r\n").find("small.inp:10:3:"),
            std::string::npos);
}

TEST(ChemkinLayout, TabsAreBlanks) {
  EXPECT_EQ(readSmall("REACTIONS\tCAL/MOLE\n\tA\t+\tB\t=\tC\t1E12\t0\t0\n\tDUP\nA+B=C\t1 0 0\nDUP\nEND\n")
                .reactions.size(),
            2u);
}

TEST(ChemkinLayout, BytesThatAreNotUtf8AreNoFault) {
  EXPECT_EQ(readSmall("REACTIONS\n! caf\xe9 \x96\x80\nA=B 1 0 0 ! \xff\nEND\n").reactions.size(), 1u);
}

TEST(ChemkinLayout, AByteOrderMarkIsNoPartOfTheFile) {
  ChemkinText text = smallText("REACTIONS\nA=B 1 0 0\nEND\n");
  text.reactions.text.insert(0, "\xEF\xBB\xBF");
  EXPECT_EQ(complaints(text), "");
}

TEST(ChemkinLayout, ALineMayGoOnAfterAnAmpersand) {
  Mechanism m = readSmall("REACTIONS\nA + B = &\n  C  1.0E12  0.5  100.0\nEND\n");
  EXPECT_EQ(m.reactions[0].reactants.size(), 2u);
  EXPECT_DOUBLE_EQ(std::get<Arrhenius>(m.reactions[0].rate).b, 0.5);
}

// Blocks

TEST(ChemkinLayout, KeywordsMayBeShortLowerCaseAndWithoutEnd) {
  ChemkinText text{
      {"a.inp", "elem h c\nSpec a b\nreac cal\na=b 1 0 0\ntran\na 1 100 3 0 0 1\nb 2 100 3 0 0 1\n"},
      SourceText{"t.dat", card("a", "C   1H   4") + card("b", "c   1h   4")},
      std::nullopt};
  Mechanism m = readText(text);
  EXPECT_EQ(m.reactions.size(), 1u);
  EXPECT_TRUE(m.hasTransport());
}

TEST(ChemkinLayout, BlocksMayBeInOneLine) {
  ChemkinText text = smallText("");
  text.reactions.text = "ELEMENTS H C AR END\nSPECIES A B END SPECIES C END\nREACTIONS\n2A=C 1 0 0";
  EXPECT_NE(complaints(text).find("reaction uses species 'C', which is not declared"), std::string::npos)
      << "what follows END in a line is not read";
  text.reactions.text = "ELEMENTS H C AR END\nSPECIES A B END\nSPECIES C END\nREACTIONS\n2A=C 1 0 0";
  EXPECT_EQ(readText(text).species.size(), 3u);
}

TEST(ChemkinLayout, ElementsMayHaveWeightsOfTheirOwn) {
  ChemkinText text{{"a.inp", "ELEMENTS\nH/2.0141/ CI / 13.003  /C E /5.48e-4/\nEND\nSPECIES\nP\nEND\n"},
                   SourceText{"t.dat", card("P", "C   1CI  1H   4E  -1")},
                   std::nullopt};
  Mechanism m = readText(text);
  EXPECT_DOUBLE_EQ(m.species[0].weight, 12.011 + 13.003 + 4 * 2.0141 - 5.48e-4);
  EXPECT_EQ(m.species[0].charge, 1);
  EXPECT_EQ(m.elements[1].name, "Ci");
}

TEST(ChemkinLayout, UnknownElementNeedsAWeight) {
  ChemkinText text = smallText("");
  text.reactions.text = "ELEMENTS H C AR QQ END\nSPECIES A END\n";
  EXPECT_NE(complaints(text).find("small.inp:1:17: error: no atomic weight is known for element 'QQ'"),
            std::string::npos);
}

TEST(ChemkinLayout, NoSpeciesIsAnError) {
  ChemkinText text = smallText("");
  text.reactions.text = "";
  EXPECT_EQ(complaints(text),
            "small.inp: error: there is no ELEMENTS block\nsmall.inp: error: there is no SPECIES block\n");
}

TEST(ChemkinLayout, WithoutADeclarationNothingElseIsUndeclared) {
  ChemkinText text = smallText("REACTIONS\nA=B 1 0 0\nEND\n");
  text.reactions.text = replaced(text.reactions.text, "SPECIES", "SPECEIS");
  const std::string said = complaints(text);
  EXPECT_NE(said.find("error: there is no SPECIES block"), std::string::npos) << said;
  EXPECT_EQ(said.find("not declared"), std::string::npos) << said;
}

// Thermo data

TEST(ChemkinLayout, ThermoOfTheReactionFileGoesBeforeThatOfTheThermoFile) {
  std::string own = replaced(card("A", "C   1H   4"), "1000.00", "1500.00");
  Mechanism m = readSmall("THERMO\n" + own + "END\nREACTIONS\nA=B 1 0 0\nEND\n");
  EXPECT_EQ(rangesOf(m, "A")[0].high, 1500);
  EXPECT_EQ(rangesOf(m, "B")[0].high, 1000);
}

TEST(ChemkinLayout, ThermoAllMakesTheThermoFileSuperfluous) {
  std::string said = complaints("THERMO ALL\n300. 1000. 5000.\n" + card("A", "C   1H   4") + "END\n");
  EXPECT_EQ(said.find("thermo data for species 'A'"), std::string::npos);
  EXPECT_NE(said.find("there are no thermo data for species 'B'"), std::string::npos);
}

TEST(ChemkinLayout, TemperaturesLeftOutAreThoseOfTheHeader) {
  ChemkinText text = smallText("");
  text.thermo->text =
      replaced(text.thermo->text, "   300.000  1000.000  5000.000", "   250.000  1100.000  4000.000");
  text.thermo->text =
      replaced(text.thermo->text, "G   300.000  5000.000 1000.00 ", "G                             ");
  const Nasa7Range first = rangesOf(readText(text), "A")[0];
  EXPECT_EQ(first.low, 250);
  EXPECT_EQ(first.high, 1100);
}

TEST(ChemkinLayout, HighRangeComesFirstInACard) {
  const std::vector<Nasa7Range> ranges = rangesOf(readSmall(""), "A");
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].low, 300);
  EXPECT_EQ(ranges[0].a[0], 5.14987613);
  EXPECT_EQ(ranges[0].a[6], -4.64130376);
  EXPECT_EQ(ranges[1].high, 5000);
  EXPECT_EQ(ranges[1].a[0], 7.48514950e-02);
  EXPECT_EQ(ranges[1].a[5], -9.46834459e+03);
}

TEST(ChemkinLayout, EqualRangesAreOne) {
  ChemkinText text{
      {"a.inp", "ELEMENTS AR END\nSPECIES AR END\n"},
      SourceText{"t.dat",
                 "AR                120186AR  1               G   300.000  5000.000  1000.000    1\n"
                 " 0.02500000E+02 0.00000000E+00 0.00000000E+00 0.00000000E+00 0.00000000E+00    2\n"
                 "-0.07453750E+04 0.04366000E+02 0.02500000E 02 0.00000000E+00 0.00000000E+00    3\n"
                 " 0.00000000E+00 0.00000000E+00-0.07453750E+04 0.04366000D+02                   4\n"},
      std::nullopt};
  Mechanism m = readText(text);
  ASSERT_EQ(rangesOf(m, "AR").size(), 1u);
  EXPECT_EQ(rangesOf(m, "AR")[0].high, 5000);
  EXPECT_EQ(rangesOf(m, "AR")[0].a[0], 2.5)
      << "a blank for the sign of an exponent is how old programs print";
}

TEST(ChemkinLayout, ElementsMayGoOnBehindColumn80AndInNextLines) {
  auto composition = [](std::string_view rest) {
    std::string text = card("P", "C   0H   0");
    text.insert(text.find('\n'), rest);
    ChemkinText files{
        {"a.inp", "ELEMENTS H C O END\nSPECIES P END\n"}, SourceText{"t.dat", text}, std::nullopt};
    std::vector<double> counts;
    Mechanism m = readText(files);
    for (const ElementCount &each : m.species.at(0).composition)
      counts.push_back(each.count);
    return counts;
  };
  EXPECT_EQ(composition("C      388H      144 "), (std::vector<double>{388, 144}));
  EXPECT_EQ(composition("&\nC 778    H 263"), (std::vector<double>{778, 263}));
  EXPECT_EQ(composition("&\nC      778.0&\nH      264"), (std::vector<double>{778, 264}));
}

TEST(ChemkinLayout, FifthElementFollowsTheTemperatures) {
  std::string text = card("P", "C   1H   4O   1N   1");
  text.replace(73, 5, "AR  1");
  ChemkinText files{
      {"a.inp", "ELEMENTS H C O N AR END\nSPECIES P END\n"}, SourceText{"t.dat", text}, std::nullopt};
  EXPECT_EQ(readText(files).species.at(0).composition.size(), 5u);
}

TEST(ChemkinLayout, CardsForOtherSpeciesNeedNotBeSound) {
  ChemkinText text = smallText("");
  text.thermo->text = card("BROKEN", "?????") + "junk\n" + text.thermo->text + "\nnotes after the end\n";
  EXPECT_EQ(complaints(text), "");
}

TEST(ChemkinLayout, EndOfDataEndsThermoData) {
  ChemkinText text = smallText("");
  text.thermo->text = replaced(text.thermo->text, "END\n", "ENDOFDATA\n") + card("A", "H   1");
  EXPECT_EQ(complaints(text), "");
}

TEST(ChemkinLayout, EntryWrittenAsDeclaredGoesBeforeOneInAnotherCase) {
  std::string upper = replaced(card("NC", "C   1H   4"), "1000.00", "1386.00");
  ChemkinText text{{"a.inp", "ELEMENTS H C END\nSPECIES nC END\n"},
                   SourceText{"t.dat", upper + card("nC", "C   1H   4") + upper},
                   SourceText{"tr.dat", "NC 1 50.0 3 0 0 0\nnC 2 60.0 3 0 0 0\nNC 1 70.0 3 0 0 0\n"}};
  Mechanism m = readText(text);
  EXPECT_EQ(rangesOf(m, "nC")[0].high, 1000);
  EXPECT_EQ(m.species[0].transport->wellDepth, 60);
}

TEST(ChemkinLayout, RepeatsAreErrorsUnlessTheyAreAccepted) {
  ChemkinText text = smallText("REACTIONS\nA=B 1 0 0\nEND\n");
  text.reactions.text = replaced(text.reactions.text, "A B C", "A B A C");
  text.thermo->text =
      replaced(text.thermo->text, "END\n", replaced(card("A", "C   1H   4"), "1000.00", "1500.00"));
  text.transport = SourceText{"tran.dat", "A 1 11.0 3 0 0 0\nA 1 12.0 3 0 0 0\n"};
  std::string said = complaints(text);
  EXPECT_NE(said.find("error: species 'A' is declared again"), std::string::npos) << said;
  EXPECT_NE(said.find("error: thermo data for 'A' differ from those given before"), std::string::npos)
      << said;
  EXPECT_NE(said.find("error: transport data for 'A' differ from those given before"), std::string::npos)
      << said;
  Diagnostics diagnostics;
  std::optional<Mechanism> m = readChemkin(text, diagnostics, {.acceptsRepeats = true});
  ASSERT_TRUE(m) << test::printed(diagnostics);
  EXPECT_EQ(diagnostics.all().size(), 3u);
  EXPECT_EQ(rangesOf(*m, "A")[0].high, 1000) << "the first counts";
  EXPECT_EQ(m->species[0].transport->wellDepth, 11);
}

TEST(ChemkinLayout, SlippedColumnsAreReported) {
  ChemkinText text = smallText("");
  text.thermo->text = replaced(text.thermo->text, "A                       C", "A                      C");
  EXPECT_NE(complaints(text).find(
                "small.dat:3:79: error: the thermo data for 'A' have their '1' in column 79, not 80"),
            std::string::npos);
}

TEST(ChemkinLayout, ReferencesMayFollowTheReactions) {
  EXPECT_EQ(complaints("REACTIONS\nA=B 1 0 0\nEND\nReferences and notes:\n1. Somebody, 1999\n"), "");
}

TEST(ChemkinLayout, ALetterAloneIsNoFifthElement) {
  ChemkinText text = smallText("");
  text.thermo->text[text.thermo->text.find("A   ") + 73] = 'G';
  EXPECT_EQ(complaints(text), "");
}

// Transport data

TEST(ChemkinLayout, TransportDataAreInSi) {
  ChemkinText text = smallText("");
  text.transport =
      SourceText{"tran.dat", "! name\nTRANSPORT\nA  2  572.4 2.605 1.844 0.5 4.0 ! water's\nEND\n"};
  Mechanism m = readText(text);
  const Transport &a = *m.species[*m.find("A")].transport;
  EXPECT_EQ(a.geometry, Geometry::Nonlinear);
  EXPECT_EQ(a.wellDepth, 572.4);
  EXPECT_DOUBLE_EQ(a.diameter, 2.605e-10);
  EXPECT_DOUBLE_EQ(a.dipole, 1.844 * 3.33564095198152e-30);
  EXPECT_DOUBLE_EQ(a.polarizability, 0.5e-30);
  EXPECT_EQ(a.rotationalRelaxation, 4);
  EXPECT_FALSE(m.hasTransport());
}

TEST(ChemkinLayout, TransportOfTheReactionFileGoesFirst) {
  ChemkinText text = smallText("TRANS ALL\nA 1 11.0 3 0 0 0\nEND\n");
  text.transport = SourceText{"tran.dat", "A 1 12.0 3 0 0 0\nB 1 13.0 3 0 0 0\n"};
  Mechanism m = readText(text);
  EXPECT_EQ(m.species[*m.find("A")].transport->wellDepth, 11);
  EXPECT_EQ(m.species[*m.find("B")].transport->wellDepth, 13);
}

// Names

TEST(ChemkinLayout, SpeciesMayHaveAnyLetters) {
  const char *names[] = {"CH2(S)", "plus+", "eq=uals", "SP)X", "co:lons:", "[x]*{.}", "amp&", "END2", "M2"};
  std::string species, thermo;
  for (const char *name : names) {
    species += std::string(name) + "\n";
    thermo += card(name, "C   1H   2");
  }
  std::string reactions = "CH2(S)+plus+ = eq=uals+SP)X 1 0 0\n"
                          "plus+(+SP)X)=amp&(+SP)X) 1 0 0\n LOW/1 0 0/\n"
                          "plus++co:lons:=2[x]*{.} 1 0 0\n"
                          "END2 + M = M2 + M 1 0 0\n eq=uals/3/ amp&/2/ CH2(S)/0/\n";
  ChemkinText text{
      {"a.inp", "ELEMENTS H C END\nSPECIES\n" + species + "END\nREACTIONS\n" + reactions + "END\n"},
      SourceText{"t.dat", thermo},
      std::nullopt};
  Mechanism m = readText(text);
  ASSERT_EQ(m.reactions.size(), 4u);
  EXPECT_EQ(m.reactions[1].collider->named, m.find("SP)X"));
  EXPECT_EQ(m.reactions[2].products[0].value, 2);
  EXPECT_EQ(m.reactions[3].collider->efficiencies.size(), 3u);
}

TEST(ChemkinLayout, ASpeciesIsNotCalledMNorEndlessly) {
  ChemkinText text = smallText("");
  text.reactions.text = "ELEMENTS H END\nSPECIES M " + std::string(200, 'A') + " END\n";
  std::string said = complaints(text);
  EXPECT_NE(said.find("2:9: error: a species cannot be called 'M'"), std::string::npos) << said;
  EXPECT_NE(said.find("2:11: error: a species name of 200 letters is too long"), std::string::npos) << said;
}

TEST(ChemkinLayout, CaseCountsOnlyWhereItDistinguishesSpecies) {
  ChemkinText text{
      {"a.inp",
       "ELEMENTS H C END\nSPECIES ch Ch X END\nREACTIONS\nch=Ch 1 0 0\nx=ch 1 0 0\nCH=X 1 0 0\nEND\n"},
      SourceText{"t.dat", card("ch", "C   1") + card("Ch", "C   1") + card("x", "C   1")},
      std::nullopt};
  std::string said = complaints(text);
  EXPECT_NE(said.find("6:1: error: reaction uses species 'CH', which is not declared"), std::string::npos)
      << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '^'), 1) << said;
}

} // namespace
} // namespace heddle::chem
