// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "flow/Evaluate.h"

#include <algorithm>
#include <cmath>

namespace heddle::flow {

std::vector<double> evaluate(const Program &program, const std::vector<std::vector<double>> &fields) {
  std::vector<double> values(program.definedBy.size()), sums(program.sums.size());
  const auto get = [&](const Operand &operand) {
    return operand.value ? values[*operand.value] : operand.constant;
  };
  const auto run = [&](const Instruction &instruction) -> double {
    const auto at = [&](size_t i) { return get(instruction.operands[i]); };
    switch (instruction.op) {
    case Op::Load: return fields[instruction.field][instruction.index];
    case Op::Total: return sums[instruction.index];
    case Op::Add: return at(0) + at(1);
    case Op::Subtract: return at(0) - at(1);
    case Op::Multiply: return at(0) * at(1);
    case Op::Fma: return std::fma(at(0), at(1), at(2));
    case Op::Reciprocal: return 1 / at(0);
    case Op::Exp2: return std::exp2(at(0));
    case Op::Log2: return std::log2(at(0));
    case Op::Max: return std::fmax(at(0), at(1));
    case Op::Piecewise: {
      const Steps &steps = instruction.steps;
      const auto passed = std::ranges::count_if(steps.thresholds, [&](double t) { return at(0) > t; });
      return steps.values[size_t(passed)];
    }
    case Op::IfPositive: return at(0) > 0 ? at(1) : at(2);
    }
    return 0;
  };
  for (const Operation &operation : program.operations) {
    for (const Instruction &instruction : operation.code)
      values[instruction.result] = run(instruction);
    for (const Contribution &contribution : operation.contributions)
      sums[contribution.sum] += contribution.coefficient * get(contribution.value);
  }
  sums.resize(program.resultCount());
  for (double &sum : sums)
    sum *= program.resultScale;
  return sums;
}

} // namespace heddle::flow
