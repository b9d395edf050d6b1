// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Numbers.h"

#include <gmock/gmock.h>

#include <cstdint>

namespace heddle {
namespace {

TEST(Numbers, AreTheWholeText) {
  EXPECT_EQ(readNumber<int64_t>("12"), 12);
  EXPECT_EQ(readNumber<int64_t>("-3"), -3);
  EXPECT_EQ(readNumber<double>("1.5e3"), 1500.0);
  for (const char *text : {"", " 12", "12 ", "12a", "+12", "0x10", "1.5"})
    EXPECT_EQ(readNumber<int64_t>(text), std::nullopt) << text;
}

TEST(Numbers, FitIntoTheirType) {
  EXPECT_EQ(readNumber<uint32_t>("4294967295"), 4294967295u);
  EXPECT_EQ(readNumber<uint32_t>("4294967296"), std::nullopt);
  EXPECT_EQ(readNumber<uint32_t>("-1"), std::nullopt);
}

TEST(Numbers, HaveCommasBetweenThem) {
  EXPECT_THAT(readNumbers<int>("16,8,2"), ::testing::Optional(::testing::ElementsAre(16, 8, 2)));
  EXPECT_THAT(readNumbers<int>("7"), ::testing::Optional(::testing::ElementsAre(7)));
  for (const char *text : {"", ",", "1,", ",1", "1,,2", "1;2"})
    EXPECT_EQ(readNumbers<int>(text), std::nullopt) << text;
}

TEST(Numbers, OfSecondsMayHaveAUnit) {
  EXPECT_EQ(readSeconds("90"), 90.0);
  EXPECT_EQ(readSeconds("0"), 0.0);
  EXPECT_EQ(readSeconds("0.5s"), 0.5);
  EXPECT_EQ(readSeconds("1.5m"), 90.0);
  EXPECT_EQ(readSeconds("2h"), 7200.0);
  for (const char *text : {"", "s", "-1", "-1s", "1d", "1 s", "1ms", "inf", "nan", "infs"})
    EXPECT_EQ(readSeconds(text), std::nullopt) << text;
}

} // namespace
} // namespace heddle
