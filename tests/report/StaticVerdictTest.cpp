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

} // namespace
} // namespace heddle::report
