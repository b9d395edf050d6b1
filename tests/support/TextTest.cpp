// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Text.h"

#include <gtest/gtest.h>

using namespace heddle;

TEST(Text, EditDistanceCountsEachKindOfEdit) {
  EXPECT_EQ(editDistance("", "abc"), 3u);
  EXPECT_EQ(editDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(editDistance("reduce", "reduce"), 0u);
}

TEST(Text, NearestFirstIsStable) {
  EXPECT_EQ(nearestFirst("redcue", {"scan", "reduce", "reduce2"}),
            (std::vector<std::string>{"reduce", "reduce2", "scan"}));
}

TEST(Text, JoinsAndCounts) {
  EXPECT_EQ(joinAnd({"a", "b", "c"}), "a, b and c");
  EXPECT_EQ(joinAnd({}), "");
  EXPECT_EQ(counted(1, "branch"), "1 branch");
  EXPECT_EQ(counted(2, "branch", "branches"), "2 branches");
}

TEST(Text, CountsReadAsPeopleSayThem) {
  EXPECT_EQ(inWords(0), "0");
  EXPECT_EQ(inWords(99999), "99999");
  EXPECT_EQ(inWords(1234567), "1.2 million");
  EXPECT_EQ(inWords(9999999999), "10000.0 million");
  EXPECT_EQ(inWords(25000000000), "25.0 billion");
}
