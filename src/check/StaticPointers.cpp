// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fixpoint without regard to the order of instructions: whatever is computed from such an address may be
// one, and once one is stored anywhere, whatever is loaded may be one.
#include "check/StaticPointers.h"

#include "vm/Lowering.h"

namespace heddle::check {
namespace {

using ptx::Op;

/// Registers whose values an instruction uses or sets. An access through a pointer does not pass the pointer on, so registers of addresses
/// are not among them.
template <class F> void eachValue(const ptx::Function &f, const ptx::Operand &operand, F use) {
  if (operand.kind == ptx::OperandKind::Vector)
    for (const ptx::Operand &element : f.elementsOf(operand))
      eachValue(f, element, use);
  else if (operand.isReg())
    use(operand.index);
}

} // namespace

bool GenericPointers::isMade(const ptx::Instr &instr) const {
  if (instr.op != Op::Cvta || instr.mods.has(ptx::Flag::To))
    return false;
  const ptx::Space space = instr.mods.space;
  return memory == To::Shared ? space == ptx::Space::Shared || space == ptx::Space::SharedCluster
                              : space == ptx::Space::Local || space == ptx::Space::Param;
}

bool GenericPointers::isSource(const ptx::Instr &instr) const {
  if (isMade(instr))
    return true;
  const ptx::Memory memory = ptx::info(instr.op).memory;
  return stored && (memory == ptx::Memory::Loads || memory == ptx::Memory::Updates);
}

/// One pass over a function; true where something was new.
bool GenericPointers::sweep(const vm::Code &code) {
  const ptx::Function &f = *code.function;
  std::vector<bool> &regs = maybe[&code];
  bool changed = false;
  for (const ptx::Instr &instr : f.instrs) {
    auto operands = f.operandsOf(instr);
    const unsigned dests = ptx::countDests(f, instr);
    bool holds = false;
    for (unsigned i = dests; i < operands.size(); ++i)
      eachValue(f, operands[i], [&](uint32_t r) { holds |= regs[r]; });
    const ptx::Memory memory = ptx::info(instr.op).memory;
    const bool keeps =
        memory == ptx::Memory::Stores || memory == ptx::Memory::Updates || instr.op == Op::Call;
    if (holds && keeps && !stored)
      stored = changed = true;
    if (!(holds && memory == ptx::Memory::None) && !isSource(instr))
      continue;
    for (unsigned i = 0; i < dests; ++i)
      eachValue(f, operands[i], [&](uint32_t r) {
        if (!regs[r] && f.registers[r].cls != ptx::RegClass::Pred)
          regs[r] = changed = true;
      });
  }
  return changed;
}

GenericPointers::GenericPointers(const vm::Kernel &kernel, To wanted) : memory(wanted) {
  for (const auto &code : kernel.codes) {
    maybe[code.get()].assign(code->function->registers.size(), false);
    for (const ptx::Instr &instr : code->function->instrs)
      taken |= isMade(instr);
  }
  for (bool changed = taken; changed;) {
    changed = false;
    for (const auto &code : kernel.codes)
      changed |= sweep(*code);
  }
}

} // namespace heddle::check
