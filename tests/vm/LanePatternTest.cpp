// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of a full warp by pattern: which are found, and that memory and faults are those of lane by lane.
#include "vm/LanePattern.h"

#include "vm/Runner.h"

#include <fmt/format.h>

namespace heddle::vm::test {
namespace {

template <class F> std::array<uint64_t, Lanes> rowOf(F at) {
  std::array<uint64_t, Lanes> row;
  for (unsigned lane = 0; lane < Lanes; ++lane)
    row[lane] = at(lane);
  return row;
}

TEST(LanePattern, IsAConstantStrideInEachGroupOfEight) {
  LanePattern<uint64_t> found;
  EXPECT_TRUE(findPattern<uint64_t>(rowOf([](unsigned l) { return 1000 + 4 * l; }).data(), 16, found));
  EXPECT_EQ(found.stride, 4u);
  EXPECT_EQ(found.first[1], 1000u + 32 + 16);
  EXPECT_EQ(found.last(3), 1000u + 124 + 16);
  EXPECT_TRUE(findPattern<uint64_t>(rowOf([](unsigned) { return 64; }).data(), 0, found));
  EXPECT_TRUE(findPattern<uint64_t>(rowOf([](unsigned l) { return 4096 - 8 * l; }).data(), 0, found));
  EXPECT_EQ(found.stride, uint64_t(-8));
  // Rows of a tile of 16x2.
  EXPECT_TRUE(findPattern<uint64_t>(rowOf([](unsigned l) { return 4 * (l % 16) + 512 * (l / 16); }).data(), 0,
                                    found));
  EXPECT_FALSE(findPattern<uint64_t>(rowOf([](unsigned l) { return 4 * (l ^ 1); }).data(), 0, found));
  EXPECT_FALSE(findPattern<uint64_t>(rowOf([](unsigned l) { return l == 31 ? 0 : 4 * l; }).data(), 0, found));
}

TEST(LanePattern, AStrideThatWrapsAroundIsNoPattern) {
  // The ends of each group are near each other, but the lanes between them are not.
  const uint64_t stride = ~uint64_t(0) / 7 + 1;
  LanePattern<uint64_t> found;
  EXPECT_FALSE(
      findPattern<uint64_t>(rowOf([&](unsigned l) { return 4096 + stride * (l % 8); }).data(), 0, found));
}

TEST(LanePattern, BoundsAreThoseOfBothEndsOfEveryGroup) {
  LanePattern<uint64_t> found;
  auto tile = rowOf([](unsigned l) { return 100 + 4 * (l % 8) + (l / 8 == 2 ? 1000 : 0); });
  ASSERT_TRUE(findPattern<uint64_t>(tile.data(), 0, found));
  EXPECT_TRUE(found.isWithin(100, 1028));
  EXPECT_FALSE(found.isWithin(100, 1027));
  EXPECT_FALSE(found.isWithin(101, 1028));
}

/// out[lane] = in[index of the lane] and out[1024 + index] = lane, twice: the second time the instructions know a range.
std::string copyBy(const std::string &index, const std::string &type, unsigned bytes) {
  return fmt::format(
      ".visible .entry k(.param .u64 out, .param .u64 in) {{\n"
      ".reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .b16 %h; .reg .pred %p;\n"
      "ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [in]; mov.u32 %r0, %tid.x; mov.u32 %r6, 0;\n"
      "AGAIN:\n{0}\n"
      "mul.wide.s32 %rd2, %r1, {2}; add.u64 %rd3, %rd1, %rd2; ld.global.{1} %r2, [%rd3];\n"
      "mul.wide.u32 %rd4, %r0, 4; add.u64 %rd4, %rd0, %rd4; st.global.u32 [%rd4], %r2;\n"
      "add.u64 %rd5, %rd0, %rd2; st.global.{1} [%rd5+4096], %r0;\n"
      "add.u32 %r6, %r6, 1; setp.lt.u32 %p, %r6, 3; @%p bra AGAIN; ret; }}\n",
      index, type, bytes);
}

struct Walk {
  const char *index;
  unsigned (*at)(unsigned lane);
};
const Walk Walks[] = {
    {"mov.u32 %r1, %r0;", [](unsigned l) { return l; }},
    {"mov.u32 %r1, 5;", [](unsigned) { return 5u; }},
    {"mul.lo.u32 %r1, %r0, 3;", [](unsigned l) { return 3 * l; }},
    {"sub.u32 %r1, 40, %r0;", [](unsigned l) { return 40 - l; }},
    {"and.b32 %r1, %r0, 15;", [](unsigned l) { return l & 15; }},
    {"and.b32 %r1, %r0, 7;", [](unsigned l) { return l & 7; }},
    {"shr.u32 %r1, %r0, 4;", [](unsigned l) { return l >> 4; }},
    {"xor.b32 %r1, %r0, 9;", [](unsigned l) { return l ^ 9; }},
};

template <class T> void expectWalks(const char *type) {
  for (const Walk &walk : Walks)
    for (unsigned threads : {32u, 19u}) {
      SCOPED_TRACE(fmt::format("{} {} with {} threads", type, walk.index, threads));
      Runner runner(copyBy(walk.index, type, sizeof(T)));
      std::vector<T> values(256);
      for (unsigned i = 0; i < 256; ++i)
        values[i] = T(7 * i + 1);
      T *in = runner.buffer(values);
      uint32_t *out = runner.buffer<uint32_t>(2048, 99);
      runner.run({1}, {threads}, out, in);
      std::vector<T> stored(256);
      std::memcpy(stored.data(), out + 1024, 256 * sizeof(T));
      std::vector<uint32_t> untouched(64, 99);
      std::vector<T> wanted(256);
      std::memcpy(wanted.data(), std::vector<uint32_t>(256, 99).data(), 256 * sizeof(T));
      for (unsigned lane = 0; lane < threads; ++lane) {
        EXPECT_EQ(out[lane], uint32_t(values[walk.at(lane)])) << lane;
        wanted[walk.at(lane)] = T(lane); // in order: the last one remains
      }
      EXPECT_EQ(stored, wanted);
    }
}

TEST(PatternAccess, EveryWalkThroughWords) { expectWalks<uint32_t>("u32"); }
TEST(PatternAccess, EveryWalkThroughBytes) { expectWalks<uint8_t>("u8"); }
TEST(PatternAccess, EveryWalkThroughSignedHalfwords) { expectWalks<int16_t>("s16"); }

TEST(PatternAccess, ALaneBeyondTheEndIsNamedThoughTheInstructionKnowsTheRange) {
  // The walk moves forward by one element per iteration; lane 31 leaves the allocation in the third.
  Runner runner(copyBy("add.u32 %r1, %r0, %r6;", "u32", 4));
  uint32_t *in = runner.buffer<uint32_t>(33), *out = runner.buffer<uint32_t>(2048);
  LaunchResult result = runner.launch({1}, {32}, out, in);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::OutOfBounds);
  EXPECT_EQ(result.fault->where.thread.x, 31u);
}

TEST(PatternAccess, AVectorMayReplaceTheAddressItIsLoadedFrom) {
  // Lanes without a pattern, twice: the second load is from the range that the first one found.
  Runner runner(
      ".visible .entry k(.param .u64 out, .param .u64 in) { .reg .b64 %rd<8>; .reg .b32 %r<4>; .reg .pred "
      "%p;\n"
      "ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [in]; mov.u32 %r0, %tid.x; xor.b32 %r1, %r0, 5;\n"
      "mov.u32 %r2, 0;\nAGAIN: mul.wide.u32 %rd2, %r1, 16; add.u64 %rd3, %rd1, %rd2;\n"
      "ld.global.v2.u64 {%rd3, %rd4}, [%rd3]; add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 2; @%p bra AGAIN;\n"
      "mul.wide.u32 %rd5, %r0, 16; add.u64 %rd6, %rd0, %rd5; st.global.v2.u64 [%rd6], {%rd3, %rd4}; ret; "
      "}\n");
  std::vector<uint64_t> values(64);
  for (unsigned i = 0; i < 64; ++i)
    values[i] = 1000 + i;
  uint64_t *in = runner.buffer(values), *out = runner.buffer<uint64_t>(64);
  runner.run({1}, {32}, out, in);
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], 1000 + (i ^ 10));
}

TEST(PatternAccess, AMisalignedPatternIsAFault) {
  Runner runner(copyBy("mov.u32 %r1, %r0; add.u64 %rd1, %rd1, 2;", "u32", 4));
  uint32_t *in = runner.buffer<uint32_t>(64), *out = runner.buffer<uint32_t>(2048);
  LaunchResult result = runner.launch({1}, {32}, out, in);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::Misaligned);
}

TEST(PatternAccess, SpecialRegistersDifferBetweenBlocksThatReuseAWarp) {
  Runner runner(
      ".visible .entry k(.param .u64 out) { .reg .b64 %rd<4>; .reg .b32 %r<8>;\n"
      "ld.param.u64 %rd0, [out]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ctaid.y; mov.u32 %r2, %tid.x;\n"
      "mov.u32 %r3, %tid.y; mov.u32 %r7, %ntid.x; mad.lo.u32 %r4, %r1, 3, %r0; mad.lo.u32 %r5, %r3, %r7, "
      "%r2;\n"
      "mad.lo.u32 %r6, %r4, 64, %r5; mul.wide.u32 %rd1, %r6, 4; add.u64 %rd1, %rd0, %rd1;\n"
      "st.global.u32 [%rd1], %r6; ret; }\n");
  uint32_t *out = runner.buffer<uint32_t>(64 * 12, ~0u);
  runner.request.cores = 1;
  runner.run({3, 4}, {16, 4}, out);
  for (unsigned i = 0; i < 64 * 12; ++i)
    ASSERT_EQ(out[i], i);
}

} // namespace
} // namespace heddle::vm::test
