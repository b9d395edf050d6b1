// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/loops/ScalarReplace.h"

#include "transform/Optimized.h"

using namespace heddle;
using heddle::testing::messagesOf;
using heddle::testing::optimized;
using ::testing::HasSubstr;

namespace {

/// A loop of four that reads neighbours of a shared array, behind a guard, for a block of 16 threads.
std::string neighbours(const std::string &size, const std::string &body) {
  return "__global__ void k(float *a, const float *b, int n) {\n"
         "  __shared__ float s[" +
         size +
         "];\n"
         "  for (int i = threadIdx.x; i < 64; i += 16)\n"
         "    s[i] = b[i];\n"
         "  __syncthreads();\n"
         "  for (int k = 0; k < 4; ++k) {\n" +
         body +
         "  }\n"
         "}\n"
         "void f() { k<<<1, 16>>>(nullptr, nullptr, 9); }\n";
}

const std::string twoReads = "    int at = threadIdx.x * 4 + k;\n"
                             "    if (at < n)\n"
                             "      a[at] = s[at] + s[at + 1];\n";

} // namespace

TEST(ScalarReplace, NeighboursThatIterationsShareAreReadOnceBeforeTheLoop) {
  std::string text = optimized(neighbours("65", twoReads), "scalar-replace");
  EXPECT_THAT(text, HasSubstr("  float nearS[5];\n  #pragma unroll\n  for (unsigned j = 0; j < 5; ++j)\n"
                              "    nearS[j] = s[threadIdx.x * 4 + j];\n"));
  EXPECT_THAT(text, HasSubstr("a[at] = nearS[k] + nearS[k + 1];"));
}

TEST(ScalarReplace, ElementsThatMayLieOutsideTheArrayAreLeftToTheirGuard) {
  std::string text = neighbours("64", twoReads); // the last thread's s[64] is there for no one
  EXPECT_EQ(optimized(text, "scalar-replace"), text);
  Diagnostics messages = messagesOf(text, "scalar-replace");
  EXPECT_EQ(messages.all().at(0).voice, Voice::Kept);
}

TEST(ScalarReplace, AnArrayThatIsWrittenBetweenTheSameBarriersStays) {
  std::string text = neighbours("65", "    int at = threadIdx.x * 4 + k;\n"
                                      "    a[at] = s[at] + s[at + 1];\n"
                                      "    if (n > 100)\n"
                                      "      s[threadIdx.x] = 0.0f;\n");
  EXPECT_EQ(optimized(text, "scalar-replace"), text);
}

TEST(ScalarReplace, AVariableThatNobodyUsesAnyMoreGoes) {
  std::string text = optimized(neighbours("65", "    int right = threadIdx.x * 4 + k + 1;\n"
                                                "    a[threadIdx.x * 4 + k] = s[right] + s[right - 1];\n"),
                               "scalar-replace");
  EXPECT_THAT(text, HasSubstr("nearS[k + 1] + nearS[k];"));
  EXPECT_THAT(text, Not(HasSubstr("right")));
}

TEST(ScalarReplace, TheTwoPointStencilOfThePaperReadsAQuarterLess) {
  std::string kernel = "__global__ void k(float *a, const float *b, int n) {\n"
                       "  __shared__ float c[65];\n"
                       "  c[threadIdx.x + 1] = b[threadIdx.x];\n"
                       "  if (threadIdx.x == 0)\n"
                       "    c[0] = 0.0f;\n"
                       "  __syncthreads();\n"
                       "  if (threadIdx.x < n)\n"
                       "    a[threadIdx.x] = c[threadIdx.x + 1] + c[threadIdx.x];\n"
                       "}\n"
                       "void f() { k<<<1, 64>>>(nullptr, nullptr, 9); }\n";
  Diagnostics messages = messagesOf(kernel, "coarsen x=2 map=blocked; scalar-replace");
  EXPECT_THAT(messages.all().back().text, HasSubstr("'c' is read 3 times instead of 4"));
}

TEST(ScalarReplace, ATemplateIsChangedWhereItsInstantiationsAgree) {
  auto ofTemplate = [](const std::string &parameter, const std::string &first, const std::string &second) {
    return "template <" + parameter + "> __global__ void k(float *a, const float *b) {\n" +
           "  __shared__ float s[65];\n"
           "  typedef T Number;\n"
           "  s[threadIdx.x] = b[threadIdx.x];\n"
           "  __syncthreads();\n"
           "  for (int k = 0; k < N; ++k)\n"
           "    a[threadIdx.x * 4 + k] = Number(s[threadIdx.x * 4 + k] + s[threadIdx.x * 4 + k + 1]);\n"
           "}\n"
           "void f() { k<" +
           first + "><<<1, 16>>>(nullptr, nullptr); k<" + second + "><<<1, 16>>>(nullptr, nullptr); }\n";
  };
  EXPECT_THAT(optimized(ofTemplate("class T, int N", "float, 4", "double, 4"), "scalar-replace"),
              HasSubstr("float nearS[5];"));
  std::string different = ofTemplate("class T, int N", "float, 4", "float, 2");
  EXPECT_EQ(optimized(different, "scalar-replace"), different);
  EXPECT_THAT(messagesOf(different, "scalar-replace").all().at(0).text, HasSubstr("another does not"));
}
