// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/BarrierRegions.h"

#include "AnalysedText.h"
#include "analysis/LiveValues.h"
#include "analysis/RegionView.h"

using namespace heddle;
using namespace heddle::analysis;
using heddle::testing::AnalysedText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

const AnalysedText &text() {
  static const AnalysedText parsed(R"(
namespace cooperative_groups {
struct thread_block { static __device__ void sync(); __device__ int barrier_arrive(); __device__ void barrier_wait(int); };
__device__ thread_block this_thread_block();
template <unsigned N> struct thread_block_tile { __device__ void sync() const; };
template <unsigned N> __device__ thread_block_tile<N> tiled_partition(const thread_block &);
struct thread_group { __device__ void sync() const; __device__ unsigned size() const; };
struct grid_group { __device__ void sync() const; };
__device__ grid_group this_grid();
template <class G> __device__ void sync(const G &g);
}
namespace cuda { template <int S> struct barrier { __device__ int arrive(); __device__ void wait(int); __device__ void arrive_and_wait(); }; }
namespace cg = cooperative_groups;
#define SYNC __syncthreads()
#define STEP(i) if (threadIdx.x < (i)) s[threadIdx.x] += s[threadIdx.x + (i)]; __syncthreads();
__shared__ float s[256];
__device__ void wait() { __syncthreads(); }
__device__ void maybeWait(int n) { if (n > 3) __syncthreads(); }
__device__ float sumOver(float x) { s[threadIdx.x] = x; __syncthreads(); for (int d = 128; d; d /= 2) { if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d]; __syncthreads(); } return s[0]; }
__device__ void waitIf(bool come) { if (!come) return; __syncthreads(); }
__device__ int twice(int x) { return 2 * x; }
template <class T> struct Holder { __device__ void wait() { __syncthreads(); } };
__device__ void deep() { wait(); }
__device__ void loops(int n) { if (n) loops(n - 1); __syncthreads(); }

__global__ void none(float *a) { a[0] = 1; a[1] = 2; }
__global__ void top(float *a) { a[0] = 1; a[1] = 2; __syncthreads(); a[2] = 3; }
__global__ void macro(float *a) { a[0] = 1; SYNC; a[2] = 3; }
__global__ void macroSteps(float *a) { STEP(128) STEP(64) a[0] = s[0]; }
__global__ void loop(float *a, int n) { a[0] = 1; for (int i = 0; i < n; ++i) { a[1] = 2; __syncthreads(); a[2] = 3; } a[3] = 4; }
__global__ void branch(float *a, int n) { if (n > 3) { a[0] = 1; __syncthreads(); a[1] = 2; } else { a[2] = 3; } a[3] = 4; }
__global__ void ifWithoutBraces(float *a, int n) { if (n > 3) __syncthreads(); a[3] = 4; }
__global__ void switches(float *a, int n) { switch (n) { case 0: case 1: a[0] = 1; __syncthreads(); break; default: a[1] = 2; } a[3] = 4; }
__global__ void nested(float *a, int n) { for (int i = 0; i < n; ++i) { if (i > 3) { a[0] = 1; __syncthreads(); } a[1] = 2; __syncthreads(); } }
__global__ void doWhile(float *a, int n) { do { a[0] = 1; __syncthreads(); } while (--n); }
__global__ void votes(float *a, int n) { a[0] = 1; int c = __syncthreads_count(n > 3); a[1] = c; }
__global__ void voteInCondition(float *a) { while (__syncthreads_or(a[threadIdx.x] > 0)) { a[threadIdx.x] -= 1; } }
__global__ void cgSync(float *a) { cg::thread_block b = cg::this_thread_block(); a[0] = 1; cg::sync(b); a[1] = 2; }
__global__ void cgMember(float *a) { cg::thread_block b = cg::this_thread_block(); b.sync(); a[1] = 2; }
__global__ void cgTemporary(float *a) { cg::this_thread_block().sync(); cg::thread_block::sync(); }
__global__ void cgTile(float *a) { auto t = cg::tiled_partition<32>(cg::this_thread_block()); a[0] = 1; t.sync(); __syncwarp(); a[1] = 2; }
__global__ void cgGrid(float *a) { a[0] = 1; cg::this_grid().sync(); a[1] = 2; }
__global__ void cgAny(float *a, cg::thread_group g) { a[0] = 1; for (int i = g.size(); i; i /= 2) { g.sync(); a[i] = 2; } }
__global__ void cgSplit(float *a) { auto b = cg::this_thread_block(); int t = b.barrier_arrive(); a[0] = 1; b.barrier_wait(t); }
__global__ void object(float *a, cuda::barrier<0> *b) { a[0] = 1; b->arrive_and_wait(); a[1] = 2; }
__global__ void cgLargeTile(float *a) { auto t = cg::tiled_partition<64>(cg::this_thread_block()); a[0] = 1; t.sync(); a[1] = 2; }
__global__ void assembly(float *a) { a[0] = 1; asm volatile("bar.sync 0;" ::: "memory"); a[1] = 2; asm volatile("bar.sync %0, %1;" :: "n"(3), "n"(64)); a[2] = 3; asm volatile("barrier.cta.arrive 1, 128;"); }
__global__ void inCallee(float *a) { a[0] = 1; wait(); a[1] = 2; }
__global__ void inMethod(float *a) { Holder<int> h; a[0] = 1; h.wait(); a[1] = 2; }
__global__ void inDeepCallee(float *a) { a[0] = 1; deep(); a[1] = 2; }
__global__ void inLambda(float *a) { auto f = [&] { a[0] = 1; __syncthreads(); }; f(); a[1] = 2; }
__global__ void calleeInExpression(float *a) { float x = a[threadIdx.x]; float t = sumOver(x) + 1; a[threadIdx.x] = t; }
__global__ void recursive(float *a, int n) { loops(n); a[0] = 1; }
__global__ void harmlessCall(float *a) { a[0] = twice(1); }
template <int N> __global__ void reduce(float *a) { s[threadIdx.x] = a[threadIdx.x]; __syncthreads();
  if (N >= 128) { if (threadIdx.x < 64) s[threadIdx.x] += s[threadIdx.x + 64]; __syncthreads(); }
  if (N >= 64) { if (threadIdx.x < 32) s[threadIdx.x] += s[threadIdx.x + 32]; __syncthreads(); } a[0] = s[0]; }
template __global__ void reduce<64>(float *);
__global__ void jumps(float *a, int n) { again: a[0] = 1; __syncthreads(); if (n--) goto again; }
__global__ void jumpsWithoutBarrier(float *a, int n) { again: a[0] = 1; if (n--) goto again; }

__global__ void divergentIf(float *a) { if (threadIdx.x < 3) { a[0] = 1; __syncthreads(); } }
__global__ void divergentLoop(float *a, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) { a[i] = 1; __syncthreads(); } }
__global__ void divergentBreak(float *a, int n) { for (int i = 0; i < n; ++i) { if (a[threadIdx.x] > i) break; __syncthreads(); } }
__global__ void divergentContinue(float *a, int n) { for (int i = 0; i < n; ++i) { if (threadIdx.x == i) continue; __syncthreads(); } }
__global__ void uniformBreak(float *a, int n) { for (int i = 0; i < n; ++i) { if (i == 5) break; __syncthreads(); } }
__global__ void divergentIfBesides(float *a, int n) { for (int i = 0; i < n; ++i) { if (threadIdx.x == i) a[i] = 1; __syncthreads(); } }
__global__ void divergentCall(float *a) { if (threadIdx.x < 3) wait(); }
__global__ void divergentArgument(float *a) { waitIf(threadIdx.x < 3); }
__global__ void uniformArgument(float *a, int n) { waitIf(n < 3); }
__global__ void byBlock(float *a) { if (blockIdx.x < 3) __syncthreads(); }
__global__ void gridByBlock(float *a) { if (blockIdx.x < 3) cg::this_grid().sync(); }
__global__ void namedByWarp(float *a) { if (__any_sync(~0u, threadIdx.x < 3)) asm volatile("bar.sync 1, 64;"); }
__global__ void blockByWarp(float *a) { if (__any_sync(~0u, threadIdx.x < 3)) __syncthreads(); }
__global__ void warpByThread(float *a) { if (threadIdx.x < 3) __syncwarp(7); }
__global__ void sharedDecides(float *a) { __shared__ int go; if (threadIdx.x == 0) go = a[0] > 0; __syncthreads(); if (go) { a[1] = 1; __syncthreads(); } }
__global__ void lastBlock(float *a, unsigned *count) { __shared__ bool last; if (threadIdx.x == 0) last = atomicInc(count, gridDim.x) == gridDim.x - 1; __syncthreads(); if (last) { a[0] = 1; __syncthreads(); a[1] = 2; } }

__global__ void guard(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; s[threadIdx.x] = a[i]; __syncthreads(); a[i] = s[0]; }
__global__ void uniformGuard(float *a, int n) { if (blockIdx.x > n) return; a[0] = 1; __syncthreads(); a[1] = 2; }
__global__ void guardBehind(float *a, int n) { a[0] = 1; __syncthreads(); if (threadIdx.x > n) return; a[1] = 2; }
__global__ void returnInLoop(float *a, int n) { for (int i = 0; i < n; ++i) { if (threadIdx.x == i) return; __syncthreads(); } }

__global__ void between(float *a, int n) {
  int x1 = 1; __syncthreads(); int x2 = 2; if (n) __syncthreads(); int x3 = 3;
  for (int i = 0; i < n; ++i) { int x4 = 4; __syncthreads(); int x5 = 5; }
  int x6 = 6; wait(); int x7 = 7; maybeWait(n); int x8 = 8;
}
__global__ void live(const float *a, float *o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int b = blockIdx.x;
  float x = a[i], y = 2, dead = a[i + 1];
  double d = a[i]; float4 v = make_float4(x, 0, 0, 0); float w[5]; w[0] = x; w[1] = y;
  o[i] = dead;
  __syncthreads();
  float z = x + y + b; z += d + v.x + w[n];
  o[i] = z;
  __syncthreads();
  z = 3; o[0] = z;
}
__global__ void liveAround(const float *a, float *o, int n) {
  float sum = 0; float last;
  for (int i = 0; i < n; ++i) { last = a[threadIdx.x + i]; s[threadIdx.x] = last; __syncthreads(); sum += s[i]; __syncthreads(); }
  o[threadIdx.x] = sum;
}
__global__ void liveReference(float *o, int n) { float &mine = o[threadIdx.x]; int k = 1; int *p = &k; __syncthreads(); mine = *p + k; }
)");
  return parsed;
}

struct Analysed {
  explicit Analysed(const std::string &kernel)
      : function(text().kernel(kernel).function), uniformity(Uniformity::of(text().kernel(kernel))),
        regions(BarrierRegions::of(*uniformity, diagnostics)) {}
  const clang::FunctionDecl *function;
  Diagnostics diagnostics;
  std::unique_ptr<Uniformity> uniformity;
  std::unique_ptr<BarrierRegions> regions;
};

std::string shown(const BarrierRegions &regions);

std::string shown(const RegionView &view, const std::vector<RegionStep> &steps,
                  const BarrierRegions &regions) {
  std::string all;
  for (const RegionStep &step : steps) {
    std::string inside;
    if (step.kind == RegionStep::Kind::Loop || step.kind == RegionStep::Kind::Branch)
      for (const RegionPart &part : view.partsOf(*step.node)) {
        const char *between = step.kind == RegionStep::Kind::Branch ? "|" : inside.empty() ? "" : " ";
        inside += between + shown(view, part.steps, regions);
      }
    if (step.kind == RegionStep::Kind::Branch)
      inside.erase(0, 1);
    all += all.empty() ? "" : " ";
    switch (step.kind) {
    case RegionStep::Kind::Region: all += "R" + std::to_string(step.statements.size()); break;
    case RegionStep::Kind::Barrier: all += step.point->isPartOfStatement ? "b" : "B"; break;
    case RegionStep::Kind::Loop: all += "L(" + inside + ")"; break;
    case RegionStep::Kind::Branch: all += "I(" + inside + ")"; break;
    case RegionStep::Kind::Call:
      all += (step.point->isPartOfStatement ? "c(" : "C(") + shown(*regions.calleeAt(step.point->call)) + ")";
      break;
    }
  }
  return all;
}

/// R2 is a region of two statements, B a barrier, L() a loop, I( | ) a branch, C() a call.
std::string shown(const BarrierRegions &regions) {
  const KernelTree tree(regions.uniformity(), regions, nullptr);
  const RegionView view(tree);
  return shown(view, view.steps(), regions);
}

void expectTrees(std::initializer_list<std::pair<const char *, const char *>> cases) {
  for (auto [kernel, tree] : cases) {
    Analysed k(kernel);
    EXPECT_EQ(shown(*k.regions), tree) << kernel;
    EXPECT_TRUE(k.diagnostics.empty()) << kernel << ": " << k.diagnostics.all().front().text;
  }
}

TEST(BarrierRegions, StructureThatHoldsABarrierStaysAndTheRestIsRegions) {
  expectTrees({{"none", "R2"},
               {"top", "R2 B R1"},
               {"macro", "R1 B R1"},
               {"macroSteps", "R1 B R1 B R1"},
               {"loop", "R1 L(R1 B R1) R1"},
               {"branch", "I(R1 B R1|R1) R1"},
               {"ifWithoutBraces", "I(B|) R1"},
               {"switches", "I(R1 B R1|R1) R1"},
               {"nested", "L(I(R1 B|) R1 B)"},
               {"doWhile", "L(R1 B)"},
               {"votes", "R1 b R1"},
               {"voteInCondition", "L(b R1)"},
               {"jumpsWithoutBarrier", "R2"},
               {"harmlessCall", "R1"}});
}

TEST(BarrierRegions, EverySpellingOfABlockBarrierCuts) {
  expectTrees({{"cgSync", "R2 B R1"},
               {"cgMember", "R1 B R1"},
               {"cgTemporary", "B B"},
               {"cgGrid", "R1 B R1"},
               {"cgAny", "R1 L(B R1)"},
               {"cgSplit", "R1 b R1 B"},
               {"object", "R1 B R1"},
               {"assembly", "R1 B R1 B R1 B"}});
}

TEST(BarrierRegions, ABarrierOfAWarpIsListedAndDoesNotCut) {
  Analysed k("cgTile");
  EXPECT_EQ(shown(*k.regions), "R5");
  EXPECT_FALSE(k.regions->hasBarrier());
  ASSERT_EQ(k.regions->barriers().size(), 2u);
  for (const Barrier &barrier : k.regions->barriers())
    EXPECT_EQ(barrier.scope, Barrier::Scope::Warp);
}

TEST(BarrierRegions, ABarrierOfSeveralWarpsDoesNotOrderTheBlock) {
  Analysed k("cgLargeTile");
  ASSERT_EQ(k.regions->barriers().size(), 1u);
  EXPECT_TRUE(k.regions->barriers()[0].cutsRegion());
  EXPECT_FALSE(k.regions->barriers()[0].ordersBlock());
}

TEST(BarrierRegions, BarriersAreFoundInsideWhatIsCalled) {
  expectTrees({{"inCallee", "R1 C(B) R1"},
               {"inMethod", "R2 C(B) R1"},
               {"inDeepCallee", "R1 C(C(B)) R1"},
               {"inLambda", "R1 C(R1 B) R1"},
               {"calleeInExpression", "R1 c(R1 B L(R1 B) R1) R1"},
               {"recursive", "C(R1 B) R1"}});
}

TEST(BarrierRegions, CodeThatATemplateArgumentSwitchesOffHoldsNoBarrier) {
  expectTrees({{"reduce<64>", "R1 B R1 I(R1 B|) R1"}});
  Analysed k("reduce<64>");
  const KernelTree tree(*k.uniformity, *k.regions, nullptr);
  EXPECT_EQ(RegionView(tree).steps()[3].node->constantCondition, true);
}

TEST(BarrierRegions, GotoAroundABarrierIsRefusedWithItsLocation) {
  Analysed k("jumps");
  EXPECT_FALSE(k.regions->isStructured());
  ASSERT_EQ(k.diagnostics.all().size(), 1u);
  EXPECT_EQ(k.diagnostics.all()[0].severity, Severity::Refusal);
  EXPECT_THAT(k.diagnostics.all()[0].text, HasSubstr("goto"));
  EXPECT_TRUE(k.diagnostics.all()[0].location.isKnown());
}

TEST(BarrierRegions, InlineAssemblyIsReadDownToNumberAndCount) {
  Analysed k("assembly");
  const auto &barriers = k.regions->barriers();
  ASSERT_EQ(barriers.size(), 3u);
  EXPECT_EQ(barriers[0].scope, Barrier::Scope::Block);
  EXPECT_EQ(barriers[1].scope, Barrier::Scope::Named);
  EXPECT_EQ(barriers[1].id, 3);
  EXPECT_EQ(barriers[1].threads, 64);
  EXPECT_EQ(barriers[2].action, Barrier::Action::Arrive);
}

TEST(Barriers, EveryAssemblyBarrierIsDistinguishedFromOtherInstructions) {
  auto scope = [](const char *assembly) {
    std::optional<Barrier> found = barrierInAssembly(assembly);
    return std::string(found ? nameOf(found->scope) : "no barrier");
  };
  EXPECT_EQ(scope("bar.sync 0;"), "block");
  EXPECT_EQ(scope("barrier.sync 0;"), "block");
  EXPECT_EQ(scope("barrier.cta.sync.aligned 0;"), "block");
  EXPECT_EQ(scope("bar.sync 1;"), "named");
  EXPECT_EQ(scope("bar.sync 0, 64;"), "named");
  EXPECT_EQ(scope("bar.arrive 0, 64;"), "named");
  EXPECT_EQ(scope("bar.red.popc.u32 %0, 0, p;"), "block");
  EXPECT_EQ(scope("bar.warp.sync 0xffffffff;"), "warp");
  EXPECT_EQ(scope("barrier.cluster.arrive;"), "cluster");
  EXPECT_EQ(scope("barrier.cluster.wait;"), "cluster");
  EXPECT_EQ(scope("mov.u32 %0, 1;\n\t@p bar.sync 0;"), "block");
  EXPECT_EQ(scope("{ .reg .pred p; bar.sync 2, 96; }"), "named");
  EXPECT_EQ(scope("mbarrier.try_wait.parity.shared.b64 p, [%0], %1;"), "asynchronous");
  EXPECT_EQ(scope("cp.async.wait_group 0;"), "asynchronous");
  EXPECT_EQ(scope("mbarrier.init.shared.b64 [%0], %1;"), "no barrier");
  EXPECT_EQ(scope("membar.gl;"), "no barrier");
  EXPECT_EQ(scope("add.u32 %0, %1, %2;"), "no barrier");
}

TEST(BarrierRegions, ABarrierThatThreadsDisagreeOnIsWarnedOfWithTheChain) {
  for (const char *kernel : {"divergentIf", "divergentLoop", "divergentBreak", "divergentContinue",
                             "divergentCall", "divergentArgument", "gridByBlock", "blockByWarp"}) {
    Analysed k(kernel);
    ASSERT_EQ(k.diagnostics.all().size(), 1u) << kernel;
    const Diagnostic &warning = k.diagnostics.all()[0];
    EXPECT_EQ(warning.severity, Severity::Warning) << kernel;
    EXPECT_THAT(warning.text, HasSubstr("may not be reached by all threads")) << kernel;
    EXPECT_GE(warning.notes.size(), 2u) << kernel;
  }
  Analysed k("divergentIf");
  EXPECT_THAT(k.diagnostics.all()[0].notes.back().text, HasSubstr("threadIdx.x"));
  EXPECT_NE(k.regions->divergence(k.regions->barriers()[0]), nullptr);
}

TEST(BarrierRegions, ABarrierThatAllAgreeOnIsNotWarnedOf) {
  for (const char *kernel :
       {"uniformBreak", "divergentIfBesides", "uniformArgument", "byBlock", "namedByWarp", "warpByThread",
        "sharedDecides", "lastBlock", "guard", "uniformGuard", "returnInLoop"}) {
    Analysed k(kernel);
    EXPECT_TRUE(k.diagnostics.empty()) << kernel << ": " << k.diagnostics.all().front().text;
  }
}

TEST(BarrierRegions, ReturnsBeforeABarrierAreListedWithWhoAgreesOnThem) {
  auto exits = [](const char *kernel) {
    std::vector<std::string> result;
    Analysed k(kernel);
    for (const EarlyExit &exit : k.regions->earlyExits())
      result.push_back(nameOf(exit.level));
    return result;
  };
  EXPECT_THAT(exits("guard"), ElementsAre("thread"));
  EXPECT_THAT(exits("uniformGuard"), ElementsAre("block"));
  EXPECT_THAT(exits("guardBehind"), IsEmpty());
  EXPECT_THAT(exits("returnInLoop"), ElementsAre("thread"));
  EXPECT_THAT(exits("none"), IsEmpty());
}

TEST(BarrierRegions, WhatLiesBetweenTwoLocationsIsKnownOnEveryWay) {
  Analysed k("between");
  auto between = [&](const char *from, const char *to) {
    return k.regions->mustBarrierBetween(AnalysedText::variable(k.function, from)->getInit(),
                                         AnalysedText::variable(k.function, to)->getInit());
  };
  EXPECT_TRUE(between("x1", "x2"));
  EXPECT_FALSE(between("x2", "x3")) << "the barrier may be skipped";
  EXPECT_TRUE(between("x1", "x3"));
  EXPECT_FALSE(between("x3", "x4"));
  EXPECT_TRUE(between("x4", "x5"));
  EXPECT_FALSE(between("x5", "x4")) << "around the loop";
  EXPECT_TRUE(between("x4", "x4")) << "around the loop to itself";
  EXPECT_FALSE(between("x3", "x6")) << "the loop may not run";
  EXPECT_TRUE(between("x6", "x7")) << "in the function called";
  EXPECT_FALSE(between("x7", "x8")) << "only on some ways in the function called";
  EXPECT_TRUE(between("x2", "x1")) << "there is no way back";
}

TEST(BarrierRegions, AStatementKnowsItsRegion) {
  Analysed k("between");
  const KernelTree tree(*k.uniformity, *k.regions, nullptr);
  const RegionView view(tree);
  auto region = [&](const char *name) {
    return view.regionOf(AnalysedText::variable(k.function, name)->getInit()).value_or(~0u);
  };
  EXPECT_EQ(region("x1"), 0u);
  EXPECT_EQ(region("x2"), 1u);
  EXPECT_LT(region("x4"), region("x5"));
  EXPECT_LT(region("x6"), view.count());
}

std::vector<std::string> live(const std::string &kernel, unsigned barrier) {
  Analysed k(kernel);
  std::vector<LiveAcross> all =
      liveAcrossBarriers(*k.uniformity, KernelTree(*k.uniformity, *k.regions, nullptr));
  std::vector<std::string> result;
  for (const LiveValue &value : all.at(barrier).values)
    result.push_back(
        fmt::format("{}:{}:{}", value.variable->getNameAsString(), nameOf(value.level), value.registers));
  return result;
}

TEST(LiveValues, WhatIsUsedAfterTheBarrierLivesAcrossIt) {
  EXPECT_THAT(live("live", 0), ElementsAre("o:grid:2", "n:grid:1", "i:thread:1", "b:block:1", "x:thread:1",
                                           "y:grid:1", "d:thread:2", "v:thread:4", "w:thread:5"));
  EXPECT_THAT(live("live", 1), ElementsAre("o:grid:2"));
}

TEST(LiveValues, ALoopCarriesItsSumAcrossButNotWhatIsSetAgain) {
  EXPECT_THAT(live("liveAround", 0),
              ElementsAre("a:grid:2", "o:grid:2", "n:grid:1", "sum:block:1", "i:grid:1"));
}

TEST(LiveValues, ReferencesAndVariablesWhoseAddressIsTakenLive) {
  EXPECT_THAT(live("liveReference", 0), ElementsAre("mine:thread:2", "k:thread:1", "p:grid:2"));
}

TEST(LiveValues, ACallWithABarrierCountsAsOne) {
  EXPECT_THAT(live("calleeInExpression", 0), ElementsAre("a:grid:2"));
}

} // namespace
