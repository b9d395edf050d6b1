// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles that are counted in two ways must be the same, but for what only the simulator knows.
#pragma once

#include "divergence/ProgramProfile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace heddle::instrument {

/// Threads that have loaded nothing have no value (NaN).
inline bool isSameValue(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

enum class Calls { Direct, Otherwise }; ///< recursive, or through pointers

/// Lanes that are elsewhere because of a call that is not direct are attributed to branches in part.
inline void expectSame(const divergence::LaunchProfile &counted, const divergence::LaunchProfile &simulated,
                       Calls calls = Calls::Direct) {
  SCOPED_TRACE(simulated.kernel);
  EXPECT_EQ(counted.kernel, simulated.kernel);
  EXPECT_TRUE(std::ranges::equal(counted.grid, simulated.grid));
  EXPECT_TRUE(std::ranges::equal(counted.block, simulated.block));
  EXPECT_EQ(counted.staticSharedBytes, simulated.staticSharedBytes);
  EXPECT_EQ(counted.dynamicSharedBytes, simulated.dynamicSharedBytes);
  EXPECT_EQ(counted.warps, simulated.warps);
  EXPECT_EQ(counted.divergentWarps, simulated.divergentWarps);
  if (calls == Calls::Direct)
    EXPECT_EQ(counted.absentLanes, simulated.absentLanes);
  ASSERT_EQ(counted.blocks.size(), simulated.blocks.size());
  for (size_t b = 0; b < counted.blocks.size(); ++b) {
    EXPECT_EQ(counted.blocks[b].location.str(), simulated.blocks[b].location.str()) << "block " << b;
    EXPECT_EQ(counted.blocks[b].instructions, simulated.blocks[b].instructions) << "block " << b;
    EXPECT_EQ(counted.blocks[b].entries, simulated.blocks[b].entries) << "block " << b;
    EXPECT_EQ(counted.blocks[b].lanes, simulated.blocks[b].lanes) << "block " << b;
  }
  ASSERT_EQ(counted.branches.size(), simulated.branches.size());
  for (size_t i = 0; i < counted.branches.size(); ++i) {
    EXPECT_EQ(counted.branches[i].location.str(), simulated.branches[i].location.str()) << "branch " << i;
    EXPECT_EQ(counted.branches[i].executions, simulated.branches[i].executions) << "branch " << i;
    EXPECT_EQ(counted.branches[i].divergent, simulated.branches[i].divergent) << "branch " << i;
  }
  ASSERT_EQ(counted.vectors.threads(), simulated.vectors.threads());
  ASSERT_EQ(counted.vectors.blocks(), simulated.vectors.blocks());
  for (uint32_t t = 0; t < counted.vectors.threads(); ++t)
    ASSERT_TRUE(std::ranges::equal(counted.vectors.thread(t), simulated.vectors.thread(t))) << "thread " << t;
  EXPECT_EQ(counted.inputs.inputs, simulated.inputs.inputs);
  EXPECT_EQ(counted.inputs.ofBlock, simulated.inputs.ofBlock);
  ASSERT_EQ(counted.inputs.values.size(), simulated.inputs.values.size());
  for (size_t i = 0; i < counted.inputs.values.size(); ++i)
    EXPECT_TRUE(std::ranges::equal(counted.inputs.values[i], simulated.inputs.values[i], isSameValue))
        << "values of input " << i << ", " << simulated.inputs.inputs[i].name;
}

/// Lane slots that were lost, and those that are attributed to another branch than the simulator does.
struct Attribution {
  double lost = 0, wrong = 0;

  void add(const divergence::LaunchProfile &counted, const divergence::LaunchProfile &simulated) {
    for (size_t b = 0; b < counted.blocks.size(); ++b)
      for (size_t i = 0; i < counted.branches.size(); ++i) {
        const std::vector<uint64_t> &expected = simulated.branches[i].lostLanes;
        const double of = b < expected.size() ? double(expected[b]) : 0;
        wrong +=
            std::abs(double(counted.branches[i].lostLanes[b]) - of) / 2; // each is missing at another branch
        lost += of;
      }
  }
  double wrongShare() const { return lost > 0 ? wrong / lost : 0; }
};

} // namespace heddle::instrument
