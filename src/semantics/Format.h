// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The floating-point formats of PTX as plain values, and the two conversions between them: widening (exact) and
// narrowing from `double` (one rounding, any mode, integers only).
//
// Everything narrower than f64 is computed in one way: execute the operation in `double`, determine the sign of
// the rounding error, set the last bit accordingly ("round to odd"), and narrow once. A value rounded to odd with
// at least two bits more than the target is rounded to the same result as the exact value, in every mode, so
// there is no double rounding, and the host's floating-point environment is never changed. The
// host must be in its default environment: round to nearest, subnormals kept.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace heddle::semantics {

/// .rn .rz .rm .rp of PTX, and .rna (to nearest, ties away from zero), which only a few conversions have.
enum class Rounding : uint8_t { RN, RZ, RM, RP, RNA };

struct Half {
  uint16_t bits;
  constexpr bool operator==(const Half &) const = default; // bit for bit, not numerically
};
struct BFloat16 {
  uint16_t bits;
  constexpr bool operator==(const BFloat16 &) const = default;
};

constexpr uint32_t bitsOfFloat(float a) { return std::bit_cast<uint32_t>(a); }
constexpr uint64_t bitsOfDouble(double a) { return std::bit_cast<uint64_t>(a); }
constexpr float floatOf(uint32_t bits) { return std::bit_cast<float>(bits); }
constexpr double doubleOf(uint64_t bits) { return std::bit_cast<double>(bits); }

/// The layout of a format, and what is beyond its largest number.
struct Layout {
  int exponentBits, fractionBits;
  bool hasInfinity = true;
  constexpr int bias() const { return (1 << (exponentBits - 1)) - 1; }
  constexpr int width() const { return 1 + exponentBits + fractionBits; }
  /// The bits of +infinity, or of the code after the largest number where there is no infinity.
  constexpr uint64_t aboveLargest() const {
    uint64_t allOnes = ((uint64_t(1) << exponentBits) - 1) << fractionBits;
    return hasInfinity ? allOnes : allOnes | ((uint64_t(1) << fractionBits) - 1);
  }
  constexpr uint64_t canonicalNaN() const { return (uint64_t(1) << (exponentBits + fractionBits)) - 1; }
  constexpr bool operator==(const Layout &) const = default;
};
inline constexpr Layout F32Layout{8, 23}, F16Layout{5, 10}, BF16Layout{8, 7}, TF32Layout{8, 10};
inline constexpr Layout E5M2Layout{5, 2}, E4M3Layout{4, 3, false};

/// Whether the truncated magnitude must be incremented, given the part that was cut off (`lost` of `unit`, both
/// with the same scale).
template <class Word> constexpr bool roundsUp(Rounding mode, bool negative, bool odd, Word lost, Word half) {
  switch (mode) {
  case Rounding::RN: return lost > half || (lost == half && odd);
  case Rounding::RNA: return lost >= half;
  case Rounding::RZ: return false;
  case Rounding::RM: return negative && lost != 0;
  case Rounding::RP: return !negative && lost != 0;
  }
  return false;
}

/// Whether a magnitude beyond the largest number becomes infinity (else the largest number).
constexpr bool overflowsToInfinity(Rounding mode, bool negative) {
  return mode == Rounding::RN || mode == Rounding::RNA || (mode == Rounding::RM && negative) ||
         (mode == Rounding::RP && !negative);
}

/// f32 to f16, to nearest, without a shift by a variable amount, which vector code lacks on some hosts. A normal result
/// is rounded by an addition to its bits; a subnormal one by the host's own addition to 0.5, whose last bit has the weight of
/// theirs. A NaN becomes the canonical one.
constexpr uint32_t roundToHalf(float value) {
  constexpr uint32_t infinity = 0x7f800000u, leastNormal = 0x38800000u /* 2^-14 */,
                     beyond = 0x477ff000u /* 65520 */;
  const uint32_t bits = bitsOfFloat(value), magnitude = bits & 0x7fffffffu, sign = (bits ^ magnitude) >> 16;
  const uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
  const uint32_t subnormal = bitsOfFloat(floatOf(magnitude) + 0.5f) - 0x3f000000u;
  uint32_t result = magnitude < leastNormal ? subnormal : normal;
  result = magnitude >= beyond ? 0x7c00u : result;
  return magnitude > infinity ? 0x7fffu : result | sign;
}

/// The same for bf16, which is the upper half of an f32: a carry out of the fraction increments the exponent as it must.
constexpr uint32_t roundToBFloat16(float value) {
  const uint32_t bits = bitsOfFloat(value);
  const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded;
}

/// Rounds a double, or a float, to a narrower format. NaN becomes the format's canonical one. With `finite`, a
/// value that would be infinite becomes the largest number (.satfinite). From a float it uses 32-bit words, of
/// which a vector holds twice as many.
template <Layout To, Rounding Mode, class From> constexpr uint32_t narrow(From value, bool finite = false) {
  if constexpr (Mode == Rounding::RN && std::is_same_v<From, float> &&
                (To == F16Layout || To == BF16Layout)) {
    const uint32_t result = To == F16Layout ? roundToHalf(value) : roundToBFloat16(value);
    return finite && (result & 0x7fff) == To.aboveLargest() ? result - 1 : result;
  }
  using Word = std::conditional_t<sizeof(From) == 8, uint64_t, uint32_t>;
  constexpr int width = sizeof(From) * 8, fromFraction = sizeof(From) == 8 ? 52 : 23;
  constexpr int allOnes = (1 << (width - 1 - fromFraction)) - 1, fromBias = allOnes / 2;
  constexpr Word one = 1;
  static_assert(To.fractionBits < fromFraction);
  const Word bits = std::bit_cast<Word>(value), fraction = bits & ((one << fromFraction) - 1);
  const int exponentField = int(bits >> fromFraction & Word(allOnes));
  const bool negative = bits >> (width - 1);
  const Word significand = exponentField == 0 ? fraction : fraction | one << fromFraction;
  const int exponent = (exponentField == 0 ? 1 : exponentField) - fromBias, least = 1 - To.bias();

  // A result below the normal range has its unit fixed, so fewer bits of the significand are kept.
  int below = exponent < least ? least - exponent : 0;
  int shift = fromFraction - To.fractionBits + below;
  shift = shift > fromFraction + 2 ? fromFraction + 2 : shift;
  Word kept = significand >> shift, lost = significand & ((one << shift) - 1);
  kept += roundsUp(Mode, negative, kept & 1, lost, one << (shift - 1));
  // The leading one of a normal significand adds 1 to the exponent field, and a carry adds another 1, as
  // required.
  Word field = below ? 0 : Word(exponent - least) << To.fractionBits;
  Word magnitude = field + kept;

  constexpr Word above = Word(To.aboveLargest());
  const bool useInfinity = To.hasInfinity && !finite;
  const bool special = exponentField == allOnes;
  if (magnitude >= above)
    magnitude = useInfinity && overflowsToInfinity(Mode, negative) ? above : above - 1;
  if (special)
    magnitude = fraction ? Word(To.canonicalNaN()) : useInfinity ? above : above - 1;
  const bool keepSign = negative && !(special && fraction);
  return uint32_t(magnitude) | uint32_t(keepSign) << (To.width() - 1);
}

/// Any of the narrow formats as a double, exactly. NaN stays a NaN.
template <Layout From> constexpr double widen(uint32_t bits) {
  constexpr int fractionBits = From.fractionBits, places = From.exponentBits + fractionBits;
  const bool negative = bits >> places & 1;
  const uint64_t magnitude = bits & ((uint64_t(1) << places) - 1);
  // Read as a double with the wrong bias, the value is wrong by a power of two; a multiplication corrects it,
  // also for subnormals.
  const double wrong = doubleOf(magnitude << (52 - fractionBits));
  double value = wrong * doubleOf(uint64_t(1023 + 1023 - From.bias()) << 52);
  if (magnitude > (From.hasInfinity ? From.aboveLargest() : From.aboveLargest() - 1))
    value = std::numeric_limits<double>::quiet_NaN();
  else if (From.hasInfinity && magnitude == From.aboveLargest())
    value = std::numeric_limits<double>::infinity();
  return negative ? -value : value;
}

constexpr float toFloat(Half a) {
  // Exponent and fraction are shifted into position and rebiased by an exact multiplication; infinities and NaN
  // are handled separately.
  uint32_t magnitude = uint32_t(a.bits & 0x7fff), sign = uint32_t(a.bits & 0x8000) << 16;
  uint32_t bits = bitsOfFloat(floatOf(magnitude << 13) * 0x1p112f);
  bits = magnitude == 0x7c00 ? 0x7f800000u : bits;
  return floatOf(magnitude > 0x7c00 ? 0x7fffffffu : bits | sign);
}
/// A bf16 is the upper half of an f32, also if it is a NaN: it is made neither canonical nor quiet.
constexpr float toFloat(BFloat16 a) { return floatOf(uint32_t(a.bits) << 16); }
constexpr double toDouble(Half a) { return double(toFloat(a)); }
constexpr double toDouble(BFloat16 a) { return double(toFloat(a)); }
constexpr double toDouble(float a) { return double(a); }
constexpr double toDouble(double a) { return a; }

/// The narrowest type of the host that holds the value.
constexpr double toHost(double a) { return a; }
constexpr float toHost(float a) { return a; }
constexpr float toHost(Half a) { return toFloat(a); }
constexpr float toHost(BFloat16 a) { return toFloat(a); }

/// The layout of each arithmetic type, and its values from and to bits.
template <class T> struct FormatOf;
template <> struct FormatOf<float> {
  static constexpr Layout layout = F32Layout;
  using Bits = uint32_t;
};
template <> struct FormatOf<Half> {
  static constexpr Layout layout = F16Layout;
  using Bits = uint16_t;
};
template <> struct FormatOf<BFloat16> {
  static constexpr Layout layout = BF16Layout;
  using Bits = uint16_t;
};
template <> struct FormatOf<double> {
  static constexpr Layout layout{11, 52};
  using Bits = uint64_t;
};
template <class T> using BitsOf = typename FormatOf<T>::Bits;
template <class T> constexpr BitsOf<T> toBits(T a) { return std::bit_cast<BitsOf<T>>(a); }
template <class T> constexpr T fromBits(BitsOf<T> bits) { return std::bit_cast<T>(bits); }

template <class T> inline constexpr BitsOf<T> signBit = BitsOf<T>(BitsOf<T>(1) << (sizeof(T) * 8 - 1));
template <class T> inline constexpr BitsOf<T> infinityBits = BitsOf<T>(FormatOf<T>::layout.aboveLargest());

/// The NaN that the hardware returns from an operation: all ones except the sign in f32, f16 and bf16; in
/// f64 the sign, the exponent and the top fraction bit.
template <class T>
inline constexpr T canonicalNaN = fromBits<T>(BitsOf<T>(FormatOf<T>::layout.canonicalNaN()));
template <> inline constexpr double canonicalNaN<double> = doubleOf(0xfff8000000000000u);

template <class T> constexpr BitsOf<T> magnitudeBits(T a) { return BitsOf<T>(toBits(a) & ~signBit<T>); }
template <class T> constexpr bool isNaN(T a) { return magnitudeBits(a) > infinityBits<T>; }
template <class T> constexpr bool isNegative(T a) { return (toBits(a) & signBit<T>) != 0; }
template <class T> constexpr bool isSubnormal(T a) {
  return magnitudeBits(a) < (BitsOf<T>(1) << FormatOf<T>::layout.fractionBits) && magnitudeBits(a) != 0;
}

/// A NaN of one format in another, if the hardware does not make it canonical (one of them is f64): the sign and
/// the upper bits of the payload are preserved, and it becomes quiet.
template <class To, class From> constexpr To carryNaN(From a) {
  constexpr int from = FormatOf<From>::layout.fractionBits, to = FormatOf<To>::layout.fractionBits;
  const uint64_t payload = uint64_t(toBits(a)) & ((uint64_t(1) << from) - 1), quiet = uint64_t(1) << (to - 1);
  uint64_t moved = 0;
  if constexpr (to >= from)
    moved = payload << (to - from);
  else
    moved = payload >> (from - to);
  const uint64_t sign = isNegative(a) ? uint64_t(signBit<To>) : 0;
  return fromBits<To>(BitsOf<To>(sign | uint64_t(infinityBits<To>) | quiet | moved));
}

/// `head + tail` rounded to odd, which can be rounded again without error: `head` if the tail is zero, else the
/// neighbour of the exact value that is odd. `tail` may be NaN if head is not finite.
template <class F> constexpr F roundToOdd(F head, F tail) {
  using Word = std::conditional_t<sizeof(F) == 8, uint64_t, uint32_t>;
  const Word bits = std::bit_cast<Word>(head);
  const bool inexact = tail < 0 || tail > 0, even = !(bits & 1);
  const bool outward = (tail > 0) == !(bits >> (sizeof(F) * 8 - 1));
  return std::bit_cast<F>(inexact && even ? (outward ? bits + 1 : bits - 1) : bits);
}

/// The rounding error of a + b = `sum` (Knuth's error-free transformation; any order of magnitudes).
template <class F> constexpr F lostInSum(F a, F b, F sum) {
  F bPart = sum - a, aPart = sum - bPart;
  return (a - aPart) + (b - bPart);
}

} // namespace heddle::semantics
