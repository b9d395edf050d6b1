// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/Launch.h"

#include "source/ParsedText.h"

#include <gmock/gmock.h>

using namespace heddle;
using namespace heddle::source;
using heddle::testing::parsed;
using ::testing::HasSubstr;

namespace {

std::string str(const LaunchShape &shape) {
  std::string text;
  for (const LaunchNumber &n : shape.xyz)
    text += (text.empty() ? "" : ",") + (n.value ? std::to_string(*n.value) : "?");
  return text;
}

/// The launches in `body` of a function with parameters int n, int *p; "grid/block" each.
std::vector<std::string> launches(const std::string &body) {
  auto program = parsed("#define EIGHT 8\nconstexpr int four = 4;\n__global__ void k(int *p) {}\n"
                        "void host(int n, int *p, cudaStream_t s) {\n" +
                        body + "\n}\n");
  std::vector<std::string> result;
  for (const Launch &launch : program ? program->launches() : std::vector<Launch>())
    result.push_back(str(launch.grid) + "/" + str(launch.block));
  return result;
}

std::string only(const std::string &body) {
  auto all = launches(body);
  return all.size() == 1 ? all[0] : std::to_string(all.size()) + " launches";
}

} // namespace

TEST(Launch, ConstantsOfAnySpellingAreKnown) {
  EXPECT_EQ(only("k<<<four, EIGHT * 4>>>(p);"), "4,1,1/32,1,1");
  EXPECT_EQ(only("const int b = 16; k<<<1 << 2, dim3(b, b)>>>(p);"), "4,1,1/16,16,1");
  EXPECT_EQ(only("dim3 b = {4, 5, 6}; k<<<dim3(1, 2, 3), b>>>(p);"), "1,2,3/4,5,6");
}

TEST(Launch, LocalsWithOneReachingDefinitionAreKnown) {
  EXPECT_EQ(only("int t = 64; dim3 block(t, 2); k<<<1, block>>>(p);"), "1,1,1/64,2,1");
  EXPECT_EQ(only("dim3 block; block.x = 8; block.y = 4; k<<<1, block>>>(p);"), "1,1,1/8,4,1");
  EXPECT_EQ(launches("dim3 b(16); k<<<1, b>>>(p); b = dim3(32); k<<<1, b>>>(p);"),
            (std::vector<std::string>{"1,1,1/16,1,1", "1,1,1/32,1,1"}));
}

TEST(Launch, WhatIsKnownAtRunTimeOnlySaysWhy) {
  auto program =
      parsed("__global__ void k(int *p) {}\nvoid host(int n, int *p) {\n  int b = 32; if (n > 9) b = 64;\n"
             "  k<<<(n + 31) / 32, b>>>(p);\n}\n");
  ASSERT_TRUE(program);
  const Launch &launch = program->launches().at(0);
  EXPECT_FALSE(launch.grid.xyz[0].value);
  EXPECT_EQ(launch.grid.text, "(n + 31) / 32");
  EXPECT_THAT(launch.grid.xyz[0].whyUnknown, HasSubstr("'n' is a parameter"));
  EXPECT_THAT(launch.block.xyz[0].whyUnknown, HasSubstr("several values of 'b'"));
  EXPECT_EQ(launch.grid.xyz[1].value, 1);
}

TEST(Launch, SharedMemoryAndStreamAreRead) {
  auto program = parsed("__global__ void k(int *p) {}\nvoid host(int *p, cudaStream_t s) {\n"
                        "  k<<<1, 32, 32 * sizeof(float), s>>>(p);\n  k<<<1, 32>>>(p);\n}\n");
  ASSERT_TRUE(program);
  ASSERT_EQ(program->launches().size(), 2u);
  EXPECT_EQ(program->launches()[0].dynamicSharedBytes.value, 128);
  EXPECT_EQ(program->launches()[0].stream, "s");
  EXPECT_EQ(program->launches()[1].dynamicSharedBytes.value, 0);
  EXPECT_EQ(program->launches()[1].stream, "");
}

TEST(Launch, RuntimeCallsCount) {
  EXPECT_EQ(only("void *a[] = {&p}; cudaLaunchKernel((void *)k, dim3(2), dim3(128), a, 0, 0);"),
            "2,1,1/128,1,1");
  EXPECT_EQ(only("void *a[] = {&p}; cudaLaunchCooperativeKernel((const void *)k, 2, 64, a);"),
            "2,1,1/64,1,1");
}

TEST(Launch, TemplatesAndPointersNameTheirKernel) {
  auto program = parsed("template <int B> __global__ void k(int *p) { p[threadIdx.x] = B; }\n"
                        "template <int B> void go(int *p) { k<B><<<1, B>>>(p); }\n"
                        "void host(int *p) { go<32>(p); go<64>(p); auto f = &k<32>; f<<<1, 8>>>(p); }\n");
  ASSERT_TRUE(program);
  std::vector<std::string> found;
  for (const Launch &launch : program->launches())
    found.push_back(launch.kernelName + " " + str(launch.block));
  EXPECT_EQ(found, (std::vector<std::string>{"k<32> 32,1,1", "k<64> 64,1,1", "k<32> 8,1,1"}));
  EXPECT_EQ(program->launchesOf(*program->kernelsNamed("k<32>").at(0)).size(), 2u);
}

TEST(Launch, ALaunchInsideAMacroIsFoundAndMarked) {
  auto program = parsed("#define CHECK(x) do { x; } while (0)\n__global__ void k(int *p) {}\n"
                        "void host(int *p) { CHECK((k<<<1, 32>>>(p))); }\n");
  ASSERT_TRUE(program);
  EXPECT_TRUE(program->launches().at(0).insideMacro);
  EXPECT_EQ(str(program->launches().at(0).block), "32,1,1");
}

TEST(Launch, ArithmeticIsDoneInTheTypesOfTheProgram) {
  EXPECT_EQ(only("float f = 2; int b = 7; k<<<1, int(b / f * 2)>>>(p);"), "1,1,1/7,1,1");
  EXPECT_EQ(only("int a = 1000; k<<<int(ceil(a / 256.0)), 256>>>(p);"), "4,1,1/256,1,1");
  EXPECT_EQ(only("int a = 300; k<<<(unsigned char)a, 32>>>(p);"), "44,1,1/32,1,1");
  EXPECT_EQ(only("unsigned z = 0; k<<<1, (z - 1u) >> 24>>>(p);"), "1,1,1/255,1,1");
  EXPECT_EQ(only("int big = 2147483647; k<<<1, big + 1>>>(p);"), "1,1,1/?,1,1");
  EXPECT_EQ(only("double half = 0.5; k<<<1, half * 64>>>(p);"), "1,1,1/32,1,1");
}

TEST(Launch, SmallFunctionsAndMinMaxAreLookedInto) {
  const char *prelude =
      "int ceilDiv(int a, int b) { return (a + b - 1) / b; }\ndim3 square(int n) { return dim3(n, n); }\n"
      "template <class T> T twice(T x) { return x * 2; }\nint now();\n"
      "__global__ void k(int *p) {}\n";
  auto blockOf = [&](const std::string &launch) {
    auto program =
        parsed(prelude + ("#include <algorithm>\nvoid host(int *p) { int n = 100; " + launch + " }\n"));
    return program ? str(program->launches().at(0).grid) + "/" + str(program->launches().at(0).block) : "";
  };
  EXPECT_EQ(blockOf("k<<<ceilDiv(n, 32), square(16)>>>(p);"), "4,1,1/16,16,1");
  EXPECT_EQ(blockOf("k<<<std::min(n, 64), std::max(twice(16), 8)>>>(p);"), "64,1,1/32,1,1");
  EXPECT_EQ(blockOf("k<<<ceilDiv(now(), 32), 32>>>(p);"), "?,1,1/32,1,1");
}

TEST(Launch, BlocksThatTheRuntimeLibraryComparesAreKnown) {
  const auto block = [](const std::string &text) {
    auto program =
        parsed("namespace heddle {\n"
               "template <unsigned X, unsigned Y, unsigned Z> dim3 statedBlock(dim3 block, const char *);\n"
               "template <unsigned X, unsigned Y, unsigned Z> dim3 mergedBlock(dim3 block, const char *);\n"
               "template <unsigned X> dim3 roundedGrid(dim3 grid);\n"
               "template <unsigned X, unsigned Y, unsigned Z, unsigned LX, unsigned LY, unsigned LZ>\n"
               "dim3 warpOf(dim3 block, const char *);\n"
               "template <unsigned X, unsigned Y, unsigned Z>\n"
               "unsigned blockWithRoles(dim3 block, unsigned threads, const char *);\n}\n"
               "template <unsigned X, unsigned Y, unsigned Z> dim3 statedBlock(dim3 block, const char *);\n"
               "__global__ void k() {}\nvoid host(int n) { k<<<1, " +
               text + ">>>(); }\n");
    return program && program->launches().size() == 1 ? str(program->launches()[0].block) : "no launch";
  };
  EXPECT_EQ(block("heddle::statedBlock<16, 8, 2>(n, \"k\")"), "16,8,2");
  EXPECT_EQ(block("heddle::mergedBlock<2, 4, 1>(heddle::statedBlock<16, 8, 2>(n, \"k\"), \"k\")"), "8,2,2");
  EXPECT_EQ(block("heddle::roundedGrid<2>(dim3(5, 3))"), "3,3,1");
  EXPECT_EQ(block("heddle::roundedGrid<2>(n)"), "?,1,1");
  EXPECT_EQ(block("heddle::warpOf<16, 16, 1, 16, 2, 1>(n, \"k\")"), "16,2,1");
  EXPECT_EQ(block("heddle::blockWithRoles<128, 1, 1>(n, 256, \"k\")"), "256,1,1");
  // Division alone does not say what is divided, and others may use the name.
  EXPECT_EQ(block("heddle::mergedBlock<2, 1, 1>(n, \"k\")"), "?,1,1");
  EXPECT_EQ(block("statedBlock<16, 8, 2>(n, \"k\")"), "?,?,?");
}

TEST(Launch, AReferenceIsNotTakenForWhatItWasBoundTo) {
  EXPECT_EQ(only("int b = 32; const int &r = b; b = 64; k<<<1, r>>>(p);"), "1,1,1/?,1,1");
}

TEST(Launch, ALambdaSeesWhatNeverChangesAroundIt) {
  EXPECT_EQ(only("const int threads = 128; dim3 g(2, 3); auto go = [=] { k<<<g, threads>>>(p); }; go();"),
            "2,3,1/128,1,1");
  EXPECT_EQ(only("int b = 32; auto go = [=]() mutable { b = 64; k<<<1, b>>>(p); }; go();"), "1,1,1/?,1,1");
  EXPECT_EQ(only("int b = 32; auto go = [&] { if (n) b = 64; k<<<1, b>>>(p); }; go();"), "1,1,1/?,1,1");
}

TEST(Launch, ALambdasOwnLocalsAndInstancesAreFollowed) {
  auto program =
      parsed("template <int N> __global__ void k(int *p) { *p = N; }\n"
             "template <int N> struct Size { static constexpr int value = N; };\n"
             "void host(int *p) {\n"
             "  auto go = [=](auto size) {\n    constexpr int n = decltype(size)::value;\n"
             "    auto kernel = &k<n>;\n    int threads = n * 2;\n    kernel<<<1, threads>>>(p);\n  };\n"
             "  go(Size<16>());\n  go(Size<32>());\n}\n");
  ASSERT_TRUE(program);
  std::vector<std::string> found;
  for (const Launch &launch : program->launches())
    found.push_back(launch.kernelName + " " + str(launch.block));
  EXPECT_EQ(found, (std::vector<std::string>{"k<16> 32,1,1", "k<32> 64,1,1"}));
}

TEST(Launch, MembersMacrosAndVariadicWrappersAreSeenThrough) {
  auto program = parsed(
      "struct Config { static constexpr int block = 96; enum { grid = 5 }; };\n"
      "#define LAUNCH(kernel, n, ...) kernel<<<Config::grid, n>>>(__VA_ARGS__)\n"
      "__global__ void k(int *p, int) {}\nstatic const dim3 tile(8, 8);\n"
      "template <void (*Kernel)(int *, int), class... A> void by(A... a) { Kernel<<<1, 48>>>(a...); }\n"
      "struct Runner { int *p; void go() { LAUNCH(k, Config::block, p, 1); k<<<1, tile>>>(p, 2); } };\n"
      "void host(int *p) { by<k>(p, 3); }\n");
  ASSERT_TRUE(program);
  std::vector<std::string> found;
  for (const Launch &launch : program->launches())
    found.push_back(launch.kernelName + " " + str(launch.grid) + "/" + str(launch.block));
  EXPECT_EQ(found, (std::vector<std::string>{"k 1,1,1/48,1,1", "k 5,1,1/96,1,1", "k 1,1,1/8,8,1"}));
}

TEST(Launch, InstantiationsThatDifferInShapeOnlyAreKeptApart) {
  auto program = parsed("__global__ void k(int *p) {}\n"
                        "template <int X, int Y> void go(int *p) { k<<<1, dim3(X, Y)>>>(p); }\n"
                        "void host(int *p) { go<16, 16>(p); go<256, 1>(p); }\n");
  ASSERT_TRUE(program);
  EXPECT_EQ(program->launches().size(), 2u);
}
