// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks take tickets, wait for flags, or find out which of them is last by atomics whose result they use, or by loads that compilers may
// not leave out. A compare-and-swap has a result that is used where it is of use at all.
#include "vm/Independence.h"

#include "ptx/Destinations.h"
#include "ptx/Module.h"
#include "vm/Code.h"
#include "vm/Lowering.h"

#include <unordered_set>

namespace heddle::vm {
namespace {

bool maySeeGlobal(const ptx::Instr &instr) {
  return instr.mods.space == ptx::Space::Global || instr.mods.space == ptx::Space::None;
}

std::unordered_set<uint32_t> readRegisters(const ptx::Function &function) {
  std::unordered_set<uint32_t> read;
  const auto note = [&](uint32_t reg) { read.insert(reg); };
  for (const ptx::Instr &instr : function.instrs) {
    const auto operands = function.operandsOf(instr);
    for (unsigned i = countDests(function, instr); i < operands.size(); ++i)
      eachRegister(function, operands[i], note);
    if (instr.guard)
      note(instr.guard.reg);
  }
  return read;
}

bool usesResult(const ptx::Function &function, const ptx::Instr &instr,
                const std::unordered_set<uint32_t> &read) {
  bool uses = false;
  const auto operands = function.operandsOf(instr);
  for (unsigned i = 0, count = countDests(function, instr); i < count; ++i)
    eachRegister(function, operands[i], [&](uint32_t reg) { uses |= read.contains(reg); });
  return uses;
}

bool waitsForOthers(const ptx::Function &function) {
  const std::unordered_set<uint32_t> read = readRegisters(function);
  for (const ptx::Instr &instr : function.instrs) {
    const ptx::OpInfo &op = ptx::info(instr.op);
    if (!maySeeGlobal(instr))
      continue;
    if (op.cls == ptx::OpClass::Atomic && usesResult(function, instr, read))
      return true;
    if (op.cls == ptx::OpClass::Load && instr.mods.sem != ptx::Semantics::None &&
        instr.mods.sem != ptx::Semantics::Weak)
      return true;
  }
  return false;
}

} // namespace

bool areBlocksIndependent(const Kernel &kernel) {
  for (const auto &code : kernel.codes)
    if (waitsForOthers(*code->function))
      return false;
  return true;
}

} // namespace heddle::vm
