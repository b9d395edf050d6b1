// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/ShadowRows.h"

#include "vm/HostVersions.h"

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

bool noteReadsPlain(const ReadRow &row, unsigned words) { return noteReadsOf(row, words); }
HEDDLE_WIDE bool noteReadsWide(const ReadRow &row, unsigned words) { return noteReadsOf(row, words); }

} // namespace

bool noteReads(const ReadRow &row, unsigned words) {
  return vm::wideLanes() ? noteReadsWide(row, words) : noteReadsPlain(row, words);
}

bool isQuiet(const WriteRow &row, unsigned words) {
  uint32_t unusual = 0;
  for (unsigned i = 0; i < words; ++i)
    unusual |= uint32_t(row.written[i] > row.known) | uint32_t(row.read[i] > row.known) | row.writes[i].flags;
  return !unusual;
}

void noteWrites(const WriteRow &row, unsigned words) {
  for (unsigned i = 0; i < words; ++i) {
    row.written[i] = row.stamp;
    row.writes[i] = {{}, row.instrId, uint16_t(row.writer + i), Strength::Weak, 0};
  }
}

} // namespace heddle::check
