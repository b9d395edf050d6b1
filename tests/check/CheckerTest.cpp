// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checker as a plain observer of the simulator, without any CUDA runtime around it.
#include "check/Checker.h"

#include "check/Serial.h"
#include "ptx/Parser.h"
#include "support/Paths.h"
#include "vm/Simulator.h"

#include <gtest/gtest.h>

#include <cstring>

namespace heddle::check {
namespace {

struct Bench {
  vm::Simulator simulator{vm::Limits()};
  FindingList findings;
  Checker checker;
  explicit Bench(bool lockstep = false)
      : checker({.memory = &simulator.memory(), .lockstep = lockstep}, findings) {}

  void run(const std::string &body, vm::Dim3 grid, vm::Dim3 block, uint64_t parameter = 0,
           uint64_t seed = 0) {
    const std::string text =
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
        ".reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<4>;\n"
        ".shared .align 8 .b8 tile[1024];\n"
        "mov.u32 %r0, %tid.x; mov.u32 %r9, tile; shl.b32 %r1, %r0, 2; add.u32 %r1, %r1, %r9;\n"
        "ld.param.u64 %rd0, [p];\n" +
        body + "\nret;\n}\n";
    Diagnostics problems;
    auto module = std::make_shared<ptx::Module>(ptx::parse(text, "k.ptx", problems));
    vm::LoadedModule *loaded = simulator.load(module, problems);
    ASSERT_TRUE(loaded && problems.empty());
    vm::LaunchRequest request;
    request.kernel = loaded->kernel("k", problems);
    ASSERT_TRUE(request.kernel);
    request.grid = grid, request.block = block, request.scheduleSeed = seed;
    request.parameters.resize(8);
    std::memcpy(request.parameters.data(), &parameter, 8);
    simulator.launch(request, &checker);
  }
  std::vector<std::string> rules() const {
    std::vector<std::string> ids;
    for (const Finding &finding : findings.all())
      ids.emplace_back(idOf(finding.rule));
    return ids;
  }
};
using Rules = std::vector<std::string>;

// Each thread writes its word, and reads the one of the thread 32 further on.
const char *const exchange = "st.shared.u32 [%r1], %r0; @SYNC@ xor.b32 %r2, %r0, 32; shl.b32 %r2, %r2, 2; "
                             "add.u32 %r2, %r2, %r9; ld.shared.u32 %r3, [%r2];";

std::string with(const std::string &sync) {
  std::string text = exchange;
  return text.replace(text.find("@SYNC@"), 6, sync);
}

TEST(Checker, ABarrierMakesTheDifference) {
  Bench bad, good;
  bad.run(with(""), {1}, {64});
  good.run(with("bar.sync 0;"), {1}, {64});
  EXPECT_EQ(bad.rules(), Rules{"race/shared"});
  EXPECT_EQ(good.rules(), Rules{});
}

TEST(Checker, TheVerdictDoesNotDependOnTheSchedule) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    Bench bad, good;
    bad.run(with(""), {2}, {128}, 0, seed);
    good.run(with("bar.sync 0;"), {2}, {128}, 0, seed);
    EXPECT_EQ(bad.rules(), Rules{"race/shared"}) << "seed " << seed;
    EXPECT_EQ(good.rules(), Rules{}) << "seed " << seed;
  }
}

TEST(Checker, ArrivingOrdersForTheOthersAndNotForOneself) {
  // Warp 0 writes and arrives, warp 1 waits and reads; then the other way round without a barrier.
  const char *const oneWay =
      "setp.lt.u32 %p0, %r0, 32; @%p0 bra FIRST; bar.sync 1, 64; ld.shared.u32 %r3, [tile]; bra END;\n"
      "FIRST: st.shared.u32 [tile], 7; bar.arrive 1, 64;\nEND:";
  Bench good;
  good.run(oneWay, {1}, {64});
  EXPECT_EQ(good.rules(), Rules{}) << "the same value by all lanes";
  const char *const back =
      "setp.lt.u32 %p0, %r0, 32; @%p0 bra FIRST; st.shared.u32 [tile], 7; bar.sync 1, 64; bra END;\n"
      "FIRST: bar.arrive 1, 64; ld.shared.u32 %r3, [tile];\nEND:";
  Bench bad;
  bad.run(back, {1}, {64});
  EXPECT_EQ(bad.rules(), Rules{"race/shared"});
}

TEST(Checker, AFindingNamesArrayElementThreadsAndBothLocations) {
  Bench bench;
  bench.run(with(""), {1}, {64});
  ASSERT_EQ(bench.findings.all().size(), 1u);
  const Finding finding = bench.findings.all().front();
  EXPECT_NE(finding.text.find("tile["), std::string::npos) << finding.text;
  EXPECT_NE(finding.text.find("thread "), std::string::npos) << finding.text;
  EXPECT_EQ(finding.kernel, "k");
  EXPECT_EQ(finding.location.file, "k.ptx");
  ASSERT_EQ(finding.notes.size(), 1u);
  EXPECT_NE(finding.notes[0].location.column, finding.location.column);
  EXPECT_GT(finding.times, 1u) << "reported once, counted often";
}

TEST(Checker, ARaceOfUpdatesIsMendedByAnAtomic) {
  Bench bench;
  bench.run("ld.shared.u32 %r3, [tile];\nadd.u32 %r3, %r3, 1;\nst.shared.u32 [tile], %r3;", {1}, {64});
  bool any = false;
  for (const Finding &finding : bench.findings.all())
    if (classOf(finding.rule) == Class::Race) {
      any = true;
      EXPECT_NE(finding.hint.find("atomicAdd()"), std::string::npos) << finding.hint;
    }
  EXPECT_TRUE(any);
}

TEST(Checker, PairsOfLinesAreCountedAndNotRepeated) {
  // The same exchange a hundred times, on the same two lines.
  std::string body;
  for (int i = 0; i < 100; ++i)
    body += "st.shared.u32 [%r1], %r0; xor.b32 %r2, %r0, 32; shl.b32 %r2, %r2, 2; add.u32 %r2, %r2, %r9; "
            "ld.shared.u32 %r3, [%r2]; bar.sync 0; ";
  Bench bench;
  bench.run(body, {1}, {64});
  ASSERT_EQ(bench.rules(), Rules{"race/shared"});
  EXPECT_GE(bench.findings.all()[0].times, 100u);
}

TEST(Checker, LockstepOrdersTheLanesOfAWarpIfAssumed) {
  const char *const shift = "st.shared.u32 [%r1], %r0;\nxor.b32 %r2, %r0, 1; shl.b32 %r2, %r2, 2; "
                            "add.u32 %r2, %r2, %r9;\nld.shared.u32 %r3, [%r2];";
  Bench today;
  today.run(shift, {1}, {32});
  EXPECT_EQ(today.rules(), Rules{"warp/lockstep"});
  Bench before(true);
  before.run(shift, {1}, {32});
  EXPECT_EQ(before.rules(), Rules{});
  Bench between(true);
  between.run(with(""), {1}, {64});
  EXPECT_EQ(between.rules(), Rules{"race/shared"}) << "warps never ran in step";
  Bench same(true);
  same.run("st.shared.u32 [tile], %r0;", {1}, {32});
  EXPECT_EQ(same.rules(), Rules{"race/shared"}) << "lanes of one instruction still store what they like";
}

TEST(Checker, GlobalMemoryOfBlocksRacesAndIsNamedByItsAllocation) {
  Bench bench;
  auto *cells = static_cast<uint32_t *>(bench.simulator.memory().allocate(64, vm::AllocationKind::Device));
  bench.checker.allocated(uint64_t(cells));
  bench.run("mov.u32 %r4, %ctaid.x; st.global.u32 [%rd0+8], %r4;", {4}, {1}, uint64_t(cells));
  EXPECT_EQ(bench.rules(), Rules{"race/global"});
  const std::string text = bench.findings.all().front().text;
  EXPECT_NE(text.find("element 2 of allocation"), std::string::npos) << text;
  EXPECT_NE(text.find("cudaMalloc #1"), std::string::npos) << text;
  EXPECT_NE(text.find("parameter 'p' of k"), std::string::npos) << text;
}

TEST(Checker, OneLaunchAfterTheOtherIsInOrder) {
  Bench bench;
  auto *cells = static_cast<uint32_t *>(bench.simulator.memory().allocate(64, vm::AllocationKind::Device));
  bench.run("st.global.u32 [%rd0], 1;", {1}, {1}, uint64_t(cells));
  bench.run("ld.global.u32 %r4, [%rd0];", {1}, {1}, uint64_t(cells));
  EXPECT_EQ(bench.rules(), Rules{});
}

TEST(Checker, LaunchesOfStreamsThatNothingOrdersRace) {
  Bench bench;
  auto *cells = static_cast<uint32_t *>(bench.simulator.memory().allocate(64, vm::AllocationKind::Device));
  bench.checker.setOrder({0, 1, {}});
  bench.run("st.global.u32 [%rd0], 1;", {1}, {1}, uint64_t(cells));
  bench.checker.setOrder({1, 1, {0}});
  bench.run("ld.global.u32 %r4, [%rd0];", {1}, {1}, uint64_t(cells));
  EXPECT_EQ(bench.rules(), Rules{"race/launches"});
}

TEST(Checker, AnEventOrdersThem) {
  Bench bench;
  auto *cells = static_cast<uint32_t *>(bench.simulator.memory().allocate(64, vm::AllocationKind::Device));
  bench.checker.setOrder({0, 1, {}});
  bench.run("st.global.u32 [%rd0], 1;", {1}, {1}, uint64_t(cells));
  bench.checker.setOrder({1, 1, {1}});
  bench.run("ld.global.u32 %r4, [%rd0];", {1}, {1}, uint64_t(cells));
  EXPECT_EQ(bench.rules(), Rules{});
}

TEST(Checker, MemoryThatOnlyTheHostWroteIsWritten) {
  Bench bench;
  auto *cells = static_cast<uint32_t *>(bench.simulator.memory().allocate(64, vm::AllocationKind::Device));
  bench.checker.hostWrote(uint64_t(cells), 4, "copy");
  bench.run("ld.global.u32 %r4, [%rd0];", {1}, {1}, uint64_t(cells));
  EXPECT_EQ(bench.rules(), Rules{});
  bench.run("ld.global.u32 %r4, [%rd0+4];", {1}, {1}, uint64_t(cells));
  EXPECT_EQ(bench.rules(), Rules{"uninitialized/global"});
}

TEST(Checker, ADeadlockComesWithWhoWaitsWhere) {
  Bench bench;
  bench.run("setp.lt.u32 %p0, %r0, 32; @%p0 bra FIRST; bar.sync 1, 64; bar.sync 2, 64; bra END;\n"
            "FIRST: bar.sync 2, 64; bar.sync 1, 64;\nEND:",
            {1}, {64});
  ASSERT_EQ(bench.rules(), Rules{"deadlock/barrier"});
  const Finding finding = bench.findings.all().front();
  ASSERT_GE(finding.notes.size(), 2u);
  EXPECT_NE(finding.notes[0].text.find("waits at barrier"), std::string::npos) << finding.notes[0].text;
}

TEST(Checker, WhatWasLookedAtIsCounted) {
  Bench bench;
  bench.run(with("bar.sync 0;"), {3}, {64});
  const CheckCounts counts = bench.checker.counts();
  EXPECT_EQ(counts.launches, 1u);
  EXPECT_EQ(counts.kernels, 1u);
  EXPECT_EQ(counts.blocks, 3u);
  EXPECT_EQ(counts.accesses, 3u * 64 * 2);
}

TEST(Checker, FindingsComeBackFromAFileAsTheyWere) {
  Bench bench;
  bench.run(with(""), {1}, {64});
  TemporaryFolder folder;
  ASSERT_TRUE(writeResult(folder.path() / "r", {bench.findings.all(), {}, bench.checker.counts(), true}));
  CheckResult back;
  ASSERT_TRUE(readResult(folder.path() / "r", back));
  EXPECT_TRUE(back.complete);
  ASSERT_EQ(back.findings.size(), 1u);
  const Finding was = bench.findings.all().front(), is = back.findings.front();
  EXPECT_EQ(is.rule, was.rule);
  EXPECT_EQ(is.text, was.text);
  EXPECT_EQ(is.location.str(), was.location.str());
  EXPECT_EQ(is.notes.size(), was.notes.size());
  EXPECT_EQ(is.times, was.times);
  EXPECT_FALSE(readResult(folder.path() / "nothing", back));
}

} // namespace
} // namespace heddle::check
