// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference for floating-point arithmetic: numbers as wide fixed-point integers in which every sum and
// product of doubles is exact, and a rounding that looks at the bits one by one. It shares nothing with the
// code under test.
#pragma once

#include "semantics/Format.h"

#include <array>
#include <cmath>
#include <compare>
#include <cstdint>

namespace heddle::semantics {

/// A signed multiple of 2^-2200, up to 2^2280.
class Exact {
public:
  static constexpr int LowestExponent = -2200, Words = 70;

  Exact() = default;
  explicit Exact(double value) { addProduct(value, 1.0); }

  /// Adds a * b, both finite.
  Exact &addProduct(double a, double b) {
    int ea, eb;
    double fa = std::frexp(std::fabs(a), &ea), fb = std::frexp(std::fabs(b), &eb);
    uint64_t ma = uint64_t(std::ldexp(fa, 53)), mb = uint64_t(std::ldexp(fb, 53));
    return addInteger(ma, mb, ea + eb - 106, std::signbit(a) != std::signbit(b));
  }

  /// Adds (or subtracts) ma * mb * 2^exponent.
  Exact &addInteger(uint64_t ma, uint64_t mb, int exponent, bool negative) {
    __extension__ unsigned __int128 product = static_cast<unsigned __int128>(ma) * mb;
    if (product == 0)
      return *this;
    // Low zero bits go, so that a product at the very bottom of the scale still fits.
    while (!(product & 1))
      product >>= 1, ++exponent;
    int place = exponent - LowestExponent;
    std::array<uint64_t, Words> term{};
    size_t word = size_t(place) / 64, offset = size_t(place) % 64;
    term.at(word) = uint64_t(product) << offset;
    term.at(word + 1) = uint64_t(product >> 64 << offset | (offset ? uint64_t(product) >> (64 - offset) : 0));
    term.at(word + 2) = offset ? uint64_t(product >> 64) >> (64 - offset) : 0;
    addTerm(term, negative);
    return *this;
  }

  bool isZero() const { return highest() < 0; }
  bool isNegative() const { return words[Words - 1] >> 63; }

  /// -1, 0, 1.
  int sign() const { return isZero() ? 0 : isNegative() ? -1 : 1; }

  /// Rounded to a format with the given significand bits and exponent range, as a double (all our formats
  /// fit). Bits below the format's last place decide.
  double round(int precision, int leastExponent, int mostExponent, Rounding mode) const {
    Exact magnitude = *this;
    const bool negative = isNegative();
    if (negative)
      magnitude.negate();
    int top = magnitude.highest();
    if (top < 0)
      return 0;
    int exponent = top + LowestExponent;
    int unit = std::max(exponent, leastExponent) - precision + 1; // exponent of the last place
    int cut = unit - LowestExponent;
    uint64_t kept = 0;
    for (int bit = top; bit >= cut; --bit)
      kept = kept << 1 | uint64_t(magnitude.bit(bit));
    bool half = magnitude.bit(cut - 1), rest = magnitude.anyBelow(cut - 1);
    bool up = mode == Rounding::RN    ? half && (rest || (kept & 1))
              : mode == Rounding::RNA ? half
              : mode == Rounding::RM  ? negative && (half || rest)
              : mode == Rounding::RP  ? !negative && (half || rest)
                                      : false;
    kept += up;
    double value = std::ldexp(double(kept), unit);
    double largest = std::ldexp(std::ldexp(1.0, precision) - 1, mostExponent - precision + 1);
    if (value > largest) {
      bool stays =
          mode == Rounding::RZ || (mode == Rounding::RM && !negative) || (mode == Rounding::RP && negative);
      value = stays ? largest : std::numeric_limits<double>::infinity();
    }
    return negative ? -value : value;
  }

  float toFloat(Rounding mode) const { return float(round(24, -126, 127, mode)); }
  double toDouble(Rounding mode) const { return round(53, -1022, 1023, mode); }

private:
  std::array<uint64_t, Words> words{}; // two's complement, the lowest first

  bool bit(int place) const { return place >= 0 && (words.at(size_t(place) / 64) >> place % 64 & 1); }
  bool anyBelow(int place) const {
    for (int word = 0; 64 * word < place; ++word) {
      int bits = std::min(place - 64 * word, 64);
      if (words[size_t(word)] << (64 - bits))
        return true;
    }
    return false;
  }
  int highest() const {
    for (int word = Words - 1; word >= 0; --word)
      if (words[size_t(word)])
        return 64 * word + 63 - std::countl_zero(words[size_t(word)]);
    return -1;
  }
  void negate() {
    for (auto &word : words)
      word = ~word;
    std::array<uint64_t, Words> one{1};
    addTerm(one, false);
  }
  void addTerm(const std::array<uint64_t, Words> &term, bool negative) {
    uint64_t carry = negative;
    for (size_t i = 0; i < Words; ++i) {
      uint64_t t = negative ? ~term[i] : term[i], sum = words[i] + t, withCarry = sum + carry;
      carry = (sum < t) || (withCarry < sum);
      words[i] = withCarry;
    }
  }
};

} // namespace heddle::semantics
