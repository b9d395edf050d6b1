// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated transport kernels against the evaluator: compiled and run natively or on the simulator, for made-up
// mechanisms of many sizes (each way of laying out a matrix kernel has one) and for real ones where there are
// some.
#include "kernels/Transport.h"

#include "Generated.h"
#include "chem/Chemkin.h"
#include "chem/MixtureTransport.h"
#include "chem/Shared.h"
#include "flow/Evaluate.h"
#include "kernels/MathHeader.h"
#include "kernels/TransportProgram.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <random>
#include <set>

namespace heddle::kernels::test {
namespace {

using namespace chem;
namespace fs = std::filesystem;

const std::vector<size_t> pointCounts = {1, 7, 16, 33, 100};

/// A mechanism with its fits and states to try it at.
struct Example {
  Mechanism mechanism;
  TransportFits fits;
  ReciprocalDiffusionFits reciprocal;
  std::vector<State> states;

  TransportModel model() const { return {mechanism, fits, reciprocal}; }
};

/// Mole fractions of all sizes, some of them zero.
State randomState(std::mt19937 &random, size_t species) {
  std::uniform_real_distribution<double> unit(0, 1);
  State state = {300 + 2700 * unit(random), std::pow(10, 4 + 3 * unit(random)), {}};
  double total = 0;
  for (size_t k = 0; k < species; ++k) {
    double x = unit(random) < 0.1 ? 0 : std::pow(10, -double(species) * unit(random) * unit(random) / 3);
    state.moleFractions.push_back(x);
    total += x;
  }
  for (double &x : state.moleFractions)
    x /= total;
  return state;
}

/// One species with traces of the others: W - X_k W_k as a difference would have no digits.
State nearlyPure(State state, size_t species) {
  double others = 0;
  for (size_t k = 0; k < state.moleFractions.size(); ++k)
    if (k != species)
      others += state.moleFractions[k] *= 1e-15;
  state.moleFractions[species] = 1 - others;
  return state;
}

/// Around `value` at 1000 K, growing with temperature by some power, with small further terms.
Polynomial madeUpFit(std::mt19937 &random, double value, unsigned degree) {
  std::uniform_real_distribution<double> unit(-1, 1);
  Polynomial p = {std::vector<double>(degree + 1, 0.0)};
  for (unsigned i = 1; i <= degree; ++i)
    p.coefficients[i] = 0.3 * value * unit(random) * std::pow(0.05, i);
  p.coefficients[0] = value * (1 + 0.3 * unit(random)) - (p(std::log(1000.0)) - p.coefficients[0]);
  return p;
}

/// Not physics, but numbers of the right sizes; any number of species.
Example madeUp(size_t species, FitForm variant, unsigned reciprocalDegree) {
  std::mt19937 random{unsigned(species)};
  std::uniform_real_distribution<double> unit(0, 1);
  const bool chemkin = variant == FitForm::Chemkin;
  const unsigned degree = chemkin ? 3 : 4;
  Example made;
  made.mechanism.name = "made up";
  made.fits.form = variant;
  for (size_t k = 0; k < species; ++k) {
    Species &each = made.mechanism.species.emplace_back();
    each.name = fmt::format("S{}", k);
    each.weight = 1 + 150 * unit(random);
    each.transport = Transport{};
    made.fits.viscosity.push_back(madeUpFit(random, chemkin ? -10 : 1e-3, degree));
    made.fits.conductivity.push_back(madeUpFit(random, chemkin ? -2 : 3e-3, degree));
  }
  for (size_t pair = 0; pair < species * (species + 1) / 2; ++pair) {
    made.fits.diffusion.push_back(madeUpFit(random, 1, degree));
    made.reciprocal.pairs.push_back(madeUpFit(random, 3e3, reciprocalDegree));
  }
  for (size_t i = 0; i < pointCounts.back(); ++i)
    made.states.push_back(i % 5 == 4 ? nearlyPure(randomState(random, species), i % species)
                                     : randomState(random, species));
  return made;
}

/// A mechanism of the shared folder at the states that Cantera was asked about.
Example real(const std::string &name, FitForm variant) {
  Example example;
  const fs::path shared = chem::test::sharedMechanisms(), folder = shared / name;
  Diagnostics diagnostics;
  auto mechanism =
      readChemkin(ChemkinFiles{folder / "chem.inp", folder / "therm.dat", folder / "tran.dat"}, diagnostics);
  if (!mechanism) {
    ADD_FAILURE() << chem::test::printed(diagnostics);
    return example;
  }
  example.mechanism = *mechanism;
  example.fits = fitTransport(*mechanism, variant);
  example.reciprocal = fitReciprocalDiffusion(*mechanism, 3);
  std::ifstream file(shared.parent_path() / "reference" / (name + ".json"));
  const nlohmann::json results = nlohmann::json::parse(file);
  for (const auto &state : results["states"])
    example.states.push_back({state["T"], state["P"], state["X"].get<std::vector<double>>()});
  while (example.states.size() < pointCounts.back())
    example.states.push_back(example.states[example.states.size() - 24]);
  return example;
}

// --- the program that calls generated functions

/// Calls every function with the first so many points, with even and odd strides, and writes what they gave.
/// Numbers go in and out as bytes, in files.
constexpr const char *mainText = R"(#include <cstdio>
#include <vector>
#include "device.h"
DECLARATIONS
struct Named { const char *name; Function *function; bool eachSpecies; };
const Named functions[] = {TABLE};
int main(int, char **argv) {
  const size_t species = SPECIES, most = POINTS;
  std::vector<double> in((2 + species) * most);
  FILE *from = std::fopen(argv[1], "rb"), *to = std::fopen(argv[2], "wb");
  if (!from || !to || std::fread(in.data(), 8, in.size(), from) != in.size())
    return 1;
  for (const Named &each : functions)
    for (size_t points : {COUNTS})
      for (size_t stride : {(points + 1) / 2 * 2, points / 2 * 2 + 1}) {
        std::vector<double> t(in.begin(), in.begin() + points), p(in.begin() + most, in.begin() + most + points);
        std::vector<double> x(species * stride, -1), result(species * stride, -1);
        for (size_t k = 0; k < species; ++k)
          for (size_t i = 0; i < points; ++i)
            x[k * stride + i] = in[(2 + k) * most + i];
        const int error = call(each.function, points, stride, t, p, x, result);
        if (error) {
          std::printf("%s: error %d at %zu points\n", each.name, error, points);
          return 1;
        }
        const size_t results = each.eachSpecies ? species : 1;
        for (size_t k = 0; k < species; ++k)
          for (size_t i = 0; i < stride; ++i)
            if (k < results && i < points)
              std::fwrite(&result[k * stride + i], 8, 1, to);
            else if (result[k * stride + i] != -1) {
              std::printf("%s: wrote where no result belongs, %zu points\n", each.name, points);
              return 1;
            }
      }
  std::fclose(to);
}
)";

constexpr const char *deviceText = R"(#include <cuda_runtime.h>
typedef int Function(size_t, size_t, const double *, const double *, const double *, double *, cudaStream_t);
struct OnDevice {
  double *data;
  OnDevice(const std::vector<double> &host) {
    cudaMalloc((void **)&data, 8 * host.size());
    cudaMemcpy(data, host.data(), 8 * host.size(), cudaMemcpyHostToDevice);
  }
  ~OnDevice() { cudaFree(data); }
};
inline int call(Function *f, size_t points, size_t stride, const std::vector<double> &t, const std::vector<double> &p,
                const std::vector<double> &x, std::vector<double> &result) {
  OnDevice dt(t), dp(p), dx(x), dr(result);
  const int error = f(points, stride, dt.data, dp.data, dx.data, dr.data, 0);
  return error ? error : cudaMemcpy(result.data(), dr.data, 8 * result.size(), cudaMemcpyDeviceToHost);
}
)";

constexpr const char *hostText =
    R"(typedef int Function(size_t, size_t, const double *, const double *, const double *, double *, int);
inline int call(Function *f, size_t points, size_t stride, const std::vector<double> &t, const std::vector<double> &p,
                const std::vector<double> &x, std::vector<double> &result) {
  return f(points, stride, t.data(), p.data(), x.data(), result.data(), 2);
}
)";

std::string replaced(std::string text, const std::string &what, const std::string &by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::string mainOf(const Example &example, const std::vector<Function> &functions) {
  std::string declarations, table, counts;
  for (const Function &each : functions) {
    declarations += fmt::format("extern \"C\" Function {};\n", each.name);
    table += fmt::format("{{\"{0}\", {0}, {1}}}, ", each.name, each.kernel == Kernel::Diffusion);
  }
  for (size_t count : pointCounts)
    counts += fmt::format("size_t({}), ", count);
  counts.resize(counts.size() - 2);
  std::string text = replaced(replaced(mainText, "DECLARATIONS", declarations), "TABLE", table);
  text = replaced(text, "SPECIES", std::to_string(example.mechanism.species.size()));
  return replaced(replaced(text, "POINTS", std::to_string(pointCounts.back())), "COUNTS", counts);
}

// --- comparing

std::vector<double> wantedAt(const Example &example, Kernel kernel, const State &state, double unit) {
  std::vector<double> wanted;
  if (kernel == Kernel::Diffusion) {
    wanted = mixtureDiffusion(example.mechanism, example.reciprocal, state);
  } else {
    const MixtureTransport all = mixtureTransport(example.mechanism, example.fits, state);
    wanted = {kernel == Kernel::Viscosity ? all.viscosity : all.conductivity};
  }
  for (double &each : wanted)
    each *= unit;
  return wanted;
}

/// What the program writes, computed by the evaluator.
std::vector<double> wantedFor(const Example &example, Kernel kernel, double unit) {
  std::vector<std::vector<double>> at;
  for (const State &state : example.states)
    at.push_back(wantedAt(example, kernel, state, unit));
  std::vector<double> all;
  for (size_t points : pointCounts)
    for (int stride = 0; stride < 2; ++stride)
      for (size_t k = 0; k < at[0].size(); ++k)
        for (size_t i = 0; i < points; ++i)
          all.push_back(at[i][k]);
  return all;
}

/// How much larger a number in the result's unit is than in SI; pressures are given in the same numbers.
double unitOf(Kernel kernel, Units units) {
  if (units == Units::Si)
    return 1;
  return kernel == Kernel::Viscosity ? 10 : 1e5;
}

/// Fails to compile if the function does not launch with the shared memory that the README of the package states.
std::string sharedMemoryClaim(const Function &function) {
  if (function.sharedBytes == 0)
    return "";
  const char *const launched = function.variant == Variant::Matrix    ? "sharedBytes"
                               : function.kernel == Kernel::Viscosity ? "sizeof matrix"
                                                                      : "sizeof pairs";
  return fmt::format("static_assert({} == {});\n", launched, function.sharedBytes);
}

class TransportRun {
public:
  TransportRun(const Example &given, std::vector<Kernel> kernels, std::vector<Variant> variants,
               Units units = Units::Si)
      : example(given), resultUnits(units) {
    Options options;
    options.prefix = "test";
    options.units = units;
    write(folder.path(), mathHeader());
    write(folder.path(), hostHeader());
    for (Kernel kernel : kernels)
      for (Variant variant : variants) {
        if (kernel == Kernel::Conductivity && variant == Variant::Matrix)
          continue;
        Diagnostics diagnostics;
        auto emitted = emitTransport(example.model(), kernel, variant, options, diagnostics);
        EXPECT_TRUE(emitted) << chem::test::printed(diagnostics);
        if (emitted) {
          emitted->files.front().text += sharedMemoryClaim(emitted->functions.front());
          add(*emitted);
        }
      }
    std::ofstream in(folder.path() / "in", std::ios::binary);
    auto put = [&](double value) { in.write(reinterpret_cast<const char *>(&value), 8); };
    for (const State &state : example.states)
      put(state.temperature);
    for (const State &state : example.states)
      put(state.pressure);
    for (size_t k = 0; k < example.mechanism.species.size(); ++k)
      for (const State &state : example.states)
        put(state.moleFractions[k]);
  }

  void expectOnHost(const std::string &compiler) {
    write(folder.path(), {"device.h", hostText});
    write(folder.path(), {"main.cpp", mainOf(example, functions)});
    files.push_back("main.cpp");
    runOnHost(compiler, folder.path(), files, arguments());
    files.pop_back();
    compare(compiler);
  }

  void expectOnSimulator(build::Compiler compiler, const std::string &arch = "sm_90") {
    write(folder.path(), {"device.h", deviceText});
    write(folder.path(), {"main.cu", mainOf(example, functions)});
    files.push_back("main.cu");
    runOnSimulator(compiler, folder.path(), files, arguments(), arch);
    files.pop_back();
    compare(compiler == build::Compiler::Nvcc ? "nvcc" : "clang");
  }

private:
  const Example &example;
  Units resultUnits;
  TemporaryFolder folder;
  std::vector<Function> functions;
  std::vector<std::string> files;

  void add(const Emitted &emitted) {
    for (const SourceFile &file : emitted.files) {
      write(folder.path(), file);
      if (!file.name.ends_with(".h"))
        files.push_back(file.name);
    }
    functions.insert(functions.end(), emitted.functions.begin(), emitted.functions.end());
  }

  std::vector<std::string> arguments() const { return {folder.path() / "in", folder.path() / "out"}; }

  /// Within 1e-13 of the evaluator, which itself has rounding errors of that order where fits have large
  /// coefficients that cancel.
  void compare(const std::string &compiler) {
    std::ifstream out(folder.path() / "out", std::ios::binary);
    for (const Function &each : functions) {
      double largest = 0;
      for (double wanted : wantedFor(example, each.kernel, unitOf(each.kernel, resultUnits))) {
        double got = NAN;
        out.read(reinterpret_cast<char *>(&got), 8);
        const double error = std::abs(got / wanted - 1);
        if (!(error <= largest))
          largest = error;
      }
      EXPECT_LE(largest, 1e-13) << each.name << ", " << compiler;
      if (std::getenv("HEDDLE_SHOW_ERRORS"))
        fmt::print("{} species {} {}: {:.1e}\n", example.mechanism.species.size(), each.name, compiler,
                   largest);
    }
    EXPECT_EQ(out.peek(), EOF);
    out.close();
    fs::remove(folder.path() / "out");
  }
};

const std::vector<Kernel> allKernels = {Kernel::Viscosity, Kernel::Conductivity, Kernel::Diffusion};

// --- tests

class TransportOfManySizes : public testing::TestWithParam<size_t> {};

/// Compiling takes the time: each size gets one variant of fits and one compiler on the host, and the other variant on the simulator.
TEST_P(TransportOfManySizes, OnTheHostAgreesWithTheEvaluator) {
  const bool isOdd = GetParam() % 2;
  const Example example =
      isOdd ? madeUp(GetParam(), FitForm::Cantera, 4) : madeUp(GetParam(), FitForm::Chemkin, 3);
  TransportRun(example, allKernels, {Variant::Cpu})
      .expectOnHost(isOdd ? hostCompilers().back() : hostCompilers().front());
}

TEST_P(TransportOfManySizes, OnTheSimulatorAgreesWithTheEvaluator) {
  const bool isOdd = GetParam() % 2;
  const Example example =
      isOdd ? madeUp(GetParam(), FitForm::Chemkin, 3) : madeUp(GetParam(), FitForm::Cantera, 4);
  TransportRun run(example, allKernels, {Variant::Plain, Variant::Matrix});
  run.expectOnSimulator(build::Compiler::Clang);
}

INSTANTIATE_TEST_SUITE_P(Species, TransportOfManySizes, testing::Values(size_t(2), 9, 30, 53, 68, 130),
                         testing::PrintToStringParamName());

class TransportOfRealMechanisms : public testing::TestWithParam<const char *> {};

TEST_P(TransportOfRealMechanisms, AgreesWithTheEvaluator) {
  SKIP_WITHOUT_SHARED();
  const Example chemkin = real(GetParam(), FitForm::Chemkin), cantera = real(GetParam(), FitForm::Cantera);
  TransportRun(chemkin, allKernels, {Variant::Cpu}).expectOnHost(hostCompilers().front());
  TransportRun(cantera, allKernels, {Variant::Cpu}).expectOnHost(hostCompilers().back());
  TransportRun(chemkin, allKernels, {Variant::Plain, Variant::Matrix})
      .expectOnSimulator(deviceCompilers().back());
  TransportRun(cantera, allKernels, {Variant::Plain, Variant::Matrix})
      .expectOnSimulator(deviceCompilers().front());
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, TransportOfRealMechanisms, testing::Values("LuDME", "gri30"),
                         [](const auto &info) { return std::string(info.param); });

TEST_P(TransportOfManySizes, AsOperationsAgreesWithTheEvaluatorHoweverSpeciesAreGrouped) {
  const size_t count = GetParam();
  for (FitForm variant : {FitForm::Chemkin, FitForm::Cantera}) {
    const Example example = madeUp(count, variant, variant == FitForm::Chemkin ? 3 : 4);
    for (Kernel kernel : allKernels)
      for (size_t atOnce : {size_t(1), size_t(4), count / 2 + 1, count}) {
        const Units units = atOnce == 1 ? Units::Cgs : Units::Si;
        const flow::Program program = transportProgram(example.model(), kernel, units, unsigned(atOnce));
        for (size_t i = 0; i < 5; ++i) {
          const State &state = example.states[i];
          const std::vector<double> got =
              evaluate(program, {{state.temperature}, {state.pressure}, state.moleFractions});
          const std::vector<double> wanted = wantedAt(example, kernel, state, unitOf(kernel, units));
          ASSERT_EQ(got.size(), wanted.size());
          for (size_t k = 0; k < got.size(); ++k)
            EXPECT_NEAR(got[k] / wanted[k], 1, 1e-13) << nameOf(kernel) << ", " << atOnce << " at once";
        }
      }
  }
}

TEST(TransportProgram, HalfColumnsHoldEveryPairOnceAndAreOfEqualLength) {
  for (unsigned n = 1; n < 12; ++n) {
    std::set<std::pair<unsigned, unsigned>> pairs;
    for (unsigned j = 0; j < n; ++j) {
      const std::vector<unsigned> rows = halfColumn(j, n);
      EXPECT_LE(rows.size(), n / 2);
      EXPECT_GE(rows.size() + 1, n / 2);
      for (unsigned row : rows) {
        EXPECT_NE(row, j);
        EXPECT_TRUE(pairs.emplace(std::min(j, row), std::max(j, row)).second) << j << " and " << row;
      }
    }
    EXPECT_EQ(pairs.size(), n * (n - 1) / 2);
  }
}

TEST(Transport, InCgsIsTheSameInOtherUnits) {
  const Example chemkin = madeUp(10, FitForm::Chemkin, 3), cantera = madeUp(10, FitForm::Cantera, 3);
  TransportRun(chemkin, allKernels, {Variant::Cpu}, Units::Cgs).expectOnHost(hostCompilers().front());
  TransportRun(cantera, allKernels, {Variant::Plain, Variant::Matrix}, Units::Cgs)
      .expectOnSimulator(build::Compiler::Clang);
}

TEST(Transport, OnAnOlderDeviceUsesSmallerMatrices) {
  const Example example = madeUp(20, FitForm::Cantera, 3);
  TransportRun(example, {Kernel::Viscosity, Kernel::Diffusion}, {Variant::Matrix})
      .expectOnSimulator(build::Compiler::Clang, "sm_80");
}

TEST(Transport, MayBeGivenItsPlaceOnAMultiprocessor) {
  const Example example = madeUp(20, FitForm::Cantera, 3);
  Diagnostics diagnostics;
  auto emitted = emitTransport(example.model(), Kernel::Viscosity, Variant::Matrix, {"a", {}, {}},
                               diagnostics, {6, 2, 8});
  ASSERT_TRUE(emitted);
  EXPECT_THAT(emitted->files[0].text,
              testing::AllOf(testing::HasSubstr("warps = 6;"), testing::HasSubstr("blocks = 2;")));
  EXPECT_THAT(emitted->files[0].text, testing::HasSubstr("step = 2;"));
}

TEST(Transport, IsTheSameTextEachTime) {
  const Example first = madeUp(40, FitForm::Cantera, 3), second = madeUp(40, FitForm::Cantera, 3);
  for (Kernel kernel : allKernels)
    for (Variant variant : {Variant::Plain, Variant::Matrix, Variant::Cpu}) {
      Diagnostics diagnostics;
      Options options;
      options.prefix = "same";
      auto a = emitTransport(first.model(), kernel, variant, options, diagnostics);
      auto b = emitTransport(second.model(), kernel, variant, options, diagnostics);
      ASSERT_EQ(bool(a), bool(b));
      if (a)
        EXPECT_EQ(a->files[0].text, b->files[0].text);
    }
}

TEST(Transport, NamesFilesAndFunctionsByPrefixKernelAndForm) {
  const Example example = madeUp(3, FitForm::Cantera, 3);
  Diagnostics diagnostics;
  Options options;
  options.prefix = "h2";
  auto emitted = emitTransport(example.model(), Kernel::Diffusion, Variant::Cpu, options, diagnostics);
  ASSERT_TRUE(emitted);
  EXPECT_EQ(emitted->files[0].name, "h2_diffusion_cpu.cpp");
  EXPECT_EQ(emitted->functions[0].name, "h2_diffusion_cpu");
}

std::string refusalOf(const Example &example, Kernel kernel, Variant variant,
                      Precision precision = Precision::Double) {
  Diagnostics diagnostics;
  Options options;
  options.prefix = "no";
  options.precision = precision;
  EXPECT_FALSE(emitTransport(example.model(), kernel, variant, options, diagnostics));
  return chem::test::printed(diagnostics);
}

TEST(Transport, SaysWhatItDoesNotHave) {
  using testing::HasSubstr;
  Example example = madeUp(3, FitForm::Cantera, 3);
  EXPECT_THAT(refusalOf(example, Kernel::Conductivity, Variant::Matrix), HasSubstr("no matrix variant"));
  EXPECT_THAT(refusalOf(example, Kernel::Viscosity, Variant::Matrix, Precision::Float),
              HasSubstr("no single precision"));
  EXPECT_THAT(refusalOf(madeUp(1, FitForm::Cantera, 3), Kernel::Diffusion, Variant::Plain),
              HasSubstr("one species"));
  EXPECT_THAT(refusalOf(madeUp(161, FitForm::Cantera, 3), Kernel::Diffusion, Variant::Matrix),
              HasSubstr("160 species at most, and there are 161"));
  example.mechanism.species[1].transport.reset();
  EXPECT_THAT(refusalOf(example, Kernel::Viscosity, Variant::Plain), HasSubstr("transport data"));
}

} // namespace
} // namespace heddle::kernels::test
