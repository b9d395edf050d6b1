// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/GlobalShadow.h"
#include "check/SharedShadow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace heddle::check {
namespace {

/// Says that nothing is known beyond one stamp, and records what it is given.
struct Recorder final : AccessRules {
  Stamp known = 0;
  std::vector<std::pair<unsigned, Past>> clashes;
  std::vector<unsigned> empty;

  std::map<unsigned, uint32_t> values; ///< by lane: what is stored; others store unknown values
  CellValue memory;
  bool forgives = false; ///< as for two atomics

  bool knows(unsigned, unsigned, Stamp stamp) override { return stamp <= known; }
  bool clash(unsigned lane, uint64_t, const Past &past) override {
    if (past.sameValue || forgives)
      return false;
    clashes.push_back({lane, past});
    return true;
  }
  void unwritten(unsigned lane, uint64_t) override { empty.push_back(lane); }
  CellValue stored(unsigned lane, uint64_t, unsigned) override {
    return values.count(lane) ? CellValue(values[lane]) : std::nullopt;
  }
  CellValue held(unsigned, uint64_t, unsigned) override { return memory; }
};

struct Shared : testing::Test {
  SharedShadow shadow;
  Recorder rules;
  uint64_t addresses[32] = {};
  Stamp time = 10;

  void SetUp() override { begin(); }
  void begin() {
    shadow.begin(4, 1024, ++time);
    rules.known = time;
    ++time;
  }
  Touch touch(unsigned warp, uint32_t mask, uint32_t bytes = 4, uint32_t instrId = 1) {
    Touch t;
    t.warp = warp, t.mask = mask, t.bytes = bytes, t.addresses = addresses;
    t.stamp = time, t.known = rules.known, t.instrId = instrId;
    return t;
  }
  void everyLane(uint32_t stride, uint32_t first = 0) {
    for (unsigned lane = 0; lane < 32; ++lane)
      addresses[lane] = first + lane * stride;
  }
  void barrier() { rules.known = time++; }
};

TEST_F(Shared, ReadingUnwrittenMemoryIsReported) {
  everyLane(4);
  shadow.read(touch(0, 0xf), rules);
  EXPECT_EQ(rules.empty, (std::vector<unsigned>{0, 1, 2, 3}));
  EXPECT_TRUE(rules.clashes.empty());
}

TEST_F(Shared, WritesBeforeABarrierAreFineToRead) {
  everyLane(4);
  shadow.write(touch(0, ~0u), rules);
  barrier();
  shadow.read(touch(1, ~0u), rules);
  EXPECT_TRUE(rules.clashes.empty());
  EXPECT_TRUE(rules.empty.empty());
}

TEST_F(Shared, AReadOfAnotherWarpInTheSameIntervalClashes) {
  everyLane(4);
  shadow.write(touch(0, ~0u, 4, 7), rules);
  shadow.read(touch(1, 1u << 5), rules);
  ASSERT_EQ(rules.clashes.size(), 1u);
  EXPECT_EQ(rules.clashes[0].second.thread, 5);
  EXPECT_EQ(rules.clashes[0].second.instrId, 7u);
  EXPECT_TRUE(rules.clashes[0].second.write);
}

TEST_F(Shared, AWriteAfterUnorderedReadsClashesWithOneOfEachWarp) {
  everyLane(0);
  shadow.write(touch(0, 1), rules);
  barrier();
  shadow.read(touch(1, ~0u), rules);
  shadow.read(touch(2, ~0u), rules);
  shadow.write(touch(0, 1), rules);
  ASSERT_EQ(rules.clashes.size(), 2u);
  EXPECT_EQ(rules.clashes[0].second.thread / 32, 1);
  EXPECT_EQ(rules.clashes[1].second.thread / 32, 2);
}

TEST_F(Shared, AThreadMayReadAndWriteItsOwnWord) {
  everyLane(4);
  shadow.write(touch(0, ~0u), rules);
  shadow.read(touch(0, ~0u), rules);
  shadow.write(touch(0, ~0u), rules);
  EXPECT_TRUE(rules.clashes.empty());
}

TEST_F(Shared, BytesOfOneWordAreApart) {
  everyLane(1);
  shadow.write(touch(0, ~0u, 1), rules);
  EXPECT_TRUE(rules.clashes.empty());
  shadow.read(touch(1, 1, 1), rules);
  EXPECT_EQ(rules.clashes.size(), 1u) << "but each of them can be raced for";
}

TEST_F(Shared, AWordReadMeetsTheByteThatWasWritten) {
  addresses[0] = 6;
  shadow.write(touch(0, 1, 1), rules);
  addresses[0] = 4;
  shadow.read(touch(1, 1, 4), rules);
  ASSERT_EQ(rules.clashes.size(), 1u);
}

TEST_F(Shared, TheNextBlockStartsEmpty) {
  everyLane(4);
  shadow.write(touch(0, ~0u), rules);
  everyLane(1, 512);
  shadow.write(touch(0, ~0u, 1), rules);
  begin();
  everyLane(4);
  shadow.read(touch(1, 1), rules);
  everyLane(1, 512);
  shadow.read(touch(1, 2, 1), rules);
  EXPECT_EQ(rules.empty, (std::vector<unsigned>{0, 1}));
  EXPECT_TRUE(rules.clashes.empty());
}

/// Stores of one value by lane 0 of a warp to word 0.
struct SameValue : Shared {
  void store(unsigned warp, uint32_t value) {
    addresses[0] = 0;
    rules.values = {{0, value}};
    shadow.write(touch(warp, 1), rules);
    rules.memory = value;
  }
};

TEST_F(SameValue, WritersOfOneValueDoNotClash) {
  for (unsigned warp : {0, 1, 2, 3, 0})
    store(warp, 7);
  EXPECT_TRUE(rules.clashes.empty());
}

TEST_F(SameValue, AnyOfTheWritersClashesWhenItWritesAnotherValue) {
  for (unsigned last = 0; last < 4; ++last) {
    begin();
    rules.clashes.clear();
    for (unsigned warp = 0; warp < 4; ++warp)
      store(warp, 7);
    store(last, 8);
    EXPECT_FALSE(rules.clashes.empty()) << "warp " << last;
  }
}

TEST_F(SameValue, ABarrierOrdersTheOtherValue) {
  for (unsigned warp = 0; warp < 4; ++warp)
    store(warp, 7);
  barrier();
  store(2, 8);
  EXPECT_TRUE(rules.clashes.empty());
}

TEST_F(SameValue, AValueThatItsWriterReplacedStillCounts) {
  store(0, 7);
  store(0, 8);
  store(1, 8);
  EXPECT_FALSE(rules.clashes.empty()) << "8 by warp 1 may come between 7 and 8 of warp 0";
}

TEST_F(SameValue, AReaderMeetsEachWriter) {
  store(0, 7);
  store(1, 7);
  shadow.read(touch(1, 1), rules);
  ASSERT_EQ(rules.clashes.size(), 1u) << "warp 1's own store is no clash, warp 0's is";
  EXPECT_EQ(rules.clashes[0].second.thread / 32, 0);
}

TEST_F(SameValue, LanesOfOneInstructionAreComparedWithEachOther) {
  everyLane(0);
  rules.memory = 3;
  for (unsigned lane = 0; lane < 32; ++lane)
    rules.values[lane] = 5;
  shadow.write(touch(0, ~0u), rules);
  EXPECT_TRUE(rules.clashes.empty());
  rules.values[9] = 6;
  begin();
  shadow.write(touch(0, ~0u), rules);
  ASSERT_FALSE(rules.clashes.empty());
  EXPECT_TRUE(rules.clashes[0].second.sameInstruction);
}

TEST_F(Shared, AtomicsSideBySideAreRememberedBothOfThem) {
  everyLane(0);
  Touch first = touch(0, 1, 4, 1), second = touch(1, 1, 4, 2);
  first.strength = second.strength = Strength::Atomic;
  rules.forgives = true;
  shadow.write(first, rules);
  shadow.write(second, rules);
  rules.forgives = false;
  shadow.read(touch(2, 1), rules);
  ASSERT_EQ(rules.clashes.size(), 2u);
}

TEST_F(Shared, ACopyIsPendingUntilItEndsAndThenAWriteOfItsThread) {
  shadow.beginCopyTo(touch(0, 1), 0, 64, 16, rules);
  addresses[0] = 68;
  shadow.read(touch(0, 1), rules);
  ASSERT_EQ(rules.clashes.size(), 1u);
  EXPECT_EQ(rules.clashes[0].second.flags, Past::Pending);
  rules.clashes.clear();
  shadow.endCopyTo(64, 16, 0, time, 1, false);
  shadow.read(touch(0, 1), rules);
  EXPECT_TRUE(rules.clashes.empty());
  shadow.read(touch(1, 1), rules);
  EXPECT_EQ(rules.clashes.size(), 1u) << "other threads need a barrier still";
}

TEST_F(Shared, WritingTheSourceOfACopyThatReadsClashes) {
  everyLane(4);
  shadow.write(touch(0, ~0u), rules);
  barrier();
  shadow.beginCopyFrom(touch(0, 1), 0, 0, 64, rules);
  shadow.write(touch(0, 1), rules);
  ASSERT_EQ(rules.clashes.size(), 1u);
  EXPECT_FALSE(rules.clashes[0].second.write);
  rules.clashes.clear();
  shadow.endCopyFrom(0, 64, 0, time, 1);
  shadow.write(touch(0, 1), rules);
  EXPECT_TRUE(rules.clashes.empty());
}

/// Random accesses of words, half words and bytes between barriers, against one list of all accesses.
TEST_F(Shared, FindsAClashExactlyWhereAPlainListOfAccessesHasOne) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  struct Plain {
    unsigned thread, begin, end;
    bool write;
  };
  for (int round = 0; round < 300; ++round) {
    begin();
    for (int interval = 0; interval < 3; ++interval) {
      std::vector<Plain> past;
      for (int step = 0; step < 6; ++step) {
        const unsigned warp = random() % 4, bytes = 1u << random() % 4;
        const bool write = random() % 2;
        const uint32_t mask = 1u << random() % 32;
        const unsigned lane = unsigned(std::countr_zero(mask)), thread = warp * 32 + lane;
        const unsigned at = random() % 4 * 8 + random() % (8 / bytes) * bytes;
        addresses[lane] = at;
        const bool expected = std::any_of(past.begin(), past.end(), [&](const Plain &p) {
          return p.thread != thread && p.begin < at + bytes && at < p.end && (p.write || write);
        });
        rules.clashes.clear();
        write ? shadow.write(touch(warp, mask, bytes), rules) : shadow.read(touch(warp, mask, bytes), rules);
        // After a clash the shadow keeps only the later access: go on with fresh memory then.
        ASSERT_EQ(!rules.clashes.empty(), expected) << "round " << round;
        if (expected)
          break;
        past.push_back({thread, at, at + bytes, write});
      }
      barrier();
    }
  }
}

TEST_F(Shared, AThreadsOwnValuesStayKnownWhenAnotherThreadStoredBetween) {
  everyLane(0);
  // Lane 0 stores 5, lane 1 stores 6 and lane 0 stores 6: ordered by barriers of the warp, not for warp 1.
  rules.forgives = true;
  rules.memory = 1, rules.values = {{0, 5}, {1, 6}};
  shadow.write(touch(0, 1), rules);
  rules.memory = 5;
  shadow.write(touch(0, 2), rules);
  rules.memory = 6, rules.values[0] = 6;
  shadow.write(touch(0, 1), rules);
  rules.forgives = false;
  shadow.write(touch(1, 1), rules);
  EXPECT_EQ(rules.clashes.size(), 1u) << "the 6 of warp 1 and the 5 of warp 0";
}

TEST_F(SameValue, TheStoreThatEqualStoresReplacedIsTheOneReported) {
  addresses[0] = 0;
  rules.values = {{0, 1}};
  shadow.write(touch(0, 1, 4, 7), rules);
  rules.memory = 1, rules.values = {{0, 2}};
  shadow.write(touch(0, 1, 4, 8), rules);
  rules.memory = 2;
  shadow.write(touch(1, 1, 4, 9), rules);
  ASSERT_EQ(rules.clashes.size(), 1u);
  EXPECT_EQ(rules.clashes[0].second.instrId, 7u) << "the stores of 2 are equal; that of 1 is not";
}

TEST_F(Shared, AnAtomicDoesNotHideTheStoreOfItsThread) {
  struct StrongPairsPass final : AccessRules {
    std::vector<Past> clashes;
    bool knows(unsigned, unsigned, Stamp) override { return false; }
    bool clash(unsigned, uint64_t, const Past &past) override {
      if (isStrong(past.strength))
        return false;
      clashes.push_back(past);
      return true;
    }
    void unwritten(unsigned, uint64_t) override {}
    CellValue stored(unsigned, uint64_t, unsigned) override { return {}; }
    CellValue held(unsigned, uint64_t, unsigned) override { return {}; }
  } strict;
  everyLane(0);
  auto atomic = [&](unsigned warp) {
    Touch by = touch(warp, 1, 4, 9);
    by.strength = Strength::Atomic;
    shadow.write(by, strict);
  };
  shadow.write(touch(0, 1, 4, 7), strict);
  atomic(0), atomic(0);
  EXPECT_TRUE(strict.clashes.empty());
  atomic(1);
  ASSERT_EQ(strict.clashes.size(), 1u);
  EXPECT_EQ(strict.clashes[0].instrId, 7u);
  begin();
  atomic(0), atomic(1), atomic(0), atomic(2);
  EXPECT_EQ(strict.clashes.size(), 1u);
}

struct GlobalRecorder final : GlobalAccessRules {
  std::vector<std::pair<unsigned, GlobalPast>> clashes;
  std::vector<unsigned> empty, stale;
  CellValue value, memory;
  bool ordered = false; ///< by more than barriers of the block
  bool knows(unsigned, const GlobalPast &) override { return ordered; }
  bool clash(unsigned lane, uint64_t, const GlobalPast &past, bool) override {
    if (past.sameValue)
      return false;
    clashes.push_back({lane, past});
    return true;
  }
  void incoherent(unsigned lane, uint64_t, const GlobalPast &, bool) override { stale.push_back(lane); }
  CellValue stored(unsigned, uint64_t, unsigned) override { return value; }
  CellValue held(unsigned, uint64_t, unsigned) override { return memory; }
  bool unwritten(unsigned lane, uint64_t, uint32_t) override {
    empty.push_back(lane);
    return false;
  }
  void startsWritten(uint64_t, uint64_t (&)[64]) override {}
};

struct Global : testing::Test {
  GlobalShadow shadow;
  GlobalRecorder rules;
  uint64_t addresses[32];
  void SetUp() override {
    for (unsigned lane = 0; lane < 32; ++lane)
      addresses[lane] = 0x10000 + lane * 4;
  }
  GlobalTouch touch(uint32_t actor, uint32_t mask = 1, Strength strength = Strength::Weak) {
    GlobalTouch t;
    t.mask = mask, t.addresses = addresses;
    t.self = {actor, 5, 1, 0, strength, vm::Scope::Device};
    t.known = 4, t.orderedBelow = 10;
    return t;
  }
};

TEST_F(Global, LaunchesBeforeAreOrdered) {
  shadow.write(touch(9, ~0u), rules, false);
  shadow.read(touch(10, ~0u), rules, true);
  EXPECT_TRUE(rules.clashes.empty());
  EXPECT_TRUE(rules.empty.empty());
}

TEST_F(Global, BlocksOfALaunchAreNot) {
  shadow.write(touch(11), rules, false);
  shadow.read(touch(12), rules, true);
  ASSERT_EQ(rules.clashes.size(), 1u);
  EXPECT_EQ(rules.clashes[0].second.actor, 11u);
}

TEST_F(Global, AReaderOfAnotherBlockIsRememberedBesideTheNewest) {
  shadow.read(touch(11), rules, false);
  shadow.read(touch(12), rules, false);
  shadow.write(touch(12), rules, false);
  ASSERT_EQ(rules.clashes.size(), 1u) << "block 12's own read is no clash, block 11's is";
  EXPECT_EQ(rules.clashes[0].second.actor, 11u);
}

TEST_F(Global, AnyWriterOfOneValueClashesWhenItWritesAnother) {
  for (uint32_t last : {11, 12, 13, 14}) {
    shadow.forget(0x10000, 128);
    rules.clashes.clear();
    rules.memory = 0, rules.value = 7;
    for (uint32_t block : {11, 12, 13})
      shadow.write(touch(block), rules, false), rules.memory = 7;
    EXPECT_TRUE(rules.clashes.empty());
    rules.value = 8;
    shadow.write(touch(last), rules, false);
    EXPECT_EQ(rules.clashes.size(), last == 14 ? 3u : 2u) << "block " << last;
  }
}

TEST_F(Global, AValueThatTheBlockReplacedStillClashesWithAnotherBlock) {
  for (const bool afterBarrier : {true, false}) {
    shadow.forget(0x10000, 128);
    rules.clashes.clear();
    rules.memory = 3, rules.value = 0;
    shadow.write(touch(11, 1), rules, false);
    // Another thread of the block, after a barrier of the block or of the warp only.
    addresses[1] = addresses[0];
    rules.ordered = !afterBarrier;
    rules.memory = 0, rules.value = 1;
    GlobalTouch second = touch(11, 2);
    second.self.stamp = 7;
    second.known = afterBarrier ? 6 : 4;
    shadow.write(second, rules, false);
    EXPECT_TRUE(rules.clashes.empty());
    rules.memory = 1, rules.ordered = false;
    shadow.write(touch(12), rules, false);
    EXPECT_EQ(rules.clashes.size(), 1u)
        << "the 1 of block 12 and the 0 of block 11, barrier: " << afterBarrier;
  }
}

TEST_F(Global, AfterABarrierThreadsOfABlockMayReplaceAValueByOneOther) {
  rules.memory = 3, rules.value = 0;
  shadow.write(touch(11, 1), rules, false);
  rules.memory = 0, rules.value = 1;
  for (const unsigned thread : {32, 64}) {
    GlobalTouch next = touch(11, 1);
    next.self.thread = uint16_t(thread);
    next.self.stamp = 7, next.known = 6;
    shadow.write(next, rules, false);
    rules.memory = 1;
  }
  EXPECT_TRUE(rules.clashes.empty());
}

TEST_F(Global, TheReadOnlyPathIsForMemoryThatTheLaunchDoesNotWrite) {
  GlobalTouch read = touch(11), write = touch(12);
  read.firstActor = write.firstActor = 10;
  read.nonCoherent = true;
  shadow.write(touch(9), rules, false);
  shadow.read(read, rules, false);
  EXPECT_TRUE(rules.stale.empty()) << "an earlier launch wrote it";
  shadow.write(write, rules, false);
  EXPECT_EQ(rules.stale.size(), 1u);
  shadow.read(read, rules, false);
  EXPECT_EQ(rules.stale.size(), 2u) << "in either order";
}

TEST_F(Global, UnwrittenMemoryIsReportedUntilTheHostWrites) {
  shadow.read(touch(11), rules, true);
  EXPECT_EQ(rules.empty.size(), 1u);
  shadow.hostWrote(0x10000, 4);
  shadow.read(touch(11), rules, true);
  EXPECT_EQ(rules.empty.size(), 1u);
  shadow.forget(0x10000, 128);
  shadow.read(touch(11), rules, true);
  EXPECT_EQ(rules.empty.size(), 2u) << "freed memory is as good as new";
}

TEST_F(Global, BytesOfOneWordAreApart) {
  GlobalTouch a = touch(11), b = touch(12);
  a.bytes = b.bytes = 1;
  shadow.write(a, rules, false);
  addresses[0] += 1;
  shadow.write(b, rules, false);
  EXPECT_TRUE(rules.clashes.empty());
  addresses[0] -= 1;
  shadow.read(b, rules, true);
  EXPECT_EQ(rules.clashes.size(), 1u);
}

} // namespace
} // namespace heddle::check
