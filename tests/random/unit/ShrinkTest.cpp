// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random/Shrink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace heddle::generator;

namespace {

/// A failure that any text with these words shows.
StillFails textHas(const std::vector<std::string> &words) {
  return [words](const std::vector<Program> &programs) {
    std::vector<bool> fails;
    for (const Program &program : programs) {
      const std::string text = program.shown();
      bool all = true;
      for (const std::string &word : words)
        all &= text.find(word) != std::string::npos;
      fails.push_back(all);
    }
    return fails;
  };
}

size_t nodes(const Program &program) { return sizeOf(program.items) + sizeOf(program.kernels); }

} // namespace

TEST(Shrink, KeepsWhatTheFailureNeedsAndNothingElse) {
  unsigned tried = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const Program program = randomProgram(seed);
    const std::string text = program.shown();
    if (text.find("__syncthreads();") == std::string::npos || text.find("in[") == std::string::npos ||
        nodes(program) < 40)
      continue;
    ++tried;
    const Program small = shrunk(program, textHas({"__syncthreads();", "in["}), 60);
    EXPECT_THAT(small.shown(), ::testing::HasSubstr("__syncthreads();"));
    EXPECT_THAT(small.shown(), ::testing::HasSubstr("in["));
    EXPECT_LT(nodes(small), 25u) << small.shown();
  }
  EXPECT_GT(tried, 3u);
}

TEST(Shrink, WhatDoesNotFailIsUnchanged) {
  const Program program = randomProgram(5);
  EXPECT_EQ(shrunk(program, textHas({"in no program"}), 60).shown(), program.shown());
}

TEST(Shrink, LeavesOutDirectivesThatDoNotMatter) {
  Program program = randomProgram(5);
  program.pragmas.clear();
  program.directives = {"coarsen x=2", "scalar-replace"};
  EXPECT_EQ(shrunk(program, textHas({"scalar-replace"}), 60).directives,
            std::vector<std::string>{"scalar-replace"});
}

/// Barriers go with what they order: whatever is dropped, what is left has no race.
TEST(Shrink, DropsASharedStoreOnlyTogetherWithItsBarriers) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const std::string text = shrunk(randomProgram(seed), textHas({"s0[t] = "}), 60).shown();
    if (text.find("s0[t] = ") != std::string::npos) {
      EXPECT_TRUE(text.find("__syncthreads();") != std::string::npos ||
                  text.find("meet") != std::string::npos)
          << text;
    }
  }
}
