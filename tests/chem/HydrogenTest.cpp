// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mechanism of our own, which is always there, and how the files of a mechanism are found.
#include "Shared.h"
#include "chem/CheckMechanism.h"
#include "chem/CompareMechanisms.h"
#include "chem/MechanismFiles.h"
#include "support/Files.h"
#include "support/Paths.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace heddle::chem {
namespace {

namespace fs = std::filesystem;

Mechanism readGood(const MechanismInput &input) {
  Diagnostics diagnostics;
  std::optional<Mechanism> mechanism = readMechanism(input, diagnostics);
  EXPECT_TRUE(mechanism && diagnostics.empty()) << test::printed(diagnostics);
  return mechanism.value_or(Mechanism{});
}

std::string complaintsOf(const MechanismInput &input) {
  Diagnostics diagnostics;
  EXPECT_FALSE(readMechanism(input, diagnostics));
  return test::printed(diagnostics);
}

MechanismInput folder(std::optional<MechanismForm> form) {
  return {.paths = {test::hydrogenExample()}, .form = form, .needsTransport = true};
}

TEST(Hydrogen, HasTheFormsItsReadmeNames) {
  Mechanism m = readGood(folder(MechanismForm::Chemkin));
  EXPECT_EQ(m.name, "hydrogen");
  EXPECT_EQ(m.species.size(), 10u);
  EXPECT_EQ(m.reactions.size(), 23u);
  auto count = [&](auto predicate) {
    return std::count_if(m.reactions.begin(), m.reactions.end(), predicate);
  };
  EXPECT_EQ(count([](const Reaction &each) { return each.isFalloff(); }), 2);
  EXPECT_EQ(count([](const Reaction &each) { return each.collider && !each.isFalloff(); }), 4);
  EXPECT_EQ(count([](const Reaction &each) { return each.duplicate; }), 4);
}

TEST(Hydrogen, IsTheSameFromBothFormats) {
  EXPECT_EQ(firstDifference(readGood(folder(MechanismForm::Chemkin)), readGood(folder(MechanismForm::Yaml))),
            std::nullopt);
}

TEST(Hydrogen, WeightsAreTheSumsOfTheirAtoms) {
  Mechanism m = readGood(folder(std::nullopt));
  EXPECT_DOUBLE_EQ(m.species[*m.find("H2O")].weight, 2 * 1.008 + 15.999);
  EXPECT_DOUBLE_EQ(m.species[*m.find("AR")].weight, 39.95);
}

/// Enthalpy and entropy of a species in a range at a temperature, by R T and by R.
std::pair<double, double> thermoAt(const Nasa7Range &range, double t) {
  const auto &a = range.a;
  return {a[0] + t * (a[1] / 2 + t * (a[2] / 3 + t * (a[3] / 4 + t * a[4] / 5))) + a[5] / t,
          a[0] * std::log(t) + t * (a[1] + t * (a[2] / 2 + t * (a[3] / 3 + t * a[4] / 4))) + a[6]};
}

TEST(Hydrogen, ThermoDataMeetWhereTheirRangesDo) {
  for (const Species &species : readGood(folder(std::nullopt)).species) {
    const auto &ranges = std::get<std::vector<Nasa7Range>>(species.thermo);
    for (size_t i = 1; i < ranges.size(); ++i) {
      auto below = thermoAt(ranges[i - 1], ranges[i].low), above = thermoAt(ranges[i], ranges[i].low);
      EXPECT_NEAR(below.first, above.first, 2e-5) << species.name; // the fits were made to agree to this
      EXPECT_NEAR(below.second, above.second, 2e-5) << species.name;
    }
  }
}

TEST(MechanismFiles, AreFoundInAnyOrder) {
  fs::path hydrogen = test::hydrogenExample();
  Mechanism expected = readGood(folder(std::nullopt));
  MechanismInput files{.paths = {hydrogen / "tran.dat", hydrogen / "chem.inp", hydrogen / "therm.dat"}};
  EXPECT_EQ(firstDifference(expected, readGood(files)), std::nullopt);
  EXPECT_EQ(firstDifference(expected, readGood({.paths = {hydrogen / "mechanism.yaml"}})), std::nullopt);
}

TEST(MechanismFiles, FolderOfYamlAloneIsYaml) {
  TemporaryFolder temporary;
  fs::copy_file(test::hydrogenExample() / "mechanism.yaml", temporary.path() / "mechanism.yaml");
  EXPECT_EQ(readGood({.paths = {temporary.path()}}).reactions.size(), 23u);
  EXPECT_NE(complaintsOf({.paths = {temporary.path()}, .form = MechanismForm::Chemkin})
                .find("error: this folder has no chem.inp\nhint: it has a mechanism.yaml"),
            std::string::npos);
}

TEST(MechanismFiles, TransportIsNeededOnlyWhereAskedFor) {
  fs::path hydrogen = test::hydrogenExample();
  MechanismInput files{.paths = {hydrogen / "chem.inp", hydrogen / "therm.dat"}};
  EXPECT_FALSE(readGood(files).hasTransport());
  files.needsTransport = true;
  EXPECT_NE(complaintsOf(files).find("chem.inp: error: the mechanism has no transport data"),
            std::string::npos);
}

TEST(MechanismFiles, ASpeciesWithoutTransportDataIsNamed) {
  fs::path hydrogen = test::hydrogenExample();
  TemporaryFolder temporary;
  std::istringstream all(contentsOf(hydrogen / "tran.dat"));
  std::string some;
  for (std::string line; std::getline(all, line);)
    if (!line.starts_with("HO2 "))
      some += line + "\n";
  ASSERT_EQ(writeFile(temporary.path() / "tran.dat", some), std::nullopt);
  MechanismInput files{
      .paths = {hydrogen / "chem.inp", hydrogen / "therm.dat", temporary.path() / "tran.dat"},
      .needsTransport = true};
  const std::string said = complaintsOf(files);
  EXPECT_NE(said.find("chem.inp:"), std::string::npos) << said;
  EXPECT_NE(said.find("error: there are no transport data for species 'HO2'"), std::string::npos) << said;
  EXPECT_NE(said.find("hint: add them to tran.dat; "), std::string::npos) << said;
  EXPECT_EQ(said.find("'H2O2'"), std::string::npos) << said;

  files.needsTransport = false;
  Diagnostics diagnostics;
  warnWithoutTransport(readGood(files), diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.all()[0].severity, Severity::Warning);
  EXPECT_EQ(diagnostics.all()[0].text, "there are no transport data for species 'HO2'; transport is omitted");
  Diagnostics none;
  warnWithoutTransport(readGood({.paths = {hydrogen / "chem.inp", hydrogen / "therm.dat"}}), none);
  ASSERT_EQ(none.all().size(), 1u);
  EXPECT_EQ(none.all()[0].severity, Severity::Warning);
  EXPECT_EQ(none.all()[0].text,
            "the mechanism has no transport data: viscosity, conductivity and diffusion are omitted");
}

TEST(MechanismFiles, AFolderWithoutThermoDataIsOneError) {
  TemporaryFolder temporary;
  fs::copy_file(test::hydrogenExample() / "chem.inp", temporary.path() / "chem.inp");
  const std::string said = complaintsOf({.paths = {temporary.path()}});
  EXPECT_NE(said.find("chem.inp: error: there are no thermo data: no thermo file is given"),
            std::string::npos)
      << said;
  EXPECT_EQ(said.find("for species"), std::string::npos) << said;
}

TEST(MechanismFiles, MissingAndMixedUpFilesAreErrors) {
  fs::path hydrogen = test::hydrogenExample();
  EXPECT_NE(
      complaintsOf({.paths = {hydrogen / "none.inp"}}).find("none.inp: error: cannot be read: No such file"),
      std::string::npos);
  EXPECT_NE(complaintsOf({.paths = {hydrogen / "therm.dat"}}).find("error: this is no reaction file"),
            std::string::npos);
  EXPECT_NE(complaintsOf({.paths = {hydrogen / "chem.inp", hydrogen / "chem.inp"}})
                .find("error: this is the same kind of file as"),
            std::string::npos);
  EXPECT_NE(complaintsOf({}).find("error: no mechanism is named"), std::string::npos);
  EXPECT_NE(
      complaintsOf({.paths = {hydrogen, hydrogen / "chem.inp"}}).find("error: a folder is named already"),
      std::string::npos);
}

} // namespace
} // namespace heddle::chem
