// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelText.h"

using namespace heddle::analysis;

namespace {

std::string bodyOf(const std::string &body) {
  return "__global__ void k(float *a, const int *idx, int n, int width) {\n" + body + "\n}\n";
}

TEST(Accesses, PutTheLaunchsBlockInThePlaceOfBlockDim) {
  std::string text = bodyOf("int i = blockIdx.x * blockDim.x + threadIdx.x; a[i + 1] = 0;");
  EXPECT_EQ(KernelText(text).subscript("a"), "[blockIdx.x*blockDim.x + threadIdx.x + 1]");
  EXPECT_EQ(KernelText(text, blockOf(16)).subscript("a"), "[16*blockIdx.x + threadIdx.x + 1]");
}

TEST(Accesses, FollowLocalsThroughSeveralAssignments) {
  KernelText k(bodyOf("int i = threadIdx.x; i = i * 4; i += width; a[i] = 0; i = 7; a[i] = 1;"));
  EXPECT_EQ(k.subscript("a", 0), "[width + 4*threadIdx.x]");
  EXPECT_EQ(k.subscript("a", 1), "[7]");
}

TEST(Accesses, ShowTheReasonWhenTwoDefinitionsReach) {
  KernelText k(bodyOf("int i = threadIdx.x;\nif (threadIdx.y) i = n;\na[i] = 0;"));
  EXPECT_EQ(k.subscript("a"), "[not affine: two definitions of 'i' reach at line 3]");
}

TEST(Accesses, AgreeOnAValueChosenByTheWholeBlock) {
  KernelText k(bodyOf("int i = 0;\nif (blockIdx.x == 0) i = n;\na[i + threadIdx.x] = 0;"));
  EXPECT_EQ(k.subscript("a"), "[i@3 + threadIdx.x]");
}

TEST(Accesses, ShowTheReasonForAnIndexLoadedFromMemory) {
  KernelText k(bodyOf("a[idx[threadIdx.x]] = 0;"));
  EXPECT_EQ(k.subscript("a"), "[not affine: loaded from 'idx' at line 2]");
  EXPECT_EQ(k.subscript("idx"), "[threadIdx.x]");
  EXPECT_EQ(k.at("idx").kind, Access::Kind::Read);
  EXPECT_EQ(k.at("a").kind, Access::Kind::Write);
}

TEST(Accesses, ShowTheReasonForAProductOfVaryingThings) {
  KernelText k(bodyOf("for (int i = 0; i < n; ++i) a[threadIdx.x * i] = 0;"));
  EXPECT_EQ(k.subscript("a"), "[not affine: product of i and threadIdx.x at line 2]");
}

TEST(Accesses, CountIterationsOfAForLoop) {
  KernelText k(bodyOf("for (int i = 0; i < 8; ++i) a[i * 32 + threadIdx.x] = 0;"));
  EXPECT_EQ(k.subscript("a"), "[32*i + threadIdx.x]");
  ASSERT_TRUE(k.at("a").loop);
  EXPECT_EQ(k.at("a").loop->trips, 8);
  EXPECT_EQ(k.at("a").loop->variable, "i");
}

TEST(Accesses, SeeTheThreadInABlockStrideLoop) {
  KernelText k(bodyOf("for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] = 0;"), blockOf(128));
  EXPECT_EQ(k.subscript("a"), "[128*#i + threadIdx.x]");
  EXPECT_EQ(k.at("a").loop->bound->str(), "n");
}

TEST(Accesses, CountDownAndInWhileLoops) {
  KernelText down(bodyOf("for (int i = 10; i >= 2; i -= 2) a[i] = 0;"));
  EXPECT_EQ(down.subscript("a"), "[-2*#i + 10]");
  EXPECT_EQ(down.at("a").loop->trips, 5);
  KernelText loop(bodyOf("int i = threadIdx.x; while (i < n) { a[i] = 0; i += 64; a[i] = 1; }"));
  EXPECT_EQ(loop.subscript("a", 0), "[64*#i + threadIdx.x]");
  EXPECT_EQ(loop.subscript("a", 1), "[64*#i + threadIdx.x + 64]");
}

TEST(Accesses, MoveAPointerThroughALoop) {
  KernelText k(bodyOf("float *p = a + threadIdx.x; for (int i = 0; i < 4; ++i) { *p = 0; p += width; }"));
  EXPECT_EQ(k.subscript("a"), "[width*i + threadIdx.x]");
}

TEST(Accesses, KnowThatAHalvedVariableIsUniformAndBounded) {
  KernelText k(bodyOf("__shared__ float s[256]; for (int o = 128; o > 0; o >>= 1) s[threadIdx.x + o] = 0;"));
  EXPECT_EQ(k.subscript("s"), "[o + threadIdx.x]");
  std::string all;
  for (Guards g = k.at("s").guards; g; g = g->outer)
    all += g->condition.str() + "; ";
  EXPECT_EQ(all, "o - 1 >= 0; -o + 128 >= 0; ");
}

TEST(Accesses, FollowADoLoopOnceWhoseConditionNeverHolds) {
  KernelText k(bodyOf("int i = 8; do { a[i] = 0; ++i; } while (i < 8);"));
  EXPECT_EQ(k.subscript("a"), "[#i + 8]");
  EXPECT_EQ(k.at("a").loop->trips, 1);
}

TEST(Accesses, DoNotTakeADoubledVariableForACounter) {
  for (const char *change : {"s += s", "s = s + s"}) {
    KernelText k(bodyOf(fmt::format("for (int s = 1; s < 32; {}) a[s] = 0;", change)));
    EXPECT_FALSE(k.at("a").loop->trips) << change;
    EXPECT_EQ(k.subscript("a"), "[s]") << change;
  }
}

TEST(Accesses, KeepAToggledBufferUniform) {
  KernelText k(bodyOf("__shared__ float s[2][64]; int b = 0;"
                      "for (int i = 0; i < n; ++i) { s[b][threadIdx.x] = 0; b ^= 1; }"));
  EXPECT_EQ(k.subscript("s"), "[b][threadIdx.x]");
}

TEST(Accesses, ShowTheReasonForAVariableThatChangesByThread) {
  KernelText k(bodyOf("int j = 0;\nfor (int i = 0; i < n; ++i) { a[j] = 0; if (a[i] > 0) ++j; }"));
  EXPECT_EQ(k.subscript("a"), "[not affine: 'j' changes in the loop at line 3]");
}

TEST(Accesses, DivideAndTakeRemaindersByConstants) {
  KernelText k(bodyOf("__shared__ float s[8][33]; s[threadIdx.x / 32][threadIdx.x % 32] = 0;"
                      "s[threadIdx.x >> 5][threadIdx.x & 31] = 0;"));
  EXPECT_EQ(k.subscript("s", 0), "[floor((threadIdx.x)/32)][threadIdx.x - 32*floor((threadIdx.x)/32)]");
  EXPECT_EQ(k.subscript("s", 1), k.subscript("s", 0));
  EXPECT_EQ(k.at("s").address.str(), "4*threadIdx.x + 4*floor((threadIdx.x)/32)");
}

TEST(Accesses, NarrowWhatSurelyFits) {
  KernelText k(
      bodyOf("short warp = threadIdx.x / 32; a[warp] = 0; unsigned char b = threadIdx.x; a[b] = 0;"));
  EXPECT_EQ(k.subscript("a", 0), "[floor((threadIdx.x)/32)]");
  EXPECT_EQ(k.subscript("a", 1), "[not affine: narrowed to fewer than 32 bits at line 2]");
}

TEST(Accesses, HandOnTheReasonOfALoopsStart) {
  KernelText k(bodyOf("int i = idx[threadIdx.x]; for (; i < n; i += 4) a[i] = 0;"));
  EXPECT_EQ(k.subscript("a"), "[not affine: loaded from 'idx' at line 2]");
}

TEST(Accesses, FoldTemplateArgumentsConstantsAndMacros) {
  KernelText k("#define PAD 1\nconstexpr int W = 4 * 8;\n"
               "template <int T> __global__ void k(float *a) { __shared__ float s[T][W + PAD];\n"
               "s[threadIdx.y * T][threadIdx.x + PAD] = a[threadIdx.x * W]; }\n"
               "template __global__ void k<16>(float *);");
  EXPECT_EQ(k.subscript("s"), "[16*threadIdx.y][threadIdx.x + 1]");
  EXPECT_EQ(k.at("s").array->extents, (std::vector<int64_t>{16, 33}));
  EXPECT_EQ(k.subscript("a"), "[32*threadIdx.x]");
}

TEST(Accesses, CollectGuardsFromBranchesAndEarlyReturns) {
  KernelText k(
      bodyOf("int i = threadIdx.x; if (i >= n) return; if (i > 0 && i < 9) a[i] = 0; else a[i] = 1;"));
  EXPECT_EQ(k.at("a", 0).guards->condition.str(), "threadIdx.x - 1 >= 0 and -threadIdx.x + 8 >= 0");
  EXPECT_EQ(k.at("a", 0).guards->outer->condition.str(), "n - threadIdx.x - 1 >= 0");
  EXPECT_EQ(k.at("a", 1).guards->condition.str(), "-threadIdx.x >= 0 or threadIdx.x - 9 >= 0");
}

TEST(Accesses, ReadAConditionThroughABoolVariable) {
  KernelText k(bodyOf("bool inside = threadIdx.x < n; if (!inside) return; a[threadIdx.x] = 0;"));
  EXPECT_EQ(k.at("a").guards->condition.str(), "n - threadIdx.x - 1 >= 0");
}

TEST(Accesses, LookIntoDeviceFunctions) {
  KernelText k("__device__ int flat(int x, int y, int w) { return y * w + x; }\n"
               "__device__ void put(float *p, int i, float v) { p[i + 1] = v; }\n"
               "__global__ void k(float *a, int w) { put(a + 2, flat(threadIdx.x, threadIdx.y, w), 1.f); }");
  EXPECT_EQ(k.subscript("a"), "[w*threadIdx.y + threadIdx.x + 3]");
  EXPECT_EQ(k.at("a").calls.size(), 1u);
}

TEST(Accesses, WriteThroughReferencesIntoTheCaller) {
  KernelText k("__device__ void split(int i, int &x, int &y) { x = i & 7; y = i >> 3; }\n"
               "__global__ void k(float *a) { int x, y; split(threadIdx.x, x, y); a[y] = 0; }");
  EXPECT_EQ(k.subscript("a"), "[floor((threadIdx.x)/8)]");
}

TEST(Accesses, RefuseRecursionButGoOn) {
  KernelText k("__device__ int f(int n) { return n < 2 ? 1 : f(n - 1); }\n"
               "__global__ void k(float *a) { a[f(3)] = 0; a[threadIdx.x] = 1; }");
  EXPECT_FALSE(k.accesses->isComplete());
  EXPECT_EQ(k.subscript("a", 1), "[threadIdx.x]");
}

TEST(Accesses, FollowCodeThatOnlyAGotoReachesAndSayThatTheyAreIncomplete) {
  KernelText k(bodyOf("const int t = threadIdx.x; int i = t;\n"
                      "if (idx[t]) { ++i; goto other; }\n"
                      "a[i] = 0; return;\n"
                      "other: a[n - t] = 1; a[i] = 2;"));
  ASSERT_EQ(k.accesses->gaps().size(), 1u);
  EXPECT_EQ(k.accesses->gaps().front().location.line, 3u);
  EXPECT_EQ(k.accesses->gaps().front().text,
            "'goto other' is not analyzed: what is executed after its label is not known");
  EXPECT_EQ(k.subscript("a", 0), "[threadIdx.x]");
  EXPECT_EQ(k.subscript("a", 1), "[n - threadIdx.x]");
  EXPECT_EQ(k.subscript("a", 2),
            "[not affine: 'i' changes, and 'other' is a label that is jumped to at line 5]");
}

TEST(Accesses, DoNotKeepAGuardBehindALabelThatSkipsIt) {
  KernelText k(bodyOf("int i = threadIdx.x; if (i >= n) goto last; a[i] = 0; last: a[i] = 1;"));
  EXPECT_FALSE(k.accesses->isComplete());
  ASSERT_TRUE(k.at("a", 0).guards);
  EXPECT_EQ(k.at("a", 0).guards->text, "!(i >= n)");
  ASSERT_TRUE(k.at("a", 1).guards);
  EXPECT_EQ(k.at("a", 1).guards->text, "a jump to 'last'");
  EXPECT_FALSE(k.at("a", 1).guards->outer);
}

TEST(Accesses, TakeAGotoToTheEndOfALoopOrOfTheKernelForContinueOrReturn) {
  const std::string loop = "for (int i = 0; i < n; ++i) { for (int j = 0; j < n; ++j) if (idx[j]) goto next;"
                           "  a[i] = 0; next:; }";
  EXPECT_TRUE(KernelText(bodyOf(loop)).accesses->isComplete());
  EXPECT_TRUE(KernelText(bodyOf("if (n < 4) goto end; a[n] = 0; end:;")).accesses->isComplete());
  EXPECT_TRUE(KernelText(bodyOf("if (n < 4) goto end; a[n] = 0; end: return;")).accesses->isComplete());
  EXPECT_FALSE(
      KernelText(bodyOf("if (n < 4) { goto end; a[n] = 0; end:; } a[1] = 0;")).accesses->isComplete());
  EXPECT_FALSE(KernelText(bodyOf("again: a[n] = 0; if (n) goto again;")).accesses->isComplete());
}

TEST(Accesses, SayThatACaseInsideAnotherStatementIsNotFollowed) {
  EXPECT_TRUE(
      KernelText(bodyOf("switch (n) { case 0: a[0] = 0; break; case 1: case 2: a[1] = 0; default:; }"))
          .accesses->isComplete());
  EXPECT_FALSE(
      KernelText(bodyOf("switch (n) { case 0: { return; case 1: a[0] = 0; } }")).accesses->isComplete());
}

TEST(Accesses, TakeAllDynamicSharedDeclarationsForOneArray) {
  KernelText k("extern __shared__ float pool[];\n"
               "__global__ void k(int n) { float *x = pool; float *y = pool + n; x[threadIdx.x] = 0; "
               "y[threadIdx.x] = 1; }");
  EXPECT_EQ(k.subscript("pool", 0), "[threadIdx.x]");
  EXPECT_EQ(k.subscript("pool", 1), "[n + threadIdx.x]");
}

TEST(Accesses, FollowMembersOfAStructParameter) {
  KernelText k("struct P { float *out; int pitch; };\n"
               "__global__ void k(P p) { p.out[threadIdx.y * p.pitch + threadIdx.x] = 0; }");
  EXPECT_EQ(k.subscript("p.out"), "[p.pitch*threadIdx.y + threadIdx.x]");
}

TEST(Accesses, SeeAtomicsAndVectorLoads) {
  KernelText k("struct float4 { float x, y, z, w; }; __device__ int atomicAdd(int *, int);\n__global__ void "
               "k(const float4 *in, int *h) { float4 v = in[threadIdx.x];\n"
               "atomicAdd(&h[threadIdx.x / 4], (int)v.x); }");
  EXPECT_EQ(k.at("in").bytes, 16);
  EXPECT_EQ(k.at("h").kind, Access::Kind::Atomic);
  EXPECT_EQ(k.subscript("h"), "[floor((threadIdx.x)/4)]");
}

TEST(Accesses, CastAPointerToAnotherElementType) {
  KernelText k("struct float4 { float x, y, z, w; };\n__global__ void k(float *a) { float4 *v = "
               "reinterpret_cast<float4 *>(a + 8); v[threadIdx.x] "
               "= v[0]; }");
  EXPECT_EQ(k.at("a", 1).address.str(), "16*threadIdx.x + 32");
  EXPECT_EQ(k.subscript("a", 1), "[threadIdx.x + 2]");
}

TEST(Accesses, NumberRegionsByBarriers) {
  KernelText k(
      bodyOf("__shared__ float s[64]; s[threadIdx.x] = 1; if (n) a[0] = 1; __syncthreads(); a[1] = s[0];"));
  EXPECT_EQ(k.accesses->barriers(), 1u);
  EXPECT_EQ(k.at("s", 0).region, k.at("a", 0).region);
  EXPECT_NE(k.at("s", 0).region, k.at("s", 1).region);
}

TEST(Accesses, TakeASharedScalarForUniform) {
  KernelText k(bodyOf("__shared__ int base; if (threadIdx.x == 0) base = n;\n__syncthreads();\n"
                      "a[base + threadIdx.x] = 0;"));
  EXPECT_EQ(k.subscript("a"), "[base@4 + threadIdx.x]");
}

TEST(Accesses, SayWhenUnsignedArithmeticMayWrap) {
  KernelText k(bodyOf("a[threadIdx.x - 1] = 0; a[threadIdx.x + 1] = 0;"));
  EXPECT_TRUE(k.at("a", 0).subscripts[0].assumesNoWrap);
  EXPECT_FALSE(k.at("a", 1).subscripts[0].assumesNoWrap);
}

TEST(Accesses, GiveValuesAndConditionsOfExpressions) {
  KernelText k(bodyOf("if (threadIdx.x < 4) a[0] = 0;"));
  const Access &write = k.at("a");
  ASSERT_TRUE(write.guards);
  EXPECT_EQ(write.guards->text, "threadIdx.x < 4");
}

} // namespace
