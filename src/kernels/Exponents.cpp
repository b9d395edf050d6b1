// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an exponent is made of is found by arithmetic on forms: each value of a program is a sum of multiples of 1,
// T, .. T^4, log2 T and 1/T, or nothing of the kind. From T, log2 T and 1/T on, which are known by what they are
// made of, every instruction gives its result a form or none:
//
//     sum, difference         of two forms; thresholds must agree
//     product                 of a form by a constant, or of a polynomial by T while its degree allows it
//     piecewise, one step     a constant below a threshold of T, another one above
#include "kernels/Exponents.h"

#include <algorithm>

namespace heddle::kernels {

using flow::Instruction;
using flow::Op;
using flow::Operand;
using flow::Operation;

namespace {

/// Values as exponents, where they are such functions of temperature.
class ExponentForms {
public:
  using Form = std::optional<Exponent>;

  ExponentForms(const flow::Program &program, unsigned temperature, unsigned logTemperature,
                unsigned reciprocalTemperature)
      : temperature(temperature), forms(program.definedBy.size()) {
    forms[temperature] = unit(1);
    forms[logTemperature] = unit(Exponent::logarithm);
    forms[reciprocalTemperature] = unit(Exponent::reciprocal);
    for (const Operation &operation : program.operations)
      for (const Instruction &instruction : operation.code)
        if (!forms[instruction.result])
          forms[instruction.result] = formOf(instruction);
  }

  Form of(const Operand &operand) const {
    if (operand.value)
      return forms[*operand.value];
    Exponent constant;
    constant.below[0] = constant.above[0] = operand.constant;
    return constant;
  }

private:
  unsigned temperature;
  std::vector<Form> forms;

  static Exponent unit(size_t term) {
    Exponent form;
    form.below[term] = form.above[term] = 1;
    return form;
  }

  static Form sum(const Form &a, const Form &b, double sign) {
    if (!a || !b || (a->threshold && b->threshold && *a->threshold != *b->threshold))
      return std::nullopt;
    Exponent form = *a;
    form.threshold = a->threshold ? a->threshold : b->threshold;
    for (size_t i = 0; i < Exponent::terms; ++i) {
      form.below[i] += sign * b->below[i];
      form.above[i] += sign * b->above[i];
    }
    return form;
  }

  static bool isConstant(const Exponent &form) {
    return std::ranges::all_of(std::array{form.below, form.above}, [](const auto &half) {
      return std::all_of(half.begin() + 1, half.end(), [](double each) { return each == 0; });
    });
  }

  /// Each side of the threshold times a number of its own.
  static Form product(const Exponent &constant, const Exponent &other) {
    if (constant.threshold && other.threshold && *constant.threshold != *other.threshold)
      return std::nullopt;
    Exponent form = other;
    form.threshold = constant.threshold ? constant.threshold : other.threshold;
    for (size_t i = 0; i < Exponent::terms; ++i) {
      form.below[i] *= constant.below[0];
      form.above[i] *= constant.above[0];
    }
    return form;
  }

  static Form timesTemperature(const Exponent &polynomial) {
    Exponent form;
    form.threshold = polynomial.threshold;
    for (size_t i = 0; i < Exponent::terms; ++i) {
      if (polynomial.below[i] == 0 && polynomial.above[i] == 0)
        continue;
      if (i + 1 >= Exponent::logarithm)
        return std::nullopt;
      form.below[i + 1] = polynomial.below[i];
      form.above[i + 1] = polynomial.above[i];
    }
    return form;
  }

  Form product(const Operand &a, const Operand &b) const {
    const Form first = of(a), second = of(b);
    if (!first || !second)
      return std::nullopt;
    if (isConstant(*first))
      return product(*first, *second);
    if (isConstant(*second))
      return product(*second, *first);
    if (b.value == temperature)
      return timesTemperature(*first);
    return a.value == temperature ? timesTemperature(*second) : std::nullopt;
  }

  Form formOf(const Instruction &instruction) const {
    const auto &operands = instruction.operands;
    switch (instruction.op) {
    case Op::Add: return sum(of(operands[0]), of(operands[1]), 1);
    case Op::Subtract: return sum(of(operands[0]), of(operands[1]), -1);
    case Op::Multiply: return product(operands[0], operands[1]);
    case Op::Fma: return sum(product(operands[0], operands[1]), of(operands[2]), 1);
    case Op::Piecewise:
      if (operands[0].value == temperature && instruction.steps.thresholds.size() == 1) {
        Exponent step;
        step.below[0] = instruction.steps.values[0];
        step.above[0] = instruction.steps.values[1];
        step.threshold = instruction.steps.thresholds[0];
        return step;
      }
      return std::nullopt;
    default: return std::nullopt;
    }
  }
};

/// The first logarithm and the first reciprocal of the field, where a program has both.
bool findFunctions(const flow::Program &program, TemperaturePowers &powers) {
  std::vector<bool> isTemperature(program.definedBy.size());
  std::optional<unsigned> logarithm, reciprocal;
  for (const Operation &operation : program.operations)
    for (const Instruction &instruction : operation.code) {
      if (instruction.op == Op::Load && program.fields[instruction.field].name == "temperature") {
        isTemperature[instruction.result] = true;
        powers.temperature = instruction.result;
      }
      const bool isOfTemperature = instruction.operands.size() == 1 && instruction.operands[0].value &&
                                   isTemperature[*instruction.operands[0].value];
      if (instruction.op == Op::Log2 && isOfTemperature && !logarithm)
        logarithm = instruction.result;
      if (instruction.op == Op::Reciprocal && isOfTemperature && !reciprocal)
        reciprocal = instruction.result;
    }
  if (!logarithm || !reciprocal)
    return false;
  powers.logarithm = *logarithm;
  powers.reciprocal = *reciprocal;
  return true;
}

/// Rows for these powers in both tables, and the loops that take them.
std::vector<PowerFill> fill(const std::vector<unsigned> &values, const TemperaturePowers &powers,
                            LoopPlan &plan) {
  std::vector<PowerFill> fills;
  unsigned place = 0;
  for (bool isShort : {true, false}) {
    std::vector<Exponent> &rows = isShort ? plan.loops.shortRows : plan.loops.longRows;
    PowerFill loop = {isShort, rows.size(), 0, place};
    for (unsigned value : values)
      if (powers.of[value]->isShort() == isShort) {
        rows.push_back(*powers.of[value]);
        plan.places[value] = place++;
      }
    for (; (place - loop.firstPlace) % PowerLoops::inStep(isShort) != 0; ++place)
      rows.emplace_back();
    loop.rows = rows.size() - loop.firstRow;
    if (loop.rows > 0)
      fills.push_back(loop);
  }
  return fills;
}

} // namespace

bool Exponent::isShort() const {
  return !threshold &&
         std::all_of(below.begin() + 1, below.begin() + logarithm, [](double each) { return each == 0; });
}

TemperaturePowers findPowers(const flow::Program &program, unsigned atATime) {
  TemperaturePowers powers;
  powers.of.resize(program.definedBy.size());
  if (atATime == 0 || !findFunctions(program, powers))
    return powers;
  const ExponentForms forms(program, powers.temperature, powers.logarithm, powers.reciprocal);
  for (const Operation &operation : program.operations) {
    std::vector<const Instruction *> found;
    for (const Instruction &instruction : operation.code)
      if (instruction.op == Op::Exp2 && forms.of(instruction.operands[0]))
        found.push_back(&instruction);
    if (found.size() + PowerLoops::filling() <= atATime)
      for (const Instruction *instruction : found)
        powers.of[instruction->result] = forms.of(instruction->operands[0]);
  }
  return powers;
}

LoopPlan planLoops(const flow::Program &program, const TemperaturePowers &powers,
                   const std::vector<bool> &wanted, const std::vector<unsigned> &sequence, PowerLoops loops) {
  LoopPlan plan = {std::move(loops), {}, {}};
  std::vector<unsigned> pending;
  unsigned before = 0;
  const auto flush = [&] {
    if (!pending.empty())
      plan.before[before] = fill(pending, powers, plan);
    pending.clear();
  };
  for (unsigned operation : sequence) {
    std::vector<unsigned> values;
    for (const Instruction &instruction : program.operations[operation].code)
      if (wanted[instruction.result] && powers.has(instruction.result))
        values.push_back(instruction.result);
    if (pending.size() + values.size() + PowerLoops::filling() > plan.loops.atATime)
      flush();
    if (pending.empty())
      before = operation;
    pending.insert(pending.end(), values.begin(), values.end());
  }
  flush();
  return plan;
}

} // namespace heddle::kernels
