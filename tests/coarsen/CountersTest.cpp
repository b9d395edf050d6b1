// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Coarsening is for loads that are not made: the machine's counters must show shared-memory loads fall as the
// paper says (Unkule, Shaltz and Qasem, CC 2012), with the results as they were.
#include "vm/Counters.h"

#include "TestPaths.h"
#include "build/DevicePtx.h"
#include "ptx/Parser.h"
#include "support/Paths.h"
#include "support/Process.h"
#include "vm/Machine.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace heddle;

namespace {

/// An example's kernel after directives, compiled by Clang and loaded into a machine.
class Example {
public:
  /// No directives: the example as it is.
  Example(const std::string &name, const std::string &directives) : machine(vm::Limits()) {
    const std::filesystem::path examples = std::filesystem::path(HEDDLE_SOURCE_DIR) / "examples";
    const std::filesystem::path original = examples / (name + ".cu");
    const std::filesystem::path changed = folder.path() / (name + ".cu");
    if (!directives.empty()) {
      ProcessResult made = runProcess({HEDDLE_BUILD_DIR "/heddle", "opt", original, "-o", changed, "-d",
                                       directives, "--no-check", "--cuda-path", "none"});
      EXPECT_TRUE(made.succeeded()) << made.standardError;
    }

    build::Request request;
    request.sources = {{directives.empty() ? original : changed}, {"-I" + examples.string()}};
    request.compiler = build::Compiler::Clang;
    Diagnostics diagnostics;
    build::DevicePtx device = build::compileToPtx(request, diagnostics);
    EXPECT_TRUE(device.ok) << device.messages;
    auto parsed = std::make_shared<ptx::Module>(ptx::parse(device.text, "", diagnostics));
    module = machine.load(parsed, diagnostics);
    EXPECT_TRUE(module && diagnostics.empty());
  }

  float *buffer(const std::vector<float> &values) {
    auto *at = static_cast<float *>(
        machine.memory().allocate(values.size() * sizeof(float), vm::AllocationKind::Device));
    std::copy(values.begin(), values.end(), at);
    return at;
  }

  /// What the launch of the module's only kernel counts.
  template <class... Parameter>
  vm::CounterSums launch(unsigned blocks, unsigned threads, Parameter... parameters) {
    Diagnostics diagnostics;
    vm::LaunchRequest request;
    request.kernel = module->kernel(module->kernelNames().at(0), diagnostics);
    request.grid = {blocks}, request.block = {threads};
    (add(request, parameters), ...);
    vm::Counters counters;
    vm::LaunchResult result = machine.launch(request, &counters);
    EXPECT_TRUE(result.ok()) << result.refusal;
    return counters.launches().at(0).sums;
  }

private:
  template <class T> static void add(vm::LaunchRequest &request, T value) {
    size_t at = (request.parameters.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    request.parameters.resize(at + sizeof(T));
    std::memcpy(request.parameters.data() + at, &value, sizeof(T));
  }

  TemporaryFolder folder;
  vm::Machine machine;
  vm::LoadedModule *module = nullptr;
};

struct Measured {
  double sharedLoads = 0;
  std::vector<float> results;
};

std::vector<float> numbers(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = float((i * 13) % 29) - 14.0f;
  return values;
}

Measured stencil(const std::string &directives, unsigned factor) {
  const unsigned threads = 256, blocks = 8, count = threads * blocks;
  Example example("stencil2pt", directives);
  float *results = example.buffer(std::vector<float>(count));
  float *values = example.buffer(numbers(count)), *weights = example.buffer(numbers(count));
  vm::CounterSums sums = example.launch(blocks, threads / factor, results, values, weights, int(count));
  return {double(sums.sharedLoads), {results, results + count}};
}

Measured synth(const std::string &directives, unsigned factor) {
  const unsigned threads = 512, blocks = 2, count = threads * blocks;
  Example example("synth", directives);
  float *results = example.buffer(std::vector<float>(count));
  vm::CounterSums sums = example.launch(blocks, threads / factor, results, example.buffer(numbers(count)));
  return {double(sums.sharedLoads), {results, results + count}};
}

} // namespace

// Section 3: two updates a thread read three elements of C where two threads read four.
TEST(CoarsenCounters, TheStencilLoadsAQuarterLessFromSharedMemoryAtFactorTwo) {
  Measured original = stencil("", 1);
  Measured coarsened = stencil("coarsen x=2 map=blocked; scalar-replace", 2);
  EXPECT_EQ(coarsened.results, original.results);
  // The original's first thread reads nothing, the other's reads are all made: 0.7502.
  EXPECT_NEAR(coarsened.sharedLoads / original.sharedLoads, 0.75, 0.001);
}

TEST(CoarsenCounters, TheStencilLoadsFallFurtherWithTheFactor) {
  Measured original = stencil("", 1);
  for (unsigned factor : {4u, 16u}) {
    Measured coarsened =
        stencil("coarsen x=" + std::to_string(factor) + " map=blocked; scalar-replace", factor);
    EXPECT_EQ(coarsened.results, original.results);
    EXPECT_NEAR(coarsened.sharedLoads / original.sharedLoads, (factor + 1.0) / (2.0 * factor), 0.001);
  }
}

// Section 6, figure 8: every load is shared by all threads.
TEST(CoarsenCounters, SynthLoadsFallToOneInFactor) {
  Measured original = synth("", 1);
  const std::pair<unsigned, const char *> ways[] = {
      {2, "interleaved"}, {4, "blocked"}, {8, "blocked"}, {16, "interleaved"}};
  for (auto [factor, map] : ways) {
    Measured coarsened = synth("coarsen x=" + std::to_string(factor) + " map=" + map, factor);
    EXPECT_EQ(coarsened.results, original.results);
    EXPECT_NEAR(coarsened.sharedLoads / original.sharedLoads, 1.0 / factor, 0.01 / factor);
  }
}
