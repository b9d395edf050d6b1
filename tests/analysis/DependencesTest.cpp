// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Dependences.h"

#include "KernelText.h"

using namespace heddle::analysis;
using Kind = Dependence::Kind;

namespace {

struct Found {
  explicit Found(const std::string &text, LaunchFacts launch = {}, DependenceLimits limits = {})
      : kernel(text, launch), dependences(Dependences::of(*kernel.accesses, limits)) {}

  size_t races() const { return dependences.races().size(); }
  size_t mayRaces() const {
    size_t n = 0;
    for (const Dependence &d : dependences.all())
      n += d.isRace() && !d.isCertain;
    return n;
  }
  size_t ordered() const {
    size_t n = 0;
    for (const Dependence &d : dependences.all())
      n += d.isOrdered;
    return n;
  }
  std::string list() const {
    std::string text;
    for (const Dependence &d : dependences.all())
      text += fmt::format("{} {} -> {} {} {} {}\n", nameOf(d.kind), kernel.accesses->all()[d.source].text,
                          kernel.accesses->all()[d.sink].text, d.isOrdered ? "ordered" : "unordered",
                          d.isCertain ? "certain" : "may", d.reason);
    return text;
  }
  KernelText kernel;
  Dependences dependences;
};

std::string bodyOf(const std::string &body) {
  return "__device__ int atomicAdd(int *, int); __device__ void __syncwarp(unsigned = ~0u);\n"
         "__global__ void k(float *a, const float *in, const int *idx, int *count, int n, int width) {\n"
         "int t = threadIdx.x;\n" +
         body + "\n}\n";
}

void expectClean(const std::string &body, LaunchFacts launch) {
  Found f(bodyOf(body), launch);
  EXPECT_EQ(f.races(), 0u) << f.list();
  EXPECT_EQ(f.mayRaces(), 0u) << f.list();
}

void expectRace(const std::string &body, LaunchFacts launch) {
  Found f(bodyOf(body), launch);
  EXPECT_GE(f.races(), 1u) << f.list();
}

TEST(Dependences, OwnElementsDoNotDepend) {
  Found f(bodyOf("a[blockIdx.x * blockDim.x + t] = in[t]; a[blockIdx.x * blockDim.x + t] += 1;"));
  EXPECT_TRUE(f.dependences.all().empty()) << f.list();
}

TEST(Dependences, ANeighboursElementBehindABarrierIsAFlowAtDistanceOne) {
  Found f(bodyOf("__shared__ float s[128]; s[t] = in[t]; __syncthreads(); if (t > 0) a[t] = s[t - 1];"),
          blockOf(128));
  ASSERT_EQ(f.dependences.all().size(), 1u) << f.list();
  const Dependence &d = f.dependences.all()[0];
  EXPECT_EQ(d.kind, Kind::Flow);
  EXPECT_TRUE(d.isOrdered);
  EXPECT_TRUE(d.isCertain);
  EXPECT_EQ(d.distance[0], 1);
  EXPECT_EQ(d.direction[0], 1);
  EXPECT_EQ(d.direction[1], 0);
}

TEST(Dependences, ANeighboursElementWithoutABarrierIsARace) {
  Found f(bodyOf("__shared__ float s[128];\ns[t] = in[t];\nif (t > 0) a[t] = s[t - 1];"), blockOf(128));
  ASSERT_EQ(f.races(), 1u) << f.list();
  auto reports = raceReports(*f.kernel.accesses, f.dependences);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].location.line, 6u);
  ASSERT_EQ(reports[0].notes.size(), 1u);
  EXPECT_EQ(reports[0].notes[0].location.line, 5u);
}

TEST(Dependences, AllThreadsWritingOneElementRace) {
  expectRace("__shared__ float s[2]; s[0] = t;", blockOf(32));
  expectClean("__shared__ float s[2]; if (t == 0) s[0] = t;", blockOf(32));
}

TEST(Dependences, TreeReductionIsCleanAndRacesWithoutItsBarrier) {
  std::string head = "__shared__ float s[256]; s[t] = in[t]; __syncthreads();"
                     "for (int o = blockDim.x / 2; o > 0; o >>= 1) { if (t < o) s[t] += s[t + o]; ";
  expectClean(head + "__syncthreads(); } if (t == 0) a[blockIdx.x] = s[0];", blockOf(256));
  expectRace(head + "} if (t == 0) a[blockIdx.x] = s[0];", blockOf(256));
}

TEST(Dependences, TreeReductionWithUnknownBlockIsClean) {
  expectClean("__shared__ float s[256]; s[t] = in[t]; __syncthreads();"
              "for (int o = blockDim.x / 2; o > 0; o >>= 1) { if (t < o) s[t] += s[t + o]; __syncthreads(); }"
              "if (t == 0) a[blockIdx.x] = s[0];",
              {});
}

const char *matmul = R"(
  __shared__ float x[16][16], y[16][16];
  int r = threadIdx.y; float sum = 0;
  for (int m = 0; m < n; ++m) {
    x[r][t] = in[r * 1024 + m * 16 + t];
    y[r][t] = in[(m * 16 + r) * 1024 + t];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += x[r][k] * y[k][t];
    %s
  }
  a[r * 1024 + t] = sum;)";

std::string with(std::string text, const std::string &what) { return text.replace(text.find("%s"), 2, what); }

TEST(Dependences, TiledProductIsCleanAndRacesWithoutItsSecondBarrier) {
  expectClean(with(matmul, "__syncthreads();"), blockOf(16, 16));
  expectRace(with(matmul, ""), blockOf(16, 16));
}

TEST(Dependences, TiledProductReadsTheRowAndColumnOfOthers) {
  Found f(bodyOf(with(matmul, "__syncthreads();")), blockOf(16, 16));
  unsigned flows = 0, antis = 0;
  for (const Dependence &d : f.dependences.all()) {
    flows += d.kind == Kind::Flow && d.isOrdered;
    antis += d.kind == Kind::Anti && d.isOrdered;
    if (d.kind == Kind::Flow && f.kernel.accesses->all()[d.source].array->name == "x") {
      EXPECT_EQ(d.distance[1], 0) << "a row of x belongs to one threadIdx.y";
    }
  }
  EXPECT_EQ(flows, 2u) << f.list();
  EXPECT_EQ(antis, 2u) << f.list();
}

TEST(Dependences, TransposeIsCleanWithTheBarrierOnly) {
  std::string load = "__shared__ float s[32][33]; s[threadIdx.y][t] = in[t];";
  std::string use = "a[threadIdx.y * 32 + t] = s[t][threadIdx.y];";
  expectClean(load + "__syncthreads();" + use, blockOf(32, 32));
  expectRace(load + use, blockOf(32, 32));
}

TEST(Dependences, TimeLoopNeedsBothBarriers) {
  std::string start =
      "__shared__ float s[66]; s[t + 1] = in[t]; for (int k = 0; k < n; ++k) { __syncthreads();"
      "float v = s[t] + s[t + 2];";
  expectClean(start + "__syncthreads(); s[t + 1] = v; } a[t] = s[t + 1];", blockOf(64));
  expectRace(start + "s[t + 1] = v; } a[t] = s[t + 1];", blockOf(64));
}

TEST(Dependences, DoubleBufferingNeedsOneBarrier) {
  expectClean("__shared__ float s[2][66]; int b = 0; s[0][t] = in[t];"
              "for (int k = 0; k < n; ++k) { __syncthreads(); float v = 0; if (t > 0) v = s[b][t - 1];"
              "s[1 - b][t] = v; b = 1 - b; }",
              blockOf(64));
}

TEST(Dependences, NoThreadLeavesALoopOfBarriersBeforeTheOthers) {
  expectClean("__shared__ float s[66]; s[t] = 0; __syncthreads();"
              "for (int m = 0; m < 16; ++m) { if (t <= m) s[t + 1] = m; __syncthreads(); }"
              "for (int m = 0; m < 16; ++m) { if (t <= m) a[t] = s[t + 2]; __syncthreads(); }",
              blockOf(64));
}

TEST(Dependences, BranchesAroundABarrierAreTakenByAllThreads) {
  expectClean("__shared__ float s[64]; if (in[0] > 0) { s[t] = 1; __syncthreads(); } else a[t] = s[63 - t];",
              blockOf(64));
}

TEST(Dependences, WhatFollowsABranchWithABarrierIsNotOrderedWithTheWayThatHasIt) {
  const std::string branch = "__shared__ int s[128]; s[t] = 0; __syncthreads();\n"
                             "if (n > 3) { s[t] = 1; __syncthreads(); }\n"
                             "a[t] = s[127 - t];";
  expectClean(branch, LaunchFacts{.block = {128, 1, 1}});
  // A way that can be gone through without a barrier does not hold its threads back.
  expectRace("__shared__ int s[128]; s[t] = 0; __syncthreads();\n"
             "if (n > 3) { s[t] = 1; if (n > 9) __syncthreads(); }\n"
             "a[t] = s[127 - t];",
             LaunchFacts{.block = {128, 1, 1}});
}

TEST(Dependences, AnEarlierIterationCanBeBehindABranchOrLoopWithABarrier) {
  // One thread is still behind the branch of round 0, which skipped it, when another enters it in round 1.
  expectRace("__shared__ int s[128]; s[t] = 0; __syncthreads();\n"
             "for (int r = 0; r < n; ++r) {\n"
             "  if (r == width) { s[t] = 1; __syncthreads(); }\n"
             "  a[t] += s[127 - t];\n"
             "}",
             LaunchFacts{.block = {128, 1, 1}});
  expectRace("__shared__ int s[128]; s[t] = 0; __syncthreads();\n"
             "for (int r = 0; r < n; ++r) {\n"
             "  for (int k = 0; k < idx[r]; ++k) { s[t] = k; __syncthreads(); }\n"
             "  a[t] += s[127 - t];\n"
             "}",
             LaunchFacts{.block = {128, 1, 1}});
}

TEST(Dependences, AnUnknownBlockIsNotTakenToBeWiderThanTheTile) {
  Found f(bodyOf("__shared__ float s[32][32]; s[threadIdx.y][t] = 1;"));
  EXPECT_EQ(f.races(), 0u) << f.list();
  EXPECT_EQ(f.mayRaces(), 1u) << f.list();
}

TEST(Dependences, TwoBranchesOfADivergentIfCanConflict) {
  expectRace("__shared__ float s[64]; if (t < 32) s[t] = 1; else a[t] = s[t - 32];", blockOf(64));
  expectClean("__shared__ float s[64]; if (blockIdx.x == 0) s[t] = 1; else a[t] = s[63 - t];", blockOf(64));
}

TEST(Dependences, AtomicsDoNotRaceWithEachOther) {
  Found f(bodyOf("__shared__ int h[64]; atomicAdd(&h[idx[t]], 1);"), blockOf(64));
  EXPECT_EQ(f.races() + f.mayRaces(), 0u) << f.list();
  ASSERT_EQ(f.dependences.all().size(), 1u);
  EXPECT_TRUE(f.dependences.all()[0].isAtomic);
}

TEST(Dependences, HistogramNeedsTheBarrierAfterClearing) {
  std::string clear = "__shared__ int h[64]; h[t] = 0;";
  std::string count = "atomicAdd(&h[idx[t]], 1); __syncthreads(); atomicAdd(&count[t], h[t]);";
  Found good(bodyOf(clear + "__syncthreads();" + count), blockOf(64));
  EXPECT_EQ(good.races() + good.mayRaces(), 0u) << good.list();
  Found bad(bodyOf(clear + count), blockOf(64));
  EXPECT_GE(bad.mayRaces(), 1u) << bad.list();
}

TEST(Dependences, SayWhyWhenASubscriptIsNotAffine) {
  Found f(bodyOf("__shared__ float s[64]; s[idx[t]] = 1;"), blockOf(64));
  ASSERT_EQ(f.dependences.all().size(), 1u);
  EXPECT_FALSE(f.dependences.all()[0].isCertain);
  EXPECT_EQ(f.dependences.all()[0].reason, "loaded from 'idx' at line 4");
}

TEST(Dependences, OneThreadAloneCannotDependEvenOnUnknownLocations) {
  expectClean("__shared__ float s[64]; if (t == 5) s[idx[t]] = 1;", blockOf(64));
}

TEST(Dependences, SyncwarpOrdersThreadsOfOneWarpOnly) {
  std::string body =
      "__shared__ float s[256]; s[t] = in[t]; __syncwarp(); a[t] = s[t ^ 1] + s[(t & ~31) + 31];";
  expectClean(body, blockOf(256));
  expectRace("__shared__ float s[256]; s[t] = in[t]; __syncwarp(); a[t] = s[255 - t];", blockOf(256));
}

TEST(Dependences, GuardsKeepRowsOfUnknownLengthApart) {
  std::string index = "int x = blockIdx.x * 16 + t, y = blockIdx.y * 16 + threadIdx.y;";
  expectClean(index + "if (x < width && y < n) a[y * width + x] = 0;", blockOf(16, 16));
  Found f(bodyOf(index + "a[y * width + x] = 0;"), blockOf(16, 16));
  ASSERT_EQ(f.mayRaces(), 1u) << f.list();
  EXPECT_EQ(f.dependences.all()[0].reason, "an index may leave its row of 'width' elements");
}

TEST(Dependences, HalvesOfAnArrayAreDisjoint) {
  const LaunchFacts launch{.block = {128, 1, 1}};
  expectClean("int i = blockIdx.x * blockDim.x + t; if (i < n / 2) { float other = a[n - 1 - i]; a[n - 1 - "
              "i] = a[i]; a[i] = other; }",
              launch);
  expectClean("int i = blockIdx.x * blockDim.x + t; if (i < n / 3) a[i] += a[i + n / 3];", launch);
  expectRace("int i = blockIdx.x * blockDim.x + t; if (i <= n / 2 && i < n) { float other = a[n - 1 - i]; "
             "a[i] = other; }",
             launch);
}

TEST(Dependences, AQuotientOfANegativeNumberIsRoundedTowardsZero) {
  const LaunchFacts launch{.block = {128, 1, 1}};
  // n / 4 is 0 for n = -3, and -1 if it were rounded down.
  expectClean("if (n == -3 && t == 0) a[n / 4] = 1; if (n == -3 && t == 1) a[-1] = 2;", launch);
  expectRace("if (n == -3 && t == 0) a[n / 4] = 1; if (n == -3 && t == 1) a[0] = 2;", launch);
}

TEST(Dependences, ACopyOfUnknownSizeMayReachOthers) {
  const std::string copy =
      "extern \"C\" __device__ void *memcpy(void *, const void *, unsigned long);\n"
      "__global__ void k(float *a, const float *in, int n) { __shared__ float s[256]; int t = threadIdx.x;\n";
  const LaunchFacts launch{.block = {128, 1, 1}};
  EXPECT_EQ(Found(copy + "memcpy(&s[2 * t], in + t, 4); a[t] = s[2 * t + 1]; }", launch).mayRaces(), 0u);
  const Found unknown(copy + "memcpy(&s[2 * t], in + t, n); a[t] = s[2 * t + 1]; }", launch);
  EXPECT_EQ(unknown.races(), 0u) << unknown.list();
  EXPECT_GE(unknown.mayRaces(), 1u) << unknown.list();
  EXPECT_GE(Found(copy + "memcpy(&s[2 * t], in + t, 12); a[t] = s[2 * t + 1]; }", launch).races(), 1u);
}

TEST(Dependences, TheRowBelowAtUnknownLengthIsCertain) {
  Found f(bodyOf("int x = t, y = threadIdx.y; if (x < width && y < n) { a[y * width + x] = 0;"
                 "a[(y + 1) * width + x] = 1; }"),
          blockOf(16, 16));
  ASSERT_GE(f.races(), 1u) << f.list();
  EXPECT_EQ(f.dependences.races()[0]->distance[1], -1);
  EXPECT_EQ(f.dependences.races()[0]->distance[0], 0);
}

TEST(Dependences, AStepOfTheGridLeavesThreadsApart) {
  expectClean("for (int i = blockIdx.x * blockDim.x + t; i < n; i += 64 * blockDim.x) a[i] = 0;",
              blockOf(128));
  expectRace("for (int i = t; i < n; i += 1) a[i] = 0;", blockOf(128));
}

TEST(Dependences, AGridStrideLoopLeavesThreadsApart) {
  std::string body =
      "for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) a[i] += 1;";
  expectClean(body, blockOf(256));
  expectClean(body, {});
}

TEST(Dependences, ThreeDimensionsOfUnknownSizeAreDistinguishedByGuards) {
  expectClean("int x = t, y = threadIdx.y, z = blockIdx.z * 4 + threadIdx.z;"
              "if (x < width && y < n) a[(z * n + y) * width + x] = 0;",
              blockOf(8, 8, 4));
}

TEST(Dependences, DifferentElementSizesCanOverlap) {
  expectRace("__shared__ float s[64]; double *d = (double *)s; s[t] = 1; d[t] = 2;", blockOf(32));
}

TEST(Dependences, WhatFollowsALoopWithABarrierDoesNotConflictWithItsFirstIteration) {
  // All threads enter the loop, or none does: no thread reads s[0] while another still adds.
  std::string sum =
      "__shared__ float s[64]; s[t] = in[t]; __syncthreads();"
      "for (int half = 32; half > n; half -= 8) { if (t < 8) s[t] += in[half]; __syncthreads(); }";
  EXPECT_EQ(Found(bodyOf(sum + "a[t] = s[0];"), blockOf(64)).races(), 0u);
  // Before the loop, and without a barrier in it, they do meet.
  expectRace("__shared__ float s[64]; s[t] = in[t]; __syncthreads(); a[t] = s[0];"
             "for (int i = 0; i < n; ++i) { s[t] += in[i]; __syncthreads(); }",
             blockOf(64));
  expectRace("__shared__ float s[64]; s[t] = in[t]; __syncthreads();"
             "for (int i = 0; i < n; ++i) s[t] += in[i];"
             "a[t] = s[0];",
             blockOf(64));
}

TEST(Dependences, BarriersInCalledFunctionsCount) {
  Found f("__device__ void wait() { __syncthreads(); }\n"
          "__global__ void k(float *a) { __shared__ float s[64]; s[threadIdx.x] = 1; wait(); a[threadIdx.x] "
          "= s[63 - "
          "threadIdx.x]; }",
          blockOf(64));
  EXPECT_EQ(f.races() + f.mayRaces(), 0u) << f.list();
}

TEST(Dependences, ManyAccessesEndSoonAndSayWhatWasLeftOut) {
  std::string body = "__shared__ float s[4096];";
  for (int i = 0; i < 200; ++i)
    body += fmt::format("s[t * {} + {}] = s[t * {} + {}];\n", i % 7 + 1, i, i % 5 + 1, i + 3);
  Found f(bodyOf(body), blockOf(64), {.pairs = 100});
  EXPECT_NE(f.dependences.leftOut().find("were not analyzed"), std::string::npos);
}

TEST(Dependences, ParametersAreAssumedNotToOverlapAndThatIsReported) {
  Found f("__global__ void k(float *a, float *b) { a[threadIdx.x] = b[threadIdx.x + 1]; }");
  EXPECT_TRUE(f.dependences.all().empty());
  ASSERT_EQ(f.dependences.assumptions().size(), 1u);
  EXPECT_EQ(f.dependences.assumptions()[0], "'b' and 'a' do not overlap");
}

} // namespace
