// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capture/preload/Reachable.h"

#include <gmock/gmock.h>

#include <cstring>

namespace heddle::capture {
namespace {

using testing::ElementsAre;
using Words = std::vector<uint64_t>;

/// Everything that is reached from the roots, in order.
std::vector<size_t> reachedFrom(const Words &roots, const std::vector<Range> &ranges,
                                const std::vector<Words> &contents = {}) {
  Reachable search(ranges);
  search.scan(roots.data(), roots.size() * sizeof roots[0], 8);
  std::vector<size_t> order;
  while (const std::optional<size_t> range = search.next()) {
    order.push_back(*range);
    if (*range < contents.size())
      search.scan(contents[*range].data(), contents[*range].size() * sizeof(uint64_t), 8);
  }
  return order;
}

const std::vector<Range> kThree = {{1000, 100}, {3000, 100}, {2000, 100}};

TEST(Reachable, AValueInARangeReachesIt) {
  EXPECT_THAT(reachedFrom({1000}, kThree), ElementsAre(0));
  EXPECT_THAT(reachedFrom({2099, 3050}, kThree), ElementsAre(2, 1));
  EXPECT_THAT(reachedFrom({2099, 2001}, kThree), ElementsAre(2));
}

TEST(Reachable, TheEndOfARangeBelongsToIt) {
  EXPECT_THAT(reachedFrom({1100}, kThree), ElementsAre(0));
  EXPECT_THAT(reachedFrom({3100}, kThree), ElementsAre(1));
  EXPECT_THAT(reachedFrom({1100}, {{1000, 100}, {1100, 50}}), ElementsAre(1, 0));
}

TEST(Reachable, OtherValuesReachNothing) {
  EXPECT_THAT(reachedFrom({0, 999, 1101, 1999, 2101, 3101, UINT64_MAX}, kThree), ElementsAre());
  EXPECT_THAT(reachedFrom({0, 1, UINT64_MAX}, {}), ElementsAre());
}

TEST(Reachable, PointersInDataAreFollowed) {
  const std::vector<Words> list = {{7, 2000}, {}, {3000, 1000}};
  EXPECT_THAT(reachedFrom({1000}, kThree, list), ElementsAre(0, 2, 1));
  EXPECT_THAT(reachedFrom({3000}, kThree, list), ElementsAre(1));
}

TEST(Reachable, APackedStructIsScannedInSmallerSteps) {
  unsigned char packed[16] = {};
  const uint64_t pointer = 2000;
  std::memcpy(packed + 4, &pointer, sizeof pointer);
  Reachable by8(kThree), by4(kThree);
  by8.scan(packed, sizeof packed, 8);
  by4.scan(packed, sizeof packed, 4);
  EXPECT_FALSE(by8.next());
  EXPECT_EQ(by4.next(), 2u);
}

TEST(Reachable, FewerBytesThanAPointerAreNone) {
  Reachable search(kThree);
  const uint32_t half = 1000;
  search.scan(&half, sizeof half, 4);
  search.scan(nullptr, 0, 4);
  EXPECT_FALSE(search.next());
}

TEST(Reachable, WhatIsReachedByHandIsReturnedOnce) {
  Reachable search(kThree);
  search.reach(1);
  search.reach(1);
  EXPECT_EQ(search.next(), 1u);
  EXPECT_FALSE(search.next());
  EXPECT_TRUE(search.isReached(1));
  EXPECT_FALSE(search.isReached(0));
}

} // namespace
} // namespace heddle::capture
