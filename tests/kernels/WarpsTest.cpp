// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warp-specialized kernels: how one looks, and what they compute on the simulator.
#include "Generated.h"
#include "build/DevicePtx.h"
#include "check/Static.h"
#include "chem/ChemistryProgram.h"
#include "chem/MechanismFiles.h"
#include "chem/Shared.h"
#include "flow/Evaluate.h"
#include "kernels/MathHeader.h"
#include "kernels/Package.h"
#include "kernels/SelfTest.h"
#include "kernels/WarpsKernel.h"
#include "partition/LevelPlan.h"
#include "partition/Partition.h"
#include "ptx/Parser.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

namespace heddle::kernels::test {
namespace {

namespace fs = std::filesystem;
using partition::ConstantPlace;
using testing::HasSubstr;

chem::Mechanism hydrogen() {
  Diagnostics diagnostics;
  return chem::readMechanism({{chem::test::hydrogenExample()}, {}, false}, diagnostics).value();
}

/// No deadlock, no race, barriers recycled safely, for three tiles of which the last is not full.
void expectHolds(const fs::path &file, unsigned warps, const std::string &text) {
  build::Request request;
  request.sources.files = {file};
  request.arch = "sm_90";
  request.compiler = build::Compiler::Clang;
  Diagnostics diagnostics;
  const build::DevicePtx ptx = build::compileToPtx(request, diagnostics);
  ASSERT_TRUE(ptx.ok) << ptx.messages;
  EXPECT_EQ(ptx.messages, "") << "a warning";
  const ptx::Module module = ptx::parse(ptx.text, file.filename().string(), diagnostics);
  check::StaticOptions options;
  options.block = {32 * warps, 1, 1};
  options.grid = vm::Dim3{1, 1, 1};
  options.parameters = {{"0", "80"}};
  options.constantsAreKnown = true;
  if (const size_t at = text.find("sharedBytes = "); at != std::string::npos)
    options.dynamicSharedBytes = uint32_t(std::stoul(text.substr(at + 14)));
  const check::StaticResult result = checkStatic(module, check::kernelsOf(module).front(), options);
  for (const check::PropertyVerdict &each : result.properties)
    if (each.property != check::Property::GlobalRacesInBlock &&
        each.property != check::Property::GlobalRacesBetweenBlocks)
      EXPECT_EQ(nameOf(each.decision), nameOf(check::Decision::Proved))
          << file.filename() << ": " << nameOf(each.property) << ": "
          << (!result.findings.empty() ? result.findings.front().text : each.why);
}

/// A folder with all kernels warp-specialized in a layout.
struct Written {
  TemporaryFolder folder;
  std::vector<std::string> sources, kernels;

  Written(const chem::Mechanism &mechanism, const std::vector<Kernel> &kernels, const WarpsLayout &layout,
          Units units = Units::Si) {
    PackageRequest request;
    request.kernels = kernels;
    request.variants = {Variant::Warps};
    request.options.prefix = prefixOf(mechanism.name);
    request.options.units = units;
    request.warps = layout;
    Diagnostics diagnostics;
    for (const SourceFile &file : makePackage(mechanism, request, diagnostics)) {
      write(folder.path(), file);
      if (!file.name.ends_with(".cu"))
        continue;
      sources.push_back(file.name);
      if (file.name.ends_with("_warps.cu"))
        this->kernels.push_back(file.name);
    }
    EXPECT_FALSE(diagnostics.has(Severity::Error) || diagnostics.has(Severity::Refusal));
    EXPECT_EQ(this->kernels.size(), kernels.size());
  }

  std::string text(const std::string &name) const {
    std::stringstream text;
    text << std::ifstream(folder.path() / name).rdbuf();
    return text.str();
  }
};

/// Every kernel says that it is right, and none that it is wrong.
void expectRight(const std::string &printed, size_t kernels) {
  size_t right = 0;
  for (size_t at = printed.find(" pass,"); at != std::string::npos; at = printed.find(" pass,", at + 1))
    ++right;
  EXPECT_EQ(right, kernels) << printed;
}

const std::vector<Kernel> allKernels = {Kernel::Viscosity, Kernel::Conductivity, Kernel::Diffusion,
                                        Kernel::Chemistry};

struct NamedLayout {
  const char *name;
  WarpsLayout layout;
};

WarpsLayout layoutOf(unsigned warps, partition::Placement placement, ConstantPlace constants,
                     partition::SumExchange sums, bool replicate) {
  WarpsLayout layout;
  layout.warps = warps;
  layout.ctas = 1;
  layout.placement = placement;
  layout.constants = constants;
  layout.sums = sums;
  layout.replicate = replicate;
  return layout;
}

const NamedLayout layouts[] = {
    {"oneWarp",
     layoutOf(1, partition::Placement::Store, ConstantPlace::Shared, partition::SumExchange::Choose, true)},
    {"buffersAndShuffles", layoutOf(3, partition::Placement::Buffer, ConstantPlace::Shuffle,
                                    partition::SumExchange::Partials, true)},
    {"mixedAndCompiler", layoutOf(8, partition::Placement::Mixed, ConstantPlace::Compiler,
                                  partition::SumExchange::Values, false)},
    {"manyWarps", layoutOf(16, partition::Placement::Store, ConstantPlace::Shared,
                           partition::SumExchange::Partials, false)},
};

class WarpsLayouts : public testing::TestWithParam<NamedLayout> {};

TEST_P(WarpsLayouts, everyKernelOfHydrogenIsRightAndItsSynchronizationHolds) {
  const Written written(hydrogen(), allKernels, GetParam().layout);
  expectRight(runOnSimulator(build::Compiler::Clang, written.folder.path(), written.sources, {"70"}), 4);
  for (const std::string &kernel : written.kernels)
    expectHolds(written.folder.path() / kernel, GetParam().layout.warps, written.text(kernel));
}

INSTANTIATE_TEST_SUITE_P(Layouts, WarpsLayouts, testing::ValuesIn(layouts),
                         [](const auto &info) { return info.param.name; });

class RealWarps : public testing::TestWithParam<Kernel> {};

TEST_P(RealWarps, aMechanismOfThePaperIsRightAndItsSynchronizationHolds) {
  SKIP_WITHOUT_SHARED();
  const fs::path shared = chem::test::sharedMechanisms();
  Diagnostics diagnostics;
  const chem::Mechanism dme = chem::readMechanism({{shared / "LuDME"}, {}, false}, diagnostics).value();
  const Written written(dme, {GetParam()}, {}, Units::Cgs);
  expectRight(runOnSimulator(build::Compiler::Clang, written.folder.path(), written.sources, {"40"}), 1);
  const WarpsLayout layout = chosenLayout({}, GetParam(), dme.species.size());
  const std::string &kernel = written.kernels.front();
  expectHolds(written.folder.path() / kernel, layout.warps, written.text(kernel));
}

INSTANTIATE_TEST_SUITE_P(Kernels, RealWarps, testing::ValuesIn(allKernels),
                         [](const auto &info) { return std::string(nameOf(info.param)); });

TEST(Warps, layoutsThatAreNotGivenAreChosen) {
  const WarpsLayout chosen = chosenLayout({}, Kernel::Diffusion, 30);
  EXPECT_EQ(chosen.warps, 6u) << "five species each";
  EXPECT_GT(chosen.ctas, 0u);
  EXPECT_TRUE(chosen.placement && chosen.sums && chosen.replicate);
  WarpsLayout asked;
  asked.warps = 5;
  asked.placement = partition::Placement::Buffer;
  EXPECT_EQ(chosenLayout(asked, Kernel::Diffusion, 53).warps, 5u);
  EXPECT_EQ(chosenLayout(asked, Kernel::Diffusion, 53).placement, partition::Placement::Buffer);
}

TEST(Warps, sharedMemoryStaysWithinTheBudgetOfABlock) {
  SKIP_WITHOUT_SHARED();
  const fs::path shared = chem::test::sharedMechanisms();
  Diagnostics diagnostics;
  const chem::Mechanism dme = chem::readMechanism({{shared / "LuDME"}, {}, false}, diagnostics).value();
  WarpsLayout layout;
  layout.ctas = 4; // more rows are wanted than there are
  const Written written(dme, {Kernel::Chemistry}, layout);
  const std::string text = written.text(written.kernels.front());
  const size_t at = text.find("sharedBytes = ");
  ASSERT_NE(at, std::string::npos);
  // A block has a kilobyte that is the system's.
  EXPECT_LE(std::stoul(text.substr(at + 14)), 228u * 1024 / 4 - 1024);
}

TEST(Warps, reactionsOfOneStructureShareTheirCode) {
  const chem::Mechanism mechanism = hydrogen();
  const flow::Program program = chem::chemistryProgram(mechanism, {}, true);
  partition::PartitionOptions options;
  options.warps = 4;
  options.sums = partition::SumExchange::Values;
  Diagnostics diagnostics;
  const partition::Partitioned partitioned = partition::partitionWarps(program, options, diagnostics).value();
  const WarpsFigures figures = warpsFile({program, partitioned, "rates", "", 1, {}, {}}).figures;
  EXPECT_LT(figures.instructions, figures.instructionsOfAllWarps * 6 / 10)
      << "in the text, and what all warps do";
  EXPECT_LT(figures.longestWarp, figures.instructionsOfAllWarps / 2) << "work is distributed";
}

/// Calls `rates` at the states of the self-test, spread over more than one tile, and prints all results.
std::string mainFor(const std::vector<chem::GivenState> &states, size_t points) {
  const size_t species = states.front().moleFractions.size();
  std::string t, p, x;
  for (size_t i = 0; i < points; ++i) {
    t += fmt::format("{:.17g},", states[i % states.size()].temperature);
    p += fmt::format("{:.17g},", states[i % states.size()].pressure);
  }
  for (size_t k = 0; k < species; ++k)
    for (size_t i = 0; i < points; ++i)
      x += fmt::format("{:.17g},", states[i % states.size()].moleFractions[k]);
  return fmt::format(R"(
#include <cstdio>
static const double t[] = {{{}}}, p[] = {{{}}}, x[] = {{{}}};
template <size_t n> double *copied(const double (&from)[n]) {{
  double *to;
  cudaMalloc(&to, sizeof from);
  cudaMemcpy(to, from, sizeof from, cudaMemcpyHostToDevice);
  return to;
}}
int main() {{
  constexpr int points = {}, results = {};
  static double r[points * results];
  double *d;
  cudaMalloc(&d, sizeof r);
  const int error = rates(points, points, copied(t), copied(p), copied(x), d, 0);
  if (error || cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  cudaMemcpy(r, d, sizeof r, cudaMemcpyDeviceToHost);
  for (double each : r)
    printf("%.17g\n", each);
}}
)",
                     t, p, x, points, species);
}

TEST(Warps, aPlanMadeByHandComputesTheProgramOnTheSimulator) {
  const chem::Mechanism mechanism = hydrogen();
  const flow::Program program = chem::chemistryProgram(mechanism, {});
  const partition::Partitioned partitioned = partition::test::planByLevels(program, 4);
  const std::vector<chem::GivenState> states = selfTestStates(mechanism, 12);
  const size_t points = 40; // a tile and a part of one
  for (ConstantPlace place : {ConstantPlace::Shared, ConstantPlace::Shuffle, ConstantPlace::Compiler}) {
    TemporaryFolder folder;
    write(folder.path(), mathHeader());
    write(folder.path(), warpsHeader());
    const WarpsFile file = warpsFile({program, partitioned, "rates", "// rates\n", 1, place, {}});
    write(folder.path(), {"rates.cu", file.text + mainFor(states, points)});
    std::istringstream printed(runOnSimulator(build::Compiler::Clang, folder.path(), {"rates.cu"}));
    for (size_t k = 0; k < program.resultCount(); ++k)
      for (size_t i = 0; i < points; ++i) {
        const chem::GivenState &state = states[i % states.size()];
        const double expected =
            flow::evaluate(program, {{state.temperature}, {state.pressure}, state.moleFractions})[k];
        double got = NAN;
        printed >> got;
        ASSERT_NEAR(got, expected, 1e-9 * (std::abs(expected) + 1e-3)) << "species " << k << ", point " << i;
      }
  }
}

} // namespace
} // namespace heddle::kernels::test
