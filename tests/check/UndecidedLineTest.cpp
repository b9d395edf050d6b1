// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/UndecidedLine.h"

#include <gtest/gtest.h>

namespace heddle::check {
namespace {

StaticResult resultWith(const std::vector<std::string> &whys) {
  StaticResult result;
  for (unsigned i = 0; i < Properties; ++i)
    result.properties.push_back(
        {Property(i), whys[i].empty() ? Decision::Proved : Decision::Undecided, whys[i], {}});
  return result;
}

TEST(UndecidedLine, AReasonOfAllPropertiesIsNamedOnce) {
  EXPECT_EQ(undecidedLine(resultWith({"w", "w", "w", "w", "w", "w", "w"})), "all 7 properties (w)");
}

TEST(UndecidedLine, PropertiesWithOneReasonAreTogether) {
  EXPECT_EQ(undecidedLine(resultWith({"a", "b", "a", "", "", "c", "a"})),
            "shared-memory races, global-memory races between blocks and shared-memory initialization (a); "
            "global-memory races within a block (b); shared-memory bounds (c)");
  EXPECT_EQ(undecidedLine(resultWith({"", "", "", "", "", "", ""})), "");
}

} // namespace
} // namespace heddle::check
