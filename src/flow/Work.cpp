// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "flow/Work.h"

#include <set>

namespace heddle::flow {

Work workOf(const Program &program) {
  Work work;
  std::set<std::pair<unsigned, unsigned>> loaded;
  for (const Operation &operation : program.operations) {
    work.arithmetic += unsigned(operation.contributions.size());
    for (const Instruction &instruction : operation.code)
      switch (instruction.op) {
      case Op::Add:
      case Op::Subtract:
      case Op::Multiply:
      case Op::Fma: ++work.arithmetic; break;
      case Op::Exp2: ++work.exponentials; break;
      case Op::Log2: ++work.logarithms; break;
      case Op::Reciprocal: ++work.reciprocals; break;
      case Op::Load:
        if (!program.fields[instruction.field].isUniform)
          loaded.emplace(instruction.field, instruction.index);
        break;
      case Op::Total:
      case Op::Max:
      case Op::Piecewise:
      case Op::IfPositive: break; // selections, on units of their own
      }
  }
  work.loads = unsigned(loaded.size());
  work.stores = program.resultCount();
  return work;
}

} // namespace heddle::flow
