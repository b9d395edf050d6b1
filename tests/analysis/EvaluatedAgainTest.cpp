// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/EvaluatedAgain.h"

#include "source/Program.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

/// Of the grid of a launch.
bool mayBeRepeated(const std::string &grid) {
  source::CompileOptions options;
  options.cudaPath = "none";
  const std::string text = R"(#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>
int unknown(int);
int counter;
volatile int changing;
inline int blocksFor(int n) {
  int blocks = n / 64;
  if (n % 64)
    ++blocks;
  return blocks;
}
inline int checked(int n) {
  if (n < 1)
    std::abort();
  return blocksFor(n);
}
inline int next() { return ++counter; }
inline int through(int &n) { return n /= 2; }
inline int kept(int n) {
  static int last = 0;
  return std::max(n, last);
}
inline int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
inline dim3 both(int n) {
  dim3 grid(n);
  grid.y = 2;
  return grid;
}
struct Shape {
  int n;
  int blocks() const { return blocksFor(n); }
  int grow() { return n += 1; }
  virtual int of() { return n; }
};
__global__ void k() {}
void host(int n, int *p, std::vector<int> v, Shape shape) { k<<<)" +
                           grid + ", 64>>>(); }\n";
  auto parsed = source::Program::parseText("grid.cu", text, options);
  auto *program = std::get_if<std::unique_ptr<source::Program>>(&parsed);
  if (!program || (*program)->launches().size() != 1) {
    ADD_FAILURE() << grid;
    return false;
  }
  return analysis::mayBeEvaluatedAgain((*program)->launches()[0].grid.expr);
}

} // namespace

TEST(EvaluatedAgain, WhatOnlyReadsMayBe) {
  for (const char *grid : {"n", "(n + 63) / 64", "dim3(n, 2)", "p[1]", "counter", "std::min(n, 64)",
                           "blocksFor(n)", "checked(n)", "int(std::ceil(n / 64.0))", "v.size()",
                           "factorial(n)", "both(n)", "shape.blocks()", "n ? n : 1"})
    EXPECT_TRUE(mayBeRepeated(grid)) << grid;
}

TEST(EvaluatedAgain, WhatChangesSomethingOrIsNotKnownMayNotBe) {
  for (const char *grid : {"n++", "n = 2", "*p += 1", "next()", "unknown(n)", "through(n)", "kept(n)",
                           "changing", "shape.grow()", "shape.of()", "blocksFor(next())", "*new int(2)"})
    EXPECT_FALSE(mayBeRepeated(grid)) << grid;
}
