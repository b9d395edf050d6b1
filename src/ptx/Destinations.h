// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an instruction writes and what it reads.
#pragma once

#include "ptx/Module.h"

namespace heddle::ptx {

/// How many of an instruction's operands are written; they come first. 0 for a call, whose results are a list of their own.
unsigned countDests(const Function &function, const Instr &instr);

/// How many 32-bit registers of the GPU a register takes; predicates have registers of their own.
unsigned wordsOf(const Register &reg);

/// Calls use for the registers of an operand.
template <class F> void eachRegister(const Function &function, const Operand &operand, F use) {
  if (operand.kind == OperandKind::Vector) {
    for (const Operand &element : function.elementsOf(operand))
      eachRegister(function, element, use);
  } else if (operand.isReg() || operand.kind == OperandKind::AddrReg) {
    use(operand.index);
  }
}

/// Results of a call are its second operand; else what is written comes first.
inline bool isWritten(const Function &function, const Instr &instr, unsigned operand) {
  return instr.op == Op::Call ? operand == 1 : operand < countDests(function, instr);
}

/// Calls use for the registers that an instruction writes.
template <class F> void eachWritten(const Function &function, const Instr &instr, F use) {
  const auto operands = function.operandsOf(instr);
  if (instr.op == Op::Call)
    return operands.size() > 1 ? eachRegister(function, operands[1], use) : void();
  for (unsigned i = 0, count = countDests(function, instr); i < count; ++i)
    eachRegister(function, operands[i], use);
}

/// Calls use for the registers that an instruction reads as operands. Its guard is not among them.
template <class F> void eachRead(const Function &function, const Instr &instr, F use) {
  const auto operands = function.operandsOf(instr);
  for (unsigned i = countDests(function, instr); i < operands.size(); ++i)
    if (instr.op != Op::Call || i != 1)
      eachRegister(function, operands[i], use);
}

} // namespace heddle::ptx
