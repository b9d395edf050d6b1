// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on bits: shifts, bit fields, permutations, three-input logic (PTX ISA, "Logic and Shift
// Instructions" and the bit-field part of "Integer Arithmetic Instructions"). Shift counts in PTX are any
// 32-bit number; in C++ a count of the width or more is undefined, hence the clamps.
#pragma once

#include "semantics/Integer.h"

#include <cstdint>

namespace heddle::semantics {

// --- shifts
// ----------------------------------------------------------------------------------------------------

/// shl: for a count of the width or more, the result is 0.
template <class T> constexpr T shl(T a, uint32_t count) {
  constexpr uint32_t width = bitsOf<T>;
  return count >= width ? T(0) : T(Wrap<T>(a) << count);
}

/// shr: for a count of the width or more, the result is 0, or for a signed type the sign in every bit.
template <class T> constexpr T shr(T a, uint32_t count) {
  constexpr uint32_t width = bitsOf<T>;
  if constexpr (std::is_signed_v<T>)
    return T(a >> (count >= width ? width - 1 : count));
  else
    return count >= width ? T(0) : T(a >> count);
}

enum class ShiftMode : uint8_t { Clamp, Wrap };

constexpr uint32_t funnelCount(uint32_t count, ShiftMode mode) {
  return mode == ShiftMode::Wrap ? count & 31 : count < 32 ? count : 32;
}
/// shf.l: the high word of {high:low} << n.
constexpr uint32_t funnelShiftLeft(uint32_t low, uint32_t high, uint32_t count, ShiftMode mode) {
  return uint32_t(((uint64_t(high) << 32 | low) << funnelCount(count, mode)) >> 32);
}
/// shf.r: the low word of {high:low} >> n.
constexpr uint32_t funnelShiftRight(uint32_t low, uint32_t high, uint32_t count, ShiftMode mode) {
  return uint32_t((uint64_t(high) << 32 | low) >> funnelCount(count, mode));
}

// --- logic
// -----------------------------------------------------------------------------------------------------

/// lop3: the truth table is indexed by the bits of a (weight 4), b (2) and c (1). Written as eight masked
/// terms so that a loop over lanes with one table vectorizes.
constexpr uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint8_t table) {
  auto all = [&](int row) { return 0u - (uint32_t(table) >> row & 1u); };
  return (all(0) & ~a & ~b & ~c) | (all(1) & ~a & ~b & c) | (all(2) & ~a & b & ~c) | (all(3) & ~a & b & c) |
         (all(4) & a & ~b & ~c) | (all(5) & a & ~b & c) | (all(6) & a & b & ~c) | (all(7) & a & b & c);
}

/// cnot: 1 for zero, 0 for everything else.
template <class T> constexpr T cnot(T a) { return a == 0 ? T(1) : T(0); }

// --- counting and finding
// --------------------------------------------------------------------------------------

template <class T> constexpr uint32_t popc(T a) { return uint32_t(std::popcount(Unsigned<T>(a))); }
template <class T> constexpr uint32_t clz(T a) { return uint32_t(std::countl_zero(Unsigned<T>(a))); }

/// bfind: the position of the highest bit that is not a sign bit, or all ones. For an unsigned type the sign is
/// 0.
template <class T> constexpr uint32_t bfind(T a) {
  Unsigned<T> bits = Unsigned<T>(a);
  if constexpr (std::is_signed_v<T>)
    bits = a < 0 ? Unsigned<T>(~bits) : bits;
  return uint32_t(bitsOf<T> - 1) - clz(bits);
}
/// bfind.shiftamt: by how much that bit must be shifted left to be the highest; all ones if there is none.
template <class T> constexpr uint32_t bfindShiftAmount(T a) {
  uint32_t place = bfind(a);
  return place == ~0u ? ~0u : uint32_t(bitsOf<T> - 1) - place;
}

/// fns: the |offset|-th set bit of the mask from position `base` on (inclusive), upward or downward; offset 0
/// tests bit `base` alone. All ones if there is none.
constexpr uint32_t fns(uint32_t mask, uint32_t base, int32_t offset) {
  if (base > 31)
    return ~0u;
  if (offset == 0)
    return mask >> base & 1u ? base : ~0u;
  int64_t left = offset < 0 ? -int64_t(offset) : int64_t(offset);
  for (int place = int(base); place >= 0 && place < 32; place += offset > 0 ? 1 : -1)
    if ((mask >> place & 1u) && --left == 0)
      return uint32_t(place);
  return ~0u;
}

constexpr uint32_t brev(uint32_t a) {
  a = (a & 0x55555555u) << 1 | (a >> 1 & 0x55555555u);
  a = (a & 0x33333333u) << 2 | (a >> 2 & 0x33333333u);
  a = (a & 0x0f0f0f0fu) << 4 | (a >> 4 & 0x0f0f0f0fu);
  a = (a & 0x00ff00ffu) << 8 | (a >> 8 & 0x00ff00ffu);
  return a << 16 | a >> 16;
}
constexpr uint64_t brev(uint64_t a) { return uint64_t(brev(uint32_t(a))) << 32 | brev(uint32_t(a >> 32)); }

/// ffs (CUDA): one more than the position of the lowest set bit, 0 for 0.
template <class T> constexpr int32_t ffs(T a) { return a == 0 ? 0 : std::countr_zero(Unsigned<T>(a)) + 1; }

// --- bit fields
// --------------------------------------------------------------------------------------------------

/// `length` ones from bit 0; all ones from the width of T on.
template <class T> constexpr Unsigned<T> lowOnes(uint32_t length) {
  using U = Unsigned<T>;
  return length >= uint32_t(bitsOf<T>) ? U(~U(0)) : U((U(1) << length) - 1);
}

/// bfe: position and length are taken modulo 256. A field that exceeds the register is filled with the sign: bit
/// position+length-1, or the highest bit if that is beyond it; 0 for unsigned types and for an empty field.
template <class T> constexpr T bfe(T a, uint32_t position, uint32_t length) {
  using U = Unsigned<T>;
  constexpr uint32_t top = bitsOf<T> - 1;
  position &= 0xff, length &= 0xff;
  U field = shr(U(a), position) & lowOnes<T>(length);
  if constexpr (std::is_signed_v<T>) {
    uint32_t signPlace = position + length - 1 > top ? top : position + length - 1;
    bool negative = length != 0 && (shr(U(a), signPlace) & 1);
    // Bits that exist in the field: those above them take the sign.
    uint32_t present = position > top ? 0 : length < top + 1 - position ? length : top + 1 - position;
    field |= negative ? U(~lowOnes<T>(present)) : U(0);
  }
  return T(field);
}

/// bfi: the low `length` bits of a are inserted into b at `position`; bits beyond the highest are dropped.
template <class T> constexpr T bfi(T a, T b, uint32_t position, uint32_t length) {
  using U = Unsigned<T>;
  position &= 0xff, length &= 0xff;
  U field = shl(lowOnes<T>(length), position);
  return T((shl(U(a), position) & field) | (U(b) & U(~field)));
}

/// szext: the low N bits sign- or zero-extended. The result is 0 for N = 0, and a for N >= 32.
template <class T> constexpr T szext(T a, uint32_t count, ShiftMode mode) {
  uint32_t bits = mode == ShiftMode::Wrap ? count & 31 : count < 32 ? count : 32;
  return bits == 0 ? T(0) : bits == 32 ? a : bfe(a, 0, bits);
}

/// bmsk: `width` ones from bit `start` on.
constexpr uint32_t bmsk(uint32_t start, uint32_t width, ShiftMode mode) {
  uint32_t from = funnelCount(start, mode), ones = funnelCount(width, mode);
  return shl(uint32_t(lowOnes<uint32_t>(ones)), from);
}

// --- byte permutation
// --------------------------------------------------------------------------------------------

enum class PermuteMode : uint8_t {
  Index,
  Forward4Extract,
  Backward4Extract,
  Replicate8,
  EdgeClampLeft,
  EdgeClampRight,
  Replicate16
};

/// The selectors of prmt's special modes: four digits, the highest byte first, for the low two bits of c.
inline constexpr uint16_t PermuteSelectors[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, // f4e
    {0x5670, 0x6701, 0x7012, 0x0123}, // b4e
    {0x0000, 0x1111, 0x2222, 0x3333}, // rc8
    {0x3210, 0x3211, 0x3222, 0x3333}, // ecl
    {0x0000, 0x1110, 0x2210, 0x3210}, // ecr
    {0x1010, 0x3232, 0x1010, 0x3232}, // rc16
};

/// prmt with explicit selectors: each digit of c selects one of the eight bytes of {b:a}; if its highest bit is set,
/// that byte's sign is replicated to all eight bits instead.
constexpr uint32_t permuteBytes(uint32_t a, uint32_t b, uint32_t selectors) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (int place = 0; place < 4; ++place) {
    uint32_t digit = selectors >> (4 * place) & 0xf;
    uint8_t byte = uint8_t(bytes >> (8 * (digit & 7)));
    result |= uint32_t(digit & 8 ? uint8_t(int8_t(byte) >> 7) : byte) << (8 * place);
  }
  return result;
}

constexpr uint32_t prmt(uint32_t a, uint32_t b, uint32_t c, PermuteMode mode = PermuteMode::Index) {
  return permuteBytes(a, b, mode == PermuteMode::Index ? c : PermuteSelectors[int(mode) - 1][c & 3]);
}

} // namespace heddle::semantics
