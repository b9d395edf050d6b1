// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is remembered of an address must be enough to find a race with any later access, and little enough for
// all of global memory. The last write is kept, with those beside it that nothing orders (atomics, stores of one
// value): a later access that is ordered after all of these is ordered after every earlier write as well. Of reads
// the same is true only within a block, whose clocks are complete, so the reads of one block are kept warp by
// warp, and of other blocks one more: a write that races with any reader of another block mostly races with
// that one too. That is where a race can be missed; under another schedule another reader is kept.
//
// Cells are words. The first access that takes part of a word splits it into four cells, each with what was known
// of the word. Pages are made when they are first accessed, and then ask which of their bytes the host has
// written.
#include "check/GlobalShadow.h"

#include <algorithm>
#include <bit>

namespace heddle::check {
namespace {

constexpr size_t MostReaders = 32, MostWritersOfByte = 64;

bool sameReader(const GlobalPast &a, const GlobalPast &b) {
  return a.actor == b.actor && a.thread / 32 == b.thread / 32 && a.strength == b.strength;
}

/// Whether `past` is the write of a lane that comes before `lane` in this very instruction.
bool isOfThisTouch(const GlobalPast &past, unsigned lane, uint64_t address, const GlobalTouch &touch) {
  const unsigned other = past.thread % 32;
  return past.actor == touch.self.actor && past.thread / 32 == touch.self.thread / 32 &&
         past.stamp == touch.self.stamp && past.instrId == touch.self.instrId && !past.byCopy &&
         other < lane && touch.mask >> other & 1 && touch.addresses[other] < address + 4 &&
         address < touch.addresses[other] + touch.bytes;
}

/// Where a read is remembered, with respect to the last one, of another reader.
enum class Place {
  Instead, ///< the last one came before
  Beside,  ///< another block's, and this one takes its place
  Unknown, ///< rules have to be asked
};
Place placeOf(const GlobalPast &past, const GlobalTouch &touch) {
  const bool isOwn = past.actor == touch.self.actor;
  if (!past.actor || past.actor < touch.orderedBelow || (isOwn && past.stamp <= touch.known))
    return Place::Instead;
  return isOwn || past.actor < touch.firstActor || touch.knowsOthers ? Place::Unknown : Place::Beside;
}

} // namespace

GlobalShadow::Page &GlobalShadow::pageOf(uint64_t address, GlobalAccessRules &rules) {
  const uint64_t number = address / PageBytes;
  RecentPage &last = recent[number % recent.size()];
  if (last.number == number)
    return *last.page;
  std::unique_ptr<Page> &page = pages[number];
  if (!page) {
    page = std::make_unique<Page>();
    rules.startsWritten(number * PageBytes, page->written);
  }
  last = {number, page.get()};
  return *page;
}

GlobalShadow::Cell &GlobalShadow::cellOf(Page &page, unsigned word) {
  if (page.words.empty())
    page.words.resize(PageBytes / 4);
  const unsigned first = word / RowWords * RowWords;
  Row &row = page.rows[word / RowWords];
  if (row.isAlike)
    for (unsigned i = 0; i < RowWords; ++i)
      page.words[first + i].read = row.read.of(i), page.words[first + i].other = row.other.of(i);
  row.isAlike = false;
  return page.words[word];
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
    cell = cellOf(page, word);
    if (cell.more) { // each byte goes its own way from here
      extras.push_back(Extra(extras[cell.more - 1]));
      cell.more = uint32_t(extras.size());
    }
  }
}

/// The cells of [at, at + bytes) of a page: bytes apart where the access is smaller than a word, or another one
/// was.
template <class F> void GlobalShadow::eachCell(Page &page, unsigned at, unsigned bytes, F f) {
  const bool small = (at | bytes) & 3;
  for (unsigned offset = at; offset < at + bytes;) {
    const unsigned word = offset / 4;
    if (small)
      split(page, word);
    if (!page.isSplit(word)) {
      f(cellOf(page, word), offset - at, 4);
      offset += 4;
    } else {
      f(page.bytes[offset], offset - at, 1);
      ++offset;
    }
  }
}

template <class F> void GlobalShadow::eachLaneOf(const GlobalTouch &touch, GlobalAccessRules &rules, F f) {
  Page *page = nullptr;
  uint64_t number = ~uint64_t(0);
  for (uint32_t left = touch.mask; left; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    // An access is aligned to its size, so only bulk copies cross pages.
    for (uint64_t address = touch.addresses[lane], end = address + touch.bytes; address < end;) {
      if (address / PageBytes != number)
        page = &pageOf(address, rules), number = address / PageBytes;
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
                           GlobalAccessRules &rules) {
  if (past.actor < touch.orderedBelow)
    return true;
  if (past.actor == touch.self.actor &&
      (past.thread == touch.self.thread + lane || past.stamp <= touch.known))
    return true;
  return rules.knows(lane, past);
}

bool GlobalShadow::ordered(const GlobalTouch &touch, unsigned lane, const Readers &readers,
                           GlobalAccessRules &rules, GlobalPast &who) {
  who = readers.past;
  if (!who.actor || who.actor < touch.orderedBelow ||
      (who.actor == touch.self.actor && who.stamp <= touch.known))
    return true;
  for (uint32_t left = readers.lanes; left; left &= left - 1) {
    who.thread = uint16_t(readers.past.thread + std::countr_zero(left));
    if (!ordered(touch, lane, who, rules))
      return false;
  }
  return true;
}

bool GlobalShadow::checkWriters(Cell &cell, const GlobalTouch &touch, unsigned lane, uint64_t address,
                                CellValue fresh, CellValue before, GlobalAccessRules &rules) {
  auto isReported = [&](GlobalPast past, CellValue value, const Earlier &earlier) {
    past.sameInstruction = isOfThisTouch(past, lane, address, touch);
    if (!past.sameInstruction && ordered(touch, lane, past, rules))
      return false;
    past.sameValue = isSame(fresh, value);
    if (rules.clash(lane, address, past, true))
      return true;
    // Not with the last write, but with one before it that this thread does not know of.
    GlobalPast older{past.actor, earlier.write.stamp, earlier.write.instrId, earlier.thread};
    older.strength = earlier.write.strength(), older.scope = past.scope;
    return earlier.write.stamp && !ordered(touch, lane, older, rules) &&
           rules.clash(lane, address, older, true);
  };
  const bool reported = cell.write.actor && isReported(cell.write, before, cell.earlier);
  if (!cell.more)
    return reported;
  // Who has the result of an atomic comes after the atomics before it on that word.
  const bool comesLast = cell.write.returns && ordered(touch, lane, cell.write, rules);
  for (Beside &beside : extras[cell.more - 1].writes) {
    if (beside.past.actor < touch.orderedBelow ||
        (!beside.earlier.write.stamp &&
         (isSame(fresh, beside.value) || (comesLast && beside.past.strength == Strength::Atomic))))
      continue;
    for (uint32_t left = beside.lanes; left; left &= left - 1) {
      GlobalPast past = beside.past;
      past.thread = uint16_t(past.thread + std::countr_zero(left));
      if (isReported(past, beside.value, beside.earlier)) {
        beside.lanes = 0; // one lane of a warp is reported
        break;
      }
    }
  }
  return reported;
}

/// See SharedShadow.
void GlobalShadow::addBeside(std::vector<Beside> &writers, GlobalPast past, CellValue value,
                             Earlier earlier) {
  const uint32_t bit = 1u << past.thread % 32;
  past.thread = uint16_t(past.thread / 32 * 32);
  auto ofSameWarp = [&](const Beside &beside) {
    return beside.past.actor == past.actor && beside.past.thread == past.thread;
  };
  for (Beside &beside : writers)
    if (ofSameWarp(beside) && beside.past.stamp == past.stamp && beside.past.instrId == past.instrId &&
        beside.past.strength == past.strength && beside.value == value && beside.earlier == earlier) {
      beside.lanes |= bit;
      return;
    }
  if (writers.size() >= MostWritersOfByte) {
    auto older = std::find_if(writers.begin(), writers.end(), ofSameWarp);
    writers.erase(older != writers.end() ? older : writers.begin() + 1);
  }
  writers.push_back({past, bit, value, earlier});
}

/// What is reported of a plain write is forgotten. Reads that come before it are not: a thread that stores the same value
/// does not race with this write, and may race with them.
void GlobalShadow::checkReaders(Cell &cell, const GlobalTouch &touch, unsigned lane, uint64_t address,
                                GlobalAccessRules &rules) {
  const bool forgets = !isStrong(touch.self.strength);
  auto isOver = [&](const Readers &readers) {
    GlobalPast who;
    return readers.past.actor < touch.orderedBelow ||
           (!ordered(touch, lane, readers, rules, who) && rules.clash(lane, address, who, false) && forgets);
  };
  for (Readers *readers : {&cell.read, &cell.other})
    if (isOver(*readers))
      *readers = {};
  if (cell.more)
    std::erase_if(extras[cell.more - 1].reads, isOver);
}

// --- reading ----------------------------------------------------------------------------------------------

void GlobalShadow::noteRead(Cell &cell, const GlobalTouch &touch, unsigned lane, GlobalAccessRules &rules) {
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
  auto isBefore = [&](const Readers &readers) { return ordered(touch, lane, readers, rules, who); };
  if (isBefore(cell.read)) {
    cell.read = self;
    if (cell.more)
      std::erase_if(extras[cell.more - 1].reads, isBefore);
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
  if (reads.size() >= MostReaders)
    std::erase_if(reads, isBefore);
  if (reads.size() < MostReaders)
    reads.push_back(self);
}

void GlobalShadow::readCell(Cell &cell, const GlobalTouch &touch, unsigned lane, uint64_t address,
                            GlobalAccessRules &rules) {
  if (touch.nonCoherent) {
    if (cell.write.actor >= touch.firstActor)
      rules.incoherent(lane, address, cell.write, true);
    cell.nonCoherent = touch.self.actor, cell.ncInstrId = touch.self.instrId;
    cell.ncThread = uint16_t(touch.self.thread + lane);
  }
  checkWriters(cell, touch, lane, address, {}, {}, rules);
  noteRead(cell, touch, lane, rules);
}

/// A read, by some lanes, of a written word that nobody writes in this launch: no rule has to be asked. False: nothing was done.
bool GlobalShadow::readQuietly(Page &page, unsigned at, uint32_t lanes, const GlobalTouch &touch) {
  if (!(page.written[at / 64] >> at % 64 & 15) || page.isSplit(at / 4))
    return false;
  if (Row &row = page.rows[at / RowBytes]; row.isAlike)
    row.separatedIn = touch.firstActor;
  Cell &cell = cellOf(page, at / 4);
  const GlobalPast &self = touch.self, &past = cell.read.past;
  if (cell.more || cell.write.actor >= std::max(1u, touch.orderedBelow))
    return false;
  if (sameReader(past, self)) {
    cell.read.lanes = past.stamp == self.stamp ? cell.read.lanes | lanes : lanes;
    cell.read.past = self;
    return true;
  }
  const Place place = placeOf(past, touch);
  if (place == Place::Beside)
    cell.other = cell.read;
  if (place != Place::Unknown)
    cell.read = {self, lanes};
  return place != Place::Unknown;
}

/// The same of a row whose words were read alike, with the same result for each of them.
bool GlobalShadow::readAlike(Page &page, const RowAccess &access, const GlobalTouch &touch) {
  Row &row = page.rows[access.row];
  if (!row.isAlike || row.newestWriter >= std::max(1u, touch.orderedBelow) ||
      !page.areWordsWritten(access.row))
    return false;
  Readers &last = row.read.first;
  uint32_t lanes = access.lanes;
  if (sameReader(last.past, touch.self)) {
    if (last.past.stamp == touch.self.stamp) {
      if (row.read.step != access.step)
        return false;
      lanes |= last.lanes;
    }
  } else {
    const Place place = placeOf(last.past, touch);
    if (place == Place::Unknown)
      return false;
    if (place == Place::Beside)
      row.other = row.read;
  }
  row.read = {{touch.self, lanes}, access.step};
  return true;
}

/// A row is read, each word by some lanes. Returns those for which rules have to be asked.
uint32_t GlobalShadow::readRow(Page &page, const RowAccess &access, const GlobalTouch &touch) {
  if (readAlike(page, access, touch))
    return 0;
  uint32_t unusual = 0;
  for (unsigned word = 0; word < RowWords; ++word) {
    const uint32_t lanes = access.lanes << (word >> access.step);
    if (!readQuietly(page, access.row * RowBytes + word * 4, lanes, touch))
      unusual |= lanes; // all words of these lanes once more: what was noted of some stays the same
  }
  if (!unusual && page.rows[access.row].separatedIn != touch.firstActor)
    joinRow(page, access);
  return unusual;
}

/// After all words were read: they are remembered as a row again, if that is possible.
void GlobalShadow::joinRow(Page &page, const RowAccess &access) {
  const Cell *cells = page.words.data() + access.row * RowWords;
  const RowReaders last{cells->read, access.step},
      other{cells->other, cells->other.lanes ? access.step : uint8_t(0)};
  if (page.isAnySplit(access.row))
    return;
  for (unsigned i = 0; i < RowWords; ++i)
    if (cells[i].more || cells[i].read != last.of(i) || cells[i].other != other.of(i))
      return;
  Row &row = page.rows[access.row];
  row.isAlike = true, row.read = last, row.other = other;
}

/// Calls f(page, row) for the rows of groups of neighbours, until it returns false. False: so it did, or there are lanes outside of whole rows.
template <class F> bool GlobalShadow::eachRow(const vm::PlainAccess &access, GlobalAccessRules &rules, F f) {
  const uint32_t lanes = 32 / access.groups;
  if (access.stride != int32_t(access.bytes) || !std::has_single_bit(access.bytes) || access.bytes < 4 ||
      access.bytes > 16 || lanes * access.bytes % RowBytes)
    return false;
  const auto step = uint8_t(std::countr_zero(access.bytes / 4));
  for (uint32_t group = 0; group < access.groups; ++group)
    for (uint32_t lane = 0; lane < lanes; lane += RowBytes / access.bytes) {
      const uint64_t address = access.addresses[group] + uint64_t(lane) * access.bytes;
      const auto row = unsigned(address % PageBytes / RowBytes);
      if (address % RowBytes || !f(pageOf(address, rules), {row, 1u << (group * lanes + lane), step}))
        return false;
    }
  return true;
}

uint32_t GlobalShadow::readGroups(const GlobalTouch &touch, const vm::PlainAccess &access,
                                  GlobalAccessRules &rules) {
  // The usual case. To note a read twice changes nothing.
  if (eachRow(access, rules, [&](Page &page, const RowAccess &row) { return readAlike(page, row, touch); }))
    return 0;
  const uint32_t lanes = 32 / access.groups, steps = access.stride ? lanes : 1;
  const bool isTwice = access.groups == 2 && access.addresses[0] == access.addresses[1] && access.stride;
  const auto together = access.stride ? isTwice ? 0x10001u : 1u : uint32_t((uint64_t(1) << lanes) - 1);
  const bool inRows =
      access.stride == int32_t(access.bytes) && std::has_single_bit(access.bytes) && access.bytes <= 16;
  uint32_t unusual = 0;
  Page *page = nullptr;
  uint64_t number = ~uint64_t(0);
  for (uint32_t group = 0; group < (isTwice ? 1 : access.groups); ++group) {
    uint64_t address = access.addresses[group];
    for (uint32_t lane = 0; lane < steps;) {
      if (address / PageBytes != number)
        page = &pageOf(address, rules), number = address / PageBytes;
      const uint32_t mask = together << (group * lanes + lane);
      const auto at = unsigned(address % PageBytes);
      if (inRows && at % RowBytes == 0 && (lanes - lane) * access.bytes >= RowBytes) {
        const auto step = uint8_t(std::countr_zero(access.bytes / 4));
        unusual |= readRow(*page, {at / RowBytes, mask, step}, touch);
        lane += RowBytes / access.bytes, address += RowBytes;
        continue;
      }
      for (uint32_t byte = 0; byte < access.bytes; byte += 4)
        if (!readQuietly(*page, at + byte, mask, touch)) {
          unusual |= mask; // all words once more: what was noted of some stays the same
          break;
        }
      ++lane, address += uint64_t(int64_t(access.stride));
    }
  }
  return unusual;
}

void GlobalShadow::read(const GlobalTouch &touch, GlobalAccessRules &rules, bool checkWritten) {
  const bool mayBeQuiet = touch.bytes == 4 && !touch.nonCoherent;
  eachLaneOf(touch, rules, [&](unsigned lane, Page &page, uint64_t address, unsigned bytes) {
    const unsigned at = unsigned(address % PageBytes);
    if (mayBeQuiet && readQuietly(page, at, 1u << lane, touch))
      return;
    if (checkWritten && !isWritten(page, at, bytes) && rules.unwritten(lane, address, bytes))
      markWritten(page, at, bytes);
    eachCell(page, at, bytes, [&](Cell &cell, unsigned offset, unsigned) {
      readCell(cell, touch, lane, address + offset, rules);
    });
  });
}

// --- writing ----------------------------------------------------------------------------------------------

void GlobalShadow::writeCell(Cell &cell, const GlobalTouch &touch, unsigned lane, uint64_t address,
                             unsigned bytes, GlobalAccessRules &rules) {
  GlobalPast self = touch.self;
  self.thread = uint16_t(self.thread + lane);
  if (cell.nonCoherent >= touch.firstActor)
    rules.incoherent(lane, address, {cell.nonCoherent, 0, cell.ncInstrId, cell.ncThread}, false);
  const GlobalPast last = cell.write;
  // Earlier launches that are over do not matter; they are the common case.
  const bool isFirst = last.actor < std::max(1u, touch.orderedBelow);
  CellValue fresh, before;
  if (!isFirst || cell.more) {
    fresh = rules.stored(lane, address, bytes);
    if (last.strength != Strength::Atomic) // what an atomic leaves there is equal by chance
      before = isOfThisTouch(last, lane, address, touch) ? rules.stored(last.thread % 32, address, bytes)
                                                         : rules.held(lane, address, bytes);
  }
  const bool reported = checkWriters(cell, touch, lane, address, fresh, before, rules);
  checkReaders(cell, touch, lane, address, rules);
  // See SharedShadow::writeCell. Other blocks need not know of what all threads of this block know, which `earlier`
  // states; what only this warp knows of is remembered beside the new write.
  auto isOfThisWarp = [&](const GlobalPast &past) {
    return past.actor == self.actor && past.thread / 32 == self.thread / 32;
  };
  auto isKnownToBlock = [&](const GlobalPast &past) {
    return past.actor == self.actor && past.stamp <= touch.known;
  };
  auto isRepresented = [&](const GlobalPast &past, CellValue value) {
    return represents(self.strength, past.strength, isSame(fresh, value));
  };
  Earlier earlier;
  auto keep = [&](const Earlier &one) {
    if (isRatherKept(one.write, earlier.write))
      earlier = one;
  };
  auto replace = [&](const GlobalPast &past, CellValue value, const Earlier &itsEarlier) {
    keep(itsEarlier);
    if (!isRepresented(past, value))
      keep({{past.stamp, past.instrId, past.strength}, past.thread});
  };
  const bool leavesTrace = cell.earlier.write.stamp || !isRepresented(last, before);
  if (!isFirst && (isKnownToBlock(last) || (last.actor == self.actor && last.thread == self.thread)))
    replace(last, before, cell.earlier);
  else if (!isFirst && !reported &&
           (isOfThisTouch(last, lane, address, touch) || !ordered(touch, lane, last, rules) ||
            (leavesTrace &&
             (last.actor == self.actor ? !isStrong(self.strength) || !isStrong(last.strength)
                                       : isStrong(self.strength) && !isStrong(last.strength)))))
    addBeside(extraOf(cell).writes, last, before, cell.earlier);
  if (cell.more)
    std::erase_if(extras[cell.more - 1].writes, [&](Beside &beside) {
      if (isKnownToBlock(beside.past)) {
        GlobalPast past = beside.past;
        past.thread = uint16_t(past.thread + std::countr_zero(beside.lanes));
        replace(past, beside.value, beside.earlier);
        beside.lanes = 0;
      } else if (isOfThisWarp(beside.past) && beside.lanes >> lane & 1 &&
                 isRepresented(beside.past, beside.value)) {
        keep(beside.earlier);
        beside.lanes &= ~(1u << lane);
      }
      return !beside.lanes || beside.past.actor < touch.orderedBelow;
    });
  cell.earlier = earlier;
  cell.write = self;
}

namespace {

/// Whether a write forgets the readers: nobody, or those of launches that are over.
bool isOver(const GlobalPast &reader, const GlobalTouch &touch) {
  return !reader.actor || reader.actor < touch.orderedBelow;
}
bool isKnownToBlock(const GlobalPast &past, const GlobalTouch &touch) {
  return past.actor == touch.self.actor && past.stamp <= touch.known;
}

} // namespace

/// Whether nobody has accessed the row in this launch, except for those that come before this write: the threads that write, or what the
/// whole block knows.
bool GlobalShadow::canWriteRow(const Page &page, const RowAccess &access, const GlobalTouch &touch) {
  const Row &row = page.rows[access.row];
  const GlobalPast &read = row.read.first.past;
  const bool isByWriters = read.actor == touch.self.actor && read.thread == touch.self.thread &&
                           row.read.first.lanes == access.lanes && row.read.step == access.step;
  bool isGood = row.isAlike && row.newestWriter < std::max(1u, touch.orderedBelow) &&
                (isOver(read, touch) || isKnownToBlock(read, touch) || isByWriters) &&
                isOver(row.other.first.past, touch);
  for (unsigned word = 0; word < RowWords && !page.words.empty(); ++word)
    isGood &= page.words[access.row * RowWords + word].nonCoherent < touch.firstActor;
  return isGood;
}

void GlobalShadow::writeRow(Page &page, const RowAccess &access, const GlobalTouch &touch) {
  Row &row = page.rows[access.row];
  for (RowReaders *readers : {&row.read, &row.other})
    if (isOver(readers->first.past, touch))
      *readers = {};
  row.newestWriter = touch.self.actor;
  page.written[access.row] = ~uint64_t(0);
  if (page.words.empty())
    page.words.resize(PageBytes / 4);
  GlobalPast self = touch.self;
  const auto first = uint16_t(self.thread + std::countr_zero(access.lanes));
  for (unsigned word = 0; word < RowWords; ++word) {
    Cell &cell = page.words[access.row * RowWords + word];
    self.thread = uint16_t(first + (word >> access.step));
    cell.write = self, cell.earlier = {};
  }
}

bool GlobalShadow::writeGroups(const GlobalTouch &touch, const vm::PlainAccess &access,
                               GlobalAccessRules &rules) {
  if (!eachRow(access, rules,
               [&](const Page &page, const RowAccess &row) { return canWriteRow(page, row, touch); }))
    return false;
  return eachRow(access, rules, [&](Page &page, const RowAccess &row) {
    writeRow(page, row, touch);
    return true;
  });
}

bool GlobalShadow::isQuiet(const uint64_t *addresses, uint32_t mask, uint32_t bytes,
                           uint32_t orderedBelow) const {
  if (bytes % 4)
    return false;
  const Page *page = nullptr;
  uint64_t number = ~uint64_t(0);
  for (uint32_t left = mask; left; left &= left - 1) {
    const uint64_t address = addresses[std::countr_zero(left)]; // inside of a page: it is aligned to its size
    if (address / PageBytes != number) {
      number = address / PageBytes;
      const auto found = pages.find(number);
      page = found == pages.end() ? nullptr : found->second.get();
    }
    for (unsigned i = 0; page && !page->words.empty() && i < bytes / 4; ++i) {
      const auto word = unsigned(address % PageBytes / 4 + i);
      const Cell &cell = page->words[word];
      if (page->isSplit(word) || cell.more || cell.write.actor >= std::max(1u, orderedBelow))
        return false;
    }
  }
  return true;
}

void GlobalShadow::write(const GlobalTouch &touch, GlobalAccessRules &rules, bool reads) {
  eachLaneOf(touch, rules, [&](unsigned lane, Page &page, uint64_t address, unsigned bytes) {
    const unsigned at = unsigned(address % PageBytes);
    if (reads && !isWritten(page, at, bytes))
      rules.unwritten(lane, address, bytes);
    markWritten(page, at, bytes);
    for (unsigned row = at / RowBytes; row <= (at + bytes - 1) / RowBytes; ++row)
      page.rows[row].newestWriter = std::max(page.rows[row].newestWriter, touch.self.actor);
    eachCell(page, at, bytes, [&](Cell &cell, unsigned offset, unsigned size) {
      writeCell(cell, touch, lane, address + offset, size, rules);
    });
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
        recent[page % recent.size()] = {};
        pages.erase(found);
        continue;
      }
      for (uint64_t at = begin; at < end; ++at) {
        const unsigned byte = unsigned(at % PageBytes);
        found->second->written[byte / 64] &= ~(uint64_t(1) << byte % 64);
        cellOf(*found->second, byte / 4) = {};
        if (!found->second->bytes.empty())
          found->second->bytes[byte] = {};
      }
    }
}

} // namespace heddle::check
