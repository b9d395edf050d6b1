// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/Statements.h"

#include "kernels/Template.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace heddle::kernels {

using flow::Instruction;
using flow::Op;
using flow::Operand;
using flow::Operation;

namespace {

/// How far ahead of its use a mole fraction is loaded, in operations: as far as memory takes to answer.
constexpr size_t loadAhead = 16;

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

} // namespace

bool Exponent::isShort() const {
  return !threshold &&
         std::all_of(below.begin() + 1, below.begin() + logarithm, [](double each) { return each == 0; });
}

Statements::Statements(const flow::Program &program, Target target, unsigned powersAtATime, bool resultsWait)
    : program(program), target(std::move(target)), stored(program.sums.size()),
      isEmpty(program.sums.size(), true), resultsWait(resultsWait), uses(program.definedBy.size()),
      contributionsToCome(program.sums.size()), exponents(program.definedBy.size()) {
  loops.atATime = powersAtATime;
  countUses();
  for (const Operation &operation : program.operations)
    for (const flow::Contribution &contribution : operation.contributions) {
      isEmpty[contribution.sum] = false;
      ++contributionsToCome[contribution.sum];
    }
  if (powersAtATime > 0)
    findExponents();
}

/// The functions of temperature are known by what they are made of: the first logarithm and the first
/// reciprocal of the field.
void Statements::findExponents() {
  std::vector<bool> isTemperature(program.definedBy.size());
  for (const Operation &operation : program.operations)
    for (const Instruction &instruction : operation.code) {
      if (instruction.op == Op::Load && program.fields[instruction.field].name == "temperature") {
        isTemperature[instruction.result] = true;
        temperature = instruction.result;
      }
      const bool isOfTemperature = instruction.operands.size() == 1 && instruction.operands[0].value &&
                                   isTemperature[*instruction.operands[0].value];
      if (instruction.op == Op::Log2 && isOfTemperature && !logTemperature)
        logTemperature = instruction.result;
      if (instruction.op == Op::Reciprocal && isOfTemperature && !reciprocalTemperature)
        reciprocalTemperature = instruction.result;
    }
  if (!logTemperature || !reciprocalTemperature)
    return;
  const ExponentForms forms(program, *temperature, *logTemperature, *reciprocalTemperature);
  for (const Operation &operation : program.operations) {
    std::vector<unsigned> found;
    for (const Instruction &instruction : operation.code)
      if (instruction.op == Op::Exp2 && forms.of(instruction.operands[0]))
        found.push_back(instruction.result);
    if (found.size() + loops.filling() > loops.atATime)
      continue; // an operation's powers come from one round of loops
    for (const Instruction &instruction : operation.code)
      if (std::ranges::find(found, instruction.result) != found.end())
        exponents[instruction.result] = forms.of(instruction.operands[0]);
  }
}

/// Operations in the order they are written take their powers from loops before them; loops of both kinds end
/// where the next operation's powers would not fit any more.
void Statements::planLoops(const std::vector<unsigned> &sequence) {
  places.clear();
  fills.clear();
  std::vector<unsigned> pending;
  unsigned before = 0;
  const auto flush = [&] {
    unsigned place = 0;
    for (bool isShort : {true, false}) {
      std::vector<Exponent> &rows = isShort ? loops.shortRows : loops.longRows;
      const size_t first = rows.size();
      const unsigned firstPlace = place;
      for (unsigned value : pending)
        if (exponents[value]->isShort() == isShort) {
          rows.push_back(*exponents[value]);
          places[value] = place++;
        }
      for (; (place - firstPlace) % PowerLoops::inStep(isShort) != 0; ++place)
        rows.emplace_back();
      if (rows.size() > first)
        fills[before].push_back(fmt::format(
            "{}<{}>(row + {} * threads, exponents, {}, {}{}, {});", isShort ? "shortPowers" : "longPowers",
            rows.size() - first, firstPlace, first, isShort ? "" : program.valueNames[*temperature] + ", ",
            program.valueNames[*logTemperature], program.valueNames[*reciprocalTemperature]));
    }
    pending.clear();
  };
  for (unsigned operation : sequence) {
    std::vector<unsigned> values;
    for (const Instruction &instruction : program.operations[operation].code)
      if (wanted[instruction.result] && exponents[instruction.result])
        values.push_back(instruction.result);
    if (pending.size() + values.size() + loops.filling() > loops.atATime)
      flush();
    if (pending.empty())
      before = operation;
    pending.insert(pending.end(), values.begin(), values.end());
  }
  flush();
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
    for (size_t i = operation.code.size(); i-- > 0;) {
      const unsigned result = operation.code[i].result;
      if (wanted[result] && !exponents[result])
        std::ranges::for_each(operation.code[i].operands, want);
      if (wanted[result] && exponents[result])
        wanted[*temperature] = wanted[*logTemperature] = wanted[*reciprocalTemperature] = true;
    }
  };
  for (unsigned operation : segment.operations)
    through(program.operations[operation]);
  for (size_t i = segment.pure.size(); i-- > 0;)
    through(program.operations[segment.pure[i]]);
}

/// Names that the program gives are for the reader, and values that several operations read must have a name.
bool Statements::standsInside(const Instruction &instruction) const {
  if (instruction.op == Op::Total)
    return true;
  return uses[instruction.result] == 1 && instruction.op != Op::Load && instruction.op != Op::Piecewise &&
         !places.contains(instruction.result) &&
         program.valueNames[instruction.result] == "v" + std::to_string(instruction.result);
}

Printed Statements::operand(const Operand &operand) const {
  if (!operand.value)
    return target.constant(operand.constant);
  if (auto found = inlined.find(*operand.value); found != inlined.end())
    return {found->second};
  return {program.valueNames[*operand.value]};
}

Printed Statements::expression(const Instruction &instruction) const {
  const auto constants = [&](const std::vector<double> &numbers) {
    std::vector<Printed> all;
    std::ranges::transform(numbers, std::back_inserter(all),
                           [&](double each) { return target.constant(each); });
    return all;
  };
  std::vector<Printed> operands;
  for (const Operand &each : instruction.operands)
    operands.push_back(operand(each));
  if (auto place = places.find(instruction.result); place != places.end())
    return {fmt::format("row[{} * threads]", place->second)};
  if (instruction.op == Op::Piecewise)
    return printSteps(target, operands[0], constants(instruction.steps.thresholds),
                      constants(instruction.steps.values));
  if (instruction.op == Op::Total)
    return {isEmpty[instruction.index] ? target.asValue(target.constant(0))
                                       : "kept." + program.sums[instruction.index].name};
  return print(target, instruction.op, operands);
}

void Statements::line(const std::string &text) { out += "  " + text + "\n"; }

void Statements::load(const Instruction &instruction) {
  const flow::Field &field = program.fields[instruction.field];
  if (field.isUniform) {
    inlined[instruction.result] = isVector() ? "hdl_all(" + field.name + ")" : field.name;
    return;
  }
  const std::string point =
      field.components == 1 ? "point" : fmt::format("{} * stride + point", instruction.index);
  line(fmt::format(fmt::runtime(isVector() ? "const {} {} = hdl_load({} + {});" : "const {} {} = {}[{}];"),
                   target.type, program.valueNames[instruction.result], field.name, point));
}

/// What segments before this one kept comes from memory as loads do.
void Statements::total(const Instruction &instruction) {
  const std::string &name = program.sums[instruction.index].name;
  if (isEmpty[instruction.index] || !stored[instruction.index] || contributionsLeft[instruction.index] > 0)
    return;
  const auto [found, isNew] = totals.try_emplace(instruction.index, name);
  if (isNew)
    line(fmt::format("const {} {} = kept.{};", target.type, found->second, name));
  inlined[instruction.result] = found->second;
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
      line(fmt::format("const {}2 *const {} = table + ({} > {} ? tableRows : 0);", target.type,
                       pointer->second, operand(pending[0]->operands[0]).within(Binding::Call),
                       target.real->literal(threshold)));
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
    line(fmt::format("const {}2 {};", target.type, names));
}

void Statements::code(const Operation &operation, bool loadsAreDone) {
  if (!isVector())
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
    const Printed value = expression(instruction);
    if (standsInside(instruction))
      inlined[instruction.result] = value.within(Binding::Call);
    else
      line(fmt::format("const {} {} = {};", target.type, program.valueNames[instruction.result], value.text));
  }
}

void Statements::contributions(const Operation &operation) {
  for (const flow::Contribution &contribution : operation.contributions) {
    const std::string &sum = program.sums[contribution.sum].name;
    const bool isNegative = contribution.coefficient < 0;
    const std::string term =
        printTerm(target, contribution.coefficient, {target.asValue(operand(contribution.value))});
    --contributionsToCome[contribution.sum];
    const bool isLast = --contributionsLeft[contribution.sum] == 0;
    if (isLast && !begun[contribution.sum] && !program.sums[contribution.sum].isResult) {
      keep(contribution.sum, (isNegative ? "-" : "") + term);
      continue;
    }
    if (begun[contribution.sum])
      line(fmt::format("{} {} {};", sum, isNegative ? "-=" : "+=", term));
    else
      line(fmt::format("{} {} = {}{};", target.type, sum, isNegative ? "-" : "", term));
    begun[contribution.sum] = true;
    if (isLast)
      store(contribution.sum);
  }
}

void Statements::keep(unsigned sum, const std::string &value) {
  const std::string &name = program.sums[sum].name;
  line(fmt::format("kept.{} {} {};", name, stored[sum] ? "+=" : "=", value));
  if (!stored[sum])
    keptNames.push_back(name);
  stored[sum] = true;
}

void Statements::store(unsigned sum) {
  const std::string &name = program.sums[sum].name;
  if (!program.sums[sum].isResult || (resultsWait && contributionsToCome[sum] > 0)) {
    keep(sum, name);
    return;
  }
  if (resultsWait && stored[sum]) {
    line(fmt::format("{0} += kept.{0};", name));
    stored[sum] = false;
  }
  const std::string value = printTerm(target, program.resultScale, {name});
  if (!isVector())
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
  totals.clear();
  findWanted(segment);
  begun.assign(program.sums.size(), false);
  contributionsLeft.assign(program.sums.size(), 0);
  for (unsigned operation : segment.operations)
    for (const flow::Contribution &contribution : program.operations[operation].contributions)
      ++contributionsLeft[contribution.sum];

  // Pure operations stand just before their first use, their loads some way ahead of that.
  std::vector<std::vector<unsigned>> pureBefore(segment.operations.size()),
      loadsBefore(segment.operations.size()), totalsBefore(segment.operations.size());
  std::vector<bool> placed(program.operations.size());
  for (size_t i = 0; i < segment.operations.size(); ++i)
    for (unsigned needed : program.needs(segment.operations[i]))
      if (!placed[needed]) {
        placed[needed] = true;
        pureBefore[i].push_back(needed);
        loadsBefore[i > loadAhead ? i - loadAhead : 0].push_back(needed);
        totalsBefore[i > loadAhead ? i - loadAhead : 0].push_back(needed);
      }
  std::vector<unsigned> sequence;
  for (size_t i = 0; i < segment.operations.size(); ++i) {
    totalsBefore[i > loadAhead ? i - loadAhead : 0].push_back(segment.operations[i]);
    sequence.insert(sequence.end(), pureBefore[i].begin(), pureBefore[i].end());
    sequence.push_back(segment.operations[i]);
  }
  planLoops(sequence);
  for (size_t i = 0; i < segment.operations.size(); ++i) {
    for (unsigned pure : loadsBefore[i])
      for (const Instruction &instruction : program.operations[pure].code)
        if (instruction.op == Op::Load && wanted[instruction.result])
          load(instruction);
    for (unsigned operation : totalsBefore[i])
      for (const Instruction &instruction : program.operations[operation].code)
        if (instruction.op == Op::Total && wanted[instruction.result])
          total(instruction);
    const auto fillBefore = [&](unsigned operation) {
      if (auto found = fills.find(operation); found != fills.end())
        for (const std::string &fill : found->second)
          line(fill);
    };
    for (unsigned pure : pureBefore[i]) {
      fillBefore(pure);
      line("// " + inComment(program.operations[pure].note));
      code(program.operations[pure], true);
    }
    const Operation &operation = program.operations[segment.operations[i]];
    fillBefore(segment.operations[i]);
    line("// " + inComment(operation.note));
    code(operation, false);
    contributions(operation);
  }
  return out;
}

} // namespace heddle::kernels
