// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/ParameterValue.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace heddle::check::test {
namespace {

using ptx::Type;

template <class T> T valueOf(const std::string &text, Type type) {
  T value{};
  const std::vector<uint8_t> bytes = bytesOf(text, {type, sizeof value});
  EXPECT_EQ(bytes.size(), sizeof value) << text;
  if (bytes.size() == sizeof value)
    std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

bool isValue(const std::string &text, Type type, uint32_t bytes) {
  return !bytesOf(text, {type, bytes}).empty();
}

TEST(ParameterValue, OfAFloatIsTheNumberWithAndWithoutAPoint) {
  EXPECT_EQ(valueOf<float>("2", Type::F32), 2.0f);
  EXPECT_EQ(valueOf<float>("-3", Type::F32), -3.0f);
  EXPECT_EQ(valueOf<float>("2.5", Type::F32), 2.5f);
  EXPECT_EQ(valueOf<double>("2", Type::F64), 2.0);
  EXPECT_EQ(valueOf<double>("1e300", Type::F64), 1e300);
  EXPECT_TRUE(std::isinf(valueOf<float>("inf", Type::F32)));
  EXPECT_FALSE(isValue("1e300", Type::F32, 4));
  EXPECT_FALSE(isValue("2f", Type::F32, 4));
  EXPECT_FALSE(isValue("", Type::F32, 4));
}

TEST(ParameterValue, OfAnIntegerIsAnIntegerThatFits) {
  EXPECT_EQ(valueOf<int32_t>("-1", Type::U32), -1);
  EXPECT_EQ(valueOf<uint32_t>("4294967295", Type::U32), 4294967295u);
  EXPECT_EQ(valueOf<int32_t>("0x10", Type::S32), 16);
  EXPECT_EQ(valueOf<uint64_t>("0xffffffffffffffff", Type::U64), ~uint64_t(0));
  EXPECT_EQ(valueOf<int64_t>("-9223372036854775808", Type::S64), INT64_MIN);
  EXPECT_EQ(valueOf<uint8_t>("true", Type::U8), 1);
  for (const char *text :
       {"3.5", "3.0", "1e3", "4294967296", "-2147483649", "99999999999999999999", "abc", "-", "0x", " 1"})
    EXPECT_FALSE(isValue(text, Type::U32, 4)) << text;
  EXPECT_FALSE(isValue("256", Type::U8, 1));
  EXPECT_FALSE(isValue("-129", Type::S8, 1));
  EXPECT_FALSE(isValue("true", Type::U32, 4));
}

TEST(ParameterValue, OfBitsIsWhatItLooksLike) {
  EXPECT_EQ(valueOf<int32_t>("2", Type::B32), 2);
  EXPECT_EQ(valueOf<float>("2.0", Type::B32), 2.0f);
  EXPECT_EQ(valueOf<int32_t>("2", Type::None), 2);
  EXPECT_FALSE(isValue("2", Type::B8, 16));
}

TEST(ParameterValue, TypesAreNamed) {
  EXPECT_EQ(typeText({Type::F32, 4}), "a float of 4 bytes");
  EXPECT_EQ(typeText({Type::U8, 1}), "an integer of 1 byte");
  EXPECT_EQ(typeText({Type::B8, 24}), "which has 24 bytes");
}

} // namespace
} // namespace heddle::check::test
