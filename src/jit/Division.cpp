// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Division of integers. Hosts have none for vectors. Up to 32 bits it is a floating-point division whose truncated quotient is
// exact: a quotient that is no integer is at least 1/b away from one, and the rounding error is less than that (a/b * 2^-53
// for double with |a| <= 2^32, a/b * 2^-24 for float with |a| <= 2^16).
#include "jit/Integer.h"

#include <llvm/IR/Constants.h>

namespace heddle::jit {
namespace {

bool isConstant(const Bits &value) { return llvm::isa<llvm::Constant>(value.value()); }

/// 1 in place of divisors that the host's instruction must not see.
Bits harmlessDivisor(const Bits &b, bool isSigned) {
  Bits harmful = b == 0;
  if (isSigned)
    harmful = harmful | (b == -1);
  return select(harmful, 1, b);
}

/// By the host's division; LLVM makes a multiplication of it if the divisor is constant.
Bits divided(const Bits &a, const Bits &b, bool isSigned) {
  llvm::IRBuilderBase &ir = a.builder();
  const Bits by = harmlessDivisor(b, isSigned);
  Bits result(ir, isSigned ? ir.CreateSDiv(a.value(), by.value()) : ir.CreateUDiv(a.value(), by.value()));
  return isSigned ? select(b == -1, -a, result) : result;
}

/// The quotient of 32 or fewer bits, wrong for a divisor of 0.
Bits dividedAsReal(const Bits &a, const Bits &b, bool isSigned) {
  const unsigned format = a.width() <= 16 ? 32 : 64;
  const Real ratio = toReal(a, format, isSigned) / toReal(b, format, isSigned);
  // 1.5 * 2^52 (2^23) moves the integer to the last bits of the fraction. A conversion would be poison for infinity.
  const double mover = format == 64 ? 0x1.8p52 : 0x1.8p23;
  return (ratio.call(llvm::Intrinsic::trunc) + mover).bits().resized(a.width());
}

Bits plainQuotient(const Bits &a, const Bits &b, bool isSigned) {
  const bool byReal = a.isVector() && a.width() <= 32 && !isConstant(b);
  return byReal ? dividedAsReal(a, b, isSigned) : divided(a, b, isSigned);
}

} // namespace

Bits quotient(const Bits &a, const Bits &b, bool isSigned) {
  return select(b == 0, uint64_t(-1), plainQuotient(a, b, isSigned));
}

Bits remainder(const Bits &a, const Bits &b, bool isSigned) {
  return select(b == 0, uint64_t(-1), a - plainQuotient(a, b, isSigned) * b);
}

} // namespace heddle::jit
