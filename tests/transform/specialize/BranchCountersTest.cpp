// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps that execute one kind of work each are for arms that are not executed with a part of the lanes: the
// simulator's counters must show warps execute less, with the results as they were.
#include "vm/OptimizedKernel.h"

using namespace heddle;
using heddle::testing::OptimizedKernel;

namespace {

struct Particle { // of tests/transform/specialize/branch/materials.cu
  float density, energy;
  int material;
};

struct Measured {
  double warpInstructions = 0, lanesActive = 0; ///< the latter of a warp instruction, in the mean
  std::vector<float> results;
};

/// Particle `i` is of material `materialOf(i)`.
template <class MaterialOf>
Measured pressures(const std::string &directives, int rounds, MaterialOf materialOf) {
  const unsigned threads = 256, blocks = 4, count = threads * blocks;
  std::vector<Particle> particles;
  for (unsigned i = 0; i < count; ++i)
    particles.push_back({1.0f + 0.001f * float(i), 2.0f - 0.001f * float(i), materialOf(i)});
  OptimizedKernel kernel("tests/transform/specialize/branch/materials.cu", directives);
  float *results = kernel.buffer(std::vector<float>(count));
  const vm::CounterSums sums =
      kernel.launch(blocks, threads, results, kernel.buffer(particles), int(count), rounds);
  const double warps = double(sums.warpInstructions());
  return {warps, double(sums.threadInstructions()) / warps, {results, results + count}};
}

int fiveMixed(unsigned i) { return int(i * 2654435761u >> 7) % 5; }

} // namespace

// Four kinds, none of them in half of the lanes: a warp goes through all arms. The block has 256 items and so
// 8 full batches, or up to three more where kinds do not come out even.
TEST(SpecializeBranchCounters, MixedKindsTakeLessThanHalfOfTheWarpInstructions) {
  const Measured original = pressures("", 1000, fiveMixed);
  const Measured specialized = pressures("specialize by=branch", 1000, fiveMixed);
  EXPECT_EQ(specialized.results, original.results);
  EXPECT_LT(specialized.warpInstructions, 0.5 * original.warpInstructions);
  EXPECT_LT(original.lanesActive, 15);
  EXPECT_GT(specialized.lanesActive, 22);
}

// Nothing is to be gained where a warp has one kind already; what it costs must not grow with the work.
TEST(SpecializeBranchCounters, SortingCostsTheSameHoweverLongTheWorkIs) {
  const auto byWarp = [](unsigned i) { return int(i / 32) % 3; };
  std::vector<double> costs;
  for (int rounds : {10, 200}) {
    const Measured original = pressures("", rounds, byWarp);
    const Measured specialized = pressures("specialize by=branch", rounds, byWarp);
    EXPECT_EQ(specialized.results, original.results);
    costs.push_back(specialized.warpInstructions - original.warpInstructions);
  }
  EXPECT_GT(costs[0], 0);
  EXPECT_NEAR(costs[1], costs[0], 0.2 * costs[0]);
}
