// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Video Instructions": arithmetic on a selected byte, halfword or word (vadd, vmad, vset...) and on two
// halfwords or four bytes side by side (vadd2, vabsdiff4, vset4...). All of them are one computation in four steps:
//
//   1. select parts of a and b and extend them by the sign of their type;
//   2. the operation, in more bits than any result needs;
//   3. saturate to the part that is written, by the sign of the destination type;
//   4. combine with c: add, minimum, maximum, or insert the result between the parts of c.
//
// A form states which parts, operation and combination; it is one word, so that an instruction can carry it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace heddle::semantics {

enum class VideoOp : uint8_t { Add, Sub, AbsDiff, Min, Max, Average, ShiftLeft, ShiftRight, Mad, Set };
enum class VideoSecond : uint8_t { None, Add, Min, Max };
enum class VideoCompare : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };

/// Which part of a word a scalar instruction reads or writes.
enum class VideoPart : uint8_t { Word, Byte0, Byte1, Byte2, Byte3, Half0, Half1 };

struct VideoForm {
  VideoOp op : 4 = VideoOp::Add;
  uint64_t lanes : 3 = 1; ///< 1: scalar, 2: halfwords, 4: bytes
  bool signedD : 1 = false, signedA : 1 = false, signedB : 1 = false;
  bool saturates : 1 = false;
  VideoSecond second : 2 = VideoSecond::None;
  VideoCompare compare : 3 = VideoCompare::Eq;
  bool wraps : 1 = false;   ///< shifts: the count modulo 32, else at most 32
  bool plusOne : 1 = false; ///< vmad.po
  bool negatesA : 1 = false, negatesB : 1 = false, negatesC : 1 = false;
  uint64_t scale : 4 = 0; ///< vmad: 7 or 15, bits shifted out of the result
  /// Scalar: a VideoPart. Lanes: for each lane four bits with the part of {b, a} that it reads, the lowest for lane 0.
  uint64_t selectA : 16 = 0, selectB : 16 = 0;
  uint64_t mask : 4 = 0;                ///< lanes that are written (or added)
  VideoPart part : 3 = VideoPart::Word; ///< scalar: where the result goes in c
};
static_assert(sizeof(VideoForm) == 8);

namespace video {

/// Wide enough for every exact result: a word shifted left by 32 needs 65 bits.
using Exact = __int128;

inline int64_t extended(uint32_t bits, unsigned width, bool isSigned) {
  const uint64_t value = bits & ((uint64_t(1) << width) - 1);
  const bool negative = isSigned && value >> (width - 1) & 1;
  return negative ? int64_t(value) - (int64_t(1) << width) : int64_t(value);
}

struct PartRange {
  unsigned first, width; ///< bits
};
inline PartRange rangeOf(VideoPart part) {
  switch (part) {
  case VideoPart::Word: return {0, 32};
  case VideoPart::Byte0:
  case VideoPart::Byte1:
  case VideoPart::Byte2:
  case VideoPart::Byte3: return {8 * (unsigned(part) - unsigned(VideoPart::Byte0)), 8};
  case VideoPart::Half0:
  case VideoPart::Half1: return {16 * (unsigned(part) - unsigned(VideoPart::Half0)), 16};
  }
  return {0, 32};
}

inline int64_t selected(uint32_t word, VideoPart part, bool isSigned) {
  const PartRange range = rangeOf(part);
  return extended(word >> range.first, range.width, isSigned);
}

inline Exact clamped(Exact value, unsigned width, bool isSigned) {
  const Exact least = isSigned ? -(Exact(1) << (width - 1)) : 0;
  const Exact most = (Exact(1) << (isSigned ? width - 1 : width)) - 1;
  return std::clamp(value, least, most);
}

inline bool holds(VideoCompare compare, Exact a, Exact b) {
  switch (compare) {
  case VideoCompare::Eq: return a == b;
  case VideoCompare::Ne: return a != b;
  case VideoCompare::Lt: return a < b;
  case VideoCompare::Le: return a <= b;
  case VideoCompare::Gt: return a > b;
  case VideoCompare::Ge: return a >= b;
  }
  return false;
}

/// Step 2 of everything but vmad.
inline Exact computed(VideoForm form, Exact a, Exact b) {
  switch (form.op) {
  case VideoOp::Add: return a + b;
  case VideoOp::Sub: return a - b;
  case VideoOp::AbsDiff: return a < b ? b - a : a - b;
  case VideoOp::Min: return std::min(a, b);
  case VideoOp::Max: return std::max(a, b);
  case VideoOp::Average: return (a + b + (a + b >= 0)) >> 1;
  case VideoOp::Set: return holds(form.compare, a, b);
  case VideoOp::ShiftLeft:
  case VideoOp::ShiftRight: {
    const unsigned count = b <= 31 ? unsigned(b) : form.wraps ? unsigned(b & 31) : 32;
    return form.op == VideoOp::ShiftRight ? a >> count : a * (Exact(1) << count);
  }
  case VideoOp::Mad: break;
  }
  return 0;
}

inline uint32_t multipliedAndAdded(VideoForm form, int64_t a, int64_t b, uint32_t c) {
  const bool negatesProduct = form.negatesA != form.negatesB;
  const bool isSigned = form.signedA || form.signedB || negatesProduct || form.negatesC;
  Exact sum = Exact(a) * b;
  const Exact addend = isSigned ? Exact(int32_t(form.negatesC ? ~c : c)) : Exact(c);
  if (form.plusOne)
    sum += 1;
  else if (negatesProduct)
    sum = -sum;
  else if (form.negatesC)
    sum += 1;
  sum = (sum + addend) >> unsigned(form.scale);
  if (!form.saturates)
    return uint32_t(sum);
  const Exact least = isSigned ? INT32_MIN : 0, most = isSigned ? Exact(INT32_MAX) : Exact(UINT32_MAX);
  return uint32_t(std::clamp(sum, least, most));
}

inline uint32_t combined(VideoForm form, Exact value, uint32_t c) {
  const Exact third = extended(c, 32, form.signedD);
  switch (form.second) {
  case VideoSecond::Add: return uint32_t(value) + c;
  case VideoSecond::Min: return uint32_t(std::min(value, third));
  case VideoSecond::Max: return uint32_t(std::max(value, third));
  case VideoSecond::None: break;
  }
  if (form.part == VideoPart::Word)
    return uint32_t(value);
  const PartRange range = rangeOf(form.part);
  const uint32_t bits = ((uint32_t(1) << range.width) - 1) << range.first;
  return (uint32_t(value) << range.first & bits) | (c & ~bits);
}

inline uint32_t scalar(VideoForm form, uint32_t a, uint32_t b, uint32_t c) {
  const int64_t x = selected(a, VideoPart(form.selectA), form.signedA);
  const int64_t y = selected(b, VideoPart(form.selectB), form.signedB);
  if (form.op == VideoOp::Mad)
    return multipliedAndAdded(form, x, y, c);
  Exact value = computed(form, x, y);
  if (form.saturates)
    value = clamped(value, rangeOf(form.part).width, form.signedD);
  return combined(form, value, c);
}

inline uint32_t perLane(VideoForm form, uint32_t a, uint32_t b, uint32_t c) {
  const unsigned lanes = unsigned(form.lanes), width = 32 / lanes;
  const uint64_t both = uint64_t(b) << 32 | a;
  uint32_t result = form.second == VideoSecond::Add ? c : 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const bool isWritten = unsigned(form.mask) >> lane & 1;
    const uint32_t field = (width == 16 ? 0xffffu : 0xffu) << (width * lane);
    const unsigned fromA = unsigned(form.selectA) >> (4 * lane) & 15,
                   fromB = unsigned(form.selectB) >> (4 * lane) & 15;
    Exact value = computed(form, extended(uint32_t(both >> (width * fromA)), width, form.signedA),
                           extended(uint32_t(both >> (width * fromB)), width, form.signedB));
    if (form.saturates)
      value = clamped(value, width, form.signedD);
    if (form.second == VideoSecond::Add)
      result += isWritten ? uint32_t(value) : 0;
    else
      result |= isWritten ? uint32_t(value) << (width * lane) & field : c & field;
  }
  return result;
}

} // namespace video

/// d of the instruction that `form` describes.
inline uint32_t videoResult(VideoForm form, uint32_t a, uint32_t b, uint32_t c) {
  return form.lanes == 1 ? video::scalar(form, a, b, c) : video::perLane(form, a, b, c);
}

} // namespace heddle::semantics
