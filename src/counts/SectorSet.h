// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heddle::counts {

/// A set of 32-byte sectors of memory, exact: a bitmap for each page of 4 KB that was touched, found by
/// hashing. Takes 24 bytes for a page at least half of the time, so a 170th of what is touched densely.
class SectorSet {
public:
  /// `sectors`: addresses divided by 32, rising.
  void add(std::span<const uint64_t> sectors);
  /// `both`: gets those that were here already.
  void add(const SectorSet &other, SectorSet *both = nullptr);
  /// use(first sector, bits of 64) for each piece that has some.
  template <class Use> void eachPiece(Use use) const {
    for (const Page &page : table)
      for (unsigned i = 0; page.number != NoPage && i < 2; ++i)
        if (page.bits[i])
          use(page.number * SectorsOfAPage + i * 64, page.bits[i]);
  }
  uint64_t count() const { return sectorCount; }
  void clear();

private:
  static constexpr unsigned SectorsOfAPage = 128;
  static constexpr uint64_t NoPage = ~uint64_t(0);
  struct Page {
    uint64_t number = NoPage;
    uint64_t bits[2] = {0, 0};
  };

  Page &page(uint64_t number);
  void grow();

  std::vector<Page> table; ///< open addressing; the size is a power of two
  size_t used = 0;         ///< pages in it
  size_t last = 0;         ///< where the last one was found
  uint64_t sectorCount = 0;
};

} // namespace heddle::counts
