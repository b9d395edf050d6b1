// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Shapes.h"

#include <algorithm>

namespace heddle::jit {

using ptx::Op;
using ptx::OperandKind;

namespace {

/// Strides beyond this are treated as Varying, so that no sum of a few of them wraps around.
constexpr int64_t MaxAffineStride = 1 << 20;

constexpr Shape UniformShape{Shape::Uniform}, VaryingShape{Shape::Varying};

Shape affineShape(int64_t stride, bool wholeWarp) {
  return stride > MaxAffineStride || stride < -MaxAffineStride ? VaryingShape
                                                               : Shape{Shape::Affine, wholeWarp, stride};
}

Shape meet(Shape a, Shape b) {
  if (a.kind == Shape::Unknown || a == b)
    return b;
  if (b.kind == Shape::Unknown)
    return a;
  if (a.isScalar() && b.isScalar() && a.stride == b.stride)
    return affineShape(a.stride, a.isOneScalar() && b.isOneScalar());
  return VaryingShape;
}

bool isPlainInteger(const ptx::Instr &instr) {
  const auto kind = ptx::kindOf(instr.types[0]);
  const unsigned bits = ptx::bitsOf(instr.types[0]);
  return (kind == ptx::TypeKind::Signed || kind == ptx::TypeKind::Unsigned || kind == ptx::TypeKind::Bits) &&
         (bits == 32 || bits == 64) && !instr.mods.has(ptx::Flag::Sat);
}

} // namespace

Shapes::Shapes(const Program &given, bool withAffine) : program(given), affine(withAffine) {
  shapes.resize(program.function.registers.size());
  for (uint32_t reg = 0; reg < shapes.size(); ++reg)
    if (!program.isHeld(reg))
      shapes[reg] = VaryingShape;
  if (program.count())
    for (const unsigned reg : program.liveBefore(0).set_bits()) // read before it is written: starts as zeros
      if (shapes[reg].kind == Shape::Unknown)
        shapes[reg] = UniformShape;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < program.count(); ++i) {
      Shape result = ofResult(i);
      if (const ptx::Guard &guard = program.function.instrs[i].guard; guard && !shapes[guard.reg].isUniform())
        result = VaryingShape;
      if (program.function.instrs[i].op == Op::Call) { // which operands are written differs
        for (const ptx::Operand &each : program.operands(i))
          if (each.kind == OperandKind::Vector)
            for (const ptx::Operand &element : program.function.elementsOf(each))
              if (element.isReg())
                lower(element.index, VaryingShape, changed);
        continue;
      }
      for (uint32_t reg : program.writes(i))
        lower(reg, result, changed);
    }
    for (uint32_t i = 0; i < program.count(); ++i)
      if (program.wayOf(i) == Way::Leave ? program.function.instrs[i].op == Op::BrxIdx : isDivergent(i))
        joinAt(i, changed);
  }
}

void Shapes::lower(uint32_t reg, Shape to, bool &changed) {
  const Shape joined = meet(shapes[reg], to);
  changed |= !(joined == shapes[reg]);
  shapes[reg] = joined;
}

Shape Shapes::ofSource(uint32_t instr, const ptx::Operand &operand) const {
  (void)instr;
  if (operand.isReg() || operand.kind == OperandKind::AddrReg)
    return shapes[operand.index];
  if (operand.kind != OperandKind::Special)
    return UniformShape;
  const auto layout = program.request.shape;
  using enum ptx::SpecialReg;
  switch (ptx::SpecialReg(operand.index)) {
  case TidX:
    return layout == vm::LaunchShape::Any || !affine ? VaryingShape
                                                     : affineShape(1, layout == vm::LaunchShape::Rows32);
  case TidY:
  case TidZ:
    if (layout == vm::LaunchShape::Rows32)
      return UniformShape;
    return layout == vm::LaunchShape::Any || !affine ? VaryingShape : affineShape(0, false);
  case LaneId: return affine ? affineShape(1, true) : VaryingShape;
  case LaneMaskEq:
  case LaneMaskLt:
  case LaneMaskLe:
  case LaneMaskGt:
  case LaneMaskGe: return VaryingShape;
  default: return UniformShape;
  }
}

Shape Shapes::ofAddress(uint32_t instr) const {
  const vm::Inst &in = program.inst(instr);
  if (in.address != vm::AddressForm::Reg32 && in.address != vm::AddressForm::Reg64)
    return UniformShape;
  for (const ptx::Operand &each : program.operands(instr))
    if (each.kind == OperandKind::AddrReg)
      return shapes[each.index];
  return VaryingShape;
}

bool Shapes::widens(uint32_t instr) const {
  const ptx::Instr &what = program.function.instrs[instr];
  if (what.op == Op::Mul || what.op == Op::Mad)
    return what.mods.mul == ptx::MulMode::Wide;
  return what.op == Op::Cvt && ptx::bitsOf(what.types[0]) == 64 && ptx::bitsOf(what.types[1]) == 32;
}

/// The stride of an operation that is linear in its operands.
Shape Shapes::linear(uint32_t instr, bool wholeWarp) const {
  const ptx::Instr &what = program.function.instrs[instr];
  auto sources = program.sources(instr);
  auto affineOf = [&](int64_t by) { return affineShape(by, wholeWarp); };
  auto stride = [&](unsigned i) { return ofSource(instr, sources[i]).stride; };
  auto number = [&](unsigned i) -> std::optional<int64_t> {
    auto constant = program.constantOf(instr, sources[i], i);
    if (!constant)
      return std::nullopt;
    const bool isSigned = !widens(instr) || ptx::isSigned(what.types[0]);
    return constant->bits == 32 && isSigned ? int64_t(int32_t(constant->value)) : int64_t(constant->value);
  };
  auto product = [&](unsigned a, unsigned b) -> std::optional<int64_t> {
    if (stride(a) == 0 && stride(b) == 0)
      return 0;
    for (auto [x, y] : {std::pair(a, b), std::pair(b, a)})
      if (auto factor = number(y); factor && std::abs(*factor) <= MaxAffineStride)
        return stride(x) * *factor;
    return std::nullopt;
  };
  switch (what.op) {
  case Op::Mov: // packs and unpacks as well
    return sources.size() == 1 && program.destinations(instr).size() == 1 && isPlainInteger(what)
               ? affineOf(stride(0))
               : VaryingShape;
  case Op::Cvta: return affineOf(stride(0));
  case Op::Add: return isPlainInteger(what) ? affineOf(stride(0) + stride(1)) : VaryingShape;
  case Op::Sub: return isPlainInteger(what) ? affineOf(stride(0) - stride(1)) : VaryingShape;
  case Op::Shl:
    if (auto by = number(1); by && *by >= 0 && *by < 20 && isPlainInteger(what))
      return affineOf(stride(0) << *by);
    return VaryingShape;
  case Op::Mul:
  case Op::Mad: {
    if (!isPlainInteger(what) || what.mods.mul == ptx::MulMode::Hi)
      return VaryingShape;
    auto part = product(0, 1);
    return part ? affineOf(*part + (what.op == Op::Mad ? stride(2) : 0)) : VaryingShape;
  }
  case Op::Cvt: {
    auto isInteger = [](ptx::Type type) {
      const auto kind = ptx::kindOf(type);
      return kind == ptx::TypeKind::Signed || kind == ptx::TypeKind::Unsigned;
    };
    const unsigned to = ptx::bitsOf(what.types[0]), from = ptx::bitsOf(what.types[1]);
    // Registers may be wider than the types.
    auto hasBits = [&](const ptx::Operand &operand, unsigned bits) {
      return !operand.isReg() || program.bitsOf(operand.index) == bits;
    };
    const bool isServed = isInteger(what.types[0]) && isInteger(what.types[1]) &&
                          hasBits(*program.sources(instr).begin(), from) &&
                          hasBits(*program.destinations(instr).begin(), to) &&
                          !what.mods.has(ptx::Flag::Sat) && (to == 32 || to == 64) &&
                          (from == to || from == 32 || to == 32) && from >= 32;
    return isServed ? affineOf(stride(0)) : VaryingShape;
  }
  default: return VaryingShape;
  }
}

Shape Shapes::ofResult(uint32_t instr) const {
  switch (program.wayOf(instr)) {
  case Way::Operation: break;
  case Way::Exchange: // of all lanes, so without a mask
    return affine && program.function.instrs[instr].op == Op::VoteSync ? UniformShape : VaryingShape;
  case Way::Access: {
    const Shape address = ofAddress(instr);
    return address.isUniform()                 ? UniformShape
           : address.isSameInChunk() && affine ? affineShape(0, address.wholeWarp)
                                               : VaryingShape;
  }
  default: return VaryingShape;
  }
  bool uniform = true, same = true, scalar = true, wholeWarp = true;
  for (const ptx::Operand &each : program.sources(instr)) {
    const Shape shape = ofSource(instr, each);
    uniform &= shape.isUniform();
    same &= shape.isSameInChunk();
    scalar &= shape.isScalar();
    wholeWarp &= shape.isOneScalar();
  }
  return uniform              ? UniformShape
         : !affine || !scalar ? VaryingShape
         : same               ? affineShape(0, wholeWarp)
                              : linear(instr, wholeWarp);
}

bool Shapes::mayWrap(uint32_t instr) const {
  if (ofResult(instr).kind != Shape::Affine || !widens(instr))
    return false;
  // What is widened may wrap around also if the strides of the sum cancel.
  unsigned index = 0;
  for (const ptx::Operand &each : program.sources(instr))
    if (index++ < 2 && ofSource(instr, each).stride)
      return true;
  return false;
}

bool Shapes::isDivergent(uint32_t branch) const {
  const ptx::Instr &what = program.function.instrs[branch];
  return what.op == Op::Bra && what.guard && !shapes[what.guard.reg].isUniform();
}

std::vector<bool> Shapes::reachedFrom(uint32_t block, uint32_t stop) const {
  std::vector<bool> seen(program.function.blocks.size(), false);
  std::vector<uint32_t> todo{block};
  while (!todo.empty()) {
    const uint32_t at = todo.back();
    todo.pop_back();
    if (seen[at])
      continue;
    seen[at] = true;
    if (at != stop)
      todo.insert(todo.end(), program.function.blocks[at].succs.begin(),
                  program.function.blocks[at].succs.end());
  }
  return seen;
}

void Shapes::joinAt(uint32_t branch, bool &changed) {
  const auto &blocks = program.function.blocks;
  const ptx::Block &block = blocks[program.function.blockOf[branch]];
  std::vector<unsigned> ways(blocks.size(), 0);
  for (uint32_t succ : block.succs) {
    std::vector<bool> reached = reachedFrom(succ, block.ipdom);
    for (size_t b = 0; b < blocks.size(); ++b)
      ways[b] += reached[b];
  }
  llvm::BitVector needed(unsigned(shapes.size()));
  for (size_t b = 0; b < blocks.size(); ++b)
    if (ways[b] > 1)
      needed |= program.liveBefore(blocks[b].first);
  for (size_t b = 0; b < blocks.size(); ++b)
    if (ways[b] && b != block.ipdom)
      for (uint32_t i = blocks[b].first; i < blocks[b].end; ++i)
        for (uint32_t reg : program.writes(i))
          if (needed[reg])
            lower(reg, VaryingShape, changed);
}

std::vector<bool> Shapes::meetingBlocks() const {
  const auto &blocks = program.function.blocks;
  std::vector<bool> found(blocks.size(), false);
  for (const ptx::Block &block : blocks) {
    const uint32_t last = block.end - 1;
    if (program.function.instrs[last].op != Op::BrxIdx && !isDivergent(last))
      continue;
    for (uint32_t succ : block.succs)
      found[succ] = true;
    if (block.ipdom != ptx::kNone)
      found[block.ipdom] = true;
  }
  return found;
}

} // namespace heddle::jit
