// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counts/Extrapolation.h"

#include <gtest/gtest.h>

#include <numeric>

namespace heddle::counts {
namespace {

constexpr uint64_t Base = 1 << 20; // a sector

std::vector<uint64_t> sectors(uint64_t first, uint64_t count) {
  std::vector<uint64_t> list(count);
  std::iota(list.begin(), list.end(), Base + first);
  return list;
}

/// An allocation of so many sectors at Base.
std::vector<vm::Allocation> memory(uint64_t count) {
  vm::Allocation one;
  one.address = Base * 32, one.bytes = count * 32;
  return {one};
}

/// Each block touches `each` sectors, `apart` after those of the block before.
SampledSectors blocks(unsigned count, uint64_t each, uint64_t apart) {
  SampledSectors sampled;
  for (unsigned b = 0; b < count; ++b) {
    SectorSet one;
    one.add(sectors(b * apart, each));
    sampled.addBlock(one);
  }
  return sampled;
}

TEST(Extrapolation, WithAllBlocksItIsTheirNumber) {
  const auto live = memory(1 << 20);
  EXPECT_EQ((Extrapolation{10, 10, live}.sectors(blocks(10, 100, 50))), 550u);
}

TEST(Extrapolation, DataOfEachBlockGrowWithTheBlocks) {
  const auto live = memory(1 << 20);
  EXPECT_EQ((Extrapolation{10, 1000, live}.sectors(blocks(10, 100, 5000))), 100000u);
}

TEST(Extrapolation, ATableOfAllBlocksDoesNot) {
  const auto live = memory(1 << 20);
  EXPECT_EQ((Extrapolation{10, 1000, live}.sectors(blocks(10, 100, 0))), 100u);
}

TEST(Extrapolation, AnAllocationHasNoMoreThanItHas) {
  const auto live = memory(4000);
  EXPECT_EQ((Extrapolation{10, 1000, live}.sectors(blocks(10, 100, 350))), 4000u);
}

TEST(Extrapolation, TheOrderInWhichCoresAreAddedDoesNotMatter) {
  const auto live = memory(1 << 20);
  SampledSectors all = blocks(4, 100, 60), left = blocks(2, 100, 60), right;
  for (unsigned b = 2; b < 4; ++b) {
    SectorSet one;
    one.add(sectors(b * 60, 100));
    right.addBlock(one);
  }
  right.add(left);
  EXPECT_EQ((Extrapolation{4, 400, live}.sectors(right)), (Extrapolation{4, 400, live}.sectors(all)));
}

} // namespace
} // namespace heddle::counts
