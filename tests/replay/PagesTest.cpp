// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/Pages.h"

#include <gmock/gmock.h>

#include <random>

namespace heddle::replay {
namespace {

using capture::Region;
using capture::RegionKind;
using testing::ElementsAre;
using testing::IsEmpty;

MATCHER_P2(SpanIs, begin, end, "") { return arg.begin == uint64_t(begin) && arg.end == uint64_t(end); }

TEST(Pages, RegionsOfOnePageShareIt) {
  const std::vector<Region> regions = {
      {0x1200, 0x100, RegionKind::Device}, {0x1800, 0x10, RegionKind::Managed},
      {0x2ff0, 0x20, RegionKind::Device},  {0x8000, 0x1000, RegionKind::Device},
      {0x9000, 0x10, RegionKind::Pinned},  {0xa000, 0, RegionKind::Device}};
  EXPECT_THAT(devicePagesOf(regions, 0x1000), ElementsAre(SpanIs(0x1000, 0x4000), SpanIs(0x8000, 0x9000)));
  EXPECT_THAT(pagesOf(regions, RegionKind::Pinned, 0x1000), ElementsAre(SpanIs(0x9000, 0xa000)));
  EXPECT_THAT(pagesOf({}, RegionKind::Device, 0x1000), IsEmpty());
}

TEST(Pages, AddressesAreReservedByWindows) {
  const uint64_t first = 16 * windowBytes, second = 24 * windowBytes;
  EXPECT_THAT(windowsOf({{first + 0x200000, first + 0x400000},
                         {first + 0x800000, first + 0xa00000},
                         {second, second + 0x200000}},
                        {}),
              ElementsAre(SpanIs(first + 0x200000, first + 0xa00000), SpanIs(second, second + 0x200000)));
  EXPECT_TRUE(windowsOf({}, {}).empty());
  // One that goes on into the next window takes what follows there along.
  EXPECT_THAT(windowsOf({{first, first + windowBytes + 0x200000},
                         {first + windowBytes + 0x400000, first + windowBytes + 0x600000}},
                        {}),
              testing::SizeIs(1));
}

TEST(Pages, NoWindowHoldsMemoryOfTheHost) {
  const uint64_t at = 24 * windowBytes;
  EXPECT_THAT(windowsOf({{at, at + 0x200000}, {at + 0x400000, at + 0x600000}, {at + 0xa00000, at + 0xc00000}},
                        {{at + 0x800000, at + 0x801000}}),
              ElementsAre(SpanIs(at, at + 0x600000), SpanIs(at + 0xa00000, at + 0xc00000)));
}

TEST(Pages, GapsBeginAlignedAfterAFewBytes) {
  const std::vector<Region> regions = {{0x1000, 0x104, RegionKind::Device}};
  EXPECT_THAT(gapsIn({{0x1000, 0x2000}}, regions, 0x800),
              ElementsAre(SpanIs(0x1104, 0x1110), SpanIs(0x1110, 0x1910), SpanIs(0x1910, 0x2000)));
  EXPECT_THAT(gapsIn({{0x1000, 0x2000}}, {{0x1000, 0x1000, RegionKind::Device}}, 0x800), IsEmpty());
}

/// Every byte of the pages is in exactly one region or gap.
TEST(Pages, RegionsAndGapsFillThePages) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<Region> regions;
    uint64_t at = 0x10000;
    for (unsigned count = 1 + random() % 6; count; --count) {
      at += random() % 700;
      const uint64_t bytes = 1 + random() % 900;
      regions.push_back({at, bytes, RegionKind::Device});
      at += bytes;
    }
    std::shuffle(regions.begin(), regions.end(), random);
    const std::vector<Span> pages = devicePagesOf(regions, 512);
    std::vector<int> owners(0x20000);
    for (const Region &region : regions)
      for (uint64_t i = 0; i < region.bytes; ++i)
        ++owners[region.address + i];
    for (const Span &gap : gapsIn(pages, regions, 128)) {
      EXPECT_LE(gap.bytes(), 128u);
      for (uint64_t i = gap.begin; i < gap.end; ++i)
        ++owners[i];
    }
    std::vector<int> expected(owners.size());
    for (const Span &page : pages)
      for (uint64_t i = page.begin; i < page.end; ++i)
        ++expected[i];
    ASSERT_EQ(owners, expected) << "round " << round;
  }
}

} // namespace
} // namespace heddle::replay
