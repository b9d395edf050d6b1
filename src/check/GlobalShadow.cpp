// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/GlobalShadow.h"

#include <algorithm>
#include <bit>

namespace heddle::check {
namespace {

constexpr size_t MostReaders = 32, MostWriters = 8;

bool sameReader(const GlobalPast &a, const GlobalPast &b) {
  return a.actor == b.actor && a.thread / 32 == b.thread / 32 && a.strength == b.strength;
}

} // namespace

GlobalShadow::Page &GlobalShadow::pageOf(uint64_t address, GlobalJudge &judge) {
  std::unique_ptr<Page> &page = pages[address / PageBytes];
  if (!page) {
    page = std::make_unique<Page>();
    page->words.resize(PageBytes / 4);
    judge.startsWritten(address / PageBytes * PageBytes, page->written);
  }
  return *page;
}

GlobalShadow::Extra &GlobalShadow::extraOf(Cell &cell) {
  if (!cell.more) {
    extras.emplace_back();
    cell.more = uint32_t(extras.size());
  }
  return extras[cell.more - 1];
}

void GlobalShadow::split(Page &page, unsigned word) {
  if (page.isSplit(word))
    return;
  if (page.bytes.empty())
    page.bytes.resize(PageBytes);
  page.split[word / 64] |= uint64_t(1) << word % 64;
  for (unsigned b = 0; b < 4; ++b) {
    Cell &cell = page.bytes[word * 4 + b];
    cell = page.words[word];
    if (cell.more) { // each byte goes its own way from here
      extras.push_back(Extra(extras[cell.more - 1]));
      cell.more = uint32_t(extras.size());
    }
  }
}

/// The cells of [at, at + bytes) of a page: bytes apart where the access is smaller than a word, or
/// somebody's was.
template <class F> void GlobalShadow::eachCell(Page &page, unsigned at, unsigned bytes, F f) {
  const bool small = (at | bytes) & 3;
  for (unsigned offset = at; offset < at + bytes;) {
    const unsigned word = offset / 4;
    if (small)
      split(page, word);
    if (!page.isSplit(word)) {
      f(page.words[word], offset - at);
      offset += 4;
    } else {
      f(page.bytes[offset], offset - at);
      ++offset;
    }
  }
}

template <class F> void GlobalShadow::eachLaneOf(const GlobalTouch &touch, GlobalJudge &judge, F f) {
  Page *page = nullptr;
  uint64_t number = ~uint64_t(0);
  for (uint32_t left = touch.mask; left; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    // An access is aligned to its size, so only bulk copies cross pages.
    for (uint64_t address = touch.addresses[lane], end = address + touch.bytes; address < end;) {
      if (address / PageBytes != number)
        page = &pageOf(address, judge), number = address / PageBytes;
      const uint64_t stop = std::min(end, (number + 1) * PageBytes);
      f(lane, *page, address, unsigned(stop - address));
      address = stop;
    }
  }
}

bool GlobalShadow::isWritten(const Page &page, unsigned at, unsigned bytes) {
  for (unsigned i = at; i < at + bytes; ++i)
    if (page.written[i / 64] >> i % 64 & 1)
      return true;
  return false;
}

void GlobalShadow::markWritten(Page &page, unsigned at, unsigned bytes) {
  if (bytes < 64 && at / 64 == (at + bytes - 1) / 64) {
    page.written[at / 64] |= ((uint64_t(1) << bytes) - 1) << at % 64;
    return;
  }
  for (unsigned i = at; i < at + bytes; ++i)
    page.written[i / 64] |= uint64_t(1) << i % 64;
}

// --- what is ordered --------------------------------------------------------------------------------------

bool GlobalShadow::ordered(const GlobalTouch &touch, unsigned lane, const GlobalPast &past,
                           GlobalJudge &judge) {
  if (past.actor < touch.orderedBelow)
    return true;
  if (past.actor == touch.self.actor &&
      (past.thread == touch.self.thread + lane || past.stamp <= touch.known))
    return true;
  return judge.knows(lane, past);
}

bool GlobalShadow::ordered(const GlobalTouch &touch, unsigned lane, const Readers &readers,
                           GlobalJudge &judge, GlobalPast &who) {
  who = readers.past;
  if (!who.actor || who.actor < touch.orderedBelow ||
      (who.actor == touch.self.actor && who.stamp <= touch.known))
    return true;
  for (uint32_t left = readers.lanes; left; left &= left - 1) {
    who.thread = uint16_t(readers.past.thread + std::countr_zero(left));
    if (!ordered(touch, lane, who, judge))
      return false;
  }
  return true;
}

void GlobalShadow::checkWriters(Cell &cell, const GlobalTouch &touch, unsigned lane, uint64_t address,
                                GlobalJudge &judge) {
  if (cell.write.actor && !ordered(touch, lane, cell.write, judge))
    judge.clash(lane, address, cell.write, true);
  if (!cell.more)
    return;
  for (const GlobalPast &past : std::vector<GlobalPast>(extras[cell.more - 1].writes))
    if (!ordered(touch, lane, past, judge))
      judge.clash(lane, address, past, true);
}

void GlobalShadow::checkReaders(Cell &cell, const GlobalTouch &touch, unsigned lane, uint64_t address,
                                GlobalJudge &judge) {
  GlobalPast who;
  for (const Readers *readers : {&cell.read, &cell.other})
    if (!ordered(touch, lane, *readers, judge, who))
      judge.clash(lane, address, who, false);
  if (!cell.more)
    return;
  for (const Readers &readers : std::vector<Readers>(extras[cell.more - 1].reads))
    if (!ordered(touch, lane, readers, judge, who))
      judge.clash(lane, address, who, false);
}

// --- reading ----------------------------------------------------------------------------------------------

void GlobalShadow::noteRead(Cell &cell, const GlobalTouch &touch, unsigned lane, GlobalJudge &judge) {
  const uint32_t bit = 1u << lane;
  if (sameReader(cell.read.past, touch.self)) {
    if (cell.read.past.stamp != touch.self.stamp)
      cell.read.lanes = 0;
    cell.read.past = touch.self;
    cell.read.lanes |= bit;
    return;
  }
  GlobalPast who;
  const Readers self{touch.self, bit};
  if (ordered(touch, lane, cell.read, judge, who)) {
    cell.read = self;
    return;
  }
  if (cell.read.past.actor != touch.self.actor) { // another block: one of them stays remembered
    cell.other = cell.read;
    cell.read = self;
    if (cell.more)
      extras[cell.more - 1].reads.clear();
    return;
  }
  std::vector<Readers> &reads = extraOf(cell).reads;
  for (Readers &readers : reads)
    if (sameReader(readers.past, touch.self)) {
      if (readers.past.stamp != touch.self.stamp)
        readers.lanes = 0;
      readers.past = touch.self;
      readers.lanes |= bit;
      return;
    }
  if (reads.size() < MostReaders)
    reads.push_back(self);
}

void GlobalShadow::readCell(Cell &cell, const GlobalTouch &touch, unsigned lane, uint64_t address,
                            GlobalJudge &judge) {
  checkWriters(cell, touch, lane, address, judge);
  noteRead(cell, touch, lane, judge);
}

void GlobalShadow::read(const GlobalTouch &touch, GlobalJudge &judge, bool checkWritten) {
  eachLaneOf(touch, judge, [&](unsigned lane, Page &page, uint64_t address, unsigned bytes) {
    const unsigned at = unsigned(address % PageBytes);
    if (checkWritten && !isWritten(page, at, bytes) && judge.unwritten(lane, address, bytes))
      markWritten(page, at, bytes);
    eachCell(page, at, bytes,
             [&](Cell &cell, unsigned offset) { readCell(cell, touch, lane, address + offset, judge); });
  });
}

// --- writing ----------------------------------------------------------------------------------------------

void GlobalShadow::writeCell(Cell &cell, const GlobalTouch &touch, unsigned lane, uint64_t address,
                             GlobalJudge &judge) {
  checkWriters(cell, touch, lane, address, judge);
  checkReaders(cell, touch, lane, address, judge);
  GlobalPast self = touch.self;
  self.thread = uint16_t(self.thread + lane);
  const bool strong = isStrong(self.strength);
  // See SharedShadow::writeCell.
  if (strong && cell.write.actor && isStrong(cell.write.strength) &&
      !ordered(touch, lane, cell.write, judge)) {
    std::vector<GlobalPast> &writes = extraOf(cell).writes;
    std::erase_if(writes, [&](const GlobalPast &past) {
      return (past.actor == cell.write.actor && past.thread == cell.write.thread) ||
             ordered(touch, lane, past, judge);
    });
    if (writes.size() >= MostWriters)
      writes.erase(writes.begin() + 1);
    writes.push_back(cell.write);
  } else if (!strong && cell.more) {
    extras[cell.more - 1].writes.clear();
  }
  cell.write = self;
  if (strong)
    return;
  // Every read happened before this write, or has been told of: what comes after the write comes after them.
  cell.read = cell.other = {};
  if (cell.more)
    extras[cell.more - 1].reads.clear();
}

void GlobalShadow::write(const GlobalTouch &touch, GlobalJudge &judge, bool reads) {
  eachLaneOf(touch, judge, [&](unsigned lane, Page &page, uint64_t address, unsigned bytes) {
    const unsigned at = unsigned(address % PageBytes);
    if (reads && !isWritten(page, at, bytes))
      judge.unwritten(lane, address, bytes);
    markWritten(page, at, bytes);
    eachCell(page, at, bytes,
             [&](Cell &cell, unsigned offset) { writeCell(cell, touch, lane, address + offset, judge); });
  });
}

// --- the host ---------------------------------------------------------------------------------------------

void GlobalShadow::hostWrote(uint64_t address, uint64_t bytes) {
  if (!bytes || pages.empty())
    return;
  for (uint64_t page = address / PageBytes; page <= (address + bytes - 1) / PageBytes; ++page)
    if (auto found = pages.find(page); found != pages.end()) {
      const uint64_t begin = std::max(address, page * PageBytes);
      const uint64_t end = std::min(address + bytes, (page + 1) * PageBytes);
      markWritten(*found->second, unsigned(begin % PageBytes), unsigned(end - begin));
    }
}

void GlobalShadow::forget(uint64_t address, uint64_t bytes) {
  for (uint64_t page = address / PageBytes; bytes && page <= (address + bytes - 1) / PageBytes; ++page)
    if (auto found = pages.find(page); found != pages.end()) {
      const uint64_t begin = std::max(address, page * PageBytes);
      const uint64_t end = std::min(address + bytes, (page + 1) * PageBytes);
      if (end - begin == PageBytes) {
        pages.erase(found);
        continue;
      }
      for (uint64_t at = begin; at < end; ++at) {
        const unsigned byte = unsigned(at % PageBytes);
        found->second->written[byte / 64] &= ~(uint64_t(1) << byte % 64);
        found->second->words[byte / 4] = {};
        if (!found->second->bytes.empty())
          found->second->bytes[byte] = {};
      }
    }
}

} // namespace heddle::check
