// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "flow/Cost.h"

#include "model/Thresholds.h"

namespace heddle::flow {

namespace threshold = model::threshold::operations;

unsigned instructionsOf(const Instruction &instruction) {
  switch (instruction.op) {
  case Op::Exp2: return threshold::exp2;
  case Op::Log2: return threshold::log2;
  case Op::Reciprocal: return threshold::reciprocal;
  case Op::Piecewise: return unsigned(instruction.steps.thresholds.size());
  case Op::IfPositive: return threshold::ifPositive;
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
