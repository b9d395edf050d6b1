// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/Clock.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::check {
namespace {

constexpr unsigned Warps = 4, Pseudo = 1;

/// The same as plain numbers, one per thread: what the compact form must agree with.
struct PlainClock {
  std::array<std::array<Stamp, 32>, Warps + Pseudo> stamps{};

  void raise(unsigned warp, uint32_t lanes, Stamp stamp) {
    for (unsigned lane = 0; lane < 32; ++lane)
      if (lanes >> lane & 1)
        stamps[warp][lane] = std::max(stamps[warp][lane], stamp);
  }
  void join(const PlainClock &other) {
    for (unsigned w = 0; w < stamps.size(); ++w)
      for (unsigned lane = 0; lane < 32; ++lane)
        stamps[w][lane] = std::max(stamps[w][lane], other.stamps[w][lane]);
  }
  bool covers(const PlainClock &other) const {
    for (unsigned w = 0; w < stamps.size(); ++w)
      for (unsigned lane = 0; lane < 32; ++lane)
        if (stamps[w][lane] < other.stamps[w][lane])
          return false;
    return true;
  }
};

void expectEqual(const BlockClock &clock, const PlainClock &plain) {
  for (unsigned w = 0; w < Warps + Pseudo; ++w)
    for (unsigned lane = 0; lane < 32; ++lane)
      ASSERT_EQ(clock.of(w, lane), plain.stamps[w][lane]) << "warp " << w << " lane " << lane;
}

TEST(BlockClock, KnowsNothingButTheStartAtFirst) {
  BlockClock clock(Warps, Pseudo, 7);
  EXPECT_TRUE(clock.knows(2, 31, 7));
  EXPECT_FALSE(clock.knows(2, 31, 8));
  EXPECT_EQ(clock.least(), 7u);
}

TEST(BlockClock, LeastIsThatOfTheWarpKnownLeastAndLeavesPseudoWarpsOut) {
  BlockClock clock(Warps, Pseudo, 0);
  for (unsigned w = 0; w < Warps; ++w)
    clock.raiseWarp(w, 10 + w);
  EXPECT_EQ(clock.least(), 10u);
}

TEST(BlockClock, LanesOfAWarpCanBeKnownApart) {
  BlockClock clock(Warps, Pseudo, 0);
  clock.raiseLanes(1, 0x0000ffff, 5);
  EXPECT_TRUE(clock.knows(1, 3, 5));
  EXPECT_FALSE(clock.knows(1, 16, 5));
  clock.raiseLanes(1, 0xffff0000, 5);
  EXPECT_EQ(clock.floor(1), 5u) << "all lanes are known alike again";
}

TEST(BlockClock, AgreesWithOneNumberAThreadOverRandomOperations) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::vector<BlockClock> clocks(4, BlockClock(Warps, Pseudo, 0));
  std::vector<PlainClock> plain(4);
  for (int step = 0; step < 4000; ++step) {
    const unsigned i = random() % 4, w = random() % (Warps + Pseudo);
    const Stamp stamp = random() % 50 + Stamp(step) / 100;
    switch (random() % 4) {
    case 0: clocks[i].raiseWarp(w, stamp), plain[i].raise(w, ~0u, stamp); break;
    case 1: {
      const uint32_t lanes = uint32_t(random() & random());
      clocks[i].raiseLanes(w, lanes, stamp), plain[i].raise(w, lanes, stamp);
      break;
    }
    case 2: {
      const unsigned from = random() % 4;
      clocks[i].join(clocks[from]), plain[i].join(plain[from]);
      break;
    }
    default: {
      const unsigned other = random() % 4;
      ASSERT_EQ(clocks[i].covers(clocks[other]), plain[i].covers(plain[other]));
    }
    }
    expectEqual(clocks[i], plain[i]);
    if (HasFatalFailure())
      return;
  }
}

KnownRef fresh(Stamp start = 0) {
  Known known;
  known.own = BlockClock(Warps, Pseudo, start);
  return std::move(known).settle();
}

TEST(Known, JoiningGivesOneOfTheTwoBackWhereItHasAll) {
  KnownRef little = fresh();
  Known more = *little;
  more.own.raiseWarp(0, 3);
  KnownRef much = std::move(more).settle();
  EXPECT_EQ(joined(little, much), much);
  EXPECT_EQ(joined(much, little), much);
  EXPECT_EQ(joined(much, nullptr), much);
}

TEST(Known, OtherBlocksAreKnownByTheirNumber) {
  Known theirs = *fresh();
  theirs.own.raiseLanes(2, 1u << 5, 9);
  Known ours = *fresh();
  EXPECT_EQ(ours.of(17), nullptr);
  ours.joinForeign(17, theirs);
  ASSERT_NE(ours.of(17), nullptr);
  EXPECT_TRUE(ours.of(17)->knows(2, 5, 9));
  EXPECT_FALSE(ours.of(17)->knows(2, 6, 9));
  EXPECT_FALSE(ours.own.knows(2, 5, 9)) << "what is known of another block says nothing of one's own";
}

TEST(Known, WhatAnotherBlockKnewOfAThirdComesAlong) {
  Known third = *fresh();
  third.own.raiseWarp(1, 4);
  Known second = *fresh();
  second.joinForeign(3, third);
  Known first = *fresh();
  first.joinForeign(2, second);
  ASSERT_NE(first.of(3), nullptr);
  EXPECT_TRUE(first.of(3)->knows(1, 0, 4));
}

TEST(Known, ProxyFencesTravelWithTheRest) {
  Known carried = *fresh();
  carried.own.raiseWarp(0, 6);
  Known sender = *fresh();
  sender.fenced = std::move(carried).settle();
  KnownRef receiver = joined(fresh(), std::move(sender).settle());
  ASSERT_TRUE(receiver->fenced);
  EXPECT_TRUE(receiver->fenced->own.knows(0, 31, 6));
}

} // namespace
} // namespace heddle::check
