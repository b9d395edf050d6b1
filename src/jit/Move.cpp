// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Data Movement": mov in all its forms, and cvta.
#include "jit/Emitters.h"
#include "vm/Code.h"

namespace heddle::jit {
namespace {

using ptx::Op;
using ptx::OperandKind;

/// mov.b64 %rd, {%r1, %r2}: the first element is the lowest. Bytes are in 16-bit registers.
Bits packed(Sources parts, unsigned bits) {
  const unsigned each = bits / unsigned(parts.size());
  Bits whole = parts[0].resized(each).resized(bits);
  for (unsigned i = 1; i < parts.size(); ++i)
    whole = whole | parts[i].resized(each).resized(bits).shl(i * each);
  return whole;
}

Results unpacked(const Bits &whole, unsigned count) {
  const unsigned each = whole.width() / count;
  Results parts;
  for (unsigned i = 0; i < count; ++i)
    parts.push_back(whole.lshr(i * each).resized(each).resized(std::max(16u, each)));
  return parts;
}

Emitter movEmitter(const Form &form) {
  const ptx::Operand &to = form.operands[0], &from = form.operands[1];
  const bool isPred = form.type() == ptx::Type::Pred;
  const unsigned bits = isPred ? 1 : std::max(16u, form.bits()), count = to.count;
  const bool vectorTo = to.kind == OperandKind::Vector, vectorFrom = from.kind == OperandKind::Vector;
  if (vectorTo && vectorFrom)
    return {};
  if (vectorFrom)
    return [=](Sources parts) -> Results { return {packed(parts, bits)}; };
  if (vectorTo)
    return [=](Sources whole) { return unpacked(whole[0], count); };
  if (isPred && from.kind == OperandKind::Special)
    return {};
  // A special register may have another width.
  return unary([=](const Bits &a) { return a.resized(bits); });
}

/// Where the addresses of a space begin in generic ones. Global and constant memory have the same in both.
uint64_t windowOf(ptx::Space space, bool inFunction) {
  switch (space) {
  case ptx::Space::Shared:
  case ptx::Space::SharedCluster: return vm::SharedWindow;
  case ptx::Space::Local: return vm::LocalWindow;
  case ptx::Space::Param: return inFunction ? vm::LocalWindow : 0;
  default: return 0;
  }
}

Emitter cvtaEmitter(const Form &form) {
  if (form.bits() != 64)
    return {};
  const uint64_t window = windowOf(form.instr.mods.space, !form.function.isEntry);
  if (window == 0)
    return unary([](const Bits &a) { return a; });
  if (form.has(ptx::Flag::To))
    return unary([](const Bits &a) { return a & vm::WindowOffset; });
  return unary([=](const Bits &a) { return a + window; });
}

} // namespace

Emitter moveEmitter(const Form &form) {
  switch (form.op()) {
  case Op::Mov: return movEmitter(form);
  case Op::Cvta: return cvtaEmitter(form);
  default: return {};
  }
}

} // namespace heddle::jit
