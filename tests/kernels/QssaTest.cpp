// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chemistry with quasi-steady and stiff species, built and checked by its own self-test: natively, and on the
// simulator.
#include "Generated.h"
#include "chem/MechanismFiles.h"
#include "chem/Shared.h"
#include "chem/SpeciesList.h"
#include "kernels/Package.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

namespace heddle::kernels::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

chem::Mechanism read(const fs::path &folder) {
  Diagnostics diagnostics;
  std::optional<chem::Mechanism> mechanism = chem::readMechanism({{folder}, {}, false}, diagnostics);
  EXPECT_TRUE(mechanism) << folder;
  return mechanism.value_or(chem::Mechanism());
}

std::vector<unsigned> places(const chem::Mechanism &mechanism, const std::vector<std::string> &names) {
  std::vector<unsigned> found;
  for (const std::string &name : names)
    found.push_back(mechanism.find(name).value());
  return found;
}

struct Case {
  const char *name;
  std::vector<std::string> quasiSteady, stiff;
  double timeStep;
  Units units = Units::Si;
};

std::ostream &operator<<(std::ostream &out, const Case &given) { return out << given.name; }

PackageRequest requestOf(const chem::Mechanism &mechanism, const Case &given, std::vector<Variant> variants) {
  PackageRequest request;
  request.kernels = {Kernel::Chemistry};
  request.variants = std::move(variants);
  request.options.prefix = prefixOf(mechanism.name);
  request.options.units = given.units;
  request.command = "heddle chem";
  request.treatment = {places(mechanism, given.quasiSteady),
                       {places(mechanism, given.stiff), given.timeStep}};
  return request;
}

std::vector<SourceFile> make(const chem::Mechanism &mechanism, const PackageRequest &request) {
  Diagnostics diagnostics;
  std::vector<SourceFile> files = makePackage(mechanism, request, diagnostics);
  EXPECT_FALSE(diagnostics.has(Severity::Error));
  return files;
}

std::vector<std::string> writeAll(const fs::path &folder, const std::vector<SourceFile> &files) {
  std::vector<std::string> sources;
  for (const SourceFile &file : files) {
    write(folder, file);
    if (file.name.ends_with(".cu") || file.name.ends_with(".cpp"))
      sources.push_back(file.name);
  }
  return sources;
}

/// Both variants in one program, once by each compiler for the device.
void holdOnSimulator(const chem::Mechanism &mechanism, const PackageRequest &request,
                     const std::vector<build::Compiler> &compilers, const std::string &points = "70") {
  TemporaryFolder folder;
  const std::vector<std::string> sources = writeAll(folder.path(), make(mechanism, request));
  for (build::Compiler compiler : compilers) {
    const std::string said = runOnSimulator(compiler, folder.path(), sources, {points});
    EXPECT_THAT(said, HasSubstr(" pass,"));
    EXPECT_THAT(said, Not(HasSubstr(" FAIL,")));
  }
}

class QssaHydrogen : public testing::TestWithParam<Case> {};

TEST_P(QssaHydrogen, isRightOnTheSimulatorAndTheHost) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  // Compilers take their time: both of them only where everything is in the code.
  const std::vector<build::Compiler> all = deviceCompilers();
  const bool isBoth = !GetParam().quasiSteady.empty() && !GetParam().stiff.empty();
  holdOnSimulator(hydrogen, requestOf(hydrogen, GetParam(), {Variant::Plain, Variant::Cpu}),
                  isBoth ? all : std::vector{all.front()});
}

INSTANTIATE_TEST_SUITE_P(
    Lists, QssaHydrogen,
    testing::Values(Case{"quasiSteadyOnly", {"HO2", "O"}, {}, 0},
                    Case{"stiffOnly", {}, {"H", "OH", "H2O2"}, 1e-8},
                    Case{"both", {"HO2", "O"}, {"OH", "H", "H2"}, 1e-8},
                    Case{"quasiSteadyAndStiffAtOnce", {"HO2"}, {"HO2", "H"}, 1e-7, Units::Cgs}),
    [](const testing::TestParamInfo<Case> &info) { return std::string(info.param.name); });

TEST(Qssa, isRightWithoutLoopsForPowersAndWithShortOnes) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  for (unsigned atATime : {0u, 8u}) {
    PackageRequest request = requestOf(hydrogen, {"both", {"HO2", "O"}, {"OH", "H"}, 1e-8}, {Variant::Plain});
    request.layout.powersAtATime = atATime;
    request.layout.threadsForLoops = 64;
    EXPECT_EQ(make(hydrogen, request).front().text.find("shortPowers<") != std::string::npos, atATime > 0);
    holdOnSimulator(hydrogen, request, {build::Compiler::Clang});
  }
}

TEST(Qssa, threadsThatTakeSeveralPointsPerStageAreRight) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  PackageRequest request = requestOf(hydrogen, {"both", {"HO2", "O"}, {"OH", "H"}, 1e-8}, {Variant::Plain});
  request.layout.threadsForLoops = 64;
  request.layout.pointsPerStage = 2;
  EXPECT_THAT(make(hydrogen, request).front().text, HasSubstr("constexpr int maxPointsPerStage = 2;"));
  // An H200 holds 132 * 4 such blocks, so that each of them has two tiles or three.
  holdOnSimulator(hydrogen, request, {build::Compiler::Clang}, "80000");
}

TEST(Qssa, longChemistryWithLoopsIsRightWithoutAnyTreatment) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  PackageRequest request = requestOf(hydrogen, {"none", {}, {}, 0}, {Variant::Plain});
  request.layout.instructionsWithoutLoops = 500;
  request.layout.loopsForLong = true;
  const SourceFile kernel = make(hydrogen, request).front();
  EXPECT_EQ(kernel.name, "hydrogen_chemistry_plain.cu");
  EXPECT_THAT(kernel.text, HasSubstr("shortPowers<"));
  holdOnSimulator(hydrogen, request, {build::Compiler::Clang});
}

/// Every Arrhenius reaction with an explicit reverse rate or, if `areTwo`, as two irreversible ones, like Cantera's files have it.
chem::Mechanism withExplicitReverses(chem::Mechanism mechanism, bool areTwo) {
  std::vector<chem::Reaction> reactions;
  for (chem::Reaction &each : mechanism.reactions) {
    const auto *rate = std::get_if<chem::Arrhenius>(&each.rate);
    if (!rate || each.reverse != chem::Reverse::Equilibrium) {
      reactions.push_back(std::move(each));
      continue;
    }
    const std::string name = fmt::format("reaction {}", reactions.size());
    const chem::Arrhenius reverse = {rate->a * 0.3, rate->b, rate->activationTemperature + 500};
    each.equation = name + (areTwo ? " => " : " <=> ");
    each.reverse = areTwo ? chem::Reverse::None : chem::Reverse::Explicit;
    if (!areTwo)
      each.reverseRate = reverse;
    reactions.push_back(each);
    if (areTwo) {
      std::swap(each.reactants, each.products);
      each.rate = reverse;
      reactions.push_back(std::move(each));
    }
  }
  mechanism.reactions = std::move(reactions);
  return mechanism;
}

TEST(Qssa, twoIrreversibleReactionsGiveTheKernelOfOneWithAnExplicitReverse) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample()),
                        two = withExplicitReverses(hydrogen, true),
                        one = withExplicitReverses(hydrogen, false);
  ASSERT_GT(two.reactions.size(), one.reactions.size());
  // O and HO2 react with each other: a direction of such reactions is left out.
  for (const Case &each : {Case{"none", {}, {}, 0}, Case{"both", {"HO2", "O"}, {"OH", "H"}, 1e-8}}) {
    const PackageRequest request = requestOf(two, each, {Variant::Plain});
    const auto code = [&](const chem::Mechanism &mechanism) {
      const std::string text = make(mechanism, request).front().text;
      return text.substr(text.find('\n')); // without the line that has the number of reactions
    };
    EXPECT_THAT(code(two), HasSubstr("reaction 0 <=> "));
    // Only the numbers in the names differ.
    EXPECT_EQ(std::ranges::count(code(two), '\n'), std::ranges::count(code(one), '\n')) << each;
    holdOnSimulator(two, request, {build::Compiler::Clang});
  }
}

TEST(Qssa, errorsOfMixedPrecisionAreThoseOfItsOwnFunctions) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  PackageRequest request =
      requestOf(hydrogen, {"both", {"HO2", "O"}, {"OH", "H"}, 1e-8}, {Variant::Plain, Variant::Cpu});
  request.options.precision = Precision::Mixed;
  Diagnostics diagnostics;
  const std::vector<SourceFile> files = makePackage(hydrogen, request, diagnostics);
  for (const Diagnostic &each : diagnostics.all())
    EXPECT_THAT(each.text, Not(HasSubstr("it will report FAIL")));
  const std::string &page = std::ranges::find(files, "README.md", &SourceFile::name)->text;
  const size_t row = page.find("| chemistry | ", page.find("largest, estimated"));
  ASSERT_NE(row, std::string::npos);
  const double largest = std::stod(page.substr(row + 14));
  EXPECT_GT(largest, 1e-10);
  EXPECT_LT(largest, 1e-7);
}

TEST(Qssa, isRightOnTheHostWithPointsLeftOver) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  TemporaryFolder folder;
  const std::vector<std::string> sources = writeAll(
      folder.path(),
      make(hydrogen, requestOf(hydrogen, {"both", {"HO2", "O"}, {"OH", "H", "H2"}, 1e-8}, {Variant::Cpu})));
  for (const std::string &compiler : hostCompilers()) {
    ASSERT_TRUE(compileForHost(compiler, folder.path(), sources));
    for (const char *points : {"7", "101"})
      EXPECT_THAT(runCompiled(folder.path(), {points}), HasSubstr(" pass,"));
  }
}

TEST(Qssa, comesOutTheSameEveryTime) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  const PackageRequest request =
      requestOf(hydrogen, {"both", {"HO2", "O"}, {"OH", "H"}, 1e-8}, {Variant::Plain, Variant::Cpu});
  const std::vector<SourceFile> once = make(hydrogen, request), again = make(hydrogen, request);
  ASSERT_EQ(once.size(), again.size());
  for (size_t i = 0; i < once.size(); ++i)
    EXPECT_EQ(once[i].text, again[i].text) << once[i].name;
}

TEST(Qssa, functionsSayInNameAndArgumentsWhatTheyTake) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  const auto headerOf = [&](const Case &given) {
    for (const SourceFile &file : make(hydrogen, requestOf(hydrogen, given, {Variant::Cpu})))
      if (file.name == "hydrogen.h")
        return file.text;
    return std::string();
  };
  const std::string both = headerOf({"both", {"HO2"}, {"OH", "H"}, 1e-8});
  EXPECT_THAT(both, HasSubstr("int hydrogen_qssa_stiff_chemistry_cpu("));
  EXPECT_THAT(both, HasSubstr("const double *diffusion, double timeStep, double *result"));
  EXPECT_THAT(both, HasSubstr("#define HYDROGEN_STIFF 2"));
  const std::string quasiSteady = headerOf({"quasiSteady", {"HO2"}, {}, 0});
  EXPECT_THAT(quasiSteady, HasSubstr("int hydrogen_qssa_chemistry_cpu("));
  EXPECT_THAT(quasiSteady, Not(HasSubstr("timeStep")));
  EXPECT_THAT(both, HasSubstr("hydrogen_qssa_stiff_chemistry_* does not read their mole fractions"));
  EXPECT_THAT(both, HasSubstr("hydrogen_qssa_stiff_chemistry_* takes their rates of change by diffusion"));
  EXPECT_THAT(both, HasSubstr("because rates that consume stiff species are multiplied by C'/C (see below)"));
  EXPECT_THAT(quasiSteady, HasSubstr("hydrogen_qssa_chemistry_* does not read their mole fractions"));
  EXPECT_THAT(quasiSteady, HasSubstr("Their net rates are zero. Where no reaction consumes one of them"));
  // What a solver has to do differs: negative mole fractions in both, atoms that it loses with stiff species.
  const std::string negative = "Set negative mole fractions to zero",
                    loses = "A solver that does not transport the quasi-steady ones loses";
  EXPECT_THAT(both, AllOf(HasSubstr(negative), HasSubstr(loses)));
  EXPECT_THAT(quasiSteady, AllOf(HasSubstr(negative), Not(HasSubstr(loses))));
  EXPECT_THAT(headerOf({"stiff", {}, {"OH", "H"}, 1e-8}), Not(HasSubstr(negative)));
}

TEST(Qssa, functionsRefuseArgumentsThatCannotBe) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  std::vector<SourceFile> files =
      make(hydrogen, requestOf(hydrogen, {"both", {"HO2"}, {"OH", "H"}, 1e-8}, {Variant::Cpu}));
  std::erase_if(files, [](const SourceFile &file) { return file.name.starts_with("selftest"); });
  files.push_back({"main.cpp", R"(#include "hydrogen.h"
#include <cstdio>
int main() {
  double f[100];
  int wrong = hydrogen_qssa_stiff_chemistry_cpu(0, 0, 0, 0, 0, 0, 1e-8, 0, 1) != 0;
  wrong += hydrogen_qssa_stiff_chemistry_cpu(0, 0, 0, 0, 0, 0, 0, 0, -1) != 0;
  wrong += hydrogen_qssa_stiff_chemistry_cpu(1, 1, f, f, f, 0, 1e-8, f, 1) != HEDDLE_BAD_ARGUMENT;
  wrong += hydrogen_qssa_stiff_chemistry_cpu(1, 1, f, f, f, f, 0, f, 1) != HEDDLE_BAD_ARGUMENT;
  std::printf("%d wrong\n", wrong);
}
)"});
  TemporaryFolder folder;
  const std::vector<std::string> sources = writeAll(folder.path(), files);
  EXPECT_EQ(runOnHost(hostCompilers().front(), folder.path(), sources), "0 wrong\n");
}

TEST(Qssa, aColliderThatIsQuasiSteadyIsAnError) {
  chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  const unsigned argon = 0;
  hydrogen.reactions.front().collider = chem::Collider{argon, 1, {}};
  Diagnostics diagnostics;
  PackageRequest request = requestOf(hydrogen, {"", {}, {}, 0}, {Variant::Cpu});
  request.treatment.quasiSteady = {argon};
  EXPECT_TRUE(makePackage(hydrogen, request, diagnostics).empty());
  EXPECT_TRUE(diagnostics.has(Severity::Error));
}

/// The published sizes: 9 quasi-steady species that variant a cycle of five, and explicit reverse rates.
class QssaReal : public testing::TestWithParam<const char *> {};

TEST_P(QssaReal, isRightOnTheSimulator) {
  SKIP_WITHOUT_SHARED();
  const fs::path shared = chem::test::sharedMechanisms();
  const chem::Mechanism mechanism = read(shared / GetParam());
  Diagnostics diagnostics;
  const auto list = chem::readSource(shared / GetParam() / "qss_candidates.txt", diagnostics);
  ASSERT_TRUE(list);
  PackageRequest request = requestOf(mechanism, {"", {}, {}, 1e-8}, {Variant::Plain});
  request.treatment.quasiSteady = chem::readSpeciesList(*list, mechanism, diagnostics);
  for (unsigned k = 0; k < mechanism.species.size(); k += 2)
    request.treatment.stiffness.species.push_back(k);
  holdOnSimulator(mechanism, request, {deviceCompilers().back()});
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, QssaReal, testing::Values("LuDME", "heptane_lu68"));

} // namespace
} // namespace heddle::kernels::test
