// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/LoopDependences.h"

#include "KernelText.h"
#include "analysis/PointersApart.h"

using namespace heddle::analysis;

namespace {

/// The write of `a` and the read of it in a loop over i; `parameters` come first.
struct OneLoop {
  OneLoop(const std::string &write, const std::string &read,
          const std::string &head = "int i = 0; i < n; ++i")
      : text("__global__ void k(float *a, const int *idx, int n, int m) {\n  for (" + head + ")\n    a[" +
             write + "] = a[" + read + "] + 1.0f;\n}\n"),
        dependences(*text.accesses, true) {
    for (const Access &access : text.accesses->all())
      if (access.array->name == "a")
        (access.isWrite() ? wrote : didRead) = &access;
  }
  /// Whether the read may see the write of `least` to `most` iterations before.
  bool carries(std::optional<int64_t> least, std::optional<int64_t> most = {}) {
    Iterations apart{{}, {{wrote->loop, wrote->loop, least, most}}};
    return dependences.between(*wrote, *didRead, apart).has_value();
  }
  KernelText text;
  LoopDependences dependences;
  const Access *wrote = nullptr, *didRead = nullptr;
};

TEST(LoopDependences, KnowTheDistanceOfAFlow) {
  OneLoop loop("i + 3", "i");
  EXPECT_TRUE(loop.carries(1));
  EXPECT_TRUE(loop.carries(3, 3));
  EXPECT_FALSE(loop.carries(1, 2));
  EXPECT_FALSE(loop.carries(4));
  EXPECT_FALSE(loop.carries({}, -1));
}

TEST(LoopDependences, SeeThatStepsPassEachOtherBy) {
  OneLoop loop("i", "i + 1", "int i = 0; i < n; i += 2");
  EXPECT_FALSE(loop.carries({}, -1));
  EXPECT_FALSE(loop.carries(1));
}

TEST(LoopDependences, LookOnlyAtIterationsThatThereAre) {
  OneLoop loop("i", "i - 8", "int i = 0; i < 8; ++i");
  EXPECT_FALSE(loop.carries(1));
}

TEST(LoopDependences, TakeOneThreadForBoth) {
  OneLoop loop("i * blockDim.x + threadIdx.x", "i * blockDim.x + threadIdx.x");
  EXPECT_FALSE(loop.carries(1)); // another thread's element does not matter here
}

TEST(LoopDependences, DoNotRelyOnRowsOfUnknownLength) {
  OneLoop loop("i * n + m", "i * n");
  EXPECT_TRUE(loop.carries(1));
}

TEST(LoopDependences, DoNotRelyOnValuesThatWereLoaded) {
  OneLoop loop("idx[0] + i", "idx[0] + i + n");
  EXPECT_TRUE(loop.carries(1));
}

TEST(LoopDependences, DoNotRelyOnQuotientsOfUnsignedNumbersThatMayWrapAround) {
  OneLoop loop("(i * 3u) / 2", "(i * 3u) / 2", "unsigned i = 0; i < n; ++i");
  EXPECT_TRUE(loop.carries(1));
  OneLoop shortLoop("(i * 3u) / 2", "(i * 3u) / 2", "unsigned i = 0; i < 9; ++i");
  EXPECT_FALSE(shortLoop.carries(1));
}

TEST(LoopDependences, RelyOnRemaindersByPowersOfTwoThoughNumbersWrapAround) {
  OneLoop loop("(i * 3u) & 7", "16 + ((i * 5u) & 7)", "unsigned i = 0; i < n; ++i");
  EXPECT_FALSE(loop.carries(1));
}

TEST(LoopDependences, TakeParametersToOverlapUnlessTheyAreRestricted) {
  Array a, b;
  int one = 0, other = 0;
  for (Array *array : {&a, &b}) {
    array->space = Array::Space::Global;
    array->isParameter = true;
    array->decl = reinterpret_cast<const clang::ValueDecl *>(array == &a ? &one : &other);
  }
  EXPECT_TRUE(reasonToOverlap(a, b).has_value());
  b.isRestrict = true;
  EXPECT_FALSE(reasonToOverlap(a, b).has_value());
  Array shared;
  shared.space = Array::Space::Shared;
  shared.decl = a.decl;
  EXPECT_FALSE(reasonToOverlap(a, shared).has_value());
  EXPECT_TRUE(reasonToOverlap(a, Array{}).has_value()); // a pointer that came from somewhere
}

} // namespace
