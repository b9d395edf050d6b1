// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fixpoint without regard to the order of instructions. Additions, selections and copies pass pointers on;
// products, shifts and comparisons do not give addresses. Each 8 bytes of the parameters are a slot of their
// own, so that structs of pointers are taken apart. In `p + n` both may be parameters of 8 bytes: the one
// that cvta or an access takes for an address somewhere is the pointer.
#include "check/StaticBases.h"

#include "check/Locations.h"
#include "support/Text.h"
#include "vm/Lowering.h"
#include "vm/ParameterNames.h"

#include <fmt/format.h>

#include <bit>

namespace heddle::check {
namespace {

using ptx::Op;
using ptx::OperandKind;

constexpr unsigned Slots = 48, Variables = 14; // of 8 parameter bytes each, and of variables after them

bool passesPointers(const ptx::Instr &instr) {
  switch (instr.op) {
  case Op::Mov:
  case Op::Add:
  case Op::Sub:
  case Op::AddC:
  case Op::SubC:
  case Op::Selp:
  case Op::Cvta:
  case Op::Cvt:
  case Op::Min:
  case Op::Max:
  case Op::And:
  case Op::Or:
  case Op::Mad: return true;
  default: return false;
  }
}

bool isGlobalSpace(ptx::Space space) {
  return space == ptx::Space::Global || space == ptx::Space::None || space == ptx::Space::Const;
}

bool isAccess(const ptx::Instr &instr) {
  const ptx::Memory memory = ptx::info(instr.op).memory;
  return memory == ptx::Memory::Loads || memory == ptx::Memory::Stores || memory == ptx::Memory::Updates ||
         memory == ptx::Memory::CopiesAsync;
}

template <class F> void eachElement(const ptx::Function &f, const ptx::Operand &operand, F use) {
  if (operand.kind == OperandKind::Vector)
    for (const ptx::Operand &element : f.elementsOf(operand))
      eachElement(f, element, use);
  else
    use(operand);
}

} // namespace

Bases PointerBases::slotOf(const ptx::Variable &variable, uint64_t offset) const {
  const uint64_t slot = (variable.offset + offset) / 8;
  return slot < Slots ? Bases(1) << slot : Unknown;
}

Bases PointerBases::variableBit(uint32_t variable) {
  auto [at, isNew] = variables.try_emplace(variable, Unknown);
  if (isNew && variables.size() <= Variables)
    at->second = Bases(1) << (Slots + variables.size() - 1);
  return at->second;
}

Bases PointerBases::ofOperand(const vm::Code &code, const ptx::Operand &operand) const {
  if (operand.isReg() || operand.kind == OperandKind::AddrReg)
    return registers.at(&code)[operand.index];
  if (operand.kind == OperandKind::AddrVar || operand.kind == OperandKind::Var) {
    const auto found = variables.find(operand.index);
    return found == variables.end() ? 0 : found->second;
  }
  return 0;
}

/// One pass over a function; true where something was new.
bool PointerBases::sweep(const vm::Code &code) {
  const ptx::Function &f = *code.function;
  std::vector<Bases> &regs = registers[&code];
  bool changed = false;
  for (const ptx::Instr &instr : f.instrs) {
    auto operands = f.operandsOf(instr);
    const unsigned dests = instr.op == Op::Call ? 0 : ptx::countDests(f, instr);
    Bases bases = 0;
    if (instr.op == Op::Ld && operands[1].kind == OperandKind::AddrVar && f.isEntry &&
        kernel.entry().module->variables[operands[1].index].space == ptx::Space::Param) {
      unsigned element = 0;
      const ptx::Variable &variable = kernel.entry().module->variables[operands[1].index];
      const unsigned bytes = ptx::bitsOf(instr.type()) / 8;
      eachElement(f, operands[0], [&](const ptx::Operand &to) {
        const Bases slot =
            bytes == 8 ? slotOf(variable, uint64_t(operands[1].value) + uint64_t(bytes) * element) : 0;
        ++element;
        if (to.isReg() && (regs[to.index] | slot) != regs[to.index])
          regs[to.index] |= slot, changed = true;
      });
      continue;
    }
    if (instr.op == Op::Call) {
      if (operands.size() > 1)
        eachElement(f, operands[1], [&](const ptx::Operand &to) {
          if (to.isReg() && !(regs[to.index] & Unknown))
            regs[to.index] |= Unknown, changed = true;
        });
      continue;
    }
    const ptx::Memory memory = ptx::info(instr.op).memory;
    if (memory == ptx::Memory::Loads || memory == ptx::Memory::Updates)
      bases = ptx::bitsOf(instr.type()) >= 64 ? Unknown : 0;
    else if (passesPointers(instr))
      for (unsigned i = dests; i < operands.size(); ++i)
        eachElement(f, operands[i], [&](const ptx::Operand &from) { bases |= ofOperand(code, from); });
    else if (ptx::info(instr.op).lanes != ptx::Lanes::Each)
      bases = Unknown; // shuffles
    if (!bases)
      continue;
    for (unsigned i = 0; i < dests; ++i)
      eachElement(f, operands[i], [&](const ptx::Operand &to) {
        if (to.isReg() && f.registers[to.index].cls != ptx::RegClass::Pred &&
            (regs[to.index] | bases) != regs[to.index])
          regs[to.index] |= bases, changed = true;
      });
  }
  return changed;
}

/// Slots that are addresses without anything added.
void PointerBases::findPointers(const vm::Code &code) {
  const ptx::Function &f = *code.function;
  for (const ptx::Instr &instr : f.instrs)
    for (const ptx::Operand &operand : f.operandsOf(instr)) {
      const bool isAddress =
          (instr.op == Op::Cvta && operand.isReg()) || operand.kind == OperandKind::AddrReg;
      if (isAddress && std::has_single_bit(registers[&code][operand.index]))
        pointers |= registers[&code][operand.index];
    }
}

Bases PointerBases::of(const vm::Code &code, const ptx::Instr &instr) const {
  if (!isAccess(instr) || !isGlobalSpace(instr.mods.space))
    return 0;
  Bases bases = 0;
  bool found = false;
  for (const ptx::Operand &operand : code.function->operandsOf(instr))
    if (operand.isAddress()) {
      if (operand.kind == OperandKind::AddrVar &&
          !isGlobalSpace(kernel.entry().module->variables[operand.index].space))
        continue;
      bases |= ofOperand(code, operand), found = true;
    }
  return found ? onlyPointers(bases) : 0;
}

bool PointerBases::reachesGlobal(const vm::Code &code, const ptx::Instr &instr) const {
  Bases bases = 0;
  for (const ptx::Operand &operand : code.function->operandsOf(instr))
    if (operand.isAddress())
      bases |= ofOperand(code, operand);
  return bases;
}

Bases PointerBases::ofAddress(const vm::Code &code, const ptx::Operand &operand) const {
  return onlyPointers(ofOperand(code, operand));
}

Bases PointerBases::onlyPointers(Bases bases) const {
  if (bases & pointers)
    bases &= pointers | Unknown | ~((Bases(1) << Slots) - 1);
  return bases ? bases : Unknown;
}

PointerBases::PointerBases(const vm::Kernel &executed) : kernel(executed) {
  const ptx::Module &module = *kernel.entry().module;
  for (uint32_t i = 0; i < module.variables.size(); ++i)
    if (module.variables[i].space == ptx::Space::Global || module.variables[i].space == ptx::Space::Const)
      variableBit(i);
  for (const auto &code : kernel.codes) {
    registers[code.get()].assign(code->function->registers.size(), 0);
    // What a function is given comes through memory or registers of its own.
    if (!code->function->isEntry)
      for (const ptx::Param &parameter : code->function->params)
        if (parameter.reg != ptx::kNone)
          registers[code.get()][parameter.reg] = Unknown;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto &code : kernel.codes)
      changed |= sweep(*code);
  }
  for (const auto &code : kernel.codes)
    findPointers(*code);
  for (const auto &code : kernel.codes)
    for (const ptx::Instr &instr : code->function->instrs) {
      const ptx::Memory memory = ptx::info(instr.op).memory;
      if (memory == ptx::Memory::Stores || memory == ptx::Memory::Updates)
        stores |= of(*code, instr);
      else if (memory == ptx::Memory::CopiesAsync && instr.mods.space == ptx::Space::Global)
        stores |= Unknown;
    }
}

std::string PointerBases::describe(Bases bases, const vm::ParameterNames &parameters) const {
  std::vector<std::string> names;
  for (size_t p = 0; p < kernel.info.parameters.size(); ++p) {
    const auto &parameter = kernel.info.parameters[p];
    Bases own = 0;
    for (uint64_t at = parameter.offset; at < parameter.offset + parameter.bytes; at += 8)
      own |= at / 8 < Slots ? Bases(1) << at / 8 : 0;
    if (own & bases)
      names.push_back(parameters.describe(unsigned(p)));
  }
  for (const auto &[variable, bit] : variables)
    if (bit != Unknown && bit & bases)
      names.push_back(readableVariable(kernel.entry().module->variables[variable].name));
  if (bases & Unknown || names.empty())
    names.push_back("a pointer of unknown origin");
  return joinAnd(names);
}

} // namespace heddle::check
