// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fixpoint without regard to the order of instructions. What is computed from something that varies does;
// and what is written between a branch that varies and where its paths reconverge does, since some threads come
// there and others do not.
#include "check/StaticUniform.h"

#include "vm/Lowering.h"

#include <algorithm>

namespace heddle::check {
namespace {

using ptx::Op;
using ptx::OperandKind;

bool isAlike(ptx::SpecialReg reg, const vm::Dim3 &block) {
  using enum ptx::SpecialReg;
  switch (reg) {
  case TidX: return block.x == 1;
  case TidY: return block.y == 1;
  case TidZ: return block.z == 1;
  case NTidX:
  case NTidY:
  case NTidZ:
  case CtaIdX:
  case CtaIdY:
  case CtaIdZ:
  case NCtaIdX:
  case NCtaIdY:
  case NCtaIdZ:
  case WarpSize:
  case DynamicSmemSize:
  case TotalSmemSize: return true;
  default: return false;
  }
}

/// One of the kernel's own; results of calls are in parameter space too.
bool loadsParameter(const ptx::Function &f, const ptx::Instr &instr) {
  if (instr.op != Op::Ld || f.operandsOf(instr)[1].kind != OperandKind::AddrVar)
    return false;
  const uint32_t variable = f.operandsOf(instr)[1].index;
  return std::any_of(f.params.begin(), f.params.end(),
                     [&](const ptx::Param &parameter) { return parameter.variable == variable; });
}

/// Whether the result is a function of the sources in the thread itself.
bool isOwnWork(const ptx::Function &f, const ptx::Instr &instr) {
  const ptx::OpInfo &info = ptx::info(instr.op);
  return loadsParameter(f, instr) ||
         (info.memory == ptx::Memory::None && info.lanes == ptx::Lanes::Each && instr.op != Op::ActiveMask &&
          instr.op != Op::Shfl && instr.op != Op::Vote && instr.op != Op::Txq && instr.op != Op::Suq);
}

class UniformSweep {
public:
  UniformSweep(const ptx::Function &kernel, const vm::Dim3 &shape, Regions &all)
      : f(kernel), block(shape), regions(all), varies(kernel.registers.size(), false) {}

  std::vector<bool> run() {
    do {
      changed = false;
      for (uint32_t i = 0; i < f.instrs.size(); ++i)
        visit(i);
    } while (changed);
    return std::move(varies);
  }

private:
  bool isVarying(const ptx::Operand &operand) const {
    if (operand.kind == OperandKind::Vector) {
      for (const ptx::Operand &element : f.elementsOf(operand))
        if (isVarying(element))
          return true;
      return false;
    }
    if (operand.kind == OperandKind::Special)
      return !isAlike(ptx::SpecialReg(operand.index), block);
    return (operand.isReg() || operand.kind == OperandKind::AddrReg) && varies[operand.index];
  }

  void mark(uint32_t reg) {
    changed |= !varies[reg];
    varies[reg] = true;
  }
  void mark(const ptx::Operand &operand) {
    if (operand.kind == OperandKind::Vector)
      for (const ptx::Operand &element : f.elementsOf(operand))
        mark(element);
    else if (operand.isReg())
      mark(operand.index);
  }

  /// `if (i >= n) return;`: the threads that remain all take the other side.
  bool leavesOnOneSide(uint32_t index) const {
    const auto &succs = f.blocks[f.blockOf[index]].succs;
    return succs.size() == 2 &&
           std::ranges::any_of(succs, [&](uint32_t succ) { return leavesAtOnce(f, succ); });
  }

  void visit(uint32_t index) {
    const ptx::Instr &instr = f.instrs[index];
    auto operands = f.operandsOf(instr);
    bool differs = instr.guard && varies[instr.guard.reg];
    if (instr.op == Op::Bra || instr.op == Op::BrxIdx) {
      differs |= instr.op == Op::BrxIdx && isVarying(operands[0]);
      if (differs && !leavesOnOneSide(index))
        for (uint32_t reg : regions.of(f, index).written)
          mark(reg);
      return;
    }
    if (instr.op == Op::Call) {
      if (operands.size() > 1)
        mark(operands[1]);
      return;
    }
    const unsigned dests = ptx::countDests(f, instr);
    differs |= !isOwnWork(f, instr);
    for (unsigned i = dests; i < operands.size(); ++i)
      differs |= isVarying(operands[i]);
    for (unsigned i = 0; i < dests && differs; ++i)
      mark(operands[i]);
  }

  const ptx::Function &f;
  const vm::Dim3 block;
  Regions &regions;
  std::vector<bool> varies;
  bool changed = false;
};

} // namespace

std::vector<bool> varyingRegisters(const ptx::Function &kernel, const vm::Dim3 &block, Regions &regions) {
  return UniformSweep(kernel, block, regions).run();
}

} // namespace heddle::check
