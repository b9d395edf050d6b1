// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/StaticVerdict.h"

#include <gtest/gtest.h>

namespace heddle::report {
namespace {

KernelVerdict verdictWith(const std::vector<std::string> &whys) {
  KernelVerdict verdict{"k", {}};
  for (unsigned i = 0; i < check::Properties; ++i)
    verdict.result.properties.push_back(
        {check::Property(i),
         whys[i].empty() ? check::Decision::Proved : check::Decision::Undecided,
         whys[i],
         {}});
  return verdict;
}

TEST(StaticVerdictText, WhatIsGivenIsNamed) {
  KernelVerdict verdict = verdictWith({"", "", "", "", "", "", ""});
  verdict.result.verdict = check::Verdict::Holds;
  EXPECT_EQ(inputsText(verdict.result), "every input");
  verdict.result.given = {"n = 100", "gridDim = (1, 1, 1)"};
  EXPECT_TRUE(
      staticText(verdict, false)
          .starts_with("holds: kernel 'k': all 7 properties, for every input with n = 100 and gridDim = "
                       "(1, 1, 1) (0 barrier rounds)\n"))
      << staticText(verdict, false);
}

TEST(StaticVerdictText, TheVerdictRefersToItsAssumptions) {
  KernelVerdict verdict = verdictWith({"", "", "", "", "", "", ""});
  verdict.result.verdict = check::Verdict::Holds;
  verdict.result.given = {"n = 100"};
  for (check::PropertyVerdict &each : verdict.result.properties)
    each.assuming = {"n = 100"};
  EXPECT_TRUE(
      staticText(verdict, false)
          .starts_with("holds: kernel 'k': all 7 properties, for every input with n = 100 (0 barrier"))
      << staticText(verdict, false);
  verdict.result.properties.back().assuming.emplace_back("loops that wait for no other thread end");
  EXPECT_TRUE(staticText(verdict, false)
                  .starts_with("holds: kernel 'k': all 7 properties, for every input with n = 100, under the "
                               "assumptions below (0 barrier"))
      << staticText(verdict, false);
}

} // namespace
} // namespace heddle::report
