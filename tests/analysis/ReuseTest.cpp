// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Reuse.h"

#include "KernelText.h"
#include "analysis/WarpAccess.h"

using namespace heddle::analysis;

namespace {

/// CREST's figure 2.
const char *stencil = R"(
__global__ void stencil(float *A, const float *B, int nx) {
  extern __shared__ float C[];
  int i = threadIdx.x;
  if (i >= 1 && i < nx)
    A[i] = B[i] + B[i - 1] + C[i] + C[i - 1];
})";

TEST(Reuse, TheStencilsNeighboursShareAnElement) {
  KernelText k(stencil, blockOf(512));
  InterThreadReuse reuse = InterThreadReuse::of(*k.accesses);
  ASSERT_EQ(reuse.all().size(), 2u); // one pair in B, one in C
  for (const Reuse &one : reuse.all()) {
    EXPECT_EQ(one.kind, Reuse::Kind::Group);
    EXPECT_EQ(one.dimension, 0u);
    EXPECT_EQ(one.distance, -1);
  }
}

TEST(Reuse, TheStencilBlockedByTwoSavesAQuarterOfTheSharedLoads) {
  KernelText k(stencil, blockOf(512));
  InterThreadReuse reuse = InterThreadReuse::of(*k.accesses);
  auto shared = reuse.loads(Array::Space::Shared, 0, 2, Map::Blocked);
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->before, 4);
  EXPECT_EQ(shared->after, 3);
  EXPECT_DOUBLE_EQ(shared->saved(), 0.25);
  EXPECT_DOUBLE_EQ(reuse.loads(Array::Space::Global, 0, 2, Map::Blocked)->saved(), 0.25);
}

TEST(Reuse, TheStencilInterleavedSavesNothing) {
  KernelText k(stencil, blockOf(512));
  InterThreadReuse reuse = InterThreadReuse::of(*k.accesses);
  EXPECT_DOUBLE_EQ(reuse.loads(Array::Space::Shared, 0, 2, Map::Interleaved)->saved(), 0);
  KernelText unknown(stencil);
  EXPECT_FALSE(InterThreadReuse::of(*unknown.accesses).loads(Array::Space::Shared, 0, 2, Map::Interleaved));
}

TEST(Reuse, AnElementThatAllThreadsReadIsLoadedOnceAfterMerging) {
  KernelText k("__global__ void synth(float *a) { __shared__ float s[512]; float sum = 0;\n"
               "for (int i = 0; i < 512; ++i) sum += s[i]; a[threadIdx.x] = sum; }",
               blockOf(512));
  InterThreadReuse reuse = InterThreadReuse::of(*k.accesses);
  ASSERT_EQ(reuse.all().size(), 1u);
  EXPECT_EQ(reuse.all()[0].kind, Reuse::Kind::Self);
  for (Map map : {Map::Blocked, Map::Interleaved})
    EXPECT_DOUBLE_EQ(reuse.loads(Array::Space::Shared, 0, 16, map)->saved(), 15. / 16);
}

TEST(Reuse, AMatrixProductReusesRowsAlongXAndColumnsAlongY) {
  KernelText k("__global__ void mm(float *a) { __shared__ float x[16][16], y[16][16]; float sum = 0;\n"
               "for (int k = 0; k < 16; ++k) sum += x[threadIdx.y][k] * y[k][threadIdx.x];\n"
               "a[threadIdx.y * 16 + threadIdx.x] = sum; }",
               blockOf(16, 16));
  InterThreadReuse reuse = InterThreadReuse::of(*k.accesses);
  bool rows = false, columns = false;
  for (const Reuse &one : reuse.all())
    if (one.kind == Reuse::Kind::Self) {
      const std::string &name = k.accesses->all()[one.first].array->name;
      rows |= name == "x" && one.dimension == 0;
      columns |= name == "y" && one.dimension == 1;
      EXPECT_NE(name == "x", one.dimension == 1);
    }
  EXPECT_TRUE(rows && columns);
  EXPECT_DOUBLE_EQ(reuse.loads(Array::Space::Shared, 0, 2, Map::Interleaved)->saved(), 0.25);
}

TEST(Reuse, AConvolutionSharesElementsThroughItsLoop) {
  KernelText k("__global__ void conv(float *a) { __shared__ float s[80]; float sum = 0;\n"
               "for (int i = 0; i < 16; ++i) sum += s[threadIdx.x + i]; a[threadIdx.x] = sum; }",
               blockOf(64));
  InterThreadReuse reuse = InterThreadReuse::of(*k.accesses);
  ASSERT_EQ(reuse.all().size(), 1u);
  EXPECT_EQ(reuse.all()[0].distance, 1);
  EXPECT_EQ(reuse.all()[0].iterations, 1);
}

/// The reuse of all loads by `body`, as "first/second along y: distance, iterations".
std::vector<std::string> reuseOf(const std::string &body, const LaunchFacts &launch) {
  KernelText k("__global__ void k(float *o, const float *a, int w, int n) {\n" + body + "\n}", launch);
  const InterThreadReuse reuse = InterThreadReuse::of(*k.accesses);
  std::vector<std::string> texts;
  for (const Reuse &one : reuse.all())
    texts.push_back(fmt::format("{}/{} along {}: {}, {}{}", k.accesses->all()[one.first].text,
                                k.accesses->all()[one.second].text, "xyz"[one.dimension], one.distance,
                                one.iterations, one.isCertain ? "" : "?"));
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Reuse, ALoopThatEndsBeforeTheNextThreadsElementsSharesNothing) {
  const char *rows = "int r = blockIdx.x * 128 + threadIdx.x; float s = 0;\n"
                     "for (int i = 0; i < {}; ++i) s += a[r * 64 + i];\no[r] = s;";
  EXPECT_EQ(reuseOf(fmt::format(fmt::runtime(rows), "64"), blockOf(128)), Texts{});
  EXPECT_EQ(reuseOf(fmt::format(fmt::runtime(rows), "65"), blockOf(128)),
            Texts{"a[r * 64 + i]/a[r * 64 + i] along x: 1, 64"});
  EXPECT_EQ(reuseOf(fmt::format(fmt::runtime(rows), "n"), blockOf(128)),
            Texts{"a[r * 64 + i]/a[r * 64 + i] along x: 1, 64?"});
}

TEST(Reuse, RowsOfAnArrayAreNotContinuedByTheNext) {
  const char *rows = "__shared__ float t[16][16]; float s = 0;\n"
                     "for (int i = 0; i < n; ++i) s += t[threadIdx.y][i];\n"
                     "o[threadIdx.y * 16 + threadIdx.x] = s;";
  EXPECT_EQ(reuseOf(rows, blockOf(16, 16)), Texts{"t[threadIdx.y][i]/t[threadIdx.y][i] along x: 0, 0"});
  EXPECT_EQ(reuseOf("__shared__ float t[16][16]; float s = 0;\n"
                    "for (int i = 0; i < 3; ++i) s += t[threadIdx.y + i][threadIdx.x];\n"
                    "o[threadIdx.y * 16 + threadIdx.x] = s;",
                    blockOf(16, 8)),
            Texts{"t[threadIdx.y + i][threadIdx.x]/t[threadIdx.y + i][threadIdx.x] along y: 1, 1"});
}

TEST(Reuse, RowsMayBeAsLongAsAParameter) {
  const char *column = "int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;\n"
                       "o[y * w + x] = a[(y - 1) * w + x] + a[(y + 1) * w + x];";
  const Texts apart = {"a[(y - 1) * w + x]/a[(y + 1) * w + x] along y: 2, 0"};
  EXPECT_EQ(reuseOf(column, blockOf(32, 8)), apart);
  EXPECT_EQ(reuseOf(column, blockOf(32, 2)), Texts{}) << "no thread of the block is 2 further";
  KernelText k("__global__ void k(float *o, const float *a, int w) {\n" + std::string(column) + "\n}",
               blockOf(32, 8));
  EXPECT_DOUBLE_EQ(InterThreadReuse::of(*k.accesses).loads(Array::Space::Global, 1, 3, Map::Blocked)->saved(),
                   1. / 6);
}

TEST(Reuse, OneThreadAlongADimensionSharesWithNoOther) {
  EXPECT_EQ(reuseOf("o[threadIdx.y + threadIdx.x] = a[threadIdx.x];", blockOf(64, 1)), Texts{});
}

TEST(Reuse, NothingIsSharedBetweenOwnElements) {
  KernelText k("__global__ void own(float *a, const float *b) { a[threadIdx.x] = b[threadIdx.x]; }",
               blockOf(64));
  EXPECT_TRUE(InterThreadReuse::of(*k.accesses).all().empty());
}

TEST(Reuse, WhatOneThreadLoadsIsNotShared) {
  for (const char *guard :
       {"threadIdx.x == 0", "!threadIdx.x", "threadIdx.x < 1", "n > 3 && threadIdx.x == 5"}) {
    KernelText k(
        std::string("__global__ void last(float *a, int n) {\n  __shared__ float s[64];\n  if (") + guard +
            ") {\n    float t = 0;\n    for (int w = 0; w < 64; ++w) t += s[w];\n    a[0] = t;\n  }\n}",
        blockOf(64));
    InterThreadReuse reuse = InterThreadReuse::of(*k.accesses);
    EXPECT_TRUE(reuse.all().empty()) << guard;
    EXPECT_DOUBLE_EQ(reuse.loads(Array::Space::Shared, 0, 2, Map::Blocked)->saved(), 0) << guard;
  }
}

TEST(Reuse, WhatSeveralThreadsLoadIsShared) {
  for (const char *guard : {"threadIdx.x < 2", "threadIdx.y == 0", "n == 0", "threadIdx.x != 0"}) {
    KernelText k(std::string("__global__ void some(float *a, int n) {\n  __shared__ float s[64];\n  if (") +
                     guard + ")\n    a[threadIdx.x] = s[3];\n}",
                 blockOf(64));
    EXPECT_TRUE(InterThreadReuse::of(*k.accesses).isAlong(0)) << guard;
  }
}

WarpAccess warpOf(const std::string &body, LaunchFacts launch) {
  KernelText k("__global__ void k(float *a, double *d, int n) {\n" + body + "\n}", launch);
  return warpAccess(*k.accesses, k.accesses->all().back());
}

TEST(WarpAccess, NeighboursInARowAreCoalesced) {
  WarpAccess w = warpOf("a[blockIdx.x * 256 + threadIdx.x] = 0;", blockOf(256));
  EXPECT_EQ(w.stride, 1);
  EXPECT_EQ(w.sectors, 4u);
  EXPECT_TRUE(w.isCoalesced());
}

TEST(WarpAccess, AKnownOffsetTakesAnotherSector) {
  for (const char *index : {"blockIdx.x * 256 + threadIdx.x + 1", "blockIdx.x * 256 + threadIdx.x - 1",
                            "blockIdx.x * blockDim.x + threadIdx.x + 7"}) {
    WarpAccess w = warpOf(std::string("a[") + index + "] = 0;", blockOf(256));
    EXPECT_EQ(w.sectors, 5u) << index;
    EXPECT_EQ(w.fewestSectors, 4u) << index;
    EXPECT_FALSE(w.isCoalesced()) << index;
  }
  EXPECT_EQ(warpOf("a[blockIdx.x * blockDim.x + threadIdx.x + 1] = 0;", {}).sectors, 5u);
  EXPECT_EQ(warpOf("a[threadIdx.x + 8] = 0;", blockOf(256)).sectors, 4u);
}

/// "4 (4-5) if n is a multiple of 8"
std::string sectorsOf(const std::string &index, const LaunchFacts &launch) {
  const WarpAccess w = warpOf("for (int i = 0; i < n; ++i) a[" + index + "] = 0;", launch);
  return fmt::format("{}{} ({}-{}){}", w.rows.empty() ? "" : w.rows + ": ",
                     w.sectors ? fmt::to_string(*w.sectors) : "?", w.leastSectors.value_or(0),
                     w.mostSectors.value_or(0), w.condition.empty() ? "" : " if " + w.condition);
}

TEST(WarpAccess, AnUnknownOffsetIsACondition) {
  EXPECT_EQ(sectorsOf("n + threadIdx.x", blockOf(256)), "4 (4-5) if n is a multiple of 8");
  EXPECT_EQ(sectorsOf("2 * n + threadIdx.x", blockOf(256)), "4 (4-5) if n is a multiple of 4");
  EXPECT_EQ(sectorsOf("threadIdx.y * n + threadIdx.x + 1", blockOf(32, 8)),
            "5 (4-5) if n is a multiple of 8");
  EXPECT_EQ(sectorsOf("8 * n + threadIdx.x + 1", blockOf(256)), "5 (5-5)");
  EXPECT_EQ(sectorsOf("n + 64 * threadIdx.x", blockOf(256)), "32 (32-32)");
}

TEST(WarpAccess, WhatIsNoParameterGivesARange) {
  EXPECT_EQ(sectorsOf("i + threadIdx.x", blockOf(256)), "? (4-5)");
  EXPECT_EQ(sectorsOf("10 * blockIdx.x + threadIdx.x", blockOf(256)), "? (4-5)");
  EXPECT_EQ(sectorsOf("10 * blockIdx.x + threadIdx.x + 1", blockOf(256)), "5 (5-5)")
      << "always 4 bytes beside";
  EXPECT_EQ(sectorsOf("10 * threadIdx.y + threadIdx.x", blockOf(32, 8)), "? (4-5)") << "as of another warp";
}

TEST(WarpAccess, RowsOfANarrowBlockAreAParameterApart) {
  EXPECT_EQ(sectorsOf("threadIdx.y * n + threadIdx.x", blockOf(16, 16)),
            "2 rows of 64 bytes, n elements apart: 4 (4-6) if n is a multiple of 8");
  EXPECT_EQ(sectorsOf("threadIdx.y * n + threadIdx.x + 1", blockOf(8, 8)),
            "4 rows of 32 bytes, n elements apart: 8 (4-8) if n is a multiple of 8");
}

TEST(WarpAccess, LanesMayBeAParameterApart) {
  EXPECT_EQ(sectorsOf("threadIdx.x * n + i", blockOf(256)),
            "lanes n elements apart: 32 (1-32) if n is at least 8");
  EXPECT_EQ(warpOf("a[threadIdx.x * n + threadIdx.x] = 0;", blockOf(256)).reason,
            "the stride between lanes depends on n");
}

TEST(WarpAccess, AStrideSpreadsTheWarpOverSectors) {
  WarpAccess w = warpOf("a[threadIdx.x * 8] = 0;", blockOf(256));
  EXPECT_EQ(w.stride, 8);
  EXPECT_EQ(w.sectors, 32u);
  EXPECT_FALSE(w.isCoalesced());
}

TEST(WarpAccess, OneElementForAllIsABroadcast) {
  WarpAccess w = warpOf("a[blockIdx.x] = 0;", blockOf(256));
  EXPECT_TRUE(w.isOneAddress);
  EXPECT_EQ(w.sectors, 1u);
}

TEST(WarpAccess, AColumnOfASharedTileConflictsUnlessPadded) {
  EXPECT_EQ(
      warpOf("__shared__ float s[32][32]; s[threadIdx.x][threadIdx.y] = 0;", blockOf(32, 8)).bankConflicts,
      32u);
  EXPECT_EQ(
      warpOf("__shared__ float s[32][33]; s[threadIdx.x][threadIdx.y] = 0;", blockOf(32, 8)).bankConflicts,
      1u);
  EXPECT_EQ(warpOf("__shared__ float s[64]; s[threadIdx.x * 2] = 0;", blockOf(32)).bankConflicts, 2u);
}

TEST(WarpAccess, DoublesInARowDoNotConflict) {
  EXPECT_EQ(warpOf("__shared__ double s[64]; s[threadIdx.x] = 0;", blockOf(32)).bankConflicts, 1u);
  EXPECT_EQ(warpOf("__shared__ double s[64]; s[threadIdx.x * 2] = 0;", blockOf(32)).bankConflicts, 2u);
}

TEST(WarpAccess, ABlockNarrowerThanAWarpFoldsIntoRows) {
  WarpAccess w = warpOf("a[threadIdx.y * 1024 + threadIdx.x] = 0;", blockOf(16, 16));
  EXPECT_EQ(w.stride, 1);
  EXPECT_EQ(w.sectors, 4u);
  WarpAccess unknown = warpOf("a[threadIdx.y * n + threadIdx.x] = 0;", blockOf(16, 16));
  EXPECT_EQ(unknown.stride, 1);
  EXPECT_EQ(unknown.condition, "n is a multiple of 8");
  EXPECT_EQ(warpOf("__shared__ float s[64]; s[threadIdx.y * n + threadIdx.x] = 0;", blockOf(16, 2)).reason,
            "the stride between lanes depends on n");
  EXPECT_FALSE(
      warpOf("__shared__ float s[8][8]; s[threadIdx.y][n] = 0;", blockOf(16, 2)).isOneAddress); // 2 rows
}

} // namespace
