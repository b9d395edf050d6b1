// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verify/CompareOutput.h"

#include <gtest/gtest.h>

using namespace heddle::verify;

namespace {

const Tolerance exact;

bool agree(const char *a, const char *b) { return !compareOutput(a, b, exact).difference; }

TEST(CompareOutput, LeavesOutNumbersWithAUnitOfTimeOrRate) {
  const std::pair<const char *, const char *> pairs[] = {
      {"kernel: 12.5 ms", "kernel: 9.75 ms"},
      {"took 3s, 1.5e-3 s", "took 4s, 2e-3 s"},
      {"bandwidth 81.2 GB/s (12 us)", "bandwidth   9.1 GB/s (100 us)"},
      {"Time (ms): 0.25", "Time (ms): 11.75"},
      {"elapsed [us] = 5", "elapsed [us] = 16"},
      {"speed-up 2.5x over 100.0 GFLOPS", "speed-up 13.5x over 7 GFLOPS"},
      {"12 \xC2\xB5s", "7 \xC2\xB5s"},
      {"rate: 5 points/s.", "rate: 6 points/s."},
  };
  for (auto [a, b] : pairs)
    EXPECT_TRUE(agree(a, b)) << a << " | " << b;
}

TEST(CompareOutput, ComparesEverythingElse) {
  const std::pair<const char *, const char *> pairs[] = {
      {"sum 12.5", "sum 12.6"},       {"5 seeds", "6 seeds"}, // a unit is a whole word
      {"16 x 32", "17 x 32"},                                 // a shape
      {"12.5 ms PASS", "9 ms FAIL"},                          // words count
      {"12.5 ms", "12.5 us"},                                 // so do units
      {"x1 = 5", "x2 = 5"},                                   // of a name
      {"time 5", "time 6"},                                   // may be a physical time
      {"12 ms and 7", "13 ms and 8"},                         // the second one is a result
      {"one line", "one line\nmore"}, {"a", ""},
  };
  for (auto [a, b] : pairs)
    EXPECT_FALSE(agree(a, b)) << a << " | " << b;
}

TEST(CompareOutput, SaysWhatWasLeftOut) {
  OutputComparison result = compareOutput("a\nt 1 ms\nb 5", "a\nt 2 ms\nb 6", exact, {.a = "a\nt 3 ms\nb 7"});
  EXPECT_FALSE(result.difference);
  ASSERT_EQ(result.ignored.size(), 2u);
  EXPECT_EQ(result.ignored[0].line, 2u);
  EXPECT_EQ(result.ignored[0].a, "1");
  EXPECT_EQ(result.ignored[0].b, "2");
  EXPECT_EQ(result.ignored[0].why, IgnoredNumber::Why::IsTime);
  EXPECT_EQ(result.ignored[1].why, IgnoredNumber::Why::Varies);
}

TEST(CompareOutput, TakesASecondRunForWhatVaries) {
  const char *once = "at 0x7ffd10, 5 done", *other = "at 0x7ffe20, 5 done", *wrong = "at 0x7ffe20, 6 done";
  EXPECT_TRUE(compareOutput(once, other, exact).difference);
  EXPECT_FALSE(compareOutput(once, other, exact, {.a = "at 0x7fff30, 5 done"}).difference);
  EXPECT_TRUE(compareOutput(once, wrong, exact, {.a = "at 0x7fff30, 5 done"}).difference);
  EXPECT_TRUE(compareOutput("5 PASS", "6 FAIL", exact, {.a = "7 FAIL"}).difference)
      << "words that vary count";
}

TEST(CompareOutput, ComparesTimesThatEachProgramPrintsAgain) {
  const char *first = "ignition delay: 13.5 ms", *second = "ignition delay: 23.5 ms";
  EXPECT_FALSE(compareOutput(first, second, exact).difference) << "it may be the time that something took";
  EXPECT_FALSE(compareOutput(first, second, exact).ignored.at(0).isExplained);
  EXPECT_FALSE(compareOutput(first, second, exact, {.a = first}).difference)
      << "nothing is known of the second";
  EXPECT_TRUE(compareOutput(first, second, exact, {.a = first, .b = second}).difference);
  EXPECT_TRUE(compareOutput("100 m/s", "200 m/s", exact, {.a = "100 m/s", .b = "200 m/s"}).difference);
  // What varies in either program is the time that something took.
  EXPECT_FALSE(compareOutput("0 ms", "1 ms", exact, {.a = "0 ms", .b = "2 ms"}).difference);
  EXPECT_TRUE(compareOutput("0 ms", "1 ms", exact, {.a = "2 ms"}).ignored.at(0).isExplained);
  // Nothing but a speed has these units.
  for (auto [a, b] : {std::pair("80 GB/s", "90 GB/s"),
                      {"5 GFLOPS", "6 GFLOPS"},
                      {"2.5x", "2.6x"},
                      {"7 cycles", "8 cycles"}})
    EXPECT_FALSE(compareOutput(a, b, exact, {.a = a, .b = b}).difference) << a;
}

TEST(CompareOutput, HoldsOtherNumbersToTheTolerance) {
  const Tolerance loose = *readTolerance("rel=1e-3");
  EXPECT_FALSE(compareOutput("r 1.0001, t 5 ms", "r 1.0002, t 9 ms", loose).difference);
  EXPECT_TRUE(compareOutput("r 1.0001, t 5 ms", "r 1.1, t 9 ms", loose).difference);
}

TEST(CompareOutput, IntegersAreExact) {
  const Tolerance loose = *readTolerance("abs=1");
  EXPECT_TRUE(compareOutput("errors: 0 of 1000", "errors: 1 of 1000", loose).difference);
  EXPECT_TRUE(compareOutput("cells (1000, -7)", "cells (1001, -7)", loose).difference);
  EXPECT_FALSE(compareOutput("sum 3", "sum 3.0001", loose).difference) << "a double that %g prints as 3";
  EXPECT_FALSE(compareOutput("sum 1e3", "sum 1000.5", loose).difference);
  EXPECT_FALSE(compareOutput("sum 1e3,", "sum 1001,", loose).difference);
  EXPECT_FALSE(compareOutput("took 3 ms", "took 4 ms", loose).difference) << "times do not count";
}

TEST(CompareOutput, FindsWordsThatDifferBetweenRunsOfOneProgram) {
  EXPECT_FALSE(differenceInWords("seed 17\nPASS", "seed 4711\nPASS"));
  EXPECT_EQ(differenceInWords("seed 17\nPASS", "seed 4711\nFAIL")->line, 2u);
  EXPECT_EQ(differenceInWords("a\nb", "a")->line, 2u);
}

} // namespace
