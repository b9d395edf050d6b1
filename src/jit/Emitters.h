// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the instruction families share. Each has a function that looks at an instruction and returns how its IR is
// emitted, or nothing if it is not one of its own: isCompiled asks the same question without a builder.
#pragma once

#include "jit/Value.h"
#include "ptx/Module.h"
#include "semantics/Format.h"

#include <llvm/ADT/SmallVector.h>

#include <functional>
#include <span>
#include <utility>

namespace heddle::jit {

namespace sem = heddle::semantics;

using Sources = std::span<const Bits>;
using Results = llvm::SmallVector<Bits, 2>;
using Emitter = std::function<Results(Sources)>;

/// An instruction with what its operands say.
struct Form {
  const ptx::Function &function;
  const ptx::Instr &instr;
  std::span<const ptx::Operand> operands;
  bool anyNaN; ///< f32 and f64: of a result that is one, the bits do not matter

  Form(const ptx::Function &inFunction, const ptx::Instr &which, bool withAnyNaN = false)
      : function(inFunction), instr(which), operands(inFunction.operandsOf(which)), anyNaN(withAnyNaN) {}
  ptx::Op op() const { return instr.op; }
  ptx::Type type() const { return instr.types[0]; }
  ptx::Type type2() const { return instr.types[1]; }
  bool has(ptx::Flag flag) const { return instr.mods.has(flag); }
  unsigned bits() const { return ptx::bitsOf(type()); }
  bool isSigned() const { return ptx::isSigned(type()); }
  /// The width of the register that an operand names, 0 for other operands.
  unsigned width(const ptx::Operand &operand) const {
    return operand.isReg() ? ptx::bitsOf(function.registers[operand.index].cls) : 0;
  }
};

/// f(a), f(a, b)... as an emitter of one result.
template <size_t Count, class F> Emitter emitsOne(F f) {
  return [f = std::move(f)](Sources from) -> Results {
    return [&]<size_t... I>(std::index_sequence<I...>) -> Results {
      return {f(from[I]...)};
    }(std::make_index_sequence<Count>{});
  };
}
template <class F> Emitter unary(F f) { return emitsOne<1>(std::move(f)); }
template <class F> Emitter binary(F f) { return emitsOne<2>(std::move(f)); }
template <class F> Emitter ternary(F f) { return emitsOne<3>(std::move(f)); }

/// The emitter of an operation on parts of half the width, for operands that have two of them.
inline Emitter onHalves(Emitter each) {
  if (!each)
    return {};
  return [each = std::move(each)](Sources from) -> Results {
    llvm::SmallVector<Bits, 3> parts;
    for (const Bits &source : from)
      parts.push_back(source.halves());
    return {each(parts)[0].as(from[0].type())};
  };
}

/// Whether a type is one of numbers without fractions, bits among them.
inline bool isInteger(ptx::Type type) {
  auto kind = ptx::kindOf(type);
  return kind == ptx::TypeKind::Unsigned || kind == ptx::TypeKind::Signed || kind == ptx::TypeKind::Bits;
}

/// The rounding of PTX as semantics names it; to integral values too.
sem::Rounding roundingOf(ptx::Rounding rounding);

// The families.
Emitter integerEmitter(const Form &form);
Emitter carryEmitter(const Form &form);
Emitter bitsEmitter(const Form &form);
Emitter floatEmitter(const Form &form);
Emitter compareEmitter(const Form &form);
Emitter convertEmitter(const Form &form);
Emitter moveEmitter(const Form &form);

} // namespace heddle::jit
