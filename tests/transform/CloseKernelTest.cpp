// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Directives that change launches, on kernels that other files may launch.
#include "transform/Optimized.h"

using namespace heddle;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

struct Result {
  std::string text; ///< the new text, or "refused: " and why
  std::string warnings;
};

/// A text that is not said to be the whole program.
Result optimizedPart(const std::string &text, const std::string &directives) {
  transform::Options options;
  options.compile.cudaPath = "none";
  Diagnostics diagnostics;
  const std::vector<transform::Directive> list = transform::readDirectives(directives, diagnostics);
  const transform::Outcome outcome = transform::applyDirectives("test.cu", text, list, options, diagnostics);
  Result result{heddle::testing::inWords(outcome, diagnostics), {}};
  for (const Diagnostic &each : diagnostics.all())
    if (each.voice == Voice::Warning)
      result.warnings += each.text + "\n";
  return result;
}

const std::string kernel = "__global__ void k(float *a) {\n  a[threadIdx.x] *= 2.0f;\n}\n";
const std::string launch = "void f(float *a) { k<<<8, 256>>>(a); }\n";

} // namespace

TEST(CloseKernel, WhatOtherFilesCouldDeclareBecomesStatic) {
  const Result result = optimizedPart(kernel + launch, "coarsen x=2");
  EXPECT_THAT(result.text, HasSubstr("__global__ static void k(float *a) {\n"));
  EXPECT_EQ(result.warnings,
            "'k' becomes static: another file that launches it will not link [coarsen x=2]\n");
}

TEST(CloseKernel, EveryDeclarationInTheFileDoes) {
  const Result result = optimizedPart("__global__ void k(float *a);\n" + launch + kernel, "coarsen x=2");
  EXPECT_THAT(result.text, AllOf(HasSubstr("__global__ static void k(float *a);"),
                                 HasSubstr("__global__ static void k(float *a) {\n")));
}

TEST(CloseKernel, ATemplateDoes) {
  const Result result = optimizedPart("template <class T>\n__global__ void __launch_bounds__(256) k(T *a) {\n"
                                      "  a[threadIdx.x] *= 2;\n}\n" +
                                          launch,
                                      "coarsen x=2");
  EXPECT_THAT(result.text, HasSubstr("template <class T>\n__global__ static void __launch_bounds__("));
}

TEST(CloseKernel, DirectivesOneAfterTheOtherWarnOnce) {
  const Result result = optimizedPart(kernel + launch, "coarsen x=2; coarsen x=2");
  EXPECT_THAT(result.text, AllOf(HasSubstr("static void k"), Not(HasSubstr("static static"))));
  EXPECT_EQ(result.warnings,
            "'k' becomes static: another file that launches it will not link [coarsen x=2]\n");
}

TEST(CloseKernel, AWholeProgramStaysAsItIs) {
  const Result result =
      optimizedPart(kernel + launch + "int main() { float *a; cudaMalloc(&a, 9); f(a); }\n", "coarsen x=2");
  EXPECT_THAT(result.text, Not(HasSubstr("static")));
  EXPECT_EQ(result.warnings, "");
}

TEST(CloseKernel, LaunchesThatWouldBeMissedAreRefused) {
  EXPECT_EQ(
      optimizedPart(kernel, "coarsen x=2").text,
      "refused: coarsen x=2: nothing in this file launches 'k', and launches in other files are not seen");
  EXPECT_EQ(optimizedPart("extern \"C\" " + kernel + launch, "coarsen x=2").text,
            "refused: coarsen x=2: 'k' is declared here for other files, whose launches are not seen");
  EXPECT_EQ(optimizedPart("template <class T> __global__ void k(T *a) { a[threadIdx.x] = 1; }\n"
                          "template __global__ void k<float>(float *);\n" +
                              launch,
                          "coarsen x=2")
                .text,
            "refused: coarsen x=2: 'k<float>' is instantiated for other files, whose launches are not seen");
  EXPECT_THAT(optimizedPart(kernel + launch + "void (*stored)(float *) = k;\n", "coarsen x=2").text,
              HasSubstr("the kernel's address is taken here"));
  EXPECT_THAT(optimizedPart("template <class T> __global__ void k(T *a) { a[threadIdx.x] = 1; }\n"
                            "template <> __global__ void k<int>(int *a) { a[threadIdx.x] = 2; }\n"
                            "template <class T> void run(T *a) { k<T><<<1, 64>>>(a); }\n"
                            "int main() { run<float>(nullptr); run<int>(nullptr); }\n",
                            "coarsen x=2")
                  .text,
              HasSubstr("one text serves both"));
}

TEST(CloseKernel, DirectivesThatKeepLaunchesKeepTheLinkageToo) {
  const std::string loop = "__global__ void k(float *a) {\n"
                           "  for (int i = 0; i < 8; ++i)\n    for (int j = 0; j < 8; ++j)\n"
                           "      a[(i * 8 + j) * 32 + threadIdx.x] = 1.0f;\n}\n";
  EXPECT_THAT(optimizedPart(loop, "interchange").text, Not(HasSubstr("static")));
  EXPECT_THAT(optimizedPart("extern \"C\" " + loop + launch, "interchange").text,
              HasSubstr("for (int j = 0; j < 8; ++j)\n    for (int i"));
}

TEST(CloseKernel, WithoutAllLaunchesTheirBlockIsNotRelied) {
  // Queues for as many threads as the launch has would be too small for a launch in another file.
  const std::string work = "__global__ void k(float *a, const int *kind) {\n"
                           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  switch (kind[i]) {\n"
                           "  case 0: for (int j = 0; j < 9; ++j) a[i] += 1.0f; break;\n"
                           "  case 1: for (int j = 0; j < 7; ++j) a[i] *= 2.0f; break;\n"
                           "  }\n}\n"
                           "void f(float *a, int *kind) { k<<<8, 64>>>(a, kind); }\n";
  EXPECT_THAT(optimizedPart(work, "specialize by=branch").text, HasSubstr("1024"));
  EXPECT_THAT(heddle::testing::optimized(work, "specialize by=branch"), Not(HasSubstr("1024")));
}
