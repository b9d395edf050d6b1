// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The test of the cases must itself be able to say no.
#include "check/Expectation.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace heddle::check::test {
namespace {

Finding found(std::string_view rule, unsigned line, std::vector<unsigned> others = {}) {
  Finding f;
  f.rule = *ruleOf(rule);
  f.location = {"k.cu", line, 1, 0, ""};
  for (unsigned other : others)
    f.notes.push_back({{"k.cu", other, 1, 0, ""}, "here"});
  return f;
}

bool agrees(const std::vector<std::string> &head, const std::vector<Finding> &findings) {
  return disagreement(parseExpectation(head), findings).empty();
}

TEST(Expectation, CleanMeansNothingFound) {
  EXPECT_TRUE(agrees({"// expect: clean"}, {}));
  EXPECT_FALSE(agrees({"// expect: clean"}, {found("race/shared", 4)}));
}

TEST(Expectation, RuleAndLineMustFit) {
  const std::vector<std::string> head = {"// expect: race/shared at 4"};
  EXPECT_TRUE(agrees(head, {found("race/shared", 4)}));
  EXPECT_TRUE(agrees(head, {found("race/shared", 4, {9})}));
  EXPECT_FALSE(agrees(head, {}));
  EXPECT_FALSE(agrees(head, {found("race/shared", 5)}));
  EXPECT_FALSE(agrees(head, {found("race/shared", 5, {4})}));
  EXPECT_FALSE(agrees(head, {found("race/global", 4)}));
  EXPECT_FALSE(agrees(head, {found("race/shared", 4), found("race/shared", 4)}));
  EXPECT_FALSE(agrees(head, {found("race/shared", 4), found("race/global", 4)}));
}

TEST(Expectation, BothLocationsAreAsked) {
  const std::vector<std::string> head = {"// expect: race/shared at 4 and 7"};
  EXPECT_TRUE(agrees(head, {found("race/shared", 4, {7})}));
  EXPECT_TRUE(agrees(head, {found("race/shared", 7, {4})}));
  EXPECT_FALSE(agrees(head, {found("race/shared", 4)}));
  EXPECT_FALSE(agrees(head, {found("race/shared", 5, {4, 7})}));
}

TEST(Expectation, HintMustHoldTheseWords) {
  const std::vector<std::string> head = {"// expect: race/shared at 4", "// hint: use atomicAdd()"};
  Finding right = found("race/shared", 4), wrong = right;
  right.hint = "updates get lost: use atomicAdd()",
  wrong.hint = "a __syncthreads() between the two orders them";
  EXPECT_TRUE(agrees(head, {right}));
  EXPECT_FALSE(agrees(head, {wrong}));
  EXPECT_FALSE(agrees(head, {found("race/shared", 4)}));
}

TEST(Expectation, SeveralFindingsAndOtherWordsForOne) {
  const std::vector<std::string> head = {"// expect: race/shared at 4 or async/early at 5, warp/lockstep",
                                         "// also: deadlock/barrier, race/global at 8"};
  EXPECT_TRUE(agrees(head, {found("race/shared", 4), found("warp/lockstep", 1)}));
  EXPECT_TRUE(agrees(head, {found("async/early", 5), found("warp/lockstep", 1)}));
  EXPECT_TRUE(
      agrees(head, {found("async/early", 5), found("warp/lockstep", 1), found("deadlock/barrier", 99)}));
  EXPECT_TRUE(agrees(head, {found("async/early", 5), found("warp/lockstep", 1), found("race/global", 8)}));
  EXPECT_FALSE(agrees(head, {found("async/early", 5), found("warp/lockstep", 1), found("race/global", 9)}));
  EXPECT_FALSE(agrees(head, {found("async/early", 5)}));
  EXPECT_TRUE(agrees(head, {found("race/shared", 4), found("async/early", 5), found("warp/lockstep", 1)}));
  EXPECT_FALSE(agrees(head, {found("warp/lockstep", 1), found("deadlock/barrier", 3)}));
}

TEST(Expectation, OptionsAreRead) {
  Expectation expectation =
      parseExpectation({"// expect: clean", "// check: --timeout 20", "// static: --block 64"});
  EXPECT_EQ(expectation.options, (std::vector<std::string>{"--timeout", "20"}));
  EXPECT_EQ(expectation.staticOptions, (std::vector<std::string>{"--block", "64"}));
  EXPECT_FALSE(parseExpectation({"// expect: clean"}).staticOptions);
}

TEST(Expectation, AHeadThatSaysNothingIsAnError) {
  EXPECT_THROW(parseExpectation({}), std::runtime_error);
  EXPECT_THROW(parseExpectation({"// a kernel"}), std::runtime_error);
  EXPECT_THROW(parseExpectation({"// expect: race/sharred at 4"}), std::runtime_error);
  EXPECT_THROW(parseExpectation({"// expect: race/shared on 4"}), std::runtime_error);
}

} // namespace
} // namespace heddle::check::test
