// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random/Constructs.h"
#include "random/Program.h"
#include "random/Report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

using namespace heddle::generator;

TEST(Generator, TheSameSeedWritesTheSameProgram) {
  for (uint64_t seed : {1, 7, 1234567}) {
    EXPECT_EQ(randomProgram(seed).shown(), randomProgram(seed).shown());
    EXPECT_NE(randomProgram(seed).shown(), randomProgram(seed + 1).shown());
  }
}

/// What 3,000 programs use, and how many of them use it.
static const std::map<std::string, unsigned> &constructs() {
  static const std::map<std::string, unsigned> all = [] {
    std::map<std::string, unsigned> counts;
    for (uint64_t seed = 1; seed <= 3000; ++seed)
      for (const std::string &construct : randomProgram(seed).constructs)
        ++counts[construct];
    return counts;
  }();
  return all;
}

TEST(Generator, EveryConstructIsTriedOften) {
  for (const Construct &construct : allConstructs()) {
    const auto found = constructs().find(construct.name);
    EXPECT_GE(found == constructs().end() ? 0 : found->second, 10u) << construct.name;
  }
}

TEST(Generator, NoConstructIsMissingInTheTable) {
  std::set<std::string> known;
  for (const Construct &construct : allConstructs())
    known.insert(construct.name);
  for (const auto &[construct, count] : constructs())
    EXPECT_TRUE(known.contains(construct)) << construct;
}

/// A program that is refused tests little: what all directives refuse is in few programs.
TEST(Generator, WhatDirectivesRefuseIsRare) {
  unsigned programs = 0;
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    const Program program = randomProgram(seed);
    programs += std::ranges::any_of(allConstructs(), [&](const Construct &construct) {
      return construct.isRefused && program.constructs.contains(construct.name);
    });
  }
  EXPECT_LE(programs, 3000 / 4);
}

TEST(Generator, EveryFormOfADirectiveIsAskedFor) {
  std::map<std::string, unsigned> counts;
  static const std::regex factor("(x|y|z|grid|factor)=[0-9]+");
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    const Program program = randomProgram(seed);
    for (const std::vector<std::string> &some : {program.pragmas, program.directives})
      for (const std::string &directive : some)
        ++counts[std::regex_replace(directive, factor, "$1=?")];
  }
  for (const DirectiveForm &form : directiveForms())
    EXPECT_GE(counts[form.text], 40u) << form.text;
}

TEST(Generator, EveryDirectiveIsAskedForOftenAndInPairs) {
  std::map<std::string, unsigned> counts;
  unsigned pairs = 0;
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    const Program program = randomProgram(seed);
    std::vector<std::string> all = program.pragmas;
    all.insert(all.end(), program.directives.begin(), program.directives.end());
    for (const std::string &directive : all) {
      ++counts[directive.substr(0, directive.find(' '))];
      for (const char *setting :
           {"x=", "y=", "z=", "grid=", "map=blocked", "remap=on", "delegate=on", "by=branch", "by=profile"})
        if (directive.find(setting) != std::string::npos)
          ++counts[setting];
    }
    pairs += all.size() > 1;
  }
  for (const char *directive : {"coarsen",     "x=",          "y=",         "z=",          "grid=",
                                "map=blocked", "consolidate", "remap=on",   "delegate=on", "specialize",
                                "by=branch",   "regroup",     "by=profile", "auto",        "scalar-replace",
                                "unroll-jam",  "interchange", "fuse",       "distribute",  "branchless"})
    EXPECT_GE(counts[directive], 20u) << directive;
  EXPECT_GE(pairs, 300u);
}
