// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usual accesses of a warp to neighbouring words of the shadow, by vectors (SharedShadow.h).
#pragma once

#include "check/Clock.h"

#include <cstdint>

namespace heddle::check {

/// What an access requires of the memory model. Two strong ones never race; a weak one may with either.
enum class Strength : uint8_t { Weak, Volatile, Relaxed, Atomic };
inline bool isStrong(Strength strength) { return strength != Strength::Weak; }

/// Of the writes of a thread that its last one does not represent, the newest of the weakest. stamp 0: none.
struct Replaced {
  Stamp stamp = 0;
  uint32_t instrId : 30 = 0;
  uint32_t kind : 2 = 0; ///< a Strength

  Replaced() = default;
  Replaced(Stamp when, uint32_t instr, Strength strength)
      : stamp(when), instrId(instr), kind(uint32_t(strength)) {}
  Strength strength() const { return Strength(kind); }
  bool operator==(const Replaced &) const = default;
};
inline bool isRatherKept(const Replaced &a, const Replaced &b) {
  return !b.stamp || (a.stamp && (a.kind != b.kind ? a.kind < b.kind : a.stamp > b.stamp));
}

/// The last write of a cell, but for its time.
struct LastWrite {
  Replaced earlier; ///< by the writer
  uint32_t instrId = 0;
  uint16_t writer = 0;
  Strength strength = Strength::Weak;
  uint8_t flags = 0;
};

/// Neighbouring words, each read by some lanes of one warp at `stamp`.
struct ReadRow {
  const Stamp *written = nullptr;
  Stamp *read = nullptr, *readAt = nullptr;
  uint32_t *weak = nullptr, *readBy = nullptr;
  const uint32_t *lanes = nullptr; ///< by word
  Stamp from = 0, span = 0;        ///< usual times of the last writes: from `from` on
  Stamp stamp = 0;
  uint32_t instrId = 0;
};

/// Notes the reads of a multiple of 8 words. False: one of them was written at another time, and nothing is noted.
bool noteReads(const ReadRow &row, unsigned words);

/// Whether all of these numbers are at least `from`, by less than `span`.
bool areInside(const uint32_t *numbers, unsigned count, uint32_t from, uint32_t span);

/// Neighbouring words, each written by one lane: the first by thread `writer`, and so on.
struct WriteRow {
  Stamp *written = nullptr;
  const Stamp *read = nullptr;
  LastWrite *writes = nullptr;
  Stamp known = 0, stamp = 0;
  uint32_t instrId = 0;
  uint16_t writer = 0;
};

/// Whether all of these words were last accessed at a time that is known, by plain accesses.
bool isQuiet(const WriteRow &row, unsigned words);
void noteWrites(const WriteRow &row, unsigned words);

} // namespace heddle::check
