// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs with counters in their kernels, on the simulator in the place of a GPU: what the counters say is what the
// simulator's own profiler says.
#include "Compare.h"
#include "TestPaths.h"
#include "build/Program.h"
#include "instrument/Measure.h"

#include <filesystem>

namespace fs = std::filesystem;

namespace heddle::instrument {
namespace {

build::Program &programNamed(const std::string &name) {
  static std::map<std::string, std::unique_ptr<build::Program>> programs;
  std::unique_ptr<build::Program> &program = programs[name];
  if (!program) {
    build::ProgramOptions options;
    options.sources.files = {fs::path(HEDDLE_SOURCE_DIR) / name};
    options.sources.flags = {"-I" HEDDLE_SOURCE_DIR "/examples", "-I" HEDDLE_SOURCE_DIR "/tests/programs"};
    options.compiler = build::Compiler::Clang;
    options.timeoutSeconds = 100;
    options.cores =
        1; // thread blocks are executed one after the other, so that atomic operations have one order
    Diagnostics diagnostics;
    program = std::make_unique<build::Program>(options, diagnostics);
    EXPECT_TRUE(program->ok()) << program->messages();
  }
  return *program;
}

std::optional<Measured> measured(const std::string &name, const std::vector<std::string> &arguments,
                                 Diagnostics &diagnostics, const std::vector<std::string> &settings = {}) {
  MeasureRequest request;
  request.run = [&](std::vector<std::string> environment) {
    environment.insert(environment.end(), settings.begin(), settings.end());
    return programNamed(name).run(arguments, environment, build::Output::Captured).execution;
  };
  request.assemble = [](const std::string &ptx, Diagnostics &) { return std::optional(ptx); };
  return measure(request, diagnostics);
}

divergence::ProgramProfile simulated(const std::string &name, const std::vector<std::string> &arguments) {
  TemporaryFolder folder;
  const fs::path file = folder.path() / "profile";
  programNamed(name).run(arguments, {"HEDDLE_PROFILE=" + file.string()}, build::Output::Captured);
  divergence::ProgramProfile profile;
  EXPECT_TRUE(divergence::readProfile(file, profile));
  return profile;
}

/// Of lost lane slots, attributed to another branch. It is 0 in most programs, and most where lanes retry an atomic operation.
constexpr double MostWrong = 0.25;

struct Case {
  std::string program, argument;
  friend std::ostream &operator<<(std::ostream &out, const Case &c) { return out << c.program; }
};

Calls callsOf(const std::string &program) {
  return program.ends_with("recursion.cu") || program.ends_with("function-pointers.cu") ? Calls::Otherwise
                                                                                        : Calls::Direct;
}

class Programs : public testing::TestWithParam<Case> {};

TEST_P(Programs, CountersSayWhatTheSimulatorCounts) {
  const std::vector<std::string> arguments =
      GetParam().argument.empty() ? std::vector<std::string>{} : std::vector{GetParam().argument};
  Diagnostics diagnostics;
  const std::optional<Measured> counted = measured(GetParam().program, arguments, diagnostics);
  ASSERT_TRUE(counted && diagnostics.empty());
  EXPECT_TRUE(counted->end.succeeded()) << counted->end.standardOutput;
  EXPECT_EQ(counted->error, "");
  EXPECT_TRUE(counted->unknown.empty());
  const divergence::ProgramProfile expected = simulated(GetParam().program, arguments);
  EXPECT_EQ(counted->profile.skipped, expected.skipped);
  ASSERT_FALSE(expected.launches.empty());
  ASSERT_EQ(counted->profile.launches.size(), expected.launches.size());
  Attribution attribution;
  for (size_t i = 0; i < expected.launches.size(); ++i) {
    expectSame(counted->profile.launches[i], expected.launches[i], callsOf(GetParam().program));
    attribution.add(counted->profile.launches[i], expected.launches[i]);
  }
  if (callsOf(GetParam().program) == Calls::Direct)
    EXPECT_LT(attribution.wrongShare(), MostWrong);
}

TEST(Measure, SamplesThreadBlocksWhereMemoryIsShort) {
  Diagnostics diagnostics;
  const std::string program = "examples/saxpy.cu";
  const std::optional<Measured> counted =
      measured(program, {"5120"}, diagnostics, {"HEDDLE_COUNTING_BYTES=65536"});
  ASSERT_TRUE(counted && counted->profile.launches.size() == 1u);
  ASSERT_EQ(counted->sampled.size(), 1u);
  EXPECT_GT(counted->sampled.begin()->second, 1u);
  // All blocks do the same.
  expectSame(counted->profile.launches.front(), simulated(program, {"5120"}).launches.front());
}

TEST(Measure, LaunchesInGraphsAreNotCounted) {
  Diagnostics diagnostics;
  const std::optional<Measured> counted = measured("tests/programs/graphs.cu", {}, diagnostics);
  ASSERT_TRUE(counted);
  EXPECT_TRUE(counted->end.succeeded()) << counted->end.standardOutput;
  EXPECT_TRUE(counted->isSeen);
  EXPECT_TRUE(counted->profile.launches.empty());
  EXPECT_FALSE(counted->profile.skipped.empty());
}

TEST(Measure, CodeThatIsLoadedAtRunTimeIsNotCounted) {
  Diagnostics diagnostics;
  const std::optional<Measured> counted = measured("tests/programs/driver-api.cu", {}, diagnostics);
  ASSERT_TRUE(counted);
  EXPECT_TRUE(counted->end.succeeded()) << counted->end.standardOutput;
  EXPECT_EQ(counted->profile.launches.size(), 1u); // the one by the runtime
}

TEST(Measure, CodeThatCannotBeAssembledIsNotRun) {
  MeasureRequest request;
  unsigned runs = 0;
  request.run = [&](const std::vector<std::string> &environment) {
    ++runs;
    return programNamed("examples/saxpy.cu").run({"100"}, environment, build::Output::Captured).execution;
  };
  request.assemble = [](const std::string &, Diagnostics &diagnostics) {
    diagnostics.error({}, "not today");
    return std::optional<std::string>();
  };
  Diagnostics diagnostics;
  EXPECT_FALSE(measure(request, diagnostics));
  EXPECT_TRUE(diagnostics.has(Severity::Error));
  EXPECT_EQ(runs, 1u); // for the list of device code
}

std::string nameOf(const testing::TestParamInfo<Case> &info) {
  std::string name = fs::path(info.param.program).stem().string();
  std::ranges::replace_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Examples, Programs,
    testing::Values(Case{"tests/golden/profile/Inputs/many-launches.cu", ""},
                    Case{"examples/saxpy.cu", "5000"}, Case{"examples/ragged.cu", ""},
                    Case{"examples/reduce.cu", "3000"}, Case{"examples/histogram.cu", "3000"},
                    Case{"examples/mandelbrot.cu", "64"}, Case{"examples/convolve.cu", "3000"},
                    Case{"examples/matmul_tiled.cu", "70"}, Case{"examples/nbody.cu", ""},
                    Case{"examples/heat2d.cu", ""}, Case{"examples/jacobi3d.cu", ""},
                    Case{"examples/transpose_tiled.cu", "70"}, Case{"examples/stencil2pt.cu", "3000"}),
    nameOf);

// Left out: programs that wait in loops until others have done something, so that counts depend on the time that counters
// take (atomics-integer, bulk-multicast, cooperative-grid, locks); whose kernels fail (device-faults), are launched in graphs
// or are loaded at run time (driver-api, nvrtc); or that launch none.
INSTANTIATE_TEST_SUITE_P(
    TestPrograms, Programs,
    testing::Values(Case{"tests/programs/atomics-float.cu", ""}, Case{"tests/programs/blocks-2d-3d.cu", ""},
                    Case{"tests/programs/both-sides-math.cu", ""}, Case{"tests/programs/bulk-copy.cu", ""},
                    Case{"tests/programs/clusters.cu", ""}, Case{"tests/programs/constant-memory.cu", ""},
                    Case{"tests/programs/cooperative-tiles.cu", ""}, Case{"tests/programs/cp-async.cu", ""},
                    Case{"tests/programs/device-globals.cu", ""}, Case{"tests/programs/device-malloc.cu", ""},
                    Case{"tests/programs/device-reset.cu", ""}, Case{"tests/programs/divergence.cu", ""},
                    Case{"tests/programs/double-math.cu", ""}, Case{"tests/programs/dpx.cu", ""},
                    Case{"tests/programs/dynamic-shared.cu", ""}, Case{"tests/programs/early-return.cu", ""},
                    Case{"tests/programs/float-math.cu", ""}, Case{"tests/programs/function-pointers.cu", ""},
                    Case{"tests/programs/half-math.cu", ""}, Case{"tests/programs/histogram.cu", ""},
                    Case{"tests/programs/integer-intrinsics.cu", ""},
                    Case{"tests/programs/interpreter.cu", ""}, Case{"tests/programs/launch-errors.cu", ""},
                    Case{"tests/programs/launch-forms.cu", ""}, Case{"tests/programs/managed-memory.cu", ""},
                    Case{"tests/programs/matrix-multiply.cu", ""},
                    Case{"tests/programs/mbarrier-pipeline.cu", ""},
                    Case{"tests/programs/memcpy-forms.cu", ""}, Case{"tests/programs/named-barriers.cu", ""},
                    Case{"tests/programs/parts-of-words.cu", ""}, Case{"tests/programs/printf.cu", ""},
                    Case{"tests/programs/recursion.cu", ""}, Case{"tests/programs/reduction.cu", ""},
                    Case{"tests/programs/scan-and-sort.cu", ""}, Case{"tests/programs/streams-events.cu", ""},
                    Case{"tests/programs/structs-by-value.cu", ""}, Case{"tests/programs/templates.cu", ""},
                    Case{"tests/programs/tensor-cores.cu", ""}, Case{"tests/programs/textures.cu", ""},
                    Case{"tests/programs/virtual-memory.cu", ""}, Case{"tests/programs/warp-shuffles.cu", ""},
                    Case{"tests/programs/warp-votes.cu", ""}),
    nameOf);

} // namespace
} // namespace heddle::instrument
