// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The usual access is one of a whole warp to words that were written before the last barrier: neighbouring words are compared and
// stored by vectors (ShadowRows.h), others in two short loops. Everything else goes the long way, a lane at a time.
#include "check/SharedShadow.h"

#include <algorithm>
#include <array>
#include <bit>

namespace heddle::check {
namespace {

template <class F> void eachLane(uint32_t mask, F f) {
  for (; mask; mask &= mask - 1)
    f(unsigned(std::countr_zero(mask)));
}

/// Two for each warp of the largest block.
constexpr size_t MostWriters = 64;

/// Sets of reads. A loop that reads and never writes would have ever more of them.
constexpr size_t MostPending = 256;

/// For each lane its bit, and that of the lane in the other half of the warp.
constexpr std::array<uint32_t, 32> OneLane = [] {
  std::array<uint32_t, 32> bits{};
  for (unsigned lane = 0; lane < 32; ++lane)
    bits[lane] = 1u << lane;
  return bits;
}();
constexpr std::array<uint32_t, 32> LaneInBothHalves = [] {
  std::array<uint32_t, 32> bits{};
  for (unsigned lane = 0; lane < 32; ++lane)
    bits[lane] = 0x10001u << lane % 16;
  return bits;
}();

/// Whether `past` is the write of a lane that comes before `lane` in this very instruction.
bool isOfThisAccess(const Past &past, unsigned lane, uint64_t address, unsigned bytes, const Touch &touch) {
  const unsigned other = past.thread % 32;
  return past.write && !past.flags && past.thread / 32 == touch.warp && past.stamp == touch.stamp &&
         past.instrId == touch.instrId && other < lane && touch.mask >> other & 1 && touch.addresses &&
         touch.addresses[other] < address + bytes && address < touch.addresses[other] + touch.bytes;
}

} // namespace

void SharedShadow::Grain::resize(size_t cells, unsigned planes) {
  if (count == cells && readAt.size() == cells * planes)
    return;
  count = cells;
  written.assign(cells, 0);
  read.assign(cells, 0);
  writes.assign(cells, {});
  readAt.assign(cells * planes, 0);
  weak.assign(cells * planes, 0);
  readBy.assign(cells * planes, 0);
  strong.assign(cells * planes, {});
}

SharedShadow::Reads SharedShadow::Grain::readsOf(unsigned warp, uint32_t cell) const {
  const size_t at = inPlane(warp, cell);
  const StrongReads some = strong[at].stamp == readAt[at] ? strong[at] : StrongReads();
  return {readAt[at], weak[at], some.lanes, some.volatiles, readBy[at]};
}

void SharedShadow::begin(unsigned warpCount, uint32_t bytes, Stamp start) {
  const size_t cells = (bytes + 3) / 4;
  // Cells that a copy or a split left behind do not grow old by themselves.
  for (Grain *grain : {&byWord, &byByte}) {
    for (auto &[cell, extra] : grain->extras)
      if (cell < grain->count)
        grain->clear(cell);
    grain->extras.clear();
  }
  pending.clear();
  newestWrite = 0;
  warps = warpCount, size = bytes, base = start;
  byWord.resize(cells, warps);
  if (byByte.count)
    byByte.resize(cells * 4, warps);
}

Past SharedShadow::pastOf(const Grain &grain, uint32_t cell) const {
  const LastWrite &last = grain.writes[cell];
  Past past{grain.written[cell], last.instrId, last.writer, last.strength, 0, true};
  if (past.stamp == Special) {
    auto extra = grain.extras.find(cell);
    past.stamp = extra == grain.extras.end() ? 0 : extra->second.stamp;
  }
  past.returns = last.flags & Returns;
  past.flags =
      uint8_t((last.flags & HasPending ? Past::Pending : 0) | (last.flags & ByEngine ? Past::Engine : 0));
  return past;
}

bool SharedShadow::isWritten(const Grain &grain, uint32_t cell) const { return grain.written[cell] > base; }

/// From now on this word's bytes have cells of their own.
void SharedShadow::split(uint32_t word) {
  if (byWord.writes[word].flags & Split)
    return;
  if (!byByte.count)
    byByte.resize(byWord.count * 4, warps);
  auto extra = byWord.extras.find(word);
  for (uint32_t b = 0; b < 4; ++b) {
    const uint32_t cell = word * 4 + b;
    byByte.written[cell] = byWord.written[word], byByte.read[cell] = byWord.read[word];
    byByte.writes[cell] = byWord.writes[word];
    if (extra != byWord.extras.end())
      byByte.extras[cell] = extra->second;
    for (unsigned w = 0; w < warps; ++w) {
      const size_t to = byByte.inPlane(w, cell), from = byWord.inPlane(w, word);
      byByte.readAt[to] = byWord.readAt[from], byByte.weak[to] = byWord.weak[from];
      byByte.readBy[to] = byWord.readBy[from], byByte.strong[to] = byWord.strong[from];
    }
  }
  byWord.writes[word] = {};
  newestWrite = Special;
  byWord.writes[word].flags = Split;
  byWord.written[word] = byWord.read[word] = Special;
  byWord.extras[word] = {};
}

// --- reading ----------------------------------------------------------------------------------------------

void SharedShadow::noteRead(Grain &grain, uint32_t cell, unsigned lane, const Touch &touch) {
  const size_t at = grain.inPlane(touch.warp, cell);
  if (grain.readAt[at] != touch.stamp)
    grain.readAt[at] = touch.stamp, grain.weak[at] = 0;
  if (isStrong(touch.strength)) {
    StrongReads &some = grain.strong[at];
    if (some.stamp != touch.stamp)
      some = {touch.stamp, 0, 0};
    some.lanes |= 1u << lane;
    if (touch.strength == Strength::Volatile)
      some.volatiles |= 1u << lane;
  } else {
    grain.weak[at] |= 1u << lane;
  }
  grain.readBy[at] = touch.instrId;
  grain.read[cell] = std::max(grain.read[cell], touch.stamp);
}

/// What the cell holds when this lane's write comes. Lanes of one instruction are looked at one after the
/// other, before any of them has changed the memory.
CellValue SharedShadow::valueBefore(const Grain &grain, uint32_t cell, unsigned lane, uint64_t address,
                                    const Touch &touch, AccessRules &rules) const {
  const Past last = pastOf(grain, cell);
  if (isOfThisAccess(last, lane, address, grain.bytes, touch))
    return rules.stored(last.thread % 32, address, grain.bytes);
  return rules.held(lane, address, grain.bytes);
}

bool SharedShadow::checkWriters(Grain &grain, uint32_t cell, unsigned lane, uint64_t address,
                                const Touch &touch, CellValue fresh, CellValue before, AccessRules &rules) {
  const LastWrite &word = grain.writes[cell];
  if (!isWritten(grain, cell) || word.flags & Marked)
    return false;
  const unsigned me = touch.warp * 32 + lane;
  auto isKnown = [&](const Past &past) {
    return past.thread == me || rules.knows(lane, past.thread, past.stamp);
  };
  auto isReported = [&](Past past, CellValue value, const Replaced &earlier) {
    past.sameValue = isSame(fresh, value);
    past.sameInstruction = isOfThisAccess(past, lane, address, grain.bytes, touch);
    if (!(past.flags & Past::Pending) && !past.sameInstruction && isKnown(past))
      return false;
    if (rules.clash(lane, address, past))
      return true;
    // Not with the last write, but with one before it that this thread does not know of.
    const Past older{earlier.stamp, earlier.instrId, past.thread, earlier.strength(), 0, true};
    return earlier.stamp > base && !isKnown(older) && rules.clash(lane, address, older);
  };
  const Past last = pastOf(grain, cell);
  const bool reported = isReported(last, before, word.earlier);
  if (!(word.flags & ManyWriters))
    return reported;
  // Who has the result of an atomic comes after the atomics before it on that word.
  const bool comesLast = last.returns && isKnown(last);
  for (Beside &beside : grain.extras[cell].writers) {
    if (beside.past.stamp <= touch.known ||
        (!beside.earlier.stamp &&
         (isSame(fresh, beside.value) || (comesLast && beside.past.strength == Strength::Atomic))))
      continue;
    for (uint32_t left = beside.lanes; left; left &= left - 1) {
      Past past = beside.past;
      past.thread = uint16_t(past.thread + std::countr_zero(left));
      if (isReported(past, beside.value, beside.earlier)) {
        beside.lanes = 0; // one lane of a warp is reported
        break;
      }
    }
  }
  return reported;
}

/// Beside the write that is the last now, `past` stays remembered.
void SharedShadow::addBeside(std::vector<Beside> &writers, Past past, CellValue value, Replaced earlier) {
  const uint32_t bit = 1u << past.thread % 32;
  past.thread = uint16_t(past.thread / 32 * 32);
  for (Beside &beside : writers)
    if (beside.past.thread == past.thread && beside.past.stamp == past.stamp &&
        beside.past.instrId == past.instrId && beside.past.strength == past.strength &&
        beside.value == value && beside.earlier == earlier) {
      beside.lanes |= bit;
      return;
    }
  if (writers.size() >= MostWriters) {
    auto ofSameWarp = std::find_if(writers.begin(), writers.end(),
                                   [&](const Beside &beside) { return beside.past.thread == past.thread; });
    writers.erase(ofSameWarp != writers.end() ? ofSameWarp : writers.begin() + 1);
  }
  writers.push_back({past, bit, value, earlier});
}

bool SharedShadow::readCell(Grain &grain, uint32_t cell, unsigned lane, uint64_t address, const Touch &touch,
                            AccessRules &rules) {
  checkWriters(grain, cell, lane, address, touch, {}, {}, rules);
  noteRead(grain, cell, lane, touch);
  return isWritten(grain, cell);
}

bool SharedShadow::readWord(uint32_t word, unsigned lane, uint64_t address, const Touch &touch,
                            AccessRules &rules) {
  if (!(byWord.writes[word].flags & Split))
    return readCell(byWord, word, lane, address, touch, rules);
  bool written = false;
  for (uint32_t b = 0; b < 4; ++b)
    written |= readCell(byByte, word * 4 + b, lane, address + b, touch, rules);
  return written;
}

void SharedShadow::read(const Touch &touch, AccessRules &rules) {
  settle();
  if (touch.bytes % 4)
    return readBytes(touch, rules);
  if (isStrong(touch.strength))
    return readStrong(touch, rules);
  const uint32_t count = touch.bytes / 4;
  const size_t plane = byWord.inPlane(touch.warp, 0);
  uint32_t unusual = 0, last = ~0u;
  for (uint32_t left = touch.mask; left; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    const uint32_t bit = 1u << lane, first = uint32_t(touch.addresses[lane] >> 2);
    // Neighbours often read the same word: the first of them has been through all that follows.
    if (first == last) {
      for (uint32_t i = 0; i < count; ++i)
        byWord.weak[plane + first + i] |= bit;
      continue;
    }
    last = first;
    if (readRow(first, count, bit, touch)) [[unlikely]] {
      unusual |= bit;
      last = ~0u;
    }
  }
  eachLane(unusual, [&](unsigned lane) { readWords(lane, touch, rules); });
}

/// Words that lanes read together, if all of them were written by this block, and not after what is known. Else returns the lanes.
uint32_t SharedShadow::readRow(uint32_t first, unsigned words, uint32_t lanes, const Touch &touch) {
  const Stamp from = base + 1, span = touch.known - base;
  for (uint32_t i = first; i < first + words; ++i)
    if (byWord.written[i] - from >= span) [[unlikely]]
      return lanes;
  for (uint32_t i = first; i < first + words; ++i) {
    const size_t at = byWord.inPlane(touch.warp, i);
    if (byWord.readAt[at] != touch.stamp) {
      byWord.readAt[at] = touch.stamp, byWord.weak[at] = 0, byWord.readBy[at] = touch.instrId;
      byWord.read[i] = std::max(byWord.read[i], touch.stamp);
    }
    byWord.weak[at] |= lanes;
  }
  return 0;
}

uint32_t SharedShadow::readGroups(const Touch &touch, const vm::PlainAccess &access) {
  settle();
  return noteGroups(touch, access);
}

uint32_t SharedShadow::noteGroups(const Touch &touch, const vm::PlainAccess &access) {
  const uint32_t words = access.bytes / 4, lanes = 32 / access.groups;
  // Rows of a tile: both halves of the warp read the same words.
  const bool isTwice = access.groups == 2 && access.addresses[0] == access.addresses[1];
  const uint32_t copies = isTwice ? 1u << lanes | 1u : 1u;
  uint32_t unusual = 0;
  for (uint32_t group = 0; group < access.groups; group += isTwice ? 2 : 1) {
    const auto first = uint32_t(access.addresses[group] >> 2);
    if (access.stride == 0) {
      unusual |= readRow(first, words, uint32_t((uint64_t(1) << lanes) - 1) * copies << group * lanes, touch);
      continue;
    }
    if (access.stride == 4 && words == 1 && lanes >= 8) {
      const size_t at = byWord.inPlane(touch.warp, first);
      const uint32_t *bits = (isTwice ? LaneInBothHalves : OneLane).data() + group * lanes;
      if (noteReads({&byWord.written[first], &byWord.read[first], &byWord.readAt[at], &byWord.weak[at],
                     &byWord.readBy[at], bits, base + 1, touch.known - base, touch.stamp, touch.instrId},
                    lanes))
        continue;
    }
    const auto step = uint32_t(access.stride / 4);
    for (uint32_t lane = 0; lane < lanes; ++lane)
      unusual |= readRow(first + lane * step, words, copies << (group * lanes + lane), touch);
  }
  return unusual;
}

// Sets of reads.

ReadSet::Read::Read(const vm::PlainAccess &access, uint32_t instruction)
    : bytes(access.bytes), groups(access.groups), instrId(instruction), stride(access.stride),
      firsts(access.addresses, access.addresses + access.groups) {}

vm::PlainAccess ReadSet::Read::access() const {
  return {vm::Space::Shared, false, ~0u, bytes, groups, stride, firsts.data()};
}

ReadSet::ReadSet(std::vector<Read> all) : reads(std::move(all)) {
  std::vector<Range> ranges;
  for (const Read &read : reads) {
    const uint32_t lanes = 32 / read.groups;
    for (uint64_t first : read.firsts)
      for (uint32_t lane = 0; lane < lanes; ++lane) {
        const auto word = uint32_t(first / 4 + int64_t(lane) * read.stride / 4);
        ranges.push_back({word, word + read.bytes / 4});
      }
  }
  std::ranges::sort(ranges, {}, &Range::first);
  for (const Range &each : ranges)
    if (!words.empty() && each.first <= words.back().end)
      words.back().end = std::max(words.back().end, each.end);
    else
      words.push_back(each);
}

bool SharedShadow::readSet(const Touch &touch, const std::shared_ptr<const ReadSet> &set) {
  if (set->reads.empty())
    return false;
  // Written once is written for the whole block, so later only the time matters.
  if (set->wereWritten != base || newestWrite > touch.known)
    for (const ReadSet::Range &range : set->words)
      if (!areInside(&byWord.written[range.first], range.end - range.first, base + 1, touch.known - base))
        return false;
  set->wereWritten = base;
  const bool isNoted = !pending.empty() && pending.back().set == set &&
                       pending.back().touch.warp == touch.warp && pending.back().touch.stamp == touch.stamp;
  if (isNoted)
    return true;
  if (pending.size() == MostPending)
    settle();
  pending.push_back({set, touch});
  return true;
}

/// Words were written before reads of them came here; nothing has been written since.
void SharedShadow::notePending(Stamp knownToAll) {
  for (const Pending &each : pending) {
    if (each.touch.stamp <= knownToAll)
      continue;
    Touch touch = each.touch;
    for (const ReadSet::Read &read : each.set->reads) {
      touch.bytes = read.bytes, touch.instrId = read.instrId;
      noteGroups(touch, read.access());
    }
  }
  pending.clear();
}

void SharedShadow::readStrong(const Touch &touch, AccessRules &rules) {
  eachLane(touch.mask, [&](unsigned lane) { readWords(lane, touch, rules); });
}

void SharedShadow::readWords(unsigned lane, const Touch &touch, AccessRules &rules) {
  bool written = false;
  for (uint32_t i = 0; i < touch.bytes / 4; ++i)
    written |=
        readWord(uint32_t(touch.addresses[lane] >> 2) + i, lane, touch.addresses[lane] + 4 * i, touch, rules);
  if (!written)
    rules.unwritten(lane, touch.addresses[lane]);
}

void SharedShadow::readBytes(const Touch &touch, AccessRules &rules) {
  eachLane(touch.mask, [&](unsigned lane) {
    const uint32_t first = uint32_t(touch.addresses[lane]);
    bool written = false;
    for (uint32_t b = 0; b < touch.bytes; ++b) {
      split((first + b) / 4);
      written |= readCell(byByte, first + b, lane, first + b, touch, rules);
    }
    if (!written)
      rules.unwritten(lane, first);
  });
}

// --- writing ----------------------------------------------------------------------------------------------

void SharedShadow::checkReaders(Grain &grain, uint32_t cell, unsigned lane, uint64_t address,
                                const Touch &touch, AccessRules &rules) {
  if (grain.read[cell] <= touch.known || grain.read[cell] <= base)
    return;
  if (grain.writes[cell].flags & PendingReader)
    rules.clash(lane, address, grain.extras[cell].reader);
  for (unsigned w = 0; w < warps; ++w) {
    const Reads reads = grain.readsOf(w, cell);
    if (reads.stamp <= base || reads.stamp <= touch.known)
      continue;
    uint32_t lanes = reads.weak | reads.strong;
    if (w == touch.warp)
      lanes &= ~(1u << lane);
    for (; lanes; lanes &= lanes - 1) {
      const unsigned other = unsigned(std::countr_zero(lanes));
      if (rules.knows(lane, w * 32 + other, reads.stamp))
        continue;
      const Strength strength = reads.weak >> other & 1        ? Strength::Weak
                                : reads.volatiles >> other & 1 ? Strength::Volatile
                                                               : Strength::Relaxed;
      rules.clash(lane, address, {reads.stamp, reads.instrId, uint16_t(w * 32 + other), strength, 0, false});
      break; // one lane of a warp is reported
    }
  }
}

void SharedShadow::forget(Grain &grain, uint32_t cell) {
  LastWrite &word = grain.writes[cell];
  if (word.flags & PendingReader) {
    word.flags = PendingReader;
    grain.extras[cell].writers.clear();
  } else if (word.flags) {
    word.flags = 0;
    grain.extras.erase(cell);
  }
}

void SharedShadow::writeCell(Grain &grain, uint32_t cell, unsigned lane, uint64_t address, const Touch &touch,
                             AccessRules &rules) {
  LastWrite &word = grain.writes[cell];
  const uint16_t me = uint16_t(touch.warp * 32 + lane);
  const Past last = pastOf(grain, cell);
  const bool isFirst = !isWritten(grain, cell) || word.flags & Marked;
  CellValue fresh, before;
  if (!isFirst)
    fresh = rules.stored(lane, address, grain.bytes);
  if (!isFirst && last.strength != Strength::Atomic) // what an atomic leaves there is equal by chance
    before = valueBefore(grain, cell, lane, address, touch, rules);
  const bool reported = checkWriters(grain, cell, lane, address, touch, fresh, before, rules);
  checkReaders(grain, cell, lane, address, touch, rules);
  // Writes that may happen at the same time as this one are remembered beside it: a later access may be
  // ordered after this one and not after them.
  std::vector<Beside> writers;
  if (word.flags & ManyWriters)
    writers = std::move(grain.extras[cell].writers);
  if (!isFirst && !reported && !(last.flags & Past::Pending) && last.thread != me)
    addBeside(writers, last, before, word.earlier);
  // This write takes the place of those of the same thread and value. Others stay: they are still unordered with
  // other threads. For the last write `earlier` states that, without a list.
  Replaced earlier;
  auto keep = [&](const Replaced &one) {
    if (isRatherKept(one, earlier))
      earlier = one;
  };
  if (!isFirst && last.thread == me) {
    keep(word.earlier);
    if (!represents(touch.strength, last.strength, isSame(fresh, before)))
      keep({last.stamp, last.instrId, last.strength});
  }
  for (Beside &beside : writers)
    if (beside.past.thread / 32 == touch.warp && beside.lanes >> lane & 1 &&
        represents(touch.strength, beside.past.strength, isSame(fresh, beside.value))) {
      keep(beside.earlier);
      beside.lanes &= ~(1u << lane);
    }
  std::erase_if(writers,
                [&](const Beside &beside) { return !beside.lanes || beside.past.stamp <= touch.known; });
  forget(grain, cell);
  grain.written[cell] = touch.stamp;
  word.writer = me, word.instrId = touch.instrId, word.strength = touch.strength;
  word.earlier = earlier;
  if (touch.returns)
    word.flags |= Returns;
  if (writers.empty())
    return;
  word.flags |= ManyWriters;
  newestWrite = Special;
  grain.written[cell] = Special;
  Extra &extra = grain.extras[cell];
  extra.stamp = touch.stamp;
  extra.writers = std::move(writers);
}

void SharedShadow::writeWord(uint32_t word, unsigned lane, uint64_t address, const Touch &touch,
                             AccessRules &rules) {
  if (!(byWord.writes[word].flags & Split))
    return writeCell(byWord, word, lane, address, touch, rules);
  for (uint32_t b = 0; b < 4; ++b)
    writeCell(byByte, word * 4 + b, lane, address + b, touch, rules);
}

bool SharedShadow::isQuiet(const uint64_t *addresses, uint32_t mask, uint32_t bytes, Stamp known) {
  settle();
  if (bytes % 4)
    return false;
  for (uint32_t left = mask; left; left &= left - 1) {
    const auto first = uint32_t(addresses[std::countr_zero(left)] >> 2);
    for (uint32_t i = first; i < first + bytes / 4; ++i)
      if (byWord.written[i] > known || byWord.read[i] > known || byWord.writes[i].flags)
        return false;
  }
  return true;
}

void SharedShadow::write(const Touch &touch, AccessRules &rules) {
  settle();
  newestWrite = std::max(newestWrite, touch.stamp);
  if (touch.bytes % 4)
    return writeBytes(touch, rules);
  const uint32_t count = touch.bytes / 4;
  for (uint32_t left = touch.mask; left; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    const uint32_t first = uint32_t(touch.addresses[lane] >> 2);
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t word = first + i;
      if (byWord.written[word] > touch.known || byWord.read[word] > touch.known ||
          byWord.writes[word].flags) {
        writeWord(word, lane, touch.addresses[lane] + 4 * i, touch, rules);
        continue;
      }
      byWord.written[word] = touch.stamp;
      byWord.writes[word] = {{}, touch.instrId, uint16_t(touch.warp * 32 + lane), touch.strength, 0};
    }
  }
}

bool SharedShadow::writeGroups(const Touch &touch, const vm::PlainAccess &access) {
  settle();
  newestWrite = std::max(newestWrite, touch.stamp);
  const uint32_t lanes = 32 / access.groups;
  if (access.bytes != 4 || access.stride != 4)
    return false;
  auto rowOf = [&](uint32_t group) {
    const auto first = uint32_t(access.addresses[group] >> 2);
    return WriteRow{&byWord.written[first],
                    &byWord.read[first],
                    &byWord.writes[first],
                    touch.known,
                    touch.stamp,
                    touch.instrId,
                    uint16_t(touch.warp * 32 + group * lanes)};
  };
  for (uint32_t group = 0; group < access.groups; ++group)
    if (!check::isQuiet(rowOf(group), lanes))
      return false;
  for (uint32_t group = 0; group < access.groups; ++group)
    noteWrites(rowOf(group), lanes);
  return true;
}

void SharedShadow::writeBytes(const Touch &touch, AccessRules &rules) {
  eachLane(touch.mask, [&](unsigned lane) {
    const uint32_t first = uint32_t(touch.addresses[lane]);
    for (uint32_t b = 0; b < touch.bytes; ++b) {
      split((first + b) / 4);
      writeCell(byByte, first + b, lane, first + b, touch, rules);
    }
  });
}

// --- copies -----------------------------------------------------------------------------------------------

void SharedShadow::beginCopyTo(const Touch &touch, unsigned lane, uint32_t offset, uint32_t bytes,
                               AccessRules &rules) {
  settle();
  newestWrite = Special;
  for (uint32_t at = offset; at < offset + bytes && at < size; at += 4) {
    const uint32_t cell = at / 4;
    writeWord(cell, lane, at, touch, rules);
    for (uint32_t b = 0; b < 4; ++b) {
      const bool apart = byWord.writes[cell].flags & Split;
      Grain &grain = apart ? byByte : byWord;
      const uint32_t which = apart ? cell * 4 + b : cell;
      grain.extras[which].stamp = touch.stamp;
      grain.written[which] = Special;
      grain.writes[which].flags |= HasPending;
      if (!apart)
        break;
    }
  }
}

void SharedShadow::endCopyTo(uint32_t offset, uint32_t bytes, unsigned thread, Stamp stamp, uint32_t instrId,
                             bool engine) {
  settle();
  newestWrite = Special;
  for (uint32_t at = offset; at < offset + bytes && at < size; at += 4)
    for (uint32_t b = 0; b < 4; ++b) {
      const bool apart = byWord.writes[at / 4].flags & Split;
      Grain &grain = apart ? byByte : byWord;
      const uint32_t cell = apart ? at + b : at / 4;
      LastWrite &word = grain.writes[cell];
      if (word.flags & HasPending) {
        forget(grain, cell);
        grain.written[cell] = stamp;
        word.writer = uint16_t(thread), word.instrId = instrId;
        word.strength = Strength::Weak, word.earlier = {};
        if (engine) {
          word.flags |= ByEngine;
          grain.written[cell] = Special;
          grain.extras[cell].stamp = stamp;
        }
      }
      if (!apart)
        break;
    }
}

void SharedShadow::beginCopyFrom(const Touch &touch, unsigned lane, uint32_t offset, uint32_t bytes,
                                 AccessRules &rules) {
  settle();
  newestWrite = Special;
  for (uint32_t at = offset; at < offset + bytes && at < size; at += 4) {
    const bool written = readWord(at / 4, lane, at, touch, rules);
    if (at == offset && !written)
      rules.unwritten(lane, at);
    const uint32_t word = at / 4;
    if (byWord.writes[word].flags & Split)
      continue;
    Extra &extra = byWord.extras[word];
    if (byWord.written[word] != Special)
      extra.stamp = byWord.written[word];
    extra.reader = {touch.stamp,    touch.instrId, uint16_t(touch.warp * 32 + lane),
                    Strength::Weak, Past::Pending, false};
    byWord.writes[word].flags |= PendingReader;
    byWord.read[word] = Special;
  }
}

void SharedShadow::endCopyFrom(uint32_t offset, uint32_t bytes, unsigned thread, Stamp stamp,
                               uint32_t instrId) {
  settle();
  newestWrite = Special;
  Touch touch;
  touch.warp = thread / 32, touch.stamp = stamp, touch.instrId = instrId;
  for (uint32_t at = offset; at < offset + bytes && at < size; at += 4) {
    LastWrite &word = byWord.writes[at / 4];
    if (!(word.flags & PendingReader))
      continue;
    word.flags &= uint8_t(~PendingReader);
    Stamp &read = byWord.read[at / 4];
    read = 0;
    for (unsigned w = 0; w < warps; ++w)
      read = std::max(read, byWord.readAt[byWord.inPlane(w, at / 4)]);
    noteRead(byWord, at / 4, thread % 32, touch);
    if (!word.flags)
      byWord.extras.erase(at / 4);
  }
}

void SharedShadow::markWritten(uint32_t offset, uint32_t bytes) {
  settle();
  newestWrite = Special;
  for (uint32_t at = offset; at < offset + bytes && at < size; at += 4) {
    const uint32_t word = at / 4;
    if (byWord.writes[word].flags & Split || byWord.written[word] > base)
      continue;
    byWord.written[word] = Special;
    byWord.writes[word].flags |= Marked;
    byWord.extras[word] = {};
  }
}

bool SharedShadow::lastWrite(uint32_t offset, Past &past) const {
  const bool apart = byWord.writes[offset / 4].flags & Split;
  const Grain &grain = apart ? byByte : byWord;
  const uint32_t cell = apart ? offset : offset / 4;
  if (!isWritten(grain, cell) || grain.writes[cell].flags & Marked)
    return false;
  past = pastOf(grain, cell);
  return true;
}

} // namespace heddle::check
