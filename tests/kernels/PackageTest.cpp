// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole folders of kernels, built and checked by their own self-tests: natively, and on the simulator.
#include "kernels/Package.h"

#include "Generated.h"
#include "chem/MechanismFiles.h"
#include "chem/Shared.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace heddle::kernels::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const std::vector<Kernel> allKernels = {Kernel::Viscosity, Kernel::Conductivity, Kernel::Diffusion,
                                        Kernel::Chemistry};

chem::Mechanism read(const fs::path &folder) {
  Diagnostics diagnostics;
  std::optional<chem::Mechanism> mechanism = chem::readMechanism({{folder}, {}, false}, diagnostics);
  EXPECT_TRUE(mechanism) << folder;
  return mechanism.value_or(chem::Mechanism());
}

PackageRequest request(const chem::Mechanism &mechanism, std::vector<Kernel> kernels,
                       std::vector<Variant> variants) {
  PackageRequest request;
  request.kernels = std::move(kernels);
  request.variants = std::move(variants);
  request.options.prefix = prefixOf(mechanism.name);
  request.command = "heddle chem";
  return request;
}

/// The files in a folder of their own, and the names of those that are compiled.
struct Written {
  TemporaryFolder folder;
  std::vector<std::string> sources;

  explicit Written(const std::vector<SourceFile> &files) {
    for (const SourceFile &file : files) {
      write(folder.path(), file);
      if (file.name.ends_with(".cu") || file.name.ends_with(".cpp"))
        sources.push_back(file.name);
    }
  }
};

std::vector<SourceFile> make(const chem::Mechanism &mechanism, const PackageRequest &request) {
  Diagnostics diagnostics;
  std::vector<SourceFile> files = makePackage(mechanism, request, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  return files;
}

/// Compiling takes the time: what compilers may see differently is compiled by all of them, variations of it by one.
void holdOnHost(const chem::Mechanism &mechanism, const PackageRequest &request,
                const std::vector<std::string> &compilers = hostCompilers(), Sources how = Sources::Joined) {
  const Written written(make(mechanism, request));
  // Less than a vector of points, and many with some left over.
  const char *points[] = {"7", "101"};
  size_t turn = 0;
  for (const std::string &compiler : compilers)
    EXPECT_THAT(runOnHost(compiler, written.folder.path(), written.sources, {points[turn++ % 2]}, how),
                HasSubstr(" pass,"));
}

void holdOnSimulator(const chem::Mechanism &mechanism, const PackageRequest &request,
                     const std::vector<build::Compiler> &compilers = deviceCompilers()) {
  const Written written(make(mechanism, request));
  for (build::Compiler compiler : compilers)
    EXPECT_THAT(runOnSimulator(compiler, written.folder.path(), written.sources, {"70"}),
                HasSubstr(" pass,"));
}

/// Each file by itself, as users compile them: it includes what it needs. Other packages are compiled as one file.
TEST(Package, hydrogenIsRightOnTheHost) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  holdOnHost(hydrogen, request(hydrogen, allKernels, {Variant::Cpu}), hostCompilers(), Sources::Apart);
}

TEST(Package, hydrogenIsRightOnTheSimulator) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  holdOnSimulator(hydrogen, request(hydrogen, allKernels, {Variant::Plain, Variant::Warps, Variant::Matrix}));
}

TEST(Package, centimetresAndGramsAreRightToo) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  PackageRequest cgs = request(hydrogen, allKernels, {Variant::Cpu});
  cgs.options.units = Units::Cgs;
  cgs.fits = chem::FitForm::Chemkin;
  holdOnHost(hydrogen, cgs, {hostCompilers().front()});
}

PackageRequest inMixed(const chem::Mechanism &mechanism, std::vector<Variant> variants) {
  PackageRequest mixed = request(mechanism, allKernels, std::move(variants));
  mixed.options.precision = Precision::Mixed;
  return mixed;
}

TEST(Package, mixedPrecisionKeepsToItsBoundsOnTheHost) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  holdOnHost(hydrogen, inMixed(hydrogen, {Variant::Cpu}));
}

TEST(Package, mixedPrecisionKeepsToItsBoundsOnTheSimulator) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  holdOnSimulator(hydrogen, inMixed(hydrogen, {Variant::Plain, Variant::Matrix}));
}

PackageRequest inFloat(const chem::Mechanism &mechanism, std::vector<Variant> variants) {
  PackageRequest single = request(mechanism, allKernels, std::move(variants));
  single.options.precision = Precision::Float;
  return single;
}

TEST(Package, singlePrecisionKeepsToItsBoundsOnTheHost) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  holdOnHost(hydrogen, inFloat(hydrogen, {Variant::Cpu}), {hostCompilers().back()});
}

TEST(Package, singlePrecisionKeepsToItsBoundsOnTheSimulator) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  holdOnSimulator(hydrogen, inFloat(hydrogen, {Variant::Plain, Variant::Matrix}), {build::Compiler::Clang});
}

TEST(Package, singlePrecisionHasNoTensorCoreVariant) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  Diagnostics none;
  EXPECT_TRUE(makePackage(hydrogen, inFloat(hydrogen, {Variant::Matrix}), none).empty());
  ASSERT_FALSE(none.empty());
  EXPECT_THAT(none.all().front().text, HasSubstr("none of these kernels exists"));
}

/// The numbers after a kernel's name in the page's table: largest difference, and what 99 of 100 lie below.
std::pair<double, double> reported(const std::vector<SourceFile> &files, const std::string &kernel) {
  const auto page = std::ranges::find(files, "README.md", &SourceFile::name);
  const size_t table = page->text.find("| kernel | largest, estimated |"),
               at = page->text.find("| " + kernel + " | ", table);
  std::pair<double, double> numbers = {-1, -1};
  if (table != std::string::npos && at != std::string::npos)
    std::sscanf(page->text.c_str() + at + kernel.size() + 4, " %lf | %lf", &numbers.first, &numbers.second);
  return numbers;
}

TEST(Package, pageSaysWhatLessPrecisionCosts) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  const std::vector<SourceFile> files = make(hydrogen, inMixed(hydrogen, {Variant::Cpu}));
  for (const char *kernel : {"viscosity", "conductivity", "diffusion", "chemistry"}) {
    const auto [largest, ninetyNinth] = reported(files, kernel);
    EXPECT_GT(largest, 1e-10) << kernel;
    EXPECT_LT(largest, 1e-7) << kernel;
    EXPECT_LE(ninetyNinth, largest) << kernel;
  }
  const std::vector<SourceFile> single = make(hydrogen, inFloat(hydrogen, {Variant::Cpu}));
  EXPECT_GT(reported(single, "chemistry").first, 1e-7);
  EXPECT_LT(reported(single, "chemistry").first, 1e-4);
  const std::vector<SourceFile> exact = make(hydrogen, request(hydrogen, allKernels, {Variant::Cpu}));
  EXPECT_EQ(reported(exact, "chemistry").first, -1) << "doubles have nothing to report";
}

/// The last number of a kernel's row in the table of operations.
unsigned bytesOf(const std::vector<SourceFile> &files, const std::string &kernel) {
  const std::string &page = std::ranges::find(files, "README.md", &SourceFile::name)->text;
  const size_t row = page.find("| " + kernel + " |", page.find("| bytes |"));
  const std::string line = page.substr(row, page.find('\n', row) - row);
  return unsigned(std::stoul(line.substr(line.rfind('|', line.size() - 2) + 1)));
}

TEST(Package, pageCountsTheBytesOfThePrecision) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  const std::vector<SourceFile> exact = make(hydrogen, request(hydrogen, allKernels, {Variant::Cpu})),
                                single = make(hydrogen, inFloat(hydrogen, {Variant::Cpu}));
  // Temperature, mole fractions, and a pressure and a result for each species where there are.
  EXPECT_EQ(bytesOf(exact, "viscosity"), 8u * (1 + 10 + 1));
  EXPECT_EQ(bytesOf(exact, "diffusion"), 8u * (2 + 10 + 10));
  for (const char *kernel : {"viscosity", "conductivity", "diffusion", "chemistry"})
    EXPECT_EQ(2 * bytesOf(single, kernel), bytesOf(exact, kernel)) << kernel;
}

/// A file of a package.
std::string textOf(const std::vector<SourceFile> &files, std::string_view name) {
  const auto found = std::ranges::find(files, name, &SourceFile::name);
  return found == files.end() ? "" : found->text;
}

TEST(Package, warnsOfASelfTestThatWillFail) {
  chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  // Rates beyond the range of a float.
  std::get<chem::Arrhenius>(hydrogen.reactions.front().rate).a *= 1e30;
  Diagnostics diagnostics;
  const auto files = makePackage(hydrogen, inFloat(hydrogen, {Variant::Cpu}), diagnostics);
  EXPECT_THAT(
      textOf(files, "README.md"),
      HasSubstr("|\n\nThe self-test reports FAIL for chemistry: the largest error is above the "
                "tolerance. Its states begin at 500 K, where rates can exceed the range of a float.\n"));
  ASSERT_TRUE(diagnostics.has(Severity::Warning));
  EXPECT_THAT(diagnostics.all().front().text,
              HasSubstr("with --precision float, the largest error of chemistry is "));
  EXPECT_THAT(diagnostics.all().front().text, HasSubstr("it will report FAIL"));
}

TEST(Package, statesWhereSinglePrecisionIsValid) {
  chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  const std::string header = prefixOf(hydrogen.name) + ".h",
                    all = "valid from 150 to 3000 K at pressures up to 100 atm";
  const std::vector<SourceFile> single = make(hydrogen, inFloat(hydrogen, {Variant::Cpu})),
                                exact = make(hydrogen, request(hydrogen, allKernels, {Variant::Cpu}));
  for (const std::string &name : {header, std::string("README.md")}) {
    EXPECT_THAT(textOf(single, name), HasSubstr(all)) << name;
    EXPECT_THAT(textOf(single, name), HasSubstr("replaced by 1.7e38")) << name;
    EXPECT_THAT(textOf(exact, name), HasSubstr("valid from 150 K on")) << name;
    EXPECT_THAT(textOf(exact, name), Not(HasSubstr("1.7e38"))) << name;
  }
  // k = 2^(127 * 200/T), times (P/RT)^2, which is 2^5 there.
  hydrogen.reactions.front().rate = chem::Arrhenius{1, 0, -127 * 0.6931471805599453 * 200};
  hydrogen.reactions.front().reverse = chem::Reverse::None;
  Diagnostics diagnostics;
  const std::vector<SourceFile> large = makePackage(hydrogen, inFloat(hydrogen, {Variant::Cpu}), diagnostics);
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_THAT(diagnostics.all().back().text,
              HasSubstr("with --precision float, rates of '" + hydrogen.reactions.front().equation +
                        "' can exceed the range of a float at temperatures below 210 K"));
  EXPECT_THAT(textOf(large, header), Not(HasSubstr(all)));
  Diagnostics none;
  makePackage(hydrogen, request(hydrogen, {Kernel::Chemistry}, {Variant::Cpu}), none);
  EXPECT_TRUE(none.empty()) << "doubles hold it";
}

TEST(Package, setsArchitecturesBeforeTheLanguageWhereMatrixNeedsThem) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  const auto file = [&](const char *name, const std::vector<Variant> &variants) {
    return textOf(make(hydrogen, request(hydrogen, allKernels, variants)), name);
  };
  const std::string matrix = file("CMakeLists.txt", {Variant::Plain, Variant::Matrix});
  EXPECT_LT(matrix.find("set(CMAKE_CUDA_ARCHITECTURES 80 90)"), matrix.find("\nproject(hydrogen"));
  EXPECT_THAT(matrix, HasSubstr("CMAKE_CUDA_ARCHITECTURES is ${CMAKE_CUDA_ARCHITECTURES}, but"));
  EXPECT_THAT(file("CMakeLists.txt", {Variant::Plain}), Not(HasSubstr("ARCHITECTURES")));
  EXPECT_THAT(file("README.md", {Variant::Plain}), HasSubstr("-B build -DCMAKE_CUDA_ARCHITECTURES=90 &&"));
  EXPECT_THAT(file("README.md", {Variant::Cpu}), HasSubstr("cmake -S . -B build && cmake --build"));
  EXPECT_THAT(file("README.md", {Variant::Cpu}), Not(HasSubstr("GPU")));
}

TEST(Package, refusesFlagsThatWouldMakeItsResultsWrong) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  PackageRequest wanted = request(hydrogen, {Kernel::Chemistry}, {Variant::Cpu});
  for (Precision precision : {Precision::Double, Precision::Mixed, Precision::Float}) {
    wanted.options.precision = precision;
    const Written written(make(hydrogen, wanted));
    const std::string source = (written.folder.path() / "hydrogen_chemistry_cpu.cpp").string();
    for (const std::string &compiler : hostCompilers()) {
      const ProcessResult refused =
          runProcess({compiler, "-std=c++17", "-O2", "-ffast-math", "-fsyntax-only", source});
      EXPECT_FALSE(refused.succeeded()) << compiler;
      EXPECT_THAT(refused.standardError, HasSubstr("Results would be wrong: compile functions for the host "
                                                   "(*_cpu.cpp) without -ffast-math"));
    }
  }
}

/// A solver's flags reach a library that it includes.
TEST(Package, isRightInAProjectWithFastMathAndFlagsForTheProcessor) {
  ASSERT_TRUE(findProgram("cmake")) << "which this project is built with";
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  const Written written(
      make(hydrogen, request(hydrogen, {Kernel::Viscosity, Kernel::Chemistry}, {Variant::Cpu})));
  const std::string build = (written.folder.path() / "build").string();
  const auto run = [](const std::vector<std::string> &command) {
    const ProcessResult result = runProcess(command, {}, 300);
    EXPECT_TRUE(result.succeeded()) << result.standardOutput << result.standardError;
    return result.standardOutput;
  };
  run({"cmake", "-S", written.folder.path().string(), "-B", build, "-DCMAKE_CXX_FLAGS=-ffast-math",
       "-DHEDDLE_HOST_ARCH=-DFIRST=1 -DSECOND=2"});
  const std::string commands = run({"cmake", "--build", build, "--verbose"});
  EXPECT_THAT(commands, HasSubstr(" -ffast-math "));
  EXPECT_THAT(commands, HasSubstr(" -DFIRST=1 -DSECOND=2 "));
  EXPECT_THAT(commands, Not(HasSubstr("-march=native")));
  EXPECT_THAT(run({build + "/hydrogen_selftest", "100"}),
              HasSubstr("hydrogen_chemistry_cpu           pass,"));
}

/// CMake's own errors, "No known features for CXX compiler" and undefined symbols, do not name the reason.
TEST(Package, asksAProjectWithoutCxxToEnableIt) {
  ASSERT_TRUE(findProgram("cmake")) << "which this project is built with";
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  const Written written(make(hydrogen, request(hydrogen, {Kernel::Chemistry}, {Variant::Cpu})));
  const auto configure = [&](const std::string &languages) {
    const TemporaryFolder solver;
    const std::string text =
        fmt::format("cmake_minimum_required(VERSION 3.20)\nproject(solver LANGUAGES {})\n"
                    "add_subdirectory({} hydrogen)\n",
                    languages, written.folder.path().string());
    write(solver.path(), {"CMakeLists.txt", text});
    return runProcess({"cmake", "-S", solver.path().string(), "-B", (solver.path() / "build").string()}, {},
                      300)
        .standardError;
  };
  EXPECT_THAT(configure("C"), HasSubstr("does not enable C++"));
  EXPECT_THAT(configure("C CXX"), Not(HasSubstr("does not enable C++")));
}

TEST(Package, statesHowToCompileWithoutCMake) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  const auto page = [&](const std::vector<Variant> &variants) {
    return textOf(make(hydrogen, request(hydrogen, allKernels, variants)), "README.md");
  };
  const std::string host = page({Variant::Cpu}), device = page({Variant::Plain}),
                    both = page({Variant::Plain, Variant::Cpu});
  EXPECT_THAT(
      host,
      HasSubstr("\n    c++ -O3 -std=c++17 -march=native -Wno-psabi -c hydrogen_*_cpu.cpp\n\nand link the "
                "objects with `-lstdc++ -lm -pthread`."));
  EXPECT_THAT(device,
              HasSubstr("\n    nvcc -O3 -std=c++17 -arch=sm_90 -c hydrogen_*.cu\n\nand link the objects with "
                        "`-lcudart -lstdc++ -lm -pthread`. `sm_90` is the GPU"));
  EXPECT_THAT(both, HasSubstr("hydrogen_*.cu\n    c++"));
  EXPECT_THAT(both, HasSubstr("LANGUAGES Fortran CXX CUDA)`. Set `CMAKE_CUDA_ARCHITECTURES`"));
}

TEST(Package, statesTheFlagsOfFunctionsForTheHost) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  const std::vector<SourceFile> host = make(hydrogen, request(hydrogen, allKernels, {Variant::Cpu})),
                                device = make(hydrogen, request(hydrogen, allKernels, {Variant::Plain}));
  EXPECT_THAT(textOf(host, "CMakeLists.txt"), HasSubstr("set(HEDDLE_HOST_ARCH -march=native CACHE STRING"));
  EXPECT_THAT(textOf(host, "README.md"), HasSubstr("`-DHEDDLE_HOST_ARCH="));
  for (const char *name : {"README.md", "hydrogen.h"}) {
    EXPECT_THAT(textOf(host, name), HasSubstr("-ffast-math")) << name;
    EXPECT_THAT(textOf(device, name), Not(HasSubstr("-ffast-math"))) << name;
  }
  EXPECT_THAT(textOf(device, "README.md"), HasSubstr("`heddle run selftest.cu hydrogen_*.c* -- 100`"));
  EXPECT_THAT(textOf(device, "CMakeLists.txt"), Not(HasSubstr("HEDDLE_HOST_ARCH")));
}

TEST(Package, recognizesItsOwnFiles) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  const std::vector<Variant> variants = {Variant::Plain, Variant::Warps, Variant::Matrix, Variant::Cpu};
  PackageRequest reduced =
      request(hydrogen, {Kernel::Chemistry}, {Variant::Plain, Variant::Warps, Variant::Cpu});
  reduced.treatment.quasiSteady = {*hydrogen.find("HO2")};
  for (const PackageRequest &each :
       {request(hydrogen, allKernels, variants), inFloat(hydrogen, variants), reduced}) {
    Diagnostics diagnostics;
    for (const SourceFile &file : makePackage(hydrogen, each, diagnostics))
      EXPECT_TRUE(wasGenerated(file.name, file.text)) << file.name;
  }
  chem::Mechanism single = hydrogen;
  single.reactions.resize(1);
  const std::string page =
      textOf(make(single, request(single, {Kernel::Chemistry}, {Variant::Cpu})), "README.md");
  EXPECT_THAT(page, HasSubstr("\n10 species, 1 reaction. Generated by Heddle with\n"));
  EXPECT_TRUE(wasGenerated("README.md", page));
  EXPECT_FALSE(
      wasGenerated("README.md", "# My solver\n\nThe folder chemistry is generated by Heddle with\n"));
  EXPECT_FALSE(
      wasGenerated("CMakeLists.txt", "# Generated by Heddle: the folder chemistry\nproject(mine)\n"));
  EXPECT_FALSE(wasGenerated("hydrogen.h", "#pragma once\n"));
}

TEST(Package, pageNamesTheOptionsOfTheReference) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  PackageRequest reduced = request(hydrogen, {Kernel::Chemistry}, {Variant::Cpu});
  const auto page = [&] {
    Diagnostics warnings; // directions with two quasi-steady species are removed
    return textOf(makePackage(hydrogen, reduced, warnings), "README.md");
  };
  reduced.treatment.quasiSteady = {*hydrogen.find("HO2")};
  EXPECT_THAT(page(), HasSubstr("--evaluate STATES.json --qssa FILE`:"));
  reduced.treatment.stiffness = {{*hydrogen.find("H")}, 1e-7};
  EXPECT_THAT(page(), HasSubstr("--evaluate STATES.json --qssa FILE --stiff FILE --dt 1e-07`:"));
}

TEST(Package, pageStatesTheLocalMemoryOfStages) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  PackageRequest reduced = request(hydrogen, {Kernel::Chemistry}, {Variant::Plain, Variant::Cpu});
  const auto page = [&] {
    Diagnostics warnings; // directions with two quasi-steady species are removed
    return textOf(makePackage(hydrogen, reduced, warnings), "README.md");
  };
  EXPECT_THAT(page(), Not(HasSubstr("local memory")));
  reduced.treatment = {{*hydrogen.find("HO2"), *hydrogen.find("O")},
                       {{*hydrogen.find("H"), *hydrogen.find("OH")}, 1e-7}};
  // 44 doubles for each of 8 points; ptxas reports a stack frame of as many bytes.
  EXPECT_THAT(page(),
              HasSubstr("\n`hydrogen_qssa_stiff_chemistry_plain` needs 2.8 KB of local memory per thread"));
  EXPECT_THAT(page(), HasSubstr("with N less than\n8 needs less"));
  reduced.layout.pointsPerStage = 1;
  EXPECT_THAT(page(), Not(HasSubstr("local memory")));
}

TEST(Package, pageStatesTheSharedMemoryThatNotEveryGpuHas) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  PackageRequest asked = request(hydrogen, {Kernel::Viscosity, Kernel::Diffusion, Kernel::Chemistry},
                                 {Variant::Plain, Variant::Matrix});
  const auto page = [&] { return textOf(make(hydrogen, asked), "README.md"); };
  EXPECT_THAT(page(), Not(HasSubstr("hared memory")));
  asked.layout.instructionsWithoutLoops = 100; // so that there are loops
  asked.layout.powersAtATime = 32;             // 32 powers of 256 threads are 64 KiB; the rest is tables
  const std::string text = page();
  EXPECT_THAT(text, HasSubstr("`hydrogen_chemistry_plain`: 6"));
  EXPECT_THAT(text, HasSubstr("`heddle chem --threads 128`"));
  EXPECT_THAT(text, Not(HasSubstr("_matrix`: ")));
  asked.layout.threadsForLoops = 64;
  EXPECT_THAT(page(), Not(HasSubstr("hared memory")));
}

TEST(Package, headerHasTheMolecularWeights) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  std::string weights;
  for (const chem::Species &species : hydrogen.species)
    weights += (weights.empty() ? "" : ", ") + fmt::format("{}", species.weight);
  EXPECT_THAT(textOf(make(hydrogen, request(hydrogen, {Kernel::Chemistry}, {Variant::Cpu})), "hydrogen.h"),
              HasSubstr("#define HYDROGEN_MOLECULAR_WEIGHTS { " + weights + " }\n"));
}

TEST(Package, pageStatesTheUnitsOfTheReferenceWhereTheyDiffer) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  PackageRequest wanted = request(hydrogen, {Kernel::Chemistry}, {Variant::Cpu});
  EXPECT_THAT(textOf(make(hydrogen, wanted), "README.md"), Not(HasSubstr("prints SI units")));
  wanted.options.units = Units::Cgs;
  EXPECT_THAT(textOf(make(hydrogen, wanted), "README.md"),
              HasSubstr("--evaluate STATES.json` (which prints SI units with kmol): `net"));
}

TEST(Package, warnsOfChemistryWithoutReactions) {
  chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  hydrogen.reactions.clear();
  Diagnostics diagnostics;
  makePackage(hydrogen, request(hydrogen, {Kernel::Chemistry}, {Variant::Cpu}), diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.all().front().text,
            "the mechanism has no reactions: all net production rates are zero");
}

TEST(Package, statesTheFluxOfItsDiffusionCoefficients) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  const std::vector<SourceFile> files =
      make(hydrogen, request(hydrogen, {Kernel::Diffusion}, {Variant::Cpu}));
  for (const std::string &name : {prefixOf(hydrogen.name) + ".h", std::string("README.md")})
    EXPECT_THAT(textOf(files, name), HasSubstr("j_k = -density (W_k/W) D_k grad X_k; CPU")) << name;
  const std::string correction = "The fluxes do not add up to zero", header = prefixOf(hydrogen.name) + ".h";
  EXPECT_THAT(textOf(files, header), HasSubstr(correction));
  EXPECT_THAT(textOf(make(hydrogen, request(hydrogen, {Kernel::Viscosity}, {Variant::Cpu})), header),
              Not(HasSubstr(correction)));
}

TEST(Package, pageNamesTheReferenceOfEachKernel) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  const auto page = [&](const PackageRequest &wanted) {
    const std::vector<SourceFile> files = make(hydrogen, wanted);
    return std::ranges::find(files, "README.md", &SourceFile::name)->text;
  };
  EXPECT_THAT(
      page(request(hydrogen, allKernels, {Variant::Cpu})),
      HasSubstr("`viscosity`, `thermal_conductivity`, `mix_diff_coeffs_reciprocal`, `net_production_rates`"));
  PackageRequest chemkin = request(hydrogen, {Kernel::Viscosity}, {Variant::Matrix});
  chemkin.fits = chem::FitForm::Chemkin;
  EXPECT_THAT(page(chemkin), HasSubstr("--evaluate STATES.json`: `viscosity_ck`. "));
  EXPECT_THAT(page(chemkin), HasSubstr("need compute capability 8.0"));
}

TEST(Package, aMechanismCutIntoPartsComputesTheSame) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  PackageRequest cut = request(hydrogen, {Kernel::Chemistry}, {Variant::Plain});
  cut.layout.instructionsInWhole = cut.layout.instructionsInPart = 500;
  cut.layout.threadsForParts = 64;
  cut.layout.loopsForLong = false;
  const std::vector<SourceFile> files = make(hydrogen, cut);
  EXPECT_THAT(files.front().text, HasSubstr("part3(")) << "there must be something to put together";
  holdOnSimulator(hydrogen, cut, {build::Compiler::Clang});
}

class RealMechanism : public testing::TestWithParam<const char *> {};

TEST_P(RealMechanism, chemistryIsRightOnTheSimulatorAndTheHost) {
  SKIP_WITHOUT_SHARED();
  const fs::path shared = chem::test::sharedMechanisms();
  const chem::Mechanism mechanism = read(shared / GetParam());
  // With nvcc the first of them.
  holdOnSimulator(mechanism, request(mechanism, {Kernel::Chemistry}, {Variant::Plain, Variant::Cpu}),
                  GetParam() == std::string("BurkeDryer") ? deviceCompilers()
                                                          : std::vector{build::Compiler::Clang});
}

// Falloff of two kinds; orders that are no stoichiometric coefficients.
INSTANTIATE_TEST_SUITE_P(Mechanisms, RealMechanism, testing::Values("BurkeDryer", "JL4"));

/// Small mechanisms with one reaction variant each: pressure-dependent, Chebyshev, fractional orders and so on.
TEST(Package, everyReactionFormIsRightOnTheHost) {
  SKIP_WITHOUT_SHARED();
  const fs::path shared = chem::test::sharedMechanisms();
  for (const char *variant : {"pdep-test", "sri-falloff", "negative-order", "float-stoich",
                              "chemically-activated-reaction", "explicit-reverse-rate"}) {
    const fs::path file = shared / "forms" / (std::string(variant) + ".yaml");
    const chem::Mechanism mechanism = read(file);
    const Written written(make(mechanism, request(mechanism, {Kernel::Chemistry}, {Variant::Cpu})));
    EXPECT_THAT(runOnHost(hostCompilers().front(), written.folder.path(), written.sources, {"33"}),
                HasSubstr(" pass,"))
        << variant;
  }
}

TEST(Package, functionsRefuseArgumentsThatCannotBe) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  std::vector<SourceFile> files = make(hydrogen, request(hydrogen, allKernels, {Variant::Cpu}));
  std::erase_if(files, [](const SourceFile &file) { return file.name.starts_with("selftest"); });
  std::string calls;
  for (const char *kernel : {"viscosity", "conductivity", "diffusion", "chemistry"})
    calls += fmt::format("  wrong += hydrogen_{0}_cpu(0, 0, 0, 0, 0, 0, 1) != 0;\n"
                         "  wrong += hydrogen_{0}_cpu(2, 1, f, f, f, f, 1) != HEDDLE_BAD_ARGUMENT;\n"
                         "  wrong += hydrogen_{0}_cpu(1, 1, 0, f, f, f, 1) != HEDDLE_BAD_ARGUMENT;\n"
                         "  wrong += hydrogen_{0}_cpu(1, 1, f, f, f, 0, 1) != HEDDLE_BAD_ARGUMENT;\n",
                         kernel);
  files.push_back({"main.cpp", "#include \"hydrogen.h\"\n#include <cstdio>\nint main() {\n  double f[100];\n"
                               "  int wrong = 0;\n" +
                                   calls + "  std::printf(\"%d wrong\\n\", wrong);\n}\n"});
  const Written written(files);
  EXPECT_EQ(runOnHost(hostCompilers().front(), written.folder.path(), written.sources), "0 wrong\n");
}

TEST(Package, comesOutTheSameEveryTime) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  const PackageRequest all =
      request(hydrogen, allKernels, {Variant::Plain, Variant::Warps, Variant::Matrix, Variant::Cpu});
  const std::vector<SourceFile> once = make(hydrogen, all), again = make(hydrogen, all);
  ASSERT_EQ(once.size(), again.size());
  for (size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].name, again[i].name);
    EXPECT_EQ(once[i].text, again[i].text);
  }
}

TEST(Package, selfTestFindsAWrongKernel) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  std::vector<SourceFile> files = make(hydrogen, request(hydrogen, {Kernel::Chemistry}, {Variant::Cpu}));
  // One species' rate comes out a millionth too large.
  std::string &text = files.front().text;
  const size_t place = text.find("    store(sum.v");
  ASSERT_NE(place, std::string::npos);
  text.insert(place, "    sum = (n == 3 ? 1.000001 : 1.0) * sum;\n");
  const Written written(files);
  const fs::path folder = written.folder.path();
  const std::string program = (folder / "program").string();
  std::vector<std::string> command = {
      hostCompilers().front(), "-std=c++17", "-O1", "-pthread", "-o", program};
  for (const std::string &source : written.sources)
    command.push_back((folder / source).string());
  ASSERT_TRUE(runProcess(command).succeeded());
  const ProcessResult run = runProcess({program});
  EXPECT_EQ(run.exitCode, 1);
  EXPECT_THAT(run.standardOutput, HasSubstr(" FAIL,"));
}

TEST(Package, saysWhatIsMissing) {
  chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  Diagnostics none;
  EXPECT_TRUE(
      makePackage(hydrogen, request(hydrogen, {Kernel::Conductivity}, {Variant::Matrix}), none).empty());
  ASSERT_FALSE(none.empty());
  EXPECT_THAT(none.all().front().text, HasSubstr("none of these kernels exists"));
  hydrogen.species.front().transport.reset();
  Diagnostics missing;
  makePackage(hydrogen, request(hydrogen, {Kernel::Viscosity}, {Variant::Cpu}), missing);
  ASSERT_FALSE(missing.empty());
  EXPECT_THAT(missing.all().front().text, HasSubstr("viscosity needs transport data"));
}

/// The species of the hydrogen example several times, under other names.
chem::Mechanism ofManySpecies() {
  chem::Mechanism many = read(chem::test::hydrogenExample());
  const std::vector<chem::Species> some = many.species;
  for (size_t i = 0; many.species.size() <= 160; ++i) {
    chem::Species copy = some[i % some.size()];
    copy.name += fmt::format("_{}", i);
    many.species.push_back(std::move(copy));
  }
  return many;
}

TEST(Package, leavesOutMatrixWhereThereAreTooManySpecies) {
  const chem::Mechanism many = ofManySpecies();
  Diagnostics diagnostics;
  const std::vector<SourceFile> files =
      makePackage(many, request(many, {Kernel::Viscosity}, {Variant::Plain, Variant::Matrix}), diagnostics);
  EXPECT_FALSE(files.empty());
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.all().front().severity, Severity::Warning);
  EXPECT_THAT(diagnostics.all().front().text,
              HasSubstr("variant 'matrix' is left out: it takes 160 species"));
  Diagnostics alone;
  EXPECT_TRUE(makePackage(many, request(many, {Kernel::Viscosity}, {Variant::Matrix}), alone).empty());
  EXPECT_TRUE(alone.has(Severity::Refusal));
}

TEST(Package, warnsOfOptionsThatShortChemistryDoesNotUse) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  PackageRequest asked = request(hydrogen, {Kernel::Chemistry}, {Variant::Plain});
  asked.layout.threadsForLoops = 64;
  asked.layout.powersAtATime = 8;
  Diagnostics diagnostics;
  makePackage(hydrogen, asked, diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 2u);
  EXPECT_THAT(diagnostics.all()[0].text,
              HasSubstr("--threads has no effect: the chemistry of this mechanism"));
  EXPECT_THAT(diagnostics.all()[1].text, HasSubstr("--powers has no effect"));
}

TEST(Package, doesNotSayThatPartsHaveNoEffectWhereLoopsAreTheDefault) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  PackageRequest asked = request(hydrogen, {Kernel::Chemistry}, {Variant::Plain});
  asked.layout.loopsForLong = false;
  Diagnostics shortCode;
  const std::string whole = textOf(makePackage(hydrogen, asked, shortCode), "hydrogen_chemistry_plain.cu");
  ASSERT_EQ(shortCode.all().size(), 1u);
  EXPECT_THAT(shortCode.all()[0].text, HasSubstr("--long has no effect"));

  asked.layout.instructionsWithoutLoops = 100; // loops by default, and yet one part is enough
  Diagnostics mediumCode;
  EXPECT_EQ(textOf(makePackage(hydrogen, asked, mediumCode), "hydrogen_chemistry_plain.cu"), whole);
  EXPECT_TRUE(mediumCode.all().empty());
}

TEST(Package, doesNotWriteASelfTestOfNumbersThatAreNone) {
  chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  for (chem::Species &species : hydrogen.species)
    if (species.name == "H2O")
      species.transport->diameter *= 0.1; // nm read as angstrom
  Diagnostics diagnostics;
  EXPECT_TRUE(
      makePackage(hydrogen, request(hydrogen, {Kernel::Viscosity}, {Variant::Cpu}), diagnostics).empty());
  EXPECT_TRUE(diagnostics.has(Severity::Error));
  EXPECT_THAT(diagnostics.all().back().text, HasSubstr("is not a finite number"));
}

TEST(Package, statesTheTolerancesOfWhatIsThere) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  const auto page = [&](Kernel kernel) {
    return make(hydrogen, request(hydrogen, {kernel}, {Variant::Cpu})).back().text;
  };
  EXPECT_THAT(page(Kernel::Chemistry),
              HasSubstr("the tolerance is 1e-12 of creation + destruction for rates.\n"));
  EXPECT_THAT(page(Kernel::Diffusion), HasSubstr("the tolerance is 1e-13 (relative) for transport.\n"));
}

TEST(Package, statesTheFitErrorsOfWhatIsThere) {
  const chem::Mechanism hydrogen = read(chem::test::hydrogenExample());
  const auto page = [&](std::vector<Kernel> kernels) {
    return textOf(make(hydrogen, request(hydrogen, std::move(kernels), {Variant::Cpu})), "README.md");
  };
  EXPECT_THAT(
      page({Kernel::Viscosity}),
      testing::ContainsRegex("Largest relative errors: [0-9.e-]+ for viscosity \\(`[A-Z0-9]+`\\)\\.\n"));
  EXPECT_THAT(page({Kernel::Diffusion}),
              testing::ContainsRegex("errors: [0-9.e-]+ for reciprocal diffusion \\(degree [34]\\)\\.\n"));
  EXPECT_THAT(page({Kernel::Viscosity, Kernel::Conductivity}), HasSubstr("`) and "));
  EXPECT_THAT(page({Kernel::Chemistry}), Not(HasSubstr("relative errors")));
}

TEST(Package, namesAreCIdentifiers) {
  EXPECT_EQ(prefixOf("gri30"), "gri30");
  EXPECT_EQ(prefixOf("C1-C2-NO"), "c1_c2_no");
  EXPECT_EQ(prefixOf("2step"), "m2step");
  EXPECT_EQ(prefixOf(""), "m");
}

TEST(Package, isNamedNeitherAsATargetOfCMakeNorAsAHeaderOfTheSystem) {
  EXPECT_EQ(prefixOf("test"), "mtest");
  EXPECT_EQ(prefixOf("Math"), "mmath");
  EXPECT_EQ(prefixOf("heddle_host"), "mheddle_host");
  EXPECT_EQ(prefixOf("selftest_data"), "mselftest_data");
  EXPECT_EQ(prefixOf("test2"), "test2");
}

} // namespace
} // namespace heddle::kernels::test
