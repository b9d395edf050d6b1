// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptx/Module.h"
#include "vm/Counters.h"

namespace heddle::vm {
namespace {

using enum InstructionClass;

bool isHalf(ptx::Type type) {
  using enum ptx::Type;
  return type == F16 || type == BF16 || type == F16X2 || type == BF16X2;
}

InstructionClass arithmetic(const ptx::Instr &instr) {
  const ptx::Type type = instr.type();
  if (isHalf(type))
    return Half;
  if (type == ptx::Type::F64)
    return Double;
  if (ptx::isFloat(type) || type == ptx::Type::F32X2)
    return Float;
  return ptx::info(instr.op).cls == ptx::OpClass::Multiply ? IntegerMultiply : Integer;
}

InstructionClass division(const ptx::Instr &instr) {
  if (instr.type() == ptx::Type::F64)
    return DoubleDivide;
  if (!ptx::isFloat(instr.type()))
    return IntegerDivide;
  return instr.mods.has(ptx::Flag::Approx) ? SpecialFunction : FloatDivide;
}

InstructionClass memory(const ptx::Instr &instr, bool loads) {
  switch (instr.mods.space) {
  case ptx::Space::Global: return loads ? GlobalLoad : GlobalStore;
  case ptx::Space::Shared:
  case ptx::Space::SharedCluster: return loads ? SharedLoad : SharedStore;
  case ptx::Space::Local: return loads ? LocalLoad : LocalStore;
  case ptx::Space::Const: return ConstantLoad;
  case ptx::Space::Param: return loads ? ParamLoad : LocalStore;
  default: return loads ? GenericLoad : GenericStore;
  }
}

} // namespace

InstructionClass classOf(const ptx::Instr &instr) {
  switch (ptx::info(instr.op).cls) {
  case ptx::OpClass::Arithmetic:
  case ptx::OpClass::Multiply: return arithmetic(instr);
  case ptx::OpClass::Divide: return division(instr);
  case ptx::OpClass::SpecialFunction: return SpecialFunction;
  case ptx::OpClass::Logic: return Logic;
  case ptx::OpClass::Compare: return Compare;
  case ptx::OpClass::Convert: return Convert;
  case ptx::OpClass::Move: return Move;
  case ptx::OpClass::Branch: return Branch;
  case ptx::OpClass::Call: return Call;
  case ptx::OpClass::Load: return memory(instr, true);
  case ptx::OpClass::Store: return memory(instr, false);
  case ptx::OpClass::Atomic: return Atomic;
  case ptx::OpClass::Fence: return Fence;
  case ptx::OpClass::Shuffle: return Shuffle;
  case ptx::OpClass::Vote: return Vote;
  case ptx::OpClass::AsyncCopy:
  case ptx::OpClass::AsyncCommit:
  case ptx::OpClass::AsyncWait: return AsyncCopy;
  case ptx::OpClass::Matrix: return Matrix;
  case ptx::OpClass::Texture: return Texture;
  case ptx::OpClass::Mbarrier: return Mbarrier;
  case ptx::OpClass::Barrier: return Barrier;
  case ptx::OpClass::Other: return Other;
  }
  return Other;
}

std::string_view nameOf(InstructionClass cls) {
  static constexpr std::string_view names[] = {
#define HEDDLE_CLASS(NAME, TEXT) TEXT,
#include "vm/Classes.def"
  };
  return names[unsigned(cls)];
}

} // namespace heddle::vm
