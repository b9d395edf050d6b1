// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/Statements.h"

#include "kernels/Template.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle::kernels {

using flow::Instruction;
using flow::Op;
using flow::Operand;
using flow::Operation;

namespace {

/// How far ahead of its use a mole fraction is loaded, in operations: as far as memory takes to answer.
constexpr size_t loadAhead = 16;

constexpr int sumPrecedence = 1, productPrecedence = 2, callPrecedence = 3;

std::string parenthesized(const std::string &text, bool is) { return is ? "(" + text + ")" : text; }

} // namespace

Statements::Statements(const flow::Program &program, Target target)
    : program(program), target(target), stored(program.sums.size()), uses(program.definedBy.size()) {
  countUses();
}

void Statements::countUses() {
  const auto use = [&](const Operand &operand) {
    if (operand.value)
      ++uses[*operand.value];
  };
  for (const Operation &operation : program.operations) {
    for (const Instruction &instruction : operation.code)
      for (const Operand &operand : instruction.operands)
        use(operand);
    for (const flow::Contribution &contribution : operation.contributions)
      use(contribution.value);
  }
}

/// Backwards from the contributions: a segment may want few of the values that a pure operation has.
void Statements::findWanted(const flow::Segment &segment) {
  wanted.assign(program.definedBy.size(), false);
  const auto want = [&](const Operand &operand) {
    if (operand.value)
      wanted[*operand.value] = true;
  };
  const auto through = [&](const Operation &operation) {
    for (const flow::Contribution &contribution : operation.contributions)
      want(contribution.value);
    for (size_t i = operation.code.size(); i-- > 0;)
      if (wanted[operation.code[i].result])
        std::ranges::for_each(operation.code[i].operands, want);
  };
  for (unsigned operation : segment.operations)
    through(program.operations[operation]);
  for (size_t i = segment.pure.size(); i-- > 0;)
    through(program.operations[segment.pure[i]]);
}

/// Names that the program gives are for the reader, and values that several operations read must have a name.
bool Statements::standsInside(const Instruction &instruction) const {
  return uses[instruction.result] == 1 && instruction.op != Op::Load && instruction.op != Op::Piecewise &&
         program.valueNames[instruction.result] == "v" + std::to_string(instruction.result);
}

std::string Statements::operand(const Operand &operand, int precedence) const {
  if (!operand.value)
    return parenthesized(literal(operand.constant), operand.constant < 0 && precedence > sumPrecedence);
  if (auto found = inlined.find(*operand.value); found != inlined.end())
    return found->second;
  return program.valueNames[*operand.value];
}

std::string Statements::vectorOperand(const Operand &each) const {
  if (each.value || target == Target::Device)
    return operand(each, 0);
  return "hdl_all(" + literal(each.constant) + ")";
}

std::string Statements::expression(const Instruction &instruction, int &precedence) const {
  const auto &operands = instruction.operands;
  precedence = callPrecedence;
  switch (instruction.op) {
  case Op::Add:
    precedence = sumPrecedence;
    return operand(operands[0], sumPrecedence) + " + " + operand(operands[1], productPrecedence);
  case Op::Subtract:
    if (operands[0].is(0)) {
      precedence = productPrecedence;
      return "-" + operand(operands[1], callPrecedence);
    }
    precedence = sumPrecedence;
    return operand(operands[0], sumPrecedence) + " - " + operand(operands[1], productPrecedence);
  case Op::Multiply:
    precedence = productPrecedence;
    return operand(operands[0], productPrecedence) + " * " + operand(operands[1], callPrecedence);
  case Op::Fma:
    if (target == Target::Device)
      return fmt::format("fma({}, {}, {})", operand(operands[0], 0), operand(operands[1], 0),
                         operand(operands[2], 0));
    precedence = sumPrecedence;
    return fmt::format("{} * {} + {}", operand(operands[0], productPrecedence),
                       operand(operands[1], callPrecedence), operand(operands[2], productPrecedence));
  case Op::Reciprocal: return "hdl_rcp(" + operand(operands[0], 0) + ")";
  case Op::Exp2:
    return (target == Target::Device ? "hdl_exp2(" : "powerOf2(") + operand(operands[0], 0) + ")";
  case Op::Log2:
    return (target == Target::Device ? "hdl_log2(" : "logarithm2(") + operand(operands[0], 0) + ")";
  case Op::Max:
    return fmt::format("{}({}, {})", target == Target::Device ? "fmax" : "hdl_max",
                       vectorOperand(operands[0]), vectorOperand(operands[1]));
  case Op::Piecewise: {
    // From the highest threshold down: the first that is passed decides.
    std::string text;
    const flow::Steps &all = instruction.steps;
    const std::string value = operand(operands[0], callPrecedence);
    for (size_t i = all.thresholds.size(); i-- > 0;)
      text += fmt::format("{} > {} ? {} : ", value, literal(all.thresholds[i]),
                          vectorOperand(Operand::of(all.values[i + 1])));
    return "(" + text + vectorOperand(Operand::of(all.values[0])) + ")";
  }
  case Op::IfPositive:
    return fmt::format("({} > 0.0 ? {} : {})", operand(operands[0], callPrecedence),
                       vectorOperand(operands[1]), vectorOperand(operands[2]));
  case Op::Total: // no kernel's program has one yet
  case Op::Load: break;
  }
  return "";
}

void Statements::line(const std::string &text) { out += "  " + text + "\n"; }

void Statements::load(const Instruction &instruction) {
  const flow::Field &field = program.fields[instruction.field];
  const std::string place =
      field.components == 1      ? field.name + (target == Target::Device ? "[point]" : " + point")
      : target == Target::Device ? fmt::format("{}[{} * stride + point]", field.name, instruction.index)
                                 : fmt::format("{} + {} * stride + point", field.name, instruction.index);
  line(fmt::format("const {} {} = {};", type(), program.valueNames[instruction.result],
                   target == Target::Device ? place : "hdl_load(" + place + ")"));
}

/// Pairs of constants come from the table two at a time.
void Statements::tableRows(const Operation &operation) {
  std::vector<const Instruction *> pending;
  std::string names;
  const auto flush = [&] {
    if (pending.empty())
      return;
    std::array<double, 2> below{}, above{};
    const std::string name = "r" + std::to_string(steps.below.size());
    for (size_t i = 0; i < pending.size(); ++i) {
      below[i] = pending[i]->steps.values[0];
      above[i] = pending[i]->steps.values[1];
      inlined[pending[i]->result] = name + (i == 0 ? ".x" : ".y");
    }
    const double threshold = pending[0]->steps.thresholds[0];
    auto [pointer, isNew] = pointers.try_emplace(threshold, fmt::format("side{}", pointers.size()));
    if (isNew)
      line(fmt::format("const double2 *const {} = table + ({} > {} ? tableRows : 0);", pointer->second,
                       operand(pending[0]->operands[0], callPrecedence), literal(threshold)));
    names +=
        fmt::format("{}{} = {}[{}]", names.empty() ? "" : ", ", name, pointer->second, steps.below.size());
    steps.below.push_back(below);
    steps.above.push_back(above);
    pending.clear();
  };
  for (const Instruction &instruction : operation.code) {
    if (instruction.op != Op::Piecewise || instruction.steps.thresholds.size() != 1 ||
        !wanted[instruction.result])
      continue;
    if (!pending.empty() && (pending[0]->steps.thresholds != instruction.steps.thresholds ||
                             !(pending[0]->operands[0] == instruction.operands[0])))
      flush();
    pending.push_back(&instruction);
    if (pending.size() == 2)
      flush();
  }
  flush();
  if (!names.empty())
    line("const double2 " + names + ";");
}

void Statements::code(const Operation &operation, bool loadsAreDone) {
  if (target == Target::Device)
    tableRows(operation);
  for (const Instruction &instruction : operation.code) {
    if (!wanted[instruction.result])
      continue;
    if (instruction.op == Op::Load) {
      if (!loadsAreDone)
        load(instruction);
      continue;
    }
    if (inlined.contains(instruction.result))
      continue; // a constant from the table
    int precedence = 0;
    const std::string text = expression(instruction, precedence);
    if (standsInside(instruction))
      inlined[instruction.result] = precedence < callPrecedence ? "(" + text + ")" : text;
    else
      line(fmt::format("const {} {} = {};", type(), program.valueNames[instruction.result], text));
  }
}

void Statements::contributions(const Operation &operation) {
  for (const flow::Contribution &contribution : operation.contributions) {
    const std::string &sum = program.sums[contribution.sum].name,
                      value = operand(contribution.value, callPrecedence);
    const double size = std::abs(contribution.coefficient);
    const bool isNegative = contribution.coefficient < 0;
    const std::string term = size == 1 ? value : literal(size) + " * " + value;
    if (begun[contribution.sum])
      line(fmt::format("{} {} {};", sum, isNegative ? "-=" : "+=", term));
    else
      line(fmt::format("{} {} = {}{};", type(), sum, isNegative ? "-" : "", term));
    begun[contribution.sum] = true;
    if (--contributionsLeft[contribution.sum] == 0)
      store(contribution.sum);
  }
}

void Statements::store(unsigned sum) {
  const std::string &name = program.sums[sum].name;
  const std::string value = program.resultScale == 1 ? name : literal(program.resultScale) + " * " + name;
  if (target == Target::Device)
    line(fmt::format("result[{} * stride + point] {} {};", sum, stored[sum] ? "+=" : "=", value));
  else if (stored[sum])
    line(fmt::format(
        "hdl_store(result + {0} * stride + point, hdl_load(result + {0} * stride + point) + {1});", sum,
        value));
  else
    line(fmt::format("hdl_store(result + {} * stride + point, {});", sum, value));
  stored[sum] = true;
}

std::string Statements::segment(const flow::Segment &segment) {
  out.clear();
  inlined.clear();
  pointers.clear();
  findWanted(segment);
  begun.assign(program.sums.size(), false);
  contributionsLeft.assign(program.sums.size(), 0);
  for (unsigned operation : segment.operations)
    for (const flow::Contribution &contribution : program.operations[operation].contributions)
      ++contributionsLeft[contribution.sum];

  // Pure operations stand just before their first use, their loads some way ahead of that.
  std::vector<std::vector<unsigned>> pureBefore(segment.operations.size()),
      loadsBefore(segment.operations.size());
  std::vector<bool> placed(program.operations.size());
  for (size_t i = 0; i < segment.operations.size(); ++i)
    for (unsigned needed : program.needs(segment.operations[i]))
      if (!placed[needed]) {
        placed[needed] = true;
        pureBefore[i].push_back(needed);
        loadsBefore[i > loadAhead ? i - loadAhead : 0].push_back(needed);
      }
  for (size_t i = 0; i < segment.operations.size(); ++i) {
    for (unsigned pure : loadsBefore[i])
      for (const Instruction &instruction : program.operations[pure].code)
        if (instruction.op == Op::Load && wanted[instruction.result])
          load(instruction);
    for (unsigned pure : pureBefore[i]) {
      line("// " + inComment(program.operations[pure].note));
      code(program.operations[pure], true);
    }
    const Operation &operation = program.operations[segment.operations[i]];
    line("// " + inComment(operation.note));
    code(operation, false);
    contributions(operation);
  }
  return out;
}

} // namespace heddle::kernels
