// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The usual access is one of a whole warp to words that were written before the last barrier: that costs a
// compare and two stores per lane, in two short loops. Everything else goes the long way, a lane at a time.
#include "check/SharedShadow.h"

#include <algorithm>
#include <bit>

namespace heddle::check {
namespace {

template <class F> void eachLane(uint32_t mask, F f) {
  for (; mask; mask &= mask - 1)
    f(unsigned(std::countr_zero(mask)));
}

/// Two for each warp of the largest block.
constexpr size_t MostWriters = 64;

/// Whether `past` is the write of a lane that comes before `lane` in this very instruction.
bool isOfThisAccess(const Past &past, unsigned lane, uint64_t address, unsigned bytes, const Touch &touch) {
  const unsigned other = past.thread % 32;
  return past.write && !past.flags && past.thread / 32 == touch.warp && past.stamp == touch.stamp &&
         past.instrId == touch.instrId && other < lane && touch.mask >> other & 1 && touch.addresses &&
         touch.addresses[other] < address + bytes && address < touch.addresses[other] + touch.bytes;
}

} // namespace

void SharedShadow::Grain::resize(size_t cells, unsigned planes) {
  if (count == cells && reads.size() == cells * planes)
    return;
  count = cells;
  words.assign(cells, {});
  reads.assign(cells * planes, {});
}

void SharedShadow::begin(unsigned warpCount, uint32_t bytes, Stamp start) {
  const size_t cells = (bytes + 3) / 4;
  // Cells that a copy or a split left behind do not grow old by themselves.
  for (Grain *grain : {&byWord, &byByte}) {
    for (auto &[cell, extra] : grain->extras)
      if (cell < grain->words.size())
        grain->words[cell] = {};
    grain->extras.clear();
  }
  warps = warpCount, size = bytes, base = start;
  byWord.resize(cells, warps);
  if (!byByte.words.empty())
    byByte.resize(cells * 4, warps);
}

Past SharedShadow::pastOf(const Grain &grain, uint32_t cell) const {
  const Word &word = grain.words[cell];
  Past past{word.write, word.instrId, word.writer, word.strength, 0, true};
  if (word.write == Special) {
    auto extra = grain.extras.find(cell);
    past.stamp = extra == grain.extras.end() ? 0 : extra->second.stamp;
  }
  past.returns = word.flags & Returns;
  past.flags =
      uint8_t((word.flags & HasPending ? Past::Pending : 0) | (word.flags & ByEngine ? Past::Engine : 0));
  return past;
}

bool SharedShadow::isWritten(const Grain &grain, uint32_t cell) const {
  return grain.words[cell].write > base;
}

/// From now on this word's bytes have cells of their own.
void SharedShadow::split(uint32_t word) {
  Word &whole = byWord.words[word];
  if (whole.flags & Split)
    return;
  if (byByte.words.empty())
    byByte.resize(byWord.count * 4, warps);
  auto extra = byWord.extras.find(word);
  for (uint32_t b = 0; b < 4; ++b) {
    const uint32_t cell = word * 4 + b;
    byByte.words[cell] = whole;
    if (extra != byWord.extras.end())
      byByte.extras[cell] = extra->second;
    for (unsigned w = 0; w < warps; ++w)
      byByte.plane(w)[cell] = byWord.plane(w)[word];
  }
  whole = {};
  whole.flags = Split;
  whole.write = whole.read = Special;
  byWord.extras[word] = {};
}

// --- reading ----------------------------------------------------------------------------------------------

void SharedShadow::noteRead(Grain &grain, uint32_t cell, unsigned lane, const Touch &touch) {
  Reads &reads = grain.plane(touch.warp)[cell];
  if (reads.stamp != touch.stamp)
    reads = {touch.stamp, 0, 0, 0, touch.instrId};
  (isStrong(touch.strength) ? reads.strong : reads.weak) |= 1u << lane;
  if (touch.strength == Strength::Volatile)
    reads.volatiles |= 1u << lane;
  reads.instrId = touch.instrId;
  Word &word = grain.words[cell];
  word.read = std::max(word.read, touch.stamp);
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
  const Word &word = grain.words[cell];
  if (word.write <= base || word.flags & Marked)
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
  if (!(byWord.words[word].flags & Split))
    return readCell(byWord, word, lane, address, touch, rules);
  bool written = false;
  for (uint32_t b = 0; b < 4; ++b)
    written |= readCell(byByte, word * 4 + b, lane, address + b, touch, rules);
  return written;
}

void SharedShadow::read(const Touch &touch, AccessRules &rules) {
  if (touch.bytes % 4)
    return readBytes(touch, rules);
  if (isStrong(touch.strength))
    return readStrong(touch, rules);
  const uint32_t count = touch.bytes / 4;
  const Stamp from = base + 1, span = touch.known - base;
  Word *const words = byWord.words.data();
  Reads *const plane = byWord.plane(touch.warp);
  uint32_t unusual = 0, last = ~0u;
  for (uint32_t left = touch.mask; left; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    const uint32_t bit = 1u << lane, first = uint32_t(touch.addresses[lane] >> 2);
    // Neighbours often read the same word: the first of them has been through all that follows.
    if (first == last) {
      for (uint32_t i = 0; i < count; ++i)
        plane[first + i].weak |= bit;
      continue;
    }
    last = first;
    for (uint32_t i = 0; i < count; ++i) {
      Word &word = words[first + i];
      // Written by this block, and not after what is known: one compare.
      if (word.write - from >= span) [[unlikely]] {
        unusual |= bit;
        last = ~0u;
        break;
      }
      Reads &reads = plane[first + i];
      if (reads.stamp != touch.stamp) {
        reads = {touch.stamp, 0, 0, 0, touch.instrId};
        if (word.read < touch.stamp)
          word.read = touch.stamp;
      }
      reads.weak |= bit;
    }
  }
  eachLane(unusual, [&](unsigned lane) { readWords(lane, touch, rules); });
}

uint32_t SharedShadow::readGroups(const Touch &touch, const vm::PlainAccess &access) {
  const uint32_t count = access.bytes / 4, lanes = 32 / access.groups;
  const Stamp from = base + 1, span = touch.known - base;
  Word *const words = byWord.words.data();
  Reads *const plane = byWord.plane(touch.warp);
  const Stamp stamp = touch.stamp;
  const uint32_t instrId = touch.instrId;
  auto note = [&](Word &word, Reads &reads, uint32_t mask) {
    if (reads.stamp == stamp) {
      reads.weak |= mask;
      return;
    }
    reads = {stamp, mask, 0, 0, instrId};
    word.read = std::max(word.read, stamp);
  };
  auto read = [&](uint32_t first, uint32_t mask) {
    for (uint32_t i = first; i < first + count; ++i)
      if (words[i].write - from >= span) [[unlikely]]
        return mask;
    for (uint32_t i = first; i < first + count; ++i)
      note(words[i], plane[i], mask);
    return uint32_t(0);
  };
  // Rows of a tile: both halves of the warp read the same words.
  const bool isTwice = access.groups == 2 && access.addresses[0] == access.addresses[1];
  const uint32_t copies = isTwice ? 1u << lanes | 1u : 1u;
  uint32_t unusual = 0;
  for (uint32_t group = 0; group < access.groups; group += isTwice ? 2 : 1) {
    const auto first = uint32_t(access.addresses[group] >> 2);
    if (access.stride == 0) {
      unusual |= read(first, uint32_t((uint64_t(1) << lanes) - 1) * copies << group * lanes);
      continue;
    }
    const auto step = uint32_t(access.stride / 4);
    if (count == 1 && step == 1) {
      Word *word = words + first;
      Reads *reads = plane + first;
      for (uint32_t mask = copies << group * lanes, left = lanes; left; --left, mask <<= 1, ++word, ++reads)
        if (word->write - from < span) [[likely]]
          note(*word, *reads, mask);
        else
          unusual |= mask;
      continue;
    }
    for (uint32_t lane = 0; lane < lanes; ++lane)
      unusual |= read(first + lane * step, copies << (group * lanes + lane));
  }
  return unusual;
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
  const Word &word = grain.words[cell];
  if (word.read <= touch.known || word.read <= base)
    return;
  if (word.flags & PendingReader)
    rules.clash(lane, address, grain.extras[cell].reader);
  for (unsigned w = 0; w < warps; ++w) {
    const Reads reads = grain.plane(w)[cell];
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
  Word &word = grain.words[cell];
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
  Word &word = grain.words[cell];
  const uint16_t me = uint16_t(touch.warp * 32 + lane);
  const Past last = pastOf(grain, cell);
  const bool isFirst = word.write <= base || word.flags & Marked;
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
  word.write = touch.stamp, word.writer = me, word.instrId = touch.instrId, word.strength = touch.strength;
  word.earlier = earlier;
  if (touch.returns)
    word.flags |= Returns;
  if (writers.empty())
    return;
  word.flags |= ManyWriters;
  word.write = Special;
  Extra &extra = grain.extras[cell];
  extra.stamp = touch.stamp;
  extra.writers = std::move(writers);
}

void SharedShadow::writeWord(uint32_t word, unsigned lane, uint64_t address, const Touch &touch,
                             AccessRules &rules) {
  if (!(byWord.words[word].flags & Split))
    return writeCell(byWord, word, lane, address, touch, rules);
  for (uint32_t b = 0; b < 4; ++b)
    writeCell(byByte, word * 4 + b, lane, address + b, touch, rules);
}

bool SharedShadow::isQuiet(const uint64_t *addresses, uint32_t mask, uint32_t bytes, Stamp known) const {
  if (bytes % 4)
    return false;
  for (uint32_t left = mask; left; left &= left - 1) {
    const auto first = uint32_t(addresses[std::countr_zero(left)] >> 2);
    for (uint32_t i = first; i < first + bytes / 4; ++i)
      if (const Word &word = byWord.words[i]; word.write > known || word.read > known || word.flags)
        return false;
  }
  return true;
}

void SharedShadow::write(const Touch &touch, AccessRules &rules) {
  if (touch.bytes % 4)
    return writeBytes(touch, rules);
  const uint32_t count = touch.bytes / 4;
  Word *const words = byWord.words.data();
  for (uint32_t left = touch.mask; left; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    const uint32_t first = uint32_t(touch.addresses[lane] >> 2);
    for (uint32_t i = 0; i < count; ++i) {
      Word &word = words[first + i];
      if (word.write > touch.known || word.read > touch.known || word.flags) {
        writeWord(first + i, lane, touch.addresses[lane] + 4 * i, touch, rules);
        continue;
      }
      word.write = touch.stamp;
      word.writer = uint16_t(touch.warp * 32 + lane);
      word.instrId = touch.instrId;
      word.strength = touch.strength;
      word.earlier = {};
    }
  }
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
  for (uint32_t at = offset; at < offset + bytes && at < size; at += 4) {
    const uint32_t cell = at / 4;
    writeWord(cell, lane, at, touch, rules);
    for (uint32_t b = 0; b < 4; ++b) {
      const bool apart = byWord.words[cell].flags & Split;
      Grain &grain = apart ? byByte : byWord;
      const uint32_t which = apart ? cell * 4 + b : cell;
      Word &word = grain.words[which];
      grain.extras[which].stamp = touch.stamp;
      word.write = Special;
      word.flags |= HasPending;
      if (!apart)
        break;
    }
  }
}

void SharedShadow::endCopyTo(uint32_t offset, uint32_t bytes, unsigned thread, Stamp stamp, uint32_t instrId,
                             bool engine) {
  for (uint32_t at = offset; at < offset + bytes && at < size; at += 4)
    for (uint32_t b = 0; b < 4; ++b) {
      const bool apart = byWord.words[at / 4].flags & Split;
      Grain &grain = apart ? byByte : byWord;
      const uint32_t cell = apart ? at + b : at / 4;
      Word &word = grain.words[cell];
      if (word.flags & HasPending) {
        forget(grain, cell);
        word.write = stamp, word.writer = uint16_t(thread), word.instrId = instrId;
        word.strength = Strength::Weak, word.earlier = {};
        if (engine) {
          word.flags |= ByEngine;
          word.write = Special;
          grain.extras[cell].stamp = stamp;
        }
      }
      if (!apart)
        break;
    }
}

void SharedShadow::beginCopyFrom(const Touch &touch, unsigned lane, uint32_t offset, uint32_t bytes,
                                 AccessRules &rules) {
  for (uint32_t at = offset; at < offset + bytes && at < size; at += 4) {
    const bool written = readWord(at / 4, lane, at, touch, rules);
    if (at == offset && !written)
      rules.unwritten(lane, at);
    if (byWord.words[at / 4].flags & Split)
      continue;
    Word &word = byWord.words[at / 4];
    Extra &extra = byWord.extras[at / 4];
    if (word.write != Special)
      extra.stamp = word.write;
    extra.reader = {touch.stamp,    touch.instrId, uint16_t(touch.warp * 32 + lane),
                    Strength::Weak, Past::Pending, false};
    word.flags |= PendingReader;
    word.read = Special;
  }
}

void SharedShadow::endCopyFrom(uint32_t offset, uint32_t bytes, unsigned thread, Stamp stamp,
                               uint32_t instrId) {
  Touch touch;
  touch.warp = thread / 32, touch.stamp = stamp, touch.instrId = instrId;
  for (uint32_t at = offset; at < offset + bytes && at < size; at += 4) {
    Word &word = byWord.words[at / 4];
    if (!(word.flags & PendingReader))
      continue;
    word.flags &= uint8_t(~PendingReader);
    word.read = 0;
    for (unsigned w = 0; w < warps; ++w)
      word.read = std::max(word.read, byWord.plane(w)[at / 4].stamp);
    noteRead(byWord, at / 4, thread % 32, touch);
    if (!word.flags)
      byWord.extras.erase(at / 4);
  }
}

void SharedShadow::markWritten(uint32_t offset, uint32_t bytes) {
  for (uint32_t at = offset; at < offset + bytes && at < size; at += 4) {
    Word &word = byWord.words[at / 4];
    if (word.flags & Split || word.write > base)
      continue;
    word.write = Special;
    word.flags |= Marked;
    byWord.extras[at / 4] = {};
  }
}

bool SharedShadow::lastWrite(uint32_t offset, Past &past) const {
  const bool apart = byWord.words[offset / 4].flags & Split;
  const Grain &grain = apart ? byByte : byWord;
  const uint32_t cell = apart ? offset : offset / 4;
  if (grain.words[cell].write <= base || grain.words[cell].flags & Marked)
    return false;
  past = pastOf(grain, cell);
  return true;
}

} // namespace heddle::check
