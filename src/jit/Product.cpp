// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with more bits than their operands.
#include "jit/Integer.h"

namespace heddle::jit {
namespace {

/// The upper 64 bits of an unsigned product, by products of 32-bit parts: hosts have those for vectors, a 128-bit product
/// would be computed lane by lane.
Bits mulHiByParts(const Bits &a, const Bits &b) {
  const Bits aLow = a & 0xffffffffu, bLow = b & 0xffffffffu, aHigh = a.lshr(32), bHigh = b.lshr(32);
  const Bits middle = aHigh * bLow + (aLow * bLow).lshr(32);
  const Bits other = aLow * bHigh + (middle & 0xffffffffu);
  return aHigh * bHigh + middle.lshr(32) + other.lshr(32);
}

} // namespace

Bits mulWide(const Bits &a, const Bits &b, bool isSigned) {
  const unsigned wide = 2 * a.width();
  return a.resized(wide, isSigned) * b.resized(wide, isSigned);
}

Bits mulHi(const Bits &a, const Bits &b, bool isSigned) {
  if (a.width() < 64 || !a.isVector())
    return mulWide(a, b, isSigned).lshr(a.width()).resized(a.width());
  const Bits high = mulHiByParts(a, b);
  // A negative operand, read as unsigned, is larger by 2^64.
  return isSigned ? high - onlyIf(a.isNegative(), b) - onlyIf(b.isNegative(), a) : high;
}

} // namespace heddle::jit
