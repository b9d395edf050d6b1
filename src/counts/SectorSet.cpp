// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counts/SectorSet.h"

#include <bit>

namespace heddle::counts {
namespace {

constexpr size_t FirstSize = 64;

size_t hashOf(uint64_t page) { return size_t((page * 0x9e3779b97f4a7c15u) >> 20); }

} // namespace

void SectorSet::grow() {
  std::vector<Page> old = std::move(table);
  table.assign(old.empty() ? FirstSize : old.size() * 2, {});
  for (const Page &page : old) {
    if (page.number == NoPage)
      continue;
    size_t at = hashOf(page.number) & (table.size() - 1);
    while (table[at].number != NoPage)
      at = (at + 1) & (table.size() - 1);
    table[at] = page;
  }
}

SectorSet::Page &SectorSet::page(uint64_t number) {
  if (last < table.size() && table[last].number == number)
    return table[last];
  if ((used + 1) * 2 > table.size())
    grow();
  size_t at = hashOf(number) & (table.size() - 1);
  while (table[at].number != NoPage && table[at].number != number)
    at = (at + 1) & (table.size() - 1);
  if (table[at].number == NoPage)
    table[at].number = number, ++used;
  last = at;
  return table[at];
}

void SectorSet::add(std::span<const uint64_t> sectors) {
  for (uint64_t sector : sectors) {
    uint64_t &word = page(sector / SectorsOfAPage).bits[sector / 64 % 2];
    const uint64_t bit = uint64_t(1) << sector % 64;
    sectorCount += !(word & bit);
    word |= bit;
  }
}

void SectorSet::add(const SectorSet &other, SectorSet *both) {
  for (const Page &theirs : other.table) {
    if (theirs.number == NoPage)
      continue;
    Page &ours = page(theirs.number);
    for (int i = 0; i < 2; ++i) {
      if (const uint64_t common = theirs.bits[i] & ours.bits[i]; both && common) {
        uint64_t &word = both->page(theirs.number).bits[i];
        both->sectorCount += uint64_t(std::popcount(common & ~word));
        word |= common;
      }
      sectorCount += uint64_t(std::popcount(theirs.bits[i] & ~ours.bits[i]));
      ours.bits[i] |= theirs.bits[i];
    }
  }
}

void SectorSet::clear() {
  table.clear();
  used = last = 0;
  sectorCount = 0;
}

} // namespace heddle::counts
