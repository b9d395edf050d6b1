// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/ShadowRows.h"

#include "vm/HostVersions.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace heddle::check {
namespace {

using Vector = uint32_t __attribute__((vector_size(32)));
constexpr unsigned InVector = sizeof(Vector) / sizeof(uint32_t);

HEDDLE_INLINE Vector load(const uint32_t *from) {
  Vector value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
HEDDLE_INLINE void store(uint32_t *to, Vector value) { std::memcpy(to, &value, sizeof value); }

HEDDLE_INLINE bool noteReadsOf(const ReadRow &row, unsigned words) {
  Vector unusual{};
  for (unsigned i = 0; i < words; i += InVector)
    unusual |= Vector(load(row.written + i) - row.from >= row.span);
  if (__builtin_reduce_or(unusual))
    return false;
  const Vector stamp = row.stamp + Vector{}, instrId = row.instrId + Vector{};
  for (unsigned i = 0; i < words; i += InVector) {
    const Vector again = Vector(load(row.readAt + i) == stamp), read = load(row.read + i);
    store(row.weak + i, (load(row.weak + i) & again) | load(row.lanes + i));
    store(row.readBy + i, (load(row.readBy + i) & again) | (instrId & ~again));
    store(row.read + i, read > stamp ? read : stamp);
    store(row.readAt + i, stamp);
  }
  return true;
}

HEDDLE_INLINE bool areAllInside(const uint32_t *numbers, unsigned count, uint32_t from, uint32_t span) {
  Vector outside{};
  unsigned i = 0;
  for (; i + InVector <= count; i += InVector)
    outside |= Vector(load(numbers + i) - from >= span);
  bool isOutside = __builtin_reduce_or(outside);
  for (; i < count; ++i)
    isOutside |= numbers[i] - from >= span;
  return !isOutside;
}

bool areInsidePlain(const uint32_t *numbers, unsigned count, uint32_t from, uint32_t span) {
  return areAllInside(numbers, count, from, span);
}
HEDDLE_WIDE bool areInsideWide(const uint32_t *numbers, unsigned count, uint32_t from, uint32_t span) {
  return areAllInside(numbers, count, from, span);
}

HEDDLE_INLINE bool isQuietRow(const WriteRow &row, unsigned words) {
  Vector late{};
  unsigned at = 0;
  for (; at + InVector <= words; at += InVector)
    late |= Vector(load(row.written + at) > row.known) | Vector(load(row.read + at) > row.known);
  bool isLate = __builtin_reduce_or(late);
  for (; at < words; ++at)
    isLate |= row.written[at] > row.known || row.read[at] > row.known;
  // Flags are bytes of larger numbers: these are combined as they are.
  uint64_t all = 0;
  static_assert(sizeof(LastWrite) == 16 && offsetof(LastWrite, flags) == 15);
  for (unsigned i = 0; i < words; ++i) {
    uint64_t last;
    std::memcpy(&last, reinterpret_cast<const uint8_t *>(row.writes + i) + 8, sizeof last);
    all |= last;
  }
  return !(all >> 56) && !isLate;
}

bool isQuietPlain(const WriteRow &row, unsigned words) { return isQuietRow(row, words); }
HEDDLE_WIDE bool isQuietWide(const WriteRow &row, unsigned words) { return isQuietRow(row, words); }

bool noteReadsPlain(const ReadRow &row, unsigned words) { return noteReadsOf(row, words); }
HEDDLE_WIDE bool noteReadsWide(const ReadRow &row, unsigned words) { return noteReadsOf(row, words); }

} // namespace

bool noteReads(const ReadRow &row, unsigned words) {
  return vm::wideLanes() ? noteReadsWide(row, words) : noteReadsPlain(row, words);
}

bool areInside(const uint32_t *numbers, unsigned count, uint32_t from, uint32_t span) {
  return vm::wideLanes() ? areInsideWide(numbers, count, from, span)
                         : areInsidePlain(numbers, count, from, span);
}

bool isQuiet(const WriteRow &row, unsigned words) {
  return vm::wideLanes() ? isQuietWide(row, words) : isQuietPlain(row, words);
}

void noteWrites(const WriteRow &row, unsigned words) {
  std::fill_n(row.written, words, row.stamp);
  // As two numbers each, of which the second one grows: that is what vectors are made of.
  static_assert(offsetof(LastWrite, instrId) == 8 && offsetof(LastWrite, writer) == 12);
  const LastWrite first{{}, row.instrId, row.writer, Strength::Weak, 0};
  uint64_t halves[2];
  std::memcpy(halves, &first, sizeof first);
  for (unsigned i = 0; i < words; ++i, halves[1] += uint64_t(1) << 32)
    std::memcpy(static_cast<void *>(row.writes + i), halves, sizeof halves);
}

} // namespace heddle::check
