// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Uniformity.h"

#include "AnalysedText.h"

using namespace heddle;
using namespace heddle::analysis;
using heddle::testing::AnalysedText;
using ::testing::HasSubstr;

namespace {

// Each kernel makes one claim about the variable `r`: the level of its initializer.
const AnalysedText &uniformityText() {
  static const AnalysedText parsed(R"(
namespace cooperative_groups {
struct thread_block { __device__ unsigned thread_rank() const; __device__ unsigned size() const; __device__ dim3 group_index() const; };
__device__ thread_block this_thread_block();
template <unsigned N> struct thread_block_tile { __device__ unsigned thread_rank() const; __device__ unsigned meta_group_rank() const;
  __device__ int any(int) const; template <class T> __device__ T shfl(T v, int lane) const; template <class T> __device__ T shfl_down(T v, int d) const; };
template <unsigned N> __device__ thread_block_tile<N> tiled_partition(const thread_block &);
struct grid_group { __device__ unsigned long long size() const; __device__ unsigned long long thread_rank() const; };
__device__ grid_group this_grid();
}
namespace cg = cooperative_groups;
__constant__ float table[64];
__device__ int flag;
__device__ float twice(float x) { return x + x; }
__device__ int global() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int clampTo(int x, int n) { if (x > n) return n; return x; }
__device__ void split(int x, int &low, int &high) { low = x & 15; high = x >> 4; }
__device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
template <class T> __device__ T add(T a, T b) { return a + b; }
struct Tile { int base, width; __device__ int end() const { return base + width; } __device__ int lane() const { return base + threadIdx.x; } };
#define GID (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void parameter(int n) { int r = n + 3; }
__global__ void block() { int r = blockIdx.x; }
__global__ void dims() { int r = blockDim.x * gridDim.y; }
__global__ void thread() { int r = threadIdx.x; }
__global__ void threadY() { int r = threadIdx.y; }
__global__ void macro() { int r = GID; }
__global__ void chain(int n) { int i = threadIdx.x; int j = i * 2; int k = j + n; int r = k; }
__global__ void overwritten(int n) { int i = threadIdx.x; i = n; int r = i; }
__global__ void wholeIndex() { uint3 t = threadIdx; int r = t.y; }
__global__ void fieldOf() { int2 v; v.x = threadIdx.x; v.y = blockIdx.x; int r = v.y; }
__global__ void fieldX() { int2 v; v.x = threadIdx.x; v.y = blockIdx.x; int r = v.x; }
__global__ void listOf() { int2 v = {(int)threadIdx.x, 3}; int r = v.y; }
__global__ void localNamedThreadIdx(int threadIdx) { int r = threadIdx; }

__global__ void joinDivergent(int n) { int x = 1; if (threadIdx.x < 3) x = 2; int r = x; }
__global__ void insideDivergent(int n) { int x = 1; if (threadIdx.x < 3) { x = 2; int r = x; } }
__global__ void joinUniform(int n) { int x = 1; if (n < 3) x = 2; int r = x; }
__global__ void joinByBlock(int n) { int x = 1; if (blockIdx.x < 3) x = 2; int r = x; }
__global__ void sameOnBothSides(int n) { int x = 1; if (threadIdx.x < 3) flag = 2; int r = x; }
__global__ void selectDivergent(int n) { int r = threadIdx.x < 3 ? 1 : 2; }
__global__ void shortCircuit(int n) { bool r = n > 3 && threadIdx.x < 3; }
__global__ void shortCircuitWrites(int n) { int x = 0; (void)(threadIdx.x < 3 && (x = 1)); int r = x; }
__global__ void uniformLoop(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i; int r = s; }
__global__ void insideDivergentLoop(int n) { for (int i = 0; i < threadIdx.x; ++i) { int r = i; } }
__global__ void afterDivergentLoop(int n) { int i = 0; for (; i < threadIdx.x; ++i) flag = 1; int r = i; }
__global__ void afterDivergentBreak(int n) { int i = 0; for (; i < n; ++i) if (threadIdx.x == i) break; int r = i; }
__global__ void divergentIfInUniformLoop(int n) { int i = 0; for (; i < n; ++i) { if (threadIdx.x == i) flag = 1; } int r = i; }
__global__ void divergentContinue(int n) { int i = 0; for (; i < n; ++i) { if (threadIdx.x == i) continue; flag = 1; } int r = i; }
__global__ void countsInDivergentIf(int n) { int c = 0; for (int i = 0; i < n; ++i) { if (threadIdx.x == i) ++c; } int r = c; }
__global__ void invariantAfterDivergentLoop(int n) { int k = n; for (int i = 0; i < threadIdx.x; ++i) flag = k; int r = k; }
__global__ void returnInLoop(int n) { int i = 0; for (; i < n; ++i) if (threadIdx.x == i) return; int r = i; }
__global__ void strideLoop(int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) { int r = i; } }
__global__ void divergentSwitch(int n) { int x; switch (threadIdx.x) { case 0: x = 1; break; default: x = 2; } int r = x; }
__global__ void nestedLoops(int n) { int s = 0; for (int i = 0; i < n; ++i) for (int j = 0; j < threadIdx.x; ++j) ++s; int r = s; }
__global__ void doWhileDivergent(int n) { int s = 0; do { ++s; } while (s < threadIdx.x); int r = s; }
__global__ void gotoJoin(int n) { int x = 1; if (threadIdx.x < 3) goto done; x = 2; done: int r = x; }

__global__ void constantLoad(int n) { float r = table[n]; }
__global__ void constantLoadByThread(int n) { float r = table[threadIdx.x]; }
__global__ void sharedLoad(int n) { __shared__ float s[32]; s[threadIdx.x] = 1; __syncthreads(); float r = s[n]; }
__global__ void sharedScalar(int n) { __shared__ int s; if (threadIdx.x == 0) s = n; __syncthreads(); int r = s; }
__global__ void sharedThroughPointer(int n) { __shared__ float s[32]; float *p = s + 4; float r = p[n]; }
__global__ void sharedByThread(int n) { __shared__ float s[32]; float r = s[threadIdx.x]; }
extern __shared__ float dynamic[];
__global__ void dynamicShared(int n) { float r = dynamic[n]; }
__global__ void sharedVolatile(int n) { volatile __shared__ float s[32]; float r = s[0]; }
__global__ void readOnly(const float *__restrict__ a, float *b) { float r = a[3]; b[threadIdx.x] = r; }
__global__ void readOnlyByBlock(const float *__restrict__ a, float *b) { float r = a[blockIdx.x]; b[threadIdx.x] = r; }
__global__ void neverWritten(const float *a, int *b) { float r = a[3]; b[threadIdx.x] = 1; }
__global__ void mayAlias(const float *a, float *b) { float r = a[3]; b[threadIdx.x] = 1; }
__global__ void writtenToo(float *a) { float r = a[3]; a[threadIdx.x] = 1; }
__global__ void ldg(const float *a, float *b) { float r = __ldg(a + 3); b[threadIdx.x] = 1; }
__global__ void deviceFlag(int *o) { int r = flag; flag = 2; }
__global__ void localArray(int n) { int a[4]; a[0] = n; a[1] = 2; int r = a[n]; }
__global__ void localArrayByThread(int n) { int a[4]; a[0] = n; a[threadIdx.x] = 2; int r = a[1]; }
__global__ void pointerToPointer(float **a) { float r = a[0][1]; }
__global__ void structByValue(Tile t) { int r = t.width; }

__global__ void atomic(int *p) { int r = atomicAdd(p, 1); }
__global__ void ballot(int n) { unsigned r = __ballot_sync(~0u, threadIdx.x < 3); }
__global__ void any(int n) { int r = __any_sync(~0u, threadIdx.x < 3); }
__global__ void shuffleDown(int n) { int r = __shfl_down_sync(~0u, (int)threadIdx.x, 1); }
__global__ void broadcast(int n) { int r = __shfl_sync(~0u, (int)threadIdx.x, 0); }
__global__ void broadcastFromOwn(int n) { int r = __shfl_sync(~0u, (int)threadIdx.x, (int)threadIdx.x + 1); }
__global__ void broadcastInParts(int n) { int r = __shfl_sync(~0u, (int)threadIdx.x, 0, 8); }
__global__ void syncOr(int n) { int r = __syncthreads_or(threadIdx.x < 3); }
__global__ void syncCount(int n) { int r = __syncthreads_count(threadIdx.x < 3); }
__global__ void laneid(int n) { unsigned x; asm("mov.u32 %0, %%laneid;" : "=r"(x)); unsigned r = x; }
__global__ void pureAssembly(int n) { unsigned x; asm("add.u32 %0, %1, 1;" : "=r"(x) : "r"(n)); unsigned r = x; }
__global__ void clockRead(int n) { long long r = clock64(); }
__global__ void mathCall(float x) { float r = sinf(x) * sqrtf(x); }
__global__ void mathOfThread(float x) { float r = sinf(x * threadIdx.x); }
__global__ void minOf(int n) { int r = min(n, 5); }

__global__ void call(float x) { float r = twice(x); }
__global__ void callOfThread(float x) { float r = twice(threadIdx.x); }
__global__ void callReadsThread() { int r = global(); }
__global__ void callWithReturns(int n) { int r = clampTo(n, 3); }
__global__ void callWithDivergentReturns(int n) { int r = clampTo(threadIdx.x, n); }
__global__ void outArguments(int n) { int a, b; split(n, a, b); int r = a + b; }
__global__ void outArgumentsOfThread(int n) { int a, b; split(threadIdx.x, a, b); int r = b; }
__global__ void recursion(int n) { int r = factorial(n); }
__global__ void templateCall(int n) { int r = add(n, 3); }
__global__ void method(Tile t) { int r = t.end(); }
__global__ void methodReadsThread(Tile t) { int r = t.lane(); }
__global__ void lambda(int n) { auto f = [=](int x) { return x + n; }; int r = f(2); }
__global__ void lambdaOfThread(int n) { int t = threadIdx.x; auto f = [&](int x) { return x + t; }; int r = f(2); }
template <int N> __global__ void templated(float *p) { int x = 1; if (N > 4 && threadIdx.x < 3) x = 2; int r = x; }
template __global__ void templated<2>(float *);
template <class T> __global__ void templatedOn(T *p) { int x = 1; if (sizeof(T) > 4 && threadIdx.x < 3) x = 2; int r = x; }
template __global__ void templatedOn<double>(double *);

__global__ void groupRank() { cg::thread_block b = cg::this_thread_block(); unsigned r = b.thread_rank(); }
__global__ void groupSize() { cg::thread_block b = cg::this_thread_block(); unsigned r = b.size(); }
__global__ void groupIndex() { cg::thread_block b = cg::this_thread_block(); unsigned r = b.group_index().x; }
__global__ void tileAny() { auto t = cg::tiled_partition<32>(cg::this_thread_block()); int r = t.any(threadIdx.x < 2); }
__global__ void smallTileAny() { auto t = cg::tiled_partition<8>(cg::this_thread_block()); int r = t.any(threadIdx.x < 2); }
__global__ void tileRank() { auto t = cg::tiled_partition<32>(cg::this_thread_block()); int r = t.meta_group_rank(); }
__global__ void largeTileRank() { auto t = cg::tiled_partition<64>(cg::this_thread_block()); int r = t.meta_group_rank(); }
__global__ void rankInLargeTile() { auto t = cg::tiled_partition<64>(cg::this_thread_block()); int r = t.thread_rank(); }
__global__ void tileBroadcast() { auto t = cg::tiled_partition<32>(cg::this_thread_block()); int r = t.shfl((int)threadIdx.x, 0); }
__global__ void tileShift() { auto t = cg::tiled_partition<32>(cg::this_thread_block()); int r = t.shfl_down((int)threadIdx.x, 1); }
__global__ void gridSize() { unsigned long long r = cg::this_grid().size(); }

__global__ void warpOf() { int r = threadIdx.x / 32; }
__global__ void warpOfShift() { unsigned t = threadIdx.x; int r = t >> 5; }
__global__ void warpOfMask() { int r = threadIdx.x & ~31; }
__global__ void warpOfGlobal() { int i = blockIdx.x * blockDim.x + threadIdx.x; int r = i / warpSize; }
__global__ void halfWarp() { int r = threadIdx.x / 16; }
__global__ void belowWarps() { int r = threadIdx.x < 64; }
__global__ void fromWarps() { int t = threadIdx.x; int r = 64 <= t; }
__global__ void aboveWarps() { int t = threadIdx.x; int r = t > 31; }
__global__ void notAboveWarps() { int r = 95 >= threadIdx.x; }
__global__ void belowUniformWarps(int n) { int r = threadIdx.x < 32 * n; }
__global__ void notAboveLane() { int r = threadIdx.x <= 64; }
__global__ void aboveLane() { int r = threadIdx.x > 32; }
__global__ void belowLane() { int r = threadIdx.x < 48; }
__global__ void equalsLane() { int r = threadIdx.x == 32; }
__global__ void belowOwnWarps() { int r = threadIdx.x < 32 * (threadIdx.x % 2); }
__global__ void lane() { int r = threadIdx.x % 32; }

__global__ void partOfACondition(int n, int *o) { if (!(threadIdx.x < 3 && n > 2) && n < 9) o[0] = 1; bool b = threadIdx.x > 4 && (n > 2 || n < 1); }
__global__ void branches(int n, int *o) {
  if (n > 3) o[0] = 1;
  if (threadIdx.x < n) o[1] = 2;
  int i = threadIdx.x;
  int k = i + n;
  while (k > 3) --k;
  for (int j = 0; j < n; ++j) o[j] = threadIdx.x > 3 ? 1 : 2;
  switch (blockIdx.x) { case 1: o[2] = 1; }
}
)");
  return parsed;
}

Level levelOf(const std::string &kernel, const BlockShape &block = {}) {
  const source::Kernel &k = uniformityText().kernel(kernel);
  return Uniformity::of(k, block)->level(AnalysedText::variable(k.function, "r")->getInit());
}

BlockShape shape(int64_t x, int64_t y = 1, int64_t z = 1) { return {{x, y, z}}; }

using Case = std::pair<const char *, Level>;

/// The kernels of one table in one test: CTest starts a process for each test, and each parses the text again.
void expectLevels(std::initializer_list<Case> cases) {
  for (auto [kernel, level] : cases)
    EXPECT_STREQ(nameOf(levelOf(kernel)), nameOf(level)) << kernel;
}

constexpr Level G = Level::Grid, B = Level::Block, W = Level::Warp, T = Level::Thread;
TEST(Uniformity, BuiltInVariablesSetTheLevelAndAssignmentsCarryIt) {
  expectLevels({{"parameter", G},
                {"block", B},
                {"dims", G},
                {"thread", T},
                {"threadY", T},
                {"macro", T},
                {"chain", T},
                {"overwritten", G},
                {"wholeIndex", T},
                {"fieldOf", B},
                {"fieldX", T},
                {"listOf", G},
                {"localNamedThreadIdx", G}});
}
TEST(Uniformity, ValuesDifferWhereDivergedThreadsReconverge) {
  expectLevels({{"joinDivergent", T},
                {"insideDivergent", G},
                {"joinUniform", G},
                {"joinByBlock", B},
                {"sameOnBothSides", G},
                {"selectDivergent", T},
                {"shortCircuit", T},
                {"shortCircuitWrites", T},
                {"uniformLoop", G},
                {"insideDivergentLoop", G},
                {"afterDivergentLoop", T},
                {"afterDivergentBreak", T},
                {"divergentIfInUniformLoop", G},
                {"divergentContinue", G},
                {"countsInDivergentIf", T},
                {"invariantAfterDivergentLoop", G},
                {"returnInLoop", G},
                {"strideLoop", T},
                {"divergentSwitch", T},
                {"nestedLoops", T},
                {"doWhileDivergent", T},
                {"gotoJoin", T}});
}
TEST(Uniformity, ALoadIsAsUniformAsItsAddressWhereNoThreadWrites) {
  expectLevels({{"constantLoad", G},
                {"constantLoadByThread", T},
                {"sharedLoad", B},
                {"sharedScalar", B},
                {"sharedThroughPointer", B},
                {"sharedByThread", T},
                {"dynamicShared", B},
                {"sharedVolatile", T},
                {"readOnly", G},
                {"readOnlyByBlock", B},
                {"neverWritten", G},
                {"mayAlias", T},
                {"writtenToo", T},
                {"ldg", G},
                {"deviceFlag", T},
                {"localArray", G},
                {"localArrayByThread", T},
                {"pointerToPointer", T},
                {"structByValue", G}});
}
TEST(Uniformity, IntrinsicsSayHowUniformTheirResultIs) {
  expectLevels({{"atomic", T},
                {"ballot", W},
                {"any", W},
                {"shuffleDown", T},
                {"broadcast", W},
                {"broadcastFromOwn", T},
                {"broadcastInParts", T},
                {"syncOr", B},
                {"syncCount", B},
                {"laneid", T},
                {"pureAssembly", G},
                {"clockRead", T},
                {"mathCall", G},
                {"mathOfThread", T},
                {"minOf", G}});
}
TEST(Uniformity, FunctionsAreLookedIntoForTheirArguments) {
  expectLevels({{"call", G},
                {"callOfThread", T},
                {"callReadsThread", T},
                {"callWithReturns", G},
                {"callWithDivergentReturns", T},
                {"outArguments", G},
                {"outArgumentsOfThread", T},
                {"recursion", T},
                {"templateCall", G},
                {"method", G},
                {"methodReadsThread", T},
                {"lambda", G},
                {"lambdaOfThread", T},
                {"templated", G},
                {"templatedOn", T}});
}
TEST(Uniformity, CooperativeGroupsSayHowUniformTheirAnswersAre) {
  expectLevels({{"groupRank", T},
                {"groupSize", G},
                {"groupIndex", B},
                {"tileAny", W},
                {"smallTileAny", T},
                {"tileRank", W},
                {"largeTileRank", W},
                {"rankInLargeTile", T},
                {"tileBroadcast", W},
                {"tileShift", T},
                {"gridSize", G},
                {"halfWarp", T},
                {"lane", T}});
}

TEST(Uniformity, TheWarpsNumberIsTheSameOverAWarpOnlyWhereRowsAreWarps) {
  for (const char *kernel : {"warpOf", "warpOfShift", "warpOfMask"}) {
    EXPECT_EQ(levelOf(kernel), Level::Thread) << kernel;
    EXPECT_EQ(levelOf(kernel, shape(96)), Level::Warp) << kernel;
    EXPECT_EQ(levelOf(kernel, shape(64, 4)), Level::Warp) << kernel;
    EXPECT_EQ(levelOf(kernel, shape(16, 16)), Level::Thread) << kernel;
    EXPECT_EQ(levelOf(kernel, shape(250)), Level::Warp) << kernel;
  }
}

TEST(Uniformity, AComparisonWithABoundBetweenWarpsIsTheSameOverAWarp) {
  for (const char *kernel : {"belowWarps", "fromWarps", "aboveWarps", "notAboveWarps", "belowUniformWarps"}) {
    EXPECT_EQ(levelOf(kernel), Level::Thread) << kernel;
    EXPECT_EQ(levelOf(kernel, shape(128)), Level::Warp) << kernel;
    EXPECT_EQ(levelOf(kernel, shape(64, 4)), Level::Warp) << kernel;
    EXPECT_EQ(levelOf(kernel, shape(16, 16)), Level::Thread) << kernel;
  }
  for (const char *kernel : {"notAboveLane", "aboveLane", "belowLane", "equalsLane", "belowOwnWarps"})
    EXPECT_EQ(levelOf(kernel, shape(128)), Level::Thread) << kernel;
}

TEST(Uniformity, TheGlobalWarpsNumberNeedsABlockOfWholeWarps) {
  EXPECT_EQ(levelOf("warpOfGlobal", shape(128)), Level::Warp);
  EXPECT_EQ(levelOf("warpOfGlobal", shape(250)), Level::Thread);
}

TEST(Uniformity, ARowIsTheSameOverAWarpWhereRowsAreWholeWarps) {
  EXPECT_EQ(levelOf("threadY", shape(32, 8)), Level::Warp);
  EXPECT_EQ(levelOf("threadY", shape(16, 16)), Level::Thread);
  EXPECT_EQ(levelOf("threadY", shape(256)), Level::Grid) << "it is always 0";
}

TEST(Uniformity, WhyFollowsTheDefinitionsDownToTheThreadIndex) {
  const source::Kernel &k = uniformityText().kernel("chain");
  std::vector<Step> steps = Uniformity::of(k)->why(AnalysedText::variable(k.function, "r")->getInit());
  std::vector<std::string> texts;
  for (const Step &step : steps)
    texts.push_back(step.text);
  EXPECT_THAT(texts, ::testing::ElementsAre("'k' is set here", "'j' is set here", "'i' is set here",
                                            "'threadIdx.x' differs by thread"));
  for (const Step &step : steps)
    EXPECT_TRUE(step.location.isKnown());
}

std::string lastStep(const std::string &kernel) {
  const source::Kernel &k = uniformityText().kernel(kernel);
  std::vector<Step> steps = Uniformity::of(k)->why(AnalysedText::variable(k.function, "r")->getInit());
  return steps.empty() ? "" : steps.back().text;
}

TEST(Uniformity, WhyNamesTheRootOfEachKind) {
  EXPECT_THAT(lastStep("atomic"), HasSubstr("atomic"));
  EXPECT_THAT(lastStep("writtenToo"), HasSubstr("also writes"));
  EXPECT_THAT(lastStep("laneid"), HasSubstr("%laneid"));
  EXPECT_THAT(lastStep("callReadsThread"), HasSubstr("threadIdx.x"));
  EXPECT_THAT(lastStep("callOfThread"), HasSubstr("threadIdx.x"));
  EXPECT_THAT(lastStep("joinDivergent"), HasSubstr("threadIdx.x"));
  EXPECT_THAT(lastStep("afterDivergentBreak"), HasSubstr("threadIdx.x"));
  EXPECT_THAT(lastStep("sharedScalar"), HasSubstr("__shared__"));
  EXPECT_EQ(lastStep("parameter"), "");
}

TEST(Uniformity, DivergentBranchesComeInSourceOrderWithTheirCause) {
  const source::Kernel &k = uniformityText().kernel("branches");
  auto facts = Uniformity::of(k);
  std::vector<DivergentBranch::Kind> kinds;
  for (const DivergentBranch &branch : facts->divergentBranches()) {
    kinds.push_back(branch.kind);
    ASSERT_FALSE(branch.why.empty());
    EXPECT_THAT(branch.why.back().text, HasSubstr("threadIdx.x"));
    EXPECT_TRUE(facts->isDivergentBranch(branch.statement));
  }
  using Kind = DivergentBranch::Kind;
  EXPECT_THAT(kinds, ::testing::ElementsAre(Kind::If, Kind::Loop, Kind::Conditional));
}

TEST(Uniformity, EveryOperandOfAConditionCountsForItsStatement) {
  const source::Kernel &k = uniformityText().kernel("partOfACondition");
  auto facts = Uniformity::of(k);
  ASSERT_EQ(facts->divergentBranches().size(), 2u);
  EXPECT_EQ(facts->divergentBranches()[0].kind, DivergentBranch::Kind::If);
  EXPECT_EQ(facts->divergentBranches()[1].kind, DivergentBranch::Kind::ShortCircuit);
}

TEST(Uniformity, AGeneratedKernelIsNoTrouble) {
  std::string kernel = "__global__ void big(int *o, int n) { int s = threadIdx.x, t = n;\n";
  for (int i = 0; i < 3000; ++i)
    kernel += fmt::format("if (n > {0}) s += {0}; if (s > {0}) t = t ^ {0};\n", i);
  kernel += "int r = n";
  for (int i = 0; i < 6000; ++i)
    kernel += " + t";
  kernel += "; *o = r; }\n";
  AnalysedText big(kernel);
  const source::Kernel &k = big.kernel("big");
  auto facts = Uniformity::of(k);
  EXPECT_EQ(facts->level(AnalysedText::variable(k.function, "r")->getInit()), Level::Thread);
  EXPECT_EQ(facts->divergentBranches().size(), 3000u);
}

} // namespace
