// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX integer arithmetic on plain values (PTX ISA, "Integer Arithmetic Instructions").
//
// Everything is computed in an unsigned type first: PTX wraps, C++ leaves signed overflow undefined, and
// integer promotion would make a 16-bit product a signed `int` one.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace heddle::semantics {

template <class T> using Unsigned = std::make_unsigned_t<T>;

/// The type in which arithmetic on T wraps: never narrower than `unsigned`, so that promotion cannot make it
/// signed.
template <class T> using Wrap = std::conditional_t<(sizeof(T) < 4), uint32_t, Unsigned<T>>;

/// The type of twice the width, with the same signedness.
template <class T> struct WiderOf;
template <> struct WiderOf<int8_t> {
  using Type = int16_t;
};
template <> struct WiderOf<uint8_t> {
  using Type = uint16_t;
};
template <> struct WiderOf<int16_t> {
  using Type = int32_t;
};
template <> struct WiderOf<uint16_t> {
  using Type = uint32_t;
};
template <> struct WiderOf<int32_t> {
  using Type = int64_t;
};
template <> struct WiderOf<uint32_t> {
  using Type = uint64_t;
};
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;
template <> struct WiderOf<int64_t> {
  using Type = Int128;
};
template <> struct WiderOf<uint64_t> {
  using Type = UInt128;
};
template <class T> using Wider = typename WiderOf<T>::Type;

template <class T> inline constexpr int bitsOf = int(sizeof(T)) * 8;

/// Clamps a wider value to the range of T.
template <class T, class W> constexpr T saturateTo(W value) {
  constexpr W low = W(std::numeric_limits<T>::min()), high = W(std::numeric_limits<T>::max());
  return value < low ? T(low) : value > high ? T(high) : T(value);
}

// --- add, sub, mul, mad
// ---------------------------------------------------------------------------------------

template <std::integral T> constexpr T add(T a, T b) { return T(Wrap<T>(a) + Wrap<T>(b)); }
template <std::integral T> constexpr T sub(T a, T b) { return T(Wrap<T>(a) - Wrap<T>(b)); }

/// add.sat.s32, sub.sat.s32 (only .s32 exists in PTX).
constexpr int32_t addSat(int32_t a, int32_t b) { return saturateTo<int32_t>(int64_t(a) + b); }
constexpr int32_t subSat(int32_t a, int32_t b) { return saturateTo<int32_t>(int64_t(a) - b); }

template <class T> constexpr T mulLo(T a, T b) { return T(Wrap<T>(a) * Wrap<T>(b)); }
template <class T> constexpr Wider<T> mulWide(T a, T b) { return Wider<T>(Wider<T>(a) * Wider<T>(b)); }
template <class T> constexpr T mulHi(T a, T b) { return T(mulWide(a, b) >> bitsOf<T>); }

template <class T> constexpr T madLo(T a, T b, T c) { return add(mulLo(a, b), c); }
template <class T> constexpr T madHi(T a, T b, T c) { return add(mulHi(a, b), c); }
template <class T> constexpr Wider<T> madWide(T a, T b, Wider<T> c) { return add(mulWide(a, b), c); }
/// mad.hi.sat.s32: the high half of the product is exact, so only the addition can leave the range.
constexpr int32_t madHiSat(int32_t a, int32_t b, int32_t c) { return addSat(mulHi(a, b), c); }

// --- 24-bit multiplication: the operands are the low 24 bits, the product has 48
// ---------------------------------

constexpr int64_t low24(int32_t a) { return int64_t(int32_t(uint32_t(a) << 8) >> 8); }
constexpr uint64_t low24(uint32_t a) { return a & 0xffffffu; }
template <class T> constexpr T mul24Lo(T a, T b) { return T(low24(a) * low24(b)); }
/// mul24.hi: bits 16 to 47 of the product.
template <class T> constexpr T mul24Hi(T a, T b) { return T((low24(a) * low24(b)) >> 16); }
template <class T> constexpr T mad24Lo(T a, T b, T c) { return add(mul24Lo(a, b), c); }
template <class T> constexpr T mad24Hi(T a, T b, T c) { return add(mul24Hi(a, b), c); }
constexpr int32_t mad24HiSat(int32_t a, int32_t b, int32_t c) { return addSat(mul24Hi(a, b), c); }

// --- extended precision: the carry bit of the condition code is an input and an output
// ------------------------------------

template <class T> struct WithCarry {
  T value;
  bool carry;
  constexpr bool operator==(const WithCarry &) const = default;
};

/// add.cc (carryIn false), addc and addc.cc.
template <class T> constexpr WithCarry<T> addCarry(T a, T b, bool carryIn) {
  using U = Unsigned<T>;
  U partial = U(U(a) + U(b)), sum = U(partial + U(carryIn));
  return {T(sum), partial < U(a) || sum < partial};
}

/// sub.cc (borrowIn false), subc and subc.cc. The flag that PTX keeps after a subtraction is the borrow.
template <class T> constexpr WithCarry<T> subBorrow(T a, T b, bool borrowIn) {
  using U = Unsigned<T>;
  U partial = U(U(a) - U(b)), difference = U(partial - U(borrowIn));
  return {T(difference), U(a) < U(b) || partial < U(borrowIn)};
}

/// mad.lo.cc, madc.lo(.cc).
template <class T> constexpr WithCarry<T> madLoCarry(T a, T b, T c, bool carryIn) {
  return addCarry(mulLo(a, b), c, carryIn);
}
/// mad.hi.cc, madc.hi(.cc).
template <class T> constexpr WithCarry<T> madHiCarry(T a, T b, T c, bool carryIn) {
  return addCarry(mulHi(a, b), c, carryIn);
}

// --- division
// -----------------------------------------------------------------------------------------------

/// div and rem by zero: PTX leaves the value to the hardware, and there is no trap; all ones, as on sm_90 for every
/// width and sign. The only signed quotient out of range, MIN / -1, wraps to MIN.
template <std::integral T> constexpr T div(T a, T b) {
  if (b == 0)
    return T(-1);
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1))
      return T(Wrap<T>(0) - Wrap<T>(a));
  return T(a / b);
}

/// MIN rem -1 is 0.
template <std::integral T> constexpr T rem(T a, T b) {
  if (b == 0)
    return T(-1);
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1))
      return 0;
  return T(a % b);
}

// --- sign, minimum, maximum, averages
// --------------------------------------------------------------------------------------------

template <std::integral T> constexpr T neg(T a) { return T(Wrap<T>(0) - Wrap<T>(a)); }
/// abs of the smallest value is itself.
template <std::integral T> constexpr T abs(T a) { return a < 0 ? neg(a) : a; }
template <std::integral T> constexpr T min(T a, T b) { return b < a ? b : a; }
template <std::integral T> constexpr T max(T a, T b) { return a < b ? b : a; }
/// min/max.relu.s32: a negative result becomes 0.
constexpr int32_t minRelu(int32_t a, int32_t b) { return max(min(a, b), 0); }
constexpr int32_t maxRelu(int32_t a, int32_t b) { return max(max(a, b), 0); }

/// sad: c + |a - b|, the difference taken without overflow.
template <class T> constexpr T sad(T a, T b, T c) {
  Wrap<T> difference = a < b ? Wrap<T>(b) - Wrap<T>(a) : Wrap<T>(a) - Wrap<T>(b);
  return T(Wrap<T>(c) + difference);
}

/// The averages that CUDA calls hadd (rounded down) and rhadd (rounded up), without overflow.
template <class T> constexpr T halvingAdd(T a, T b) { return T((Wider<T>(a) + Wider<T>(b)) >> 1); }
template <class T> constexpr T roundedHalvingAdd(T a, T b) { return T((Wider<T>(a) + Wider<T>(b) + 1) >> 1); }

// --- packed 16-bit lanes: add/min/max .u16x2 and .s16x2
// ---------------------------------------------------------

/// Applies a function of 16-bit values to both halves of packed operands.
template <class T, class F> constexpr uint32_t perHalfword(F f, uint32_t a, uint32_t b) {
  return uint32_t(uint16_t(f(T(a), T(b)))) | uint32_t(uint16_t(f(T(a >> 16), T(b >> 16)))) << 16;
}
template <class T> constexpr uint32_t add16x2(uint32_t a, uint32_t b) { return perHalfword<T>(add<T>, a, b); }
template <class T> constexpr uint32_t min16x2(uint32_t a, uint32_t b) { return perHalfword<T>(min<T>, a, b); }
template <class T> constexpr uint32_t max16x2(uint32_t a, uint32_t b) { return perHalfword<T>(max<T>, a, b); }
/// min.relu and max.relu of s16x2: as for s32, half by half.
constexpr uint32_t minRelu16x2(uint32_t a, uint32_t b) {
  return perHalfword<int16_t>([](int16_t x, int16_t y) { return minRelu(x, y); }, a, b);
}
constexpr uint32_t maxRelu16x2(uint32_t a, uint32_t b) {
  return perHalfword<int16_t>([](int16_t x, int16_t y) { return maxRelu(x, y); }, a, b);
}

// --- dot products
// --------------------------------------------------------------------------------------------

/// dp4a: four products of bytes, added to c with wrap-around. A and B are the types of the bytes of a and b.
template <class A, class B> constexpr int32_t dp4a(uint32_t a, uint32_t b, int32_t c) {
  uint32_t sum = uint32_t(c);
  for (int byte = 0; byte < 4; ++byte)
    sum += uint32_t(int32_t(A(a >> (8 * byte))) * int32_t(B(b >> (8 * byte))));
  return int32_t(sum);
}

/// dp2a: the two halfwords of a times the low (or high) two bytes of b. A is a 16-bit type, B an 8-bit one.
template <class A, class B> constexpr int32_t dp2a(uint32_t a, uint32_t b, int32_t c, bool highBytes) {
  uint32_t bytes = highBytes ? b >> 16 : b, sum = uint32_t(c);
  for (int item = 0; item < 2; ++item)
    sum += uint32_t(int32_t(A(a >> (16 * item)))) * uint32_t(int32_t(B(bytes >> (8 * item))));
  return int32_t(sum);
}

// --- conversions between integers
// ------------------------------------------------------------------------------

/// cvt from one integer type to another: extended or truncated.
template <class To, class From> constexpr To convertInteger(From a) { return To(a); }

/// cvt.sat between integers: clamped to the range of the destination.
template <class To, class From> constexpr To convertIntegerSat(From a) { return saturateTo<To>(Int128(a)); }

/// cvt.pack.sat: two 32-bit integers clamped into the halves (16-bit) or the low two of four fields; for the
/// 8-, 4- and 2-bit forms the rest of the word is c, moved up. `bits` is the width of one field: 16, 8, 4
/// or 2.
template <class From> constexpr uint32_t convertPackSat(From a, From b, uint32_t c, int bits, bool toSigned) {
  int64_t low = toSigned ? -(int64_t(1) << (bits - 1)) : 0;
  int64_t high = toSigned ? (int64_t(1) << (bits - 1)) - 1 : (int64_t(1) << bits) - 1;
  auto field = [&](From v) {
    int64_t clamped = int64_t(v) < low ? low : int64_t(v) > high ? high : int64_t(v);
    return uint32_t(clamped) & ((1u << bits) - 1);
  };
  uint32_t rest = bits == 16 ? 0 : c << (2 * bits);
  return field(b) | field(a) << bits | rest;
}

} // namespace heddle::semantics
