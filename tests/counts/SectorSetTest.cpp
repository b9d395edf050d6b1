// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counts/SectorSet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace heddle::counts {
namespace {

TEST(SectorSet, CountsEachSectorOnce) {
  SectorSet set;
  const std::vector<uint64_t> list = {5, 6, 127, 128, 1u << 30};
  set.add(list);
  set.add(list);
  EXPECT_EQ(set.count(), 5u);
  set.clear();
  EXPECT_EQ(set.count(), 0u);
  set.add(list);
  EXPECT_EQ(set.count(), 5u);
}

TEST(SectorSet, AgreesWithASetOfNumbersOverRandomLists) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    SectorSet left, right;
    std::set<uint64_t> plainLeft, plainRight;
    for (int i = 0; i < 300; ++i) {
      std::vector<uint64_t> list(random() % 40);
      for (uint64_t &sector : list)
        sector = (random() % 8) * 100000 + random() % 3000;
      std::sort(list.begin(), list.end());
      (i % 3 ? left : right).add(list);
      (i % 3 ? plainLeft : plainRight).insert(list.begin(), list.end());
    }
    ASSERT_EQ(left.count(), plainLeft.size()) << "seed " << seed;
    left.add(right);
    plainLeft.insert(plainRight.begin(), plainRight.end());
    EXPECT_EQ(left.count(), plainLeft.size()) << "seed " << seed;
    EXPECT_EQ(right.count(), plainRight.size()) << "seed " << seed;
  }
}

} // namespace
} // namespace heddle::counts
