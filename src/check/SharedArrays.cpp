// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each register of a function holds nothing yet, a number that comes from no array, an address of one
// array, or what we do not follow. Adding a number to an address stays in the array; a register that is set
// from two arrays, or once from an array and once from elsewhere, is not followed. Memory, calls and
// parameters give numbers. A fixpoint over all instructions, without regard to their order.
#include "check/SharedArrays.h"

#include "vm/Lowering.h"

#include <map>

namespace heddle::check {
namespace {

using ptx::Op;
using ptx::Operand;
using ptx::OperandKind;

/// Nothing, Number, 2 + index of a variable, or Unknown.
using Origin = uint32_t;
constexpr Origin Nothing = 0, Number = 1, FirstVariable = 2, Unknown = ~0u;

Origin joined(Origin a, Origin b) { return a == Nothing || a == b ? b : b == Nothing ? a : Unknown; }

/// Whether the result is an address of the array that one of the sources points into.
bool keepsArray(Op op) {
  switch (op) {
  case Op::Mov:
  case Op::Add:
  case Op::Sub:
  case Op::Mad:
  case Op::Cvta:
  case Op::Cvt:
  case Op::Selp: return true;
  default: return false;
  }
}

class Sweep {
public:
  Sweep(const ptx::Module &parsed, const ptx::Function &function)
      : module(parsed), f(function), origins(function.registers.size(), Nothing) {}

  std::vector<Origin> run() {
    do {
      changed = false;
      for (const ptx::Instr &instr : f.instrs)
        visit(instr);
    } while (changed);
    return std::move(origins);
  }

  static Origin ofVariable(const ptx::Module &module, uint32_t index) {
    return module.variables[index].space == ptx::Space::Shared ? FirstVariable + index : Number;
  }

private:
  Origin of(const Operand &operand) const {
    switch (operand.kind) {
    case OperandKind::Reg: return origins[operand.index];
    case OperandKind::Var: return ofVariable(module, operand.index);
    default: return Number;
    }
  }

  /// An address and numbers make an address of the same array.
  Origin combined(const ptx::Instr &instr, std::span<const Operand> sources) const {
    Origin result = Number;
    for (const Operand &source : sources) {
      const Origin origin = of(source);
      if (origin == Nothing)
        return Nothing; // not yet
      if (origin == Number)
        continue;
      // Two addresses (their difference, a select between arrays) are not followed.
      const bool chooses = instr.op == Op::Selp && origin == result;
      result = result == Number || chooses ? origin : Unknown;
    }
    return result == Number || keepsArray(instr.op) ? result : Unknown;
  }

  void set(const Operand &operand, Origin origin) {
    if (operand.kind == OperandKind::Vector) {
      for (const Operand &element : f.elementsOf(operand))
        set(element, origin);
      return;
    }
    if (!operand.isReg())
      return;
    Origin &now = origins[operand.index];
    const Origin after = joined(now, origin);
    changed |= after != now;
    now = after;
  }

  void visit(const ptx::Instr &instr) {
    auto operands = f.operandsOf(instr);
    if (instr.op == Op::Call) {
      if (operands.size() > 1)
        set(operands[1], Number);
      return;
    }
    const unsigned dests = ptx::countDests(f, instr);
    if (!dests)
      return;
    const bool fromMemory = ptx::info(instr.op).memory != ptx::Memory::None;
    const Origin origin = fromMemory ? Number : combined(instr, operands.subspan(dests));
    if (origin == Nothing)
      return;
    for (unsigned d = 0; d < dests; ++d)
      set(operands[d], origin);
  }

  const ptx::Module &module;
  const ptx::Function &f;
  std::vector<Origin> origins;
  bool changed = false;
};

} // namespace

SharedArrays::SharedArrays(const vm::Kernel &kernel) : arrays(1), bySite(kernel.info.sites, 0) {
  const ptx::Module &module = *kernel.owner->module;
  std::map<Origin, uint32_t> known;
  for (const auto &[index, offset] : kernel.sharedOffsets) {
    const ptx::Variable &variable = module.variables[index];
    known[FirstVariable + index] = uint32_t(arrays.size());
    arrays.push_back(
        {offset, variable.isDynamicShared() ? ~uint64_t(0) : offset + variable.bytes, &variable});
  }
  if (known.size() < 2)
    return; // beyond the only array there is no memory
  for (const auto &code : kernel.codes) {
    if (code->module != &module)
      continue;
    const std::vector<Origin> origins = Sweep(module, *code->function).run();
    for (size_t i = 0; i < code->insts.size(); ++i)
      for (const Operand &operand : code->function->operandsOf(code->function->instrs[code->sources[i]])) {
        const Origin origin = operand.kind == OperandKind::AddrReg ? origins[operand.index]
                              : operand.kind == OperandKind::AddrVar
                                  ? Sweep::ofVariable(module, operand.index)
                                  : Number;
        if (auto array = known.find(origin); array != known.end() && operand.isAddress())
          bySite[code->insts[i].site] = array->second;
      }
  }
}

} // namespace heddle::check
