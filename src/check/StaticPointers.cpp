// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fixpoint without regard to the order of instructions: whatever is computed from such an address may be
// one, and once one is stored anywhere, whatever is loaded may be one.
#include "check/StaticPointers.h"

#include "vm/Lowering.h"

namespace heddle::check {
namespace {

using ptx::Op;

template <class F> void eachRegister(const ptx::Function &f, const ptx::Operand &operand, F use) {
  if (operand.kind == ptx::OperandKind::Vector)
    for (const ptx::Operand &element : f.elementsOf(operand))
      eachRegister(f, element, use);
  else if (operand.isReg())
    use(operand.index);
}

bool makesGeneric(const ptx::Instr &instr) { return instr.op == Op::Cvta && !instr.mods.has(ptx::Flag::To); }

} // namespace

bool SharedPointers::isSource(const ptx::Instr &instr) const {
  const bool shared = instr.mods.space == ptx::Space::Shared || instr.mods.space == ptx::Space::SharedCluster;
  if (makesGeneric(instr) && shared)
    return true;
  const ptx::Memory memory = ptx::info(instr.op).memory;
  return stored && (memory == ptx::Memory::Loads || memory == ptx::Memory::Updates);
}

/// One pass over a function; true where something was new.
bool SharedPointers::sweep(const vm::Code &code) {
  const ptx::Function &f = *code.function;
  std::vector<bool> &regs = maybe[&code];
  bool changed = false;
  for (const ptx::Instr &instr : f.instrs) {
    auto operands = f.operandsOf(instr);
    const unsigned dests = vm::countDests(f, instr);
    bool holds = false;
    for (unsigned i = dests; i < operands.size(); ++i)
      eachRegister(f, operands[i], [&](uint32_t r) { holds |= regs[r]; });
    const ptx::Memory memory = ptx::info(instr.op).memory;
    const bool keeps =
        memory == ptx::Memory::Stores || memory == ptx::Memory::Updates || instr.op == Op::Call;
    if (holds && keeps && !stored)
      stored = changed = true;
    if (!(holds && memory == ptx::Memory::None) && !isSource(instr))
      continue;
    for (unsigned i = 0; i < dests; ++i)
      eachRegister(f, operands[i], [&](uint32_t r) {
        if (!regs[r] && f.registers[r].cls != ptx::RegClass::Pred)
          regs[r] = changed = true;
      });
  }
  return changed;
}

SharedPointers::SharedPointers(const vm::Kernel &kernel) {
  for (const auto &code : kernel.codes) {
    maybe[code.get()].assign(code->function->registers.size(), false);
    for (const ptx::Instr &instr : code->function->instrs) {
      const ptx::Space space = instr.mods.space;
      taken |= makesGeneric(instr) && (space == ptx::Space::Shared || space == ptx::Space::SharedCluster);
      takenLocal |= makesGeneric(instr) && (space == ptx::Space::Local || space == ptx::Space::Param);
    }
  }
  for (bool changed = taken; changed;) {
    changed = false;
    for (const auto &code : kernel.codes)
      changed |= sweep(*code);
  }
}

} // namespace heddle::check
