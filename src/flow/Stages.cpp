// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "flow/Stages.h"

#include <algorithm>

namespace heddle::flow {

std::vector<unsigned> stagesOf(const Program &program) {
  // Operations are in an order in which inputs and contributions come first, so one pass is enough.
  std::vector<unsigned> stages(program.operations.size()), complete(program.sums.size());
  for (unsigned i = 0; i < program.operations.size(); ++i) {
    const Operation &operation = program.operations[i];
    for (unsigned value : program.inputs(i))
      stages[i] = std::max(stages[i], stages[program.definedBy[value]]);
    for (const Instruction &instruction : operation.code)
      if (instruction.op == Op::Total)
        stages[i] = std::max(stages[i], complete[instruction.index]);
    for (const Contribution &contribution : operation.contributions)
      complete[contribution.sum] = std::max(complete[contribution.sum], stages[i] + 1);
  }
  return stages;
}

} // namespace heddle::flow
