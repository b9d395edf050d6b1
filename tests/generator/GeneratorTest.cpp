// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random/Program.h"
#include "random/Report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

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
  for (const char *construct : {"constructor",
                                "destructor",
                                "destructor of a member",
                                "default member initializer",
                                "default argument",
                                "conversion operator",
                                "free operator",
                                "member operator",
                                "copy constructor",
                                "move constructor",
                                "base class",
                                "virtual call",
                                "function pointer",
                                "range-for",
                                "range-for around a barrier",
                                "structured binding",
                                "structured binding in the kernel",
                                "lambda with captures",
                                "lambda with a default argument",
                                "static local",
                                "static local with an element per thread",
                                "placement new",
                                "variadic template",
                                "constexpr if",
                                "asm %tid",
                                "asm %laneid",
                                "asm %clock",
                                "builtin register",
                                "constant memory",
                                "device memory written and read",
                                "shared variable written and read",
                                "declaration around a barrier: for",
                                "declaration around a barrier: struct in a for",
                                "declaration around a barrier: grid-stride for",
                                "declaration around a barrier: if",
                                "declaration around a barrier: switch",
                                "declaration around a barrier: while",
                                "object around a barrier: if",
                                "object with effects",
                                "enum in its declaration",
                                "struct in its declaration",
                                "function pointer in its declaration",
                                "pointer to an array",
                                "no default constructor",
                                "const member",
                                "several declarators",
                                "hidden name",
                                "aliasing pointers",
                                "pointers in a structure",
                                "array of the file and parameter",
                                "__restrict__",
                                "function template",
                                "kernel template",
                                "two instances of a kernel",
                                "method",
                                "static method",
                                "operators in the kernel",
                                "function with barriers",
                                "barrier in a function",
                                "kernel in a header",
                                "launch in another file",
                                "header in two files",
                                "two launches",
                                "two kernels share functions",
                                "early return",
                                "tile loop",
                                "vote of the block",
                                "warp function"}) {
    const auto found = constructs().find(construct);
    EXPECT_GE(found == constructs().end() ? 0 : found->second, 10u) << construct;
  }
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
