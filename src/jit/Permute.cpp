// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Permute.h"

#include "semantics/Bits.h"

#include <llvm/IR/Constants.h>

#include <optional>

namespace heddle::jit {
namespace {

namespace sem = heddle::semantics;

std::optional<uint32_t> numberIn(const Bits &value) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(value.value());
  if (constant && constant->getType()->isVectorTy())
    constant = constant->getSplatValue();
  auto *number = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant);
  return number ? std::optional(uint32_t(number->getZExtValue())) : std::nullopt;
}

/// Selectors that are known: one shuffle of bytes, and the signs.
Bits permuteKnown(const Bits &a, const Bits &b, uint32_t selectors) {
  const Bits bytesOfA = a.halves().halves(), bytesOfB = b.halves().halves();
  const int bytes = int(llvm::cast<llvm::FixedVectorType>(bytesOfA.type())->getNumElements());
  llvm::SmallVector<int, 64> order;
  llvm::SmallVector<llvm::Constant *, 64> signs;
  llvm::IRBuilderBase &ir = a.builder();
  for (int byte = 0; byte < bytes; ++byte) {
    const int digit = int(selectors >> (4 * (byte & 3)) & 0xf), place = (byte & ~3) + (digit & 3);
    order.push_back(digit & 4 ? bytes + place : place);
    signs.push_back(ir.getInt1(digit & 8));
  }
  const Bits chosen(ir, ir.CreateShuffleVector(bytesOfA.value(), bytesOfB.value(), order));
  return select(Bits(ir, llvm::ConstantVector::get(signs)), chosen.ashr(7), chosen).as(a.type());
}

Bits permuteVariable(const Bits &a, const Bits &b, const Bits &selectors) {
  const Bits bytes = b.resized(64).shl(32) | a.resized(64);
  Bits result = a.constant(0);
  for (int place = 0; place < 4; ++place) {
    const Bits digit = selectors.lshr(4 * place) & 0xf;
    const Bits byte = bytes.lshr((digit & 7).shl(3).resized(64)).resized(32) & 0xff;
    const Bits sign = onlyIf((byte & 0x80) != 0, byte.constant(0xff));
    result = result | select((digit & 8) != 0, sign, byte).shl(8 * place);
  }
  return result;
}

/// The selectors of a special mode for the low two bits of c.
Bits selectorsOf(const Bits &c, ptx::PrmtMode mode) {
  const auto &row = sem::PermuteSelectors[unsigned(mode) - 1];
  const Bits low = (c & 1) != 0, high = (c & 2) != 0;
  auto choose = [&](unsigned zero, unsigned one) { return select(low, c.constant(one), c.constant(zero)); };
  return select(high, choose(row[2], row[3]), choose(row[0], row[1]));
}

} // namespace

Bits permuteBytes(const Bits &a, const Bits &b, const Bits &c, ptx::PrmtMode mode) {
  const Bits selectors = mode == ptx::PrmtMode::None ? c : selectorsOf(c, mode);
  if (auto known = numberIn(selectors))
    return permuteKnown(a, b, *known);
  return permuteVariable(a, b, selectors);
}

} // namespace heddle::jit
