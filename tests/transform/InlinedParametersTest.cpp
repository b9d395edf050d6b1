// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions with barriers in the place of their calls: how their parameters are declared, and which names
// must not change their meaning.
#include "transform/InlineCalls.h"
#include "transform/Optimized.h"

using heddle::testing::optimized;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

std::string coarsened(const std::string &functions, const std::string &statement) {
  return optimized(functions +
                       "__device__ float twice(float x) { return 2 * x; }\n"
                       "__global__ void k(float *a, const float *b) {\n"
                       "  __shared__ float tile[64];\n"
                       "  __shared__ float rows[16][4];\n"
                       "  int t = threadIdx.x;\n"
                       "  float x = b[t];\n" +
                       statement +
                       "  a[t] = x + tile[63 - t] + rows[t / 4][t % 4];\n"
                       "}\n"
                       "int main() { k<<<4, 64>>>(nullptr, nullptr); }\n",
                   "coarsen x=2");
}

} // namespace

TEST(InlinedParameters, ReferencesToArrays) {
  EXPECT_THAT(
      coarsened("__device__ void put(float (&to)[64], float v) { to[threadIdx.x] = v; __syncthreads(); }\n",
                "  put(tile, x);\n"),
      HasSubstr("float (&to)[64] = tile;"));
}

TEST(InlinedParameters, PointersToArrays) {
  EXPECT_THAT(
      coarsened("__device__ void put(float (*to)[4], float v) { to[threadIdx.x / 4][threadIdx.x % 4] = v; "
                "__syncthreads(); }\n",
                "  put(rows, x);\n"),
      HasSubstr("float (*to)[4] = rows;"));
}

TEST(InlinedParameters, ArraysOfArraysArePointers) {
  EXPECT_THAT(
      coarsened("__device__ void put(float to[][4], float v) { to[threadIdx.x / 4][threadIdx.x % 4] = v; "
                "__syncthreads(); }\n",
                "  put(rows, x);\n"),
      HasSubstr("float (*to)[4] = rows;"));
}

TEST(InlinedParameters, FunctionPointers) {
  std::string text =
      coarsened("__device__ void put(float *to, float (*f)(float), float v) { to[threadIdx.x] = f ? v : 0; "
                "__syncthreads(); }\n",
                "  put(tile, twice, x);\n");
  EXPECT_THAT(text, HasSubstr("float (*f)(float) = twice;"));
}

TEST(InlinedParameters, DeducedAndForwardedTypes) {
  std::string text = coarsened("template <class T, class U> __device__ void put(T &&to, U v) {\n"
                               "  to[threadIdx.x] = v;\n  __syncthreads();\n}\n",
                               "  put(tile, x);\n");
  EXPECT_THAT(text, HasSubstr("using T = float (&)[64];"));
  EXPECT_THAT(text, HasSubstr("to = tile;"));
  EXPECT_THAT(text, Not(HasSubstr("refused")));
}

TEST(InlinedParameters, AParameterDoesNotHideWhatAnArgumentMeans) {
  std::string text =
      coarsened("__device__ float scale;\n"
                "__device__ void put(float *to, float scale, float v) { to[threadIdx.x] = v * scale; "
                "__syncthreads(); }\n",
                "  put(tile, scale, x);\n");
  EXPECT_THAT(text, HasSubstr("float scale2 = scale;"));
}

TEST(InlinedParameters, AFunctionThatTheKernelsVariableHidesIsNotMistaken) {
  EXPECT_THAT(
      coarsened("__device__ float t(float x) { return x; }\n"
                "__device__ void put(float *to, float v) { to[threadIdx.x] = t(v); __syncthreads(); }\n",
                "  put(tile, x);\n"),
      HasSubstr("its 't' is another one than the kernel's"));
}

TEST(InlinedParameters, NamesOfAnotherNamespaceAreNotMistaken) {
  EXPECT_THAT(
      coarsened("namespace ns { __device__ float f(float x) { return x; }\n"
                "__device__ void put(float *to, float v) { to[threadIdx.x] = f(v); __syncthreads(); } }\n",
                "  ns::put(tile, x);\n"),
      HasSubstr("'f' is a name of namespace 'ns', which the kernel is not in"));
}

/// The names of a template's parameters may mean something else to the kernel, and to the text of the call.
TEST(InlinedParameters, TemplateParametersThatTheKernelKnowsByAnotherMeaning) {
  const std::string put = "template <int N> __device__ void put(float (&to)[64], float v, int at) {\n"
                          "  to[(at + N) % 64] = v * N;\n"
                          "  __syncthreads();\n"
                          "}\n";
  std::string text = coarsened(put, "  const int N = 2;\n  put<N + 1>(tile, x, t + N);\n");
  EXPECT_THAT(text, HasSubstr("constexpr int N2 = N + 1;"));
  EXPECT_THAT(text, HasSubstr("to[(at + N2) % 64] = v * N2;"));
  EXPECT_THAT(text, HasSubstr("int at = t + N;"));
  // Without a conflict the name stays.
  text = coarsened(put, "  put<3>(tile, x, t + 1);\n");
  EXPECT_THAT(text, HasSubstr("constexpr int N = 3;"));
  EXPECT_THAT(text, HasSubstr("to[(at + N) % 64] = v * N;"));
  // Types, and sizes in the types of parameters.
  text = coarsened("template <class T, int M> __device__ void put(T (&to)[M], T v) {\n"
                   "  const T twice = v + v;\n"
                   "  to[threadIdx.x % M] = twice;\n"
                   "  __syncthreads();\n"
                   "}\n",
                   "  using T = float;\n  const int M = 64;\n  put<T, M * 1>(tile, x);\n");
  EXPECT_THAT(text, HasSubstr("constexpr int M2 = M * 1;"));
  EXPECT_THAT(text, HasSubstr("(&to)[M2] = tile;"));
  EXPECT_THAT(text, HasSubstr("% M2] = twice"));
}

TEST(InlinedParameters, TemplateParametersOfTheKernel) {
  const std::string text = optimized("template <int M> __device__ void put(float *to, float v, int at) {\n"
                                     "  to[(at + M) % 64] = v;\n"
                                     "  __syncthreads();\n"
                                     "}\n"
                                     "template <int M> __global__ void k(float *a) {\n"
                                     "  __shared__ float tile[64];\n"
                                     "  int t = threadIdx.x;\n"
                                     "  put<M + 1>(tile, a[t], t);\n"
                                     "  a[t] = tile[63 - t] * M;\n"
                                     "}\n"
                                     "int main() { k<3><<<4, 64>>>(nullptr); k<5><<<4, 64>>>(nullptr); }\n",
                                     "coarsen x=2");
  EXPECT_THAT(text, HasSubstr("constexpr int M2 = M + 1;"));
  EXPECT_THAT(text, HasSubstr("+ M2) % 64] = v"));
  EXPECT_THAT(text, HasSubstr("* M;"));
}
