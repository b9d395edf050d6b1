// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of whole warps, as compiled code reports them: the shadows find the same as by lanes.
#include "check/GlobalShadow.h"
#include "check/SharedShadow.h"
#include "vm/Counters.h"
#include "vm/Lanes.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

namespace heddle::check {
namespace {

using Found = std::vector<std::tuple<unsigned, uint64_t, uint32_t, Stamp, uint32_t, unsigned>>;

struct SharedRules final : AccessRules {
  Stamp known = 0;
  Found found;
  bool knows(unsigned, unsigned, Stamp stamp) override { return stamp <= known; }
  bool clash(unsigned lane, uint64_t address, const Past &past) override {
    found.emplace_back(lane, address, past.instrId, past.stamp, past.thread, unsigned(past.write));
    return true;
  }
  void unwritten(unsigned lane, uint64_t address) override { found.emplace_back(lane, address, 0, 0, 0, 2); }
  CellValue stored(unsigned, uint64_t, unsigned) override { return std::nullopt; }
  CellValue held(unsigned, uint64_t, unsigned) override { return std::nullopt; }
};

struct GlobalRules final : GlobalAccessRules {
  Found found;
  bool isOrdered = false;
  bool knows(unsigned, const GlobalPast &) override { return isOrdered; }
  bool clash(unsigned lane, uint64_t address, const GlobalPast &past, bool write) override {
    found.emplace_back(lane, address, past.instrId, past.stamp, past.actor * 1024 + past.thread, write);
    return true;
  }
  void incoherent(unsigned, uint64_t, const GlobalPast &, bool) override {}
  CellValue stored(unsigned, uint64_t, unsigned) override { return std::nullopt; }
  CellValue held(unsigned, uint64_t, unsigned) override { return std::nullopt; }
  bool unwritten(unsigned lane, uint64_t address, uint32_t) override {
    found.emplace_back(lane, address, 0, 0, 0, 2);
    return false;
  }
  void startsWritten(uint64_t address, uint64_t (&bits)[64]) override {
    std::fill(std::begin(bits), std::end(bits), address / 4096 % 3 ? ~uint64_t(0) : 0xff00ff00ff00ff);
  }
};

/// What is remembered of the first pages.
std::vector<std::tuple<uint32_t, Stamp, uint32_t, unsigned, bool>> pastsOf(const GlobalShadow &shadow) {
  std::vector<std::tuple<uint32_t, Stamp, uint32_t, unsigned, bool>> all;
  shadow.each(0, 12288, [&](const GlobalPast &past, bool isWrite) {
    all.emplace_back(past.actor, past.stamp, past.instrId, past.thread, isWrite);
  });
  return all;
}

/// Random accesses of whole warps below `bytes`.
class Accesses {
public:
  explicit Accesses(unsigned seed, uint64_t reach, bool ofRows = false)
      : inRows(ofRows), random(seed), end(reach) {}

  unsigned below(unsigned n) { return unsigned(random() % n); }

  void next() {
    static constexpr unsigned groups[] = {1, 2, 4};
    access.bytes = below(4) ? 4 : 8;
    access.groups = groups[below(3)];
    static constexpr int32_t strides[] = {0, 1, 1, 1, 2, 3};
    access.stride = strides[below(6)] * int32_t(access.bytes);
    access.mask = ~0u;
    const uint64_t slots = (end - uint64_t(access.stride) * 32 - 8) / access.bytes;
    for (unsigned group = 0; group < access.groups; ++group)
      firsts[group] = random() % slots * access.bytes;
    if (inRows)
      access.stride = int32_t(access.bytes);
    if (inRows || below(2)) // rows of words begin there
      for (uint64_t &first : firsts)
        first &= ~uint64_t(63);
    if (access.groups == 2 && below(2))
      firsts[1] = firsts[0];
    access.addresses = firsts;
    all = vm::addressesOf(access, room);
  }
  /// Whether each lane has memory of its own.
  bool isApart() const {
    for (unsigned a = 0; a < vm::Lanes; ++a)
      for (unsigned b = 0; b < a; ++b)
        if (all[a] < all[b] + access.bytes && all[b] < all[a] + access.bytes)
          return false;
    return true;
  }

  const bool inRows; ///< all are of whole rows of 64 bytes
  vm::PlainAccess access;
  const uint64_t *all = nullptr; ///< addresses of lanes

private:
  std::mt19937 random;
  const uint64_t end;
  uint64_t firsts[4] = {};
  std::array<uint64_t, vm::Lanes> room{};
};

TEST(ShadowGroups, SharedMemoryIsSeenAsByLanes) {
  unsigned inGroups = 0, reported = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Accesses accesses(seed, 2048);
    SharedShadow byGroups, byLanes;
    SharedRules groupRules, laneRules;
    Stamp time = 10;
    auto begin = [&] {
      byGroups.begin(4, 2048, ++time), byLanes.begin(4, 2048, time);
      groupRules.known = laneRules.known = time++;
    };
    begin();
    for (unsigned step = 1; step <= 600; ++step) {
      if (!accesses.below(100))
        begin();
      if (!accesses.below(6))
        groupRules.known = laneRules.known = time++;
      accesses.next();
      const bool isStore = accesses.below(2) && accesses.isApart();
      Touch touch;
      touch.warp = accesses.below(4), touch.bytes = accesses.access.bytes;
      touch.stamp = time, touch.known = laneRules.known, touch.instrId = step;
      Touch each = touch;
      each.mask = ~0u, each.addresses = accesses.all;
      if (isStore) {
        const bool isNoted = byGroups.writeGroups(touch, accesses.access);
        inGroups += isNoted;
        if (!isNoted)
          byGroups.write(each, groupRules);
        byLanes.write(each, laneRules);
      } else {
        byLanes.read(each, laneRules);
        each.mask = byGroups.readGroups(touch, accesses.access);
        inGroups += !each.mask;
        byGroups.read(each, groupRules);
      }
      ASSERT_EQ(groupRules.found, laneRules.found) << "seed " << seed << ", step " << step;
      reported += unsigned(laneRules.found.size());
      groupRules.found.clear(), laneRules.found.clear();
    }
  }
  EXPECT_GE(inGroups, 1000u);
  EXPECT_GE(reported, 1000u);
}

TEST(ShadowGroups, GlobalMemoryIsSeenAsByLanes) {
  unsigned inGroups = 0, written = 0, reported = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Accesses accesses(seed, 12288, seed % 4 == 0);
    GlobalShadow byGroups, byLanes;
    GlobalRules groupRules, laneRules;
    uint32_t orderedBelow = seed % 2 ? 10 : 0, firstActor = std::max(1u, orderedBelow);
    for (unsigned step = 1; step <= 600; ++step) {
      if (!accesses.below(accesses.inRows ? 8 : 50))
        firstActor = orderedBelow = firstActor + 8; // the next launch
      accesses.next();
      GlobalTouch touch;
      touch.mask = ~0u, touch.bytes = accesses.access.bytes, touch.addresses = accesses.all;
      const auto warp = uint16_t(32 * accesses.below(3));
      touch.self = {firstActor + accesses.below(4), 5 + step / 40, step, warp};
      touch.known = 4 + step / 40, touch.orderedBelow = orderedBelow, touch.firstActor = firstActor;
      groupRules.isOrdered = laneRules.isOrdered = accesses.below(3) == 0;
      touch.knowsOthers = laneRules.isOrdered || accesses.below(2);
      if (!accesses.below(4) && accesses.isApart()) {
        const bool isNoted = accesses.below(2) && byGroups.writeGroups(touch, accesses.access, groupRules);
        written += isNoted;
        if (!isNoted)
          byGroups.write(touch, groupRules, false);
        byLanes.write(touch, laneRules, false);
      } else {
        byLanes.read(touch, laneRules, true);
        touch.mask = byGroups.readGroups(touch, accesses.access, groupRules);
        inGroups += !touch.mask;
        byGroups.read(touch, groupRules, true);
      }
      ASSERT_EQ(groupRules.found, laneRules.found) << "seed " << seed << ", step " << step;
      if (!accesses.below(30))
        ASSERT_EQ(pastsOf(byGroups), pastsOf(byLanes)) << "seed " << seed << ", step " << step;
      reported += unsigned(laneRules.found.size());
      groupRules.found.clear(), laneRules.found.clear();
    }
  }
  EXPECT_GE(inGroups, 1000u);
  EXPECT_GE(written, 50u);
  EXPECT_GE(reported, 1000u);
}

/// Rows of a buffer are read by blocks of two launches, a warp each; then single words are written.
TEST(ShadowGroups, RowsKeepWhoReadThem) {
  GlobalShadow byRows, byLanes;
  GlobalRules rowRules, laneRules;
  unsigned reported = 0;
  for (uint32_t launch = 0; launch < 3; ++launch)
    for (uint32_t block = 0; block < 40; ++block) {
      const uint64_t first = 4096 + block % 8 * 128;
      std::array<uint64_t, vm::Lanes> room;
      const vm::PlainAccess access{vm::Space::Global, false, ~0u, 4, 1, 4, &first};
      GlobalTouch touch;
      touch.addresses = vm::addressesOf(access, room), touch.mask = ~0u;
      touch.firstActor = 1 + launch * 100, touch.orderedBelow = launch * 100 + (launch > 0);
      touch.self = {touch.firstActor + block, 7, block, 32}, touch.known = 6, touch.knowsOthers = false;
      if (block < 32) {
        EXPECT_EQ(byRows.readGroups(touch, access, rowRules), 0u);
        byLanes.read(touch, laneRules, true);
        continue;
      }
      touch.mask = 0x00800101;
      byRows.write(touch, rowRules, false), byLanes.write(touch, laneRules, false);
      EXPECT_EQ(rowRules.found, laneRules.found) << "launch " << launch << ", block " << block;
      EXPECT_EQ(pastsOf(byRows), pastsOf(byLanes));
      reported += unsigned(rowRules.found.size());
      rowRules.found.clear(), laneRules.found.clear();
    }
  EXPECT_EQ(reported, 3 * 8 * 3 * 2u) << "each word that is written was read by the last two of its readers";
}

/// Warps read the same sets of words again and again, and write between; what all threads know is forgotten.
TEST(ShadowGroups, SetsOfReadsAreSeenAsByLanes) {
  unsigned inSets = 0, reported = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Accesses accesses(seed, 1024);
    std::vector<std::shared_ptr<const ReadSet>> sets;
    for (uint32_t set = 0; set < 6; ++set) {
      std::vector<ReadSet::Read> reads;
      for (uint32_t read = 0; read < 1 + set * 2; ++read) {
        accesses.next();
        reads.emplace_back(accesses.access, 100 * set + read);
      }
      sets.push_back(std::make_shared<const ReadSet>(std::move(reads)));
    }
    SharedShadow bySets, byLanes;
    SharedRules setRules, laneRules;
    Stamp time = 10;
    bySets.begin(4, 1024, time), byLanes.begin(4, 1024, time);
    setRules.known = laneRules.known = time++;
    for (unsigned step = 1; step <= 600; ++step) {
      if (!accesses.below(8))
        setRules.known = laneRules.known = ++time, ++time; // all threads synchronize
      Touch touch;
      touch.warp = accesses.below(4), touch.stamp = time, touch.known = laneRules.known;
      std::array<uint64_t, vm::Lanes> room;
      auto readByLanes = [&](SharedShadow &shadow, const ReadSet &set, SharedRules &rules) {
        for (const ReadSet::Read &read : set.reads) {
          Touch each = touch;
          each.mask = ~0u, each.bytes = read.bytes, each.instrId = read.instrId;
          each.addresses = vm::addressesOf(read.access(), room);
          shadow.read(each, rules);
        }
      };
      if (accesses.below(4)) {
        const auto &set = sets[accesses.below(unsigned(sets.size()))];
        const bool isNoted = bySets.readSet(touch, set);
        inSets += isNoted;
        if (!isNoted)
          readByLanes(bySets, *set, setRules);
        readByLanes(byLanes, *set, laneRules);
      } else {
        accesses.next();
        touch.bytes = accesses.access.bytes, touch.instrId = 1000 + step;
        touch.mask = accesses.below(2) ? ~0u : 0xff, touch.addresses = accesses.all;
        if (!accesses.isApart())
          continue;
        bySets.settle(laneRules.known);
        bySets.write(touch, setRules), byLanes.write(touch, laneRules);
      }
      ASSERT_EQ(setRules.found, laneRules.found) << "seed " << seed << ", step " << step;
      reported += unsigned(laneRules.found.size());
      setRules.found.clear(), laneRules.found.clear();
    }
  }
  EXPECT_GE(inSets, 500u);
  EXPECT_GE(reported, 1000u);
}

} // namespace
} // namespace heddle::check
