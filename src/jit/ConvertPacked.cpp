// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/ConvertPacked.h"

#include "jit/Formats.h"

namespace heddle::jit {
namespace {

using ptx::Flag;
using ptx::Type;
using sem::Layout;
using sem::Rounding;

/// cvt.rn.f16x2.f32 d, a, b: a becomes the upper half.
Emitter pairEmitter(const Form &form) {
  const Layout layout = layoutOf(form.type());
  const Rounding rounding = form.instr.mods.rnd == ptx::Rounding::Rz ? Rounding::RZ : Rounding::RN;
  const bool hasRelu = form.has(Flag::Relu);
  auto half = [=](const Bits &a) {
    const Bits result = roundedTo(a.real(), layout, rounding);
    return (hasRelu ? relu(result, layout) : result).resized(32);
  };
  return binary([=](const Bits &a, const Bits &b) { return half(a).shl(16) | half(b); });
}

/// f32 without the lower 13 bits of its fraction. .rna truncates a NaN like any others, the other forms return the canonical one.
Bits toTf32(const Bits &a, Rounding rounding, bool hasRelu) {
  constexpr unsigned Lost = 13, Mask = ~((1u << Lost) - 1);
  const Bits nan = a.real().isNaN();
  if (rounding == Rounding::RNA)
    return select(nan, a, a + (1u << (Lost - 1))) & Mask;
  const Bits nearest = a + ((1u << (Lost - 1)) - 1) + (a.lshr(Lost) & 1);
  Bits result = (rounding == Rounding::RZ ? a : nearest) & Mask;
  if (hasRelu)
    result = result.max(0, true);
  return select(nan, 0x7fffffffu & Mask, result);
}

} // namespace

Emitter packedConvertEmitter(const Form &form) {
  const Type to = form.type();
  // The interpreter reads rows of the type's own width.
  auto isWider = [&](const ptx::Operand &operand) { return form.width(operand) > 32; };
  if (form.has(Flag::SatFinite) || form.type2() != Type::F32 || llvm::any_of(form.operands, isWider))
    return {};
  if (to == Type::TF32 && form.operands.size() == 2)
    return unary([rounding = roundingOf(form.instr.mods.rnd), hasRelu = form.has(Flag::Relu)](const Bits &a) {
      return toTf32(a, rounding, hasRelu);
    });
  const bool isPair = (to == Type::F16X2 || to == Type::BF16X2) && form.operands.size() == 3;
  return isPair ? pairEmitter(form) : Emitter();
}

Emitter packEmitter(const Form &form) {
  const unsigned bits = form.bits();
  const bool toSigned = form.type() == Type::S16 || form.type() == Type::S8 || form.type() == Type::S4 ||
                        form.type() == Type::S2;
  const int64_t low = toSigned ? -(int64_t(1) << (bits - 1)) : 0,
                high = (int64_t(1) << (bits - toSigned)) - 1;
  auto field = [=](const Bits &a) { return a.max(low, true).min(high, true) & ((1u << bits) - 1); };
  return [=](Sources from) -> Results {
    const Bits fields = field(from[1]) | field(from[0]).shl(bits);
    return {from.size() > 2 && bits < 16 ? fields | from[2].shl(2 * bits) : fields};
  };
}

} // namespace heddle::jit
