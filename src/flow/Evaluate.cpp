// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "flow/Evaluate.h"

#include <algorithm>
#include <cmath>

namespace heddle::flow {

double evaluate(const Instruction &instruction, const std::vector<double> &at, const Functions &functions) {
  switch (instruction.op) {
  case Op::Load:
  case Op::Total: return 0;
  case Op::Add: return at[0] + at[1];
  case Op::Subtract: return at[0] - at[1];
  case Op::Multiply: return at[0] * at[1];
  case Op::Fma: return std::fma(at[0], at[1], at[2]);
  case Op::Reciprocal: return 1 / at[0];
  case Op::Exp2: return functions.exp2 ? functions.exp2(at[0]) : std::exp2(at[0]);
  case Op::Log2: return functions.log2 ? functions.log2(at[0]) : std::log2(at[0]);
  case Op::Max: return std::fmax(at[0], at[1]);
  case Op::Piecewise: {
    const Steps &steps = instruction.steps;
    const auto passed = std::ranges::count_if(steps.thresholds, [&](double t) { return at[0] > t; });
    return steps.values[size_t(passed)];
  }
  case Op::IfPositive: return at[0] > 0 ? at[1] : at[2];
  }
  return 0;
}

std::vector<double> evaluate(const Program &program, const std::vector<std::vector<double>> &fields,
                             const Functions &functions) {
  std::vector<double> values(program.definedBy.size()), sums(program.sums.size()), operands;
  const auto rounded = [&](double x) { return functions.rounded ? functions.rounded(x) : x; };
  const auto get = [&](const Operand &operand) {
    return operand.value ? values[*operand.value] : rounded(operand.constant);
  };
  const auto run = [&](const Instruction &instruction) -> double {
    if (instruction.op == Op::Load)
      return fields[instruction.field][instruction.index];
    if (instruction.op == Op::Total)
      return sums[instruction.index];
    operands.clear();
    for (const Operand &operand : instruction.operands)
      operands.push_back(get(operand));
    return evaluate(instruction, operands, functions);
  };
  for (const Operation &operation : program.operations) {
    for (const Instruction &instruction : operation.code)
      values[instruction.result] = rounded(run(instruction));
    for (const Contribution &contribution : operation.contributions)
      sums[contribution.sum] =
          rounded(sums[contribution.sum] + contribution.coefficient * get(contribution.value));
  }
  sums.resize(program.resultCount());
  for (double &sum : sums)
    sum = rounded(sum * program.resultScale);
  return sums;
}

} // namespace heddle::flow
