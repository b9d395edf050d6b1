// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "flow/Cost.h"

namespace heddle::flow {

/// Counted in what nvcc makes of the functions in MathHeader for sm_90.
unsigned instructionsOf(const Instruction &instruction) {
  switch (instruction.op) {
  case Op::Exp2: return 18;
  case Op::Log2: return 28;
  case Op::Reciprocal: return 6;
  case Op::Piecewise: return unsigned(instruction.steps.thresholds.size());
  case Op::IfPositive: return 3;
  case Op::Load:
  case Op::Total:
  case Op::Add:
  case Op::Subtract:
  case Op::Multiply:
  case Op::Fma:
  case Op::Max: return 1;
  }
  return 1;
}

unsigned instructionsOf(const Operation &operation) {
  unsigned sum = unsigned(operation.contributions.size());
  for (const Instruction &instruction : operation.code)
    sum += instructionsOf(instruction);
  return sum;
}

} // namespace heddle::flow
