// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/LooseNaNs.h"

#include <algorithm>

namespace heddle::jit {

using ptx::Flag;
using ptx::Op;
using ptx::Type;

namespace {

bool isIntegral(ptx::Rounding rounding) {
  using enum ptx::Rounding;
  return rounding == Rni || rounding == Rzi || rounding == Rmi || rounding == Rpi;
}

/// Whether it returns a NaN if one of its operands is one.
bool keepsNaN(const ptx::Instr &what) {
  if (what.types[0] != Type::F64 || what.mods.has(Flag::Sat) || what.mods.has(Flag::Approx))
    return false;
  switch (what.op) {
  case Op::Add:
  case Op::Sub:
  case Op::Mul:
  case Op::Mad:
  case Op::Fma:
  case Op::Div:
  case Op::Rcp:
  case Op::Sqrt:
  case Op::Neg:
  case Op::Abs: return what.types[1] == Type::None;
  case Op::Cvt: return what.types[1] == Type::F64 && isIntegral(what.mods.rnd);
  default: return false;
  }
}

/// Whether the bits of a NaN among the operands do not matter, apart from those that the result has if it is one as well.
bool seesNoBits(const Program &program, uint32_t instr) {
  const ptx::Instr &what = program.function.instrs[instr];
  switch (what.op) {
  case Op::Setp:
  case Op::Min:
  case Op::Max: return what.types[0] == Type::F64;
  case Op::Set: return what.types[1] == Type::F64;
  case Op::Selp: return ptx::bitsOf(what.types[0]) == 64;
  case Op::Mov:
    return ptx::bitsOf(what.types[0]) == 64 && program.sources(instr).size() == 1 &&
           program.destinations(instr).size() == 1;
  case Op::Cvt: {
    const auto kind = ptx::kindOf(what.types[0]);
    return what.types[1] == Type::F64 && (kind == ptx::TypeKind::Signed || kind == ptx::TypeKind::Unsigned);
  }
  default: return keepsNaN(what);
  }
}

/// Whether the result may be one of the operands.
bool passesBits(Op op) { return op == Op::Min || op == Op::Max || op == Op::Selp || op == Op::Mov; }

} // namespace

LooseNaNs::LooseNaNs(const Program &program, uint32_t begin, uint32_t end, const llvm::BitVector &needed)
    : first(begin), loose(end - begin), checked(end - begin + 1), written(needed.size()) {
  for (uint32_t i = first; i < end; ++i)
    loose[i - first] = keepsNaN(program.function.instrs[i]);
  if (std::ranges::find(loose, true) == loose.end())
    return;
  llvm::BitVector unsure(needed.size()); // may have any NaN
  for (uint32_t i = first; i < end; ++i) {
    const ptx::Instr &what = program.function.instrs[i];
    const auto read = program.reads(i);
    const bool isFed = std::ranges::any_of(read, [&](uint32_t reg) { return unsure[reg]; });
    if (isFed && !seesNoBits(program, i))
      for (uint32_t reg : read)
        if (unsure[reg])
          checked[i - first].push_back(reg);
    for (uint32_t reg : program.writes(i)) {
      written.set(reg);
      if (isLoose(i) || (isFed && passesBits(what.op) && seesNoBits(program, i)))
        unsure.set(reg);
      else if (!what.guard)
        unsure.reset(reg);
    }
  }
  unsure &= needed;
  for (unsigned reg : unsure.set_bits())
    checked.back().push_back(reg);
}

/// Whether it is a sum or product of f32, which no NaN goes through as it is.
static bool isFloatSum(const Program &program, uint32_t instr) {
  const ptx::Instr &what = program.function.instrs[instr];
  switch (what.op) {
  case Op::Add:
  case Op::Sub:
  case Op::Mul:
  case Op::Mad:
  case Op::Fma:
    return program.wayOf(instr) == Way::Operation && what.types[0] == Type::F32 &&
           what.types[1] == Type::None;
  default: return false;
  }
}

llvm::BitVector looseFloats(const Program &program, uint32_t first, uint32_t end,
                            const llvm::BitVector &needed) {
  llvm::BitVector loose(end - first), seen = needed; // bits that something else may read
  for (uint32_t i = end; i-- > first;) {
    const ptx::Instr &what = program.function.instrs[i];
    if (!what.guard)
      for (uint32_t reg : program.writes(i)) {
        loose[i - first] =
            isFloatSum(program, i) && !seen[reg] && !what.mods.has(Flag::Sat) && !what.mods.has(Flag::Relu);
        seen.reset(reg);
      }
    if (!isFloatSum(program, i))
      for (uint32_t reg : program.reads(i))
        seen.set(reg);
  }
  return loose;
}

} // namespace heddle::jit
