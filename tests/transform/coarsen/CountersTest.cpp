// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Coarsening is for loads that are not made: the simulator's counters must show shared-memory loads fall as the
// paper says (Unkule, Shaltz and Qasem, CC 2012), with the results as they were.
#include "vm/OptimizedKernel.h"

using namespace heddle;
using heddle::testing::OptimizedKernel;

namespace {

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
  OptimizedKernel example("examples/stencil2pt.cu", directives);
  float *results = example.buffer(std::vector<float>(count));
  float *values = example.buffer(numbers(count)), *weights = example.buffer(numbers(count));
  vm::CounterSums sums = example.launch(blocks, threads / factor, results, values, weights, int(count));
  return {double(sums.sharedLoads), {results, results + count}};
}

Measured synth(const std::string &directives, unsigned factor) {
  const unsigned threads = 512, blocks = 2, count = threads * blocks;
  OptimizedKernel example("examples/synth.cu", directives);
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
