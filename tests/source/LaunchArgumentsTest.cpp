// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pointers a kernel is launched with come from allocations of their own.
#include "source/LaunchArguments.h"

#include "source/ParsedText.h"

using namespace heddle;
using namespace heddle::source;
using heddle::testing::parsed;

namespace {

/// Whether the pointers of k(a, b) are disjoint at all launches of a text.
bool areApart(const std::string &text, bool isWhole = false) {
  auto program = parsed("#include <utility>\n#include <cstdlib>\n"
                        "__global__ void k(float *a, const float *b) { *a = *b; }\n" +
                        text);
  return program && disjointArguments(*program, *program->kernels().at(0), isWhole).areDisjoint(1, 0);
}
bool areApartInMain(const std::string &statements, const std::string &before = "") {
  return areApart(before + "int main(int argc, char **) {\n" + statements + "\n}\n");
}

const std::string two = "float *a, *b; cudaMalloc(&a, 64); cudaMalloc((void **)&b, 64); ";
const std::string launch = "k<<<1, 32>>>(a, b); ";

} // namespace

TEST(LaunchArguments, AllocationsOfTheirOwnAreDisjoint) {
  EXPECT_TRUE(areApartInMain(two + launch));
  EXPECT_TRUE(areApartInMain(two + "k<<<1, 32>>>(a + 4, &b[argc]); ++a; a += argc; k<<<1, 32>>>(b, a);"));
  EXPECT_TRUE(areApartInMain("float *a = nullptr, *b; if (cudaMallocManaged(&a, 64)) return 1;"
                             "cudaMallocHost(&b, 64); " +
                             launch + "cudaFree(a); cudaFree(b);"));
  EXPECT_TRUE(areApartInMain("float *a = new float[9], *b = (float *)std::malloc(36); " + launch));
  EXPECT_TRUE(areApartInMain(two + "float *last = argc % 2 ? a : b; cudaFree(last); " + launch));
  EXPECT_TRUE(areApartInMain("k<<<1, 32>>>(nullptr, nullptr); k<<<1, 32>>>(0, (float *)nullptr);"));
  EXPECT_TRUE(areApartInMain(two + "void *copy = nullptr; cudaMemcpyFromSymbol(&copy, d, 8); " + launch,
                             "__device__ float *d;\n"));
}

TEST(LaunchArguments, OnePointerTwiceIsNot) {
  EXPECT_FALSE(areApartInMain(two + launch + "k<<<1, 32>>>(a, a + 32);"));
  EXPECT_FALSE(areApartInMain(two + "b = a + 32; " + launch));
  EXPECT_FALSE(areApartInMain(two + "float *c = b; k<<<1, 32>>>(b, c);"));
  EXPECT_FALSE(areApartInMain("float *a; cudaMalloc(&a, 64); float *b = argc ? a : nullptr; " + launch));
  EXPECT_FALSE(areApartInMain("float *a; cudaMalloc(&a, 64); static float *b = a; " + launch));
}

TEST(LaunchArguments, AVariableThatOthersMaySetIsNot) {
  EXPECT_FALSE(areApartInMain(two + "change(&a); " + launch, "void change(float **p);\n"));
  EXPECT_FALSE(areApartInMain(two + "change(a); " + launch, "void change(float *&p);\n"));
  EXPECT_FALSE(
      areApartInMain(two + "change(&a, b); " + launch, "void change(float **p, float *q) { *p = q; }\n"));
  EXPECT_FALSE(areApartInMain(two + "float **p = &a; *p = b; " + launch));
  EXPECT_FALSE(areApartInMain(two + "float *&r = a; r = b; " + launch));
  EXPECT_FALSE(areApartInMain(two + "(argc ? a : b) = b; " + launch));
  EXPECT_FALSE(areApartInMain(two + "auto set = [&a, &b] { a = b; }; set(); " + launch));
  EXPECT_FALSE(
      areApartInMain(two + "cudaGetSymbolAddress((void **)&b, d); " + launch, "__device__ float d[9];\n"));
}

TEST(LaunchArguments, SwapsExchangeOwners) {
  EXPECT_TRUE(areApartInMain(two + "for (int i = 0; i < 9; ++i) { " + launch + "std::swap(a, b); }"));
  EXPECT_FALSE(areApartInMain(two + "float *c = a; std::swap(a, b); std::swap(c, b); " + launch));
  EXPECT_FALSE(areApartInMain(two + "std::swap(a, b); a = b; " + launch));
}

TEST(LaunchArguments, FunctionsThatAllocateAreLookedInto) {
  const std::string make =
      "template <class T> T *make(int n) { T *p = nullptr; cudaMalloc(&p, n * sizeof(T));\n"
      "  cudaMemset(p, 0, n * sizeof(T)); return p; }\n";
  EXPECT_TRUE(areApartInMain("float *a = make<float>(9), *b = make<float>(9); " + launch, make));
  EXPECT_TRUE(
      areApartInMain("float *a, *b; fill(&a); fill(&b); " + launch,
                     "void fill(float **p) { cudaMalloc((void **)p, 64); cudaMemset(*p, 0, 64); }\n"));
  EXPECT_TRUE(areApartInMain("float *a, *b; fill(a); fill(b); " + launch,
                             "void fill(float *&p) { cudaMalloc(&p, 64); }\n"));
  EXPECT_FALSE(
      areApartInMain("float *a = pool(), *b = pool(); " + launch,
                     "float *pool() { static float *p = nullptr; if (!p) cudaMalloc(&p, 64); return p; }\n"));
  EXPECT_FALSE(areApartInMain("float *a = part(0), *b = part(9); " + launch,
                              "float *all; float *part(int i) { return all + i; }\n"));
  EXPECT_FALSE(areApartInMain("float *a = same(9), *b = same(8); " + launch, "float *same(int);\n"));
}

TEST(LaunchArguments, ParametersAreFollowedToAllCalls) {
  const std::string run = "void run(float *a, float *b) { k<<<1, 32>>>(a, b); }\n";
  EXPECT_TRUE(areApartInMain(two + "run(a, b); run(b, a);", run));
  EXPECT_FALSE(areApartInMain(two + "run(a, b); run(b, b);", run));
  EXPECT_FALSE(areApartInMain(two + "run(a, b); auto *p = run; p(a, a);", run));
  EXPECT_TRUE(areApartInMain(two + "outer(a, b);", run + "void outer(float *x, float *y) { run(y, x); }\n"));
  EXPECT_FALSE(
      areApartInMain(two + "run(a, b);", "void run(float *a, float *b) { b = a; k<<<1, 32>>>(a, b); }\n"));
  EXPECT_TRUE(areApartInMain(two + "run(a);",
                             "void run(float *a) { float *b; cudaMalloc(&b, 9); k<<<1, 32>>>(a, b); }\n"));
  EXPECT_FALSE(areApartInMain(two + "auto run = [&](float *p) { k<<<1, 32>>>(p, b); }; run(b);"));
}

TEST(LaunchArguments, WhatOtherFilesMayCallIsNotFollowed) {
  const std::string file = "void run(float *a, float *b) { k<<<1, 32>>>(a, b); }\n"
                           "void all() { float *a, *b; cudaMalloc(&a, 9); cudaMalloc(&b, 9); run(a, b); }\n";
  EXPECT_FALSE(areApart(file));
  EXPECT_TRUE(areApart("static " + file));
  EXPECT_TRUE(areApart(file, true));
  const std::string global =
      "float *a, *b;\nvoid run() { cudaMalloc(&a, 9); cudaMalloc(&b, 9); k<<<1, 32>>>(a, b); }\n";
  EXPECT_FALSE(areApart(global));
  EXPECT_TRUE(areApart("static " + global));
}

TEST(LaunchArguments, MemoryOfTheHostsIsNoDeviceVariable) {
  auto program =
      parsed("__global__ void k(float *a, float *b) { *a = *b; }\n__device__ float d[9];\n"
             "int main() { float *a, *b; cudaMalloc(&a, 9); cudaGetSymbolAddress((void **)&b, d);\n"
             "  k<<<1, 32>>>(a, b); }\n");
  ASSERT_TRUE(program);
  EXPECT_EQ(disjointArguments(*program, *program->kernels().at(0), false).allocated, std::set<unsigned>{0});
}

TEST(LaunchArguments, EveryInstantiationOfAHostTemplateIsLookedAt) {
  EXPECT_FALSE(
      areApartInMain(two + "run(a, b, 0); run(a, a, 0.0);",
                     "template <class T> void run(float *a, float *b, T) { k<<<1, 32>>>(a, b); }\n"));
}
