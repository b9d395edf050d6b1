// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three steps for each segment: what is wanted and in which order (SegmentPlan.h), which powers loops take ahead of it
// (Exponents.h), and the text. What the text of one segment leaves for the next goes along as a value.
#include "kernels/Statements.h"

#include "kernels/SegmentPlan.h"
#include "kernels/SharedSpills.h"
#include "kernels/Template.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace heddle::kernels {

using flow::Instruction;
using flow::Op;
using flow::Operand;
using flow::Operation;

namespace {

/// What is true of a program as a whole.
struct ProgramFacts {
  std::vector<unsigned> uses; ///< of each value
  std::vector<bool> isEmpty;  ///< sums that nothing contributes to
};

ProgramFacts factsOf(const flow::Program &program) {
  ProgramFacts facts = {std::vector<unsigned>(program.definedBy.size()),
                        std::vector<bool>(program.sums.size(), true)};
  const auto use = [&](const Operand &operand) {
    if (operand.value)
      ++facts.uses[*operand.value];
  };
  for (const Operation &operation : program.operations) {
    for (const Instruction &instruction : operation.code)
      std::ranges::for_each(instruction.operands, use);
    for (const flow::Contribution &contribution : operation.contributions) {
      use(contribution.value);
      facts.isEmpty[contribution.sum] = false;
    }
  }
  return facts;
}

/// What segments leave for those after them.
struct Progress {
  std::vector<bool> stored;                  ///< sums that have been stored
  std::vector<unsigned> contributionsToCome; ///< of each sum
  StepTable table;
  PowerLoops powers;
  std::vector<std::string> kept; ///< members of `kept`
  unsigned spilledRows = 0, loopCount = 0;
  unsigned long crowding = 0;
};

void countContributions(const Operation &operation, std::vector<unsigned> &ofSum) {
  for (const flow::Contribution &contribution : operation.contributions)
    ++ofSum[contribution.sum];
}

Progress atBegin(const flow::Program &program, const StatementOptions &options) {
  Progress progress;
  progress.stored.resize(program.sums.size());
  progress.contributionsToCome.resize(program.sums.size());
  progress.powers.atATime = options.powersAtATime;
  for (const Operation &operation : program.operations)
    countContributions(operation, progress.contributionsToCome);
  return progress;
}

class SegmentWriter {
public:
  SegmentWriter(const flow::Program &program, const Target &target, const StatementOptions &options,
                const ProgramFacts &facts, const TemperaturePowers &powers, const SegmentPlan &plan,
                const LoopPlan &loops, Progress &progress)
      : program(program), target(target), options(options), facts(facts), powers(powers), plan(plan),
        loops(loops), progress(progress), contributionsLeft(program.sums.size()), begun(program.sums.size()) {
    for (const PlannedOperation &each : plan.operations)
      countContributions(program.operations[each.operation], contributionsLeft);
    spill();
  }

  std::string write();

private:
  const flow::Program &program;
  const Target &target;
  const StatementOptions &options;
  const ProgramFacts &facts;
  const TemperaturePowers &powers;
  const SegmentPlan &plan;
  const LoopPlan &loops;
  Progress &progress;

  std::string out;
  std::map<unsigned, std::string> inlined; ///< values that are inside their user's expression
  std::vector<unsigned> contributionsLeft; ///< of each sum
  std::vector<bool> begun;                 ///< sums that have a variable
  std::map<unsigned, std::string> totals;  ///< that have been read, by sum
  std::map<double, std::string> pointers;  ///< into the table, by threshold
  SharedSpills spilled;
  std::map<unsigned, std::pair<unsigned, std::string>>
      reread;                            ///< spilled values: the last batch, and the name there
  unsigned batch = 0;                    ///< that is being written
  std::map<unsigned, unsigned> sumBatch; ///< in which a spilled sum was added to last
  std::map<unsigned, std::pair<unsigned, std::string>>
      totalIn;                          ///< spilled totals: the last batch, and the name there
  std::vector<unsigned> resumed;        ///< spilled sums that the batch has added to
  std::vector<std::string> beforeLoops; ///< statements that end a batch

  bool isInside(const Instruction &instruction) const;
  Printed operand(const Operand &operand) const;
  Printed expression(const Instruction &instruction) const;
  void loads(const PlannedOperation &planned);
  void fillBefore(unsigned operation);
  void spill();
  void reload(const Operation &operation);
  void reloadTotal(const Instruction &instruction);
  void resume(unsigned sum);
  void loadAll(const Operation &operation);
  void loadsOfBatch(unsigned batch);
  void load(const Instruction &instruction);
  void total(const Instruction &instruction);
  void tableRows(const Operation &operation);
  void code(const Operation &operation, bool loadsAreDone);
  void contributions(const Operation &operation);
  void store(unsigned sum);
  void keep(unsigned sum, const std::string &value);
  void line(const std::string &text);
  bool isVector() const { return !target.broadcast.empty(); }
};

/// Names that the program gives are for the reader, and values that several operations read must have a name.
bool SegmentWriter::isInside(const Instruction &instruction) const {
  if (instruction.op == Op::Total)
    return true;
  return facts.uses[instruction.result] == 1 && instruction.op != Op::Load &&
         instruction.op != Op::Piecewise && !loops.places.contains(instruction.result) &&
         program.valueNames[instruction.result] == "v" + std::to_string(instruction.result);
}

Printed SegmentWriter::operand(const Operand &operand) const {
  if (!operand.value)
    return target.constant(operand.constant);
  if (auto found = inlined.find(*operand.value); found != inlined.end())
    return {found->second};
  if (auto found = reread.find(*operand.value); found != reread.end())
    return {found->second.second};
  return {program.valueNames[*operand.value]};
}

void SegmentWriter::spill() {
  std::vector<bool> inside(program.definedBy.size());
  for (unsigned operation : plan.sequence())
    for (const Instruction &instruction : program.operations[operation].code)
      inside[instruction.result] = isInside(instruction);
  spilled =
      spillToShared(program, plan, powers, loops, inside, {options.spilledRows, options.mostInRegisters});
  progress.spilledRows = std::max(progress.spilledRows, spilled.rowCount);
  for (const auto &[operation, fills] : loops.before)
    for (const PowerFill &fill : fills) {
      ++progress.loopCount;
      const unsigned beside = spilled.inRegisters[spilled.batchOf[operation]];
      progress.crowding += fill.rows * (std::max(beside, options.mostInRegisters) - options.mostInRegisters);
    }
}

/// What waited in rows is read once in each batch that needs it.
void SegmentWriter::reload(const Operation &operation) {
  const auto read = [&](const Operand &operand) {
    if (!operand.value || !spilled.has(*operand.value) ||
        spilled.batchOf[program.definedBy[*operand.value]] == batch)
      return;
    auto &[lastBatch, name] = reread[*operand.value];
    if (lastBatch == batch)
      return;
    lastBatch = batch;
    name = fmt::format("p{}_{}", batch, program.valueNames[*operand.value]);
    line(fmt::format("const {} {} = reload<{}>(row, {});", target.type, name, spilled.rows.at(*operand.value),
                     program.valueNames[*operand.value]));
  };
  for (const Instruction &instruction : operation.code) {
    if (!plan.wanted[instruction.result] || loops.places.contains(instruction.result))
      continue;
    if (instruction.op == Op::Total)
      reloadTotal(instruction);
    std::ranges::for_each(instruction.operands, read);
  }
  for (const flow::Contribution &contribution : operation.contributions)
    read(contribution.value);
}

void SegmentWriter::reloadTotal(const Instruction &instruction) {
  const auto found = totalIn.find(instruction.index);
  if (found == totalIn.end())
    return;
  auto &[lastBatch, name] = found->second;
  if (lastBatch != batch) {
    lastBatch = batch;
    const std::string &sum = program.sums[instruction.index].name;
    name = fmt::format("p{}_{}", batch, sum);
    line(fmt::format("const {} {} = reload<{}>(row, {});", target.type, name,
                     spilled.totals.at(instruction.index), sum));
  }
  inlined[instruction.result] = name;
}

/// A sum that waits is read before the first term of a batch, and waits again at the end of the batch.
void SegmentWriter::resume(unsigned sum) {
  const auto row = spilled.sums.find(sum);
  if (row == spilled.sums.end())
    return;
  const auto [found, isNew] = sumBatch.try_emplace(sum, batch);
  if (!isNew && found->second == batch)
    return;
  found->second = batch;
  const std::string &name = program.sums[sum].name;
  if (!isNew)
    line(fmt::format("{0} = reload<{1}>(row, {0});", name, row->second));
  resumed.push_back(sum);
}

Printed SegmentWriter::expression(const Instruction &instruction) const {
  const auto constants = [&](const std::vector<double> &numbers) {
    std::vector<Printed> all;
    std::ranges::transform(numbers, std::back_inserter(all),
                           [&](double each) { return target.constant(each); });
    return all;
  };
  std::vector<Printed> operands;
  for (const Operand &each : instruction.operands)
    operands.push_back(operand(each));
  if (auto place = loops.places.find(instruction.result); place != loops.places.end())
    return {fmt::format("row[{} * threads]", place->second)};
  if (instruction.op == Op::Piecewise)
    return printSteps(target, operands[0], constants(instruction.steps.thresholds),
                      constants(instruction.steps.values));
  if (instruction.op == Op::Total)
    return facts.isEmpty[instruction.index] ? target.asValue(target.constant(0))
                                            : Printed{"kept." + program.sums[instruction.index].name};
  return print(target, instruction.op, operands);
}

void SegmentWriter::line(const std::string &text) { out += "  " + text + "\n"; }

void SegmentWriter::load(const Instruction &instruction) {
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
void SegmentWriter::total(const Instruction &instruction) {
  const std::string &name = program.sums[instruction.index].name;
  if (facts.isEmpty[instruction.index] || !progress.stored[instruction.index] ||
      contributionsLeft[instruction.index] > 0)
    return;
  const auto [found, isNew] = totals.try_emplace(instruction.index, name);
  if (isNew) {
    line(fmt::format("const {} {} = kept.{};", target.type, found->second, name));
    if (const auto row = spilled.totals.find(instruction.index); row != spilled.totals.end()) {
      totalIn[instruction.index] = {batch, name};
      beforeLoops.push_back(fmt::format("spill<{}>(row, {});", row->second, name));
    }
  }
  inlined[instruction.result] = found->second;
}

/// Pairs of constants come from the table two at a time.
void SegmentWriter::tableRows(const Operation &operation) {
  std::vector<const Instruction *> pending;
  std::string names;
  const auto flush = [&] {
    if (pending.empty())
      return;
    std::array<double, 2> below{}, above{};
    const std::string name = "r" + std::to_string(progress.table.below.size());
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
    names += fmt::format("{}{} = {}[{}]", names.empty() ? "" : ", ", name, pointer->second,
                         progress.table.below.size());
    progress.table.below.push_back(below);
    progress.table.above.push_back(above);
    pending.clear();
  };
  for (const Instruction &instruction : operation.code) {
    if (instruction.op != Op::Piecewise || instruction.steps.thresholds.size() != 1 ||
        !plan.wanted[instruction.result])
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

void SegmentWriter::code(const Operation &operation, bool loadsAreDone) {
  if (!isVector())
    tableRows(operation);
  for (const Instruction &instruction : operation.code) {
    if (!plan.wanted[instruction.result])
      continue;
    if (instruction.op == Op::Load) {
      if (!loadsAreDone)
        load(instruction);
      continue;
    }
    if (inlined.contains(instruction.result))
      continue; // a constant from the table
    const Printed value = expression(instruction);
    if (isInside(instruction))
      inlined[instruction.result] = value.within(Binding::Call);
    else
      line(fmt::format("const {} {} = {};", target.type, program.valueNames[instruction.result], value.text));
    if (spilled.has(instruction.result))
      line(fmt::format("spill<{}>(row, {});", spilled.rows.at(instruction.result),
                       program.valueNames[instruction.result]));
  }
}

void SegmentWriter::contributions(const Operation &operation) {
  for (const flow::Contribution &contribution : operation.contributions) {
    const std::string &sum = program.sums[contribution.sum].name;
    const bool isNegative = contribution.coefficient < 0;
    const std::string term =
        printTerm(target, contribution.coefficient, target.asValue(operand(contribution.value)));
    --progress.contributionsToCome[contribution.sum];
    const bool isLast = --contributionsLeft[contribution.sum] == 0;
    if (isLast && !begun[contribution.sum] && !program.sums[contribution.sum].isResult) {
      keep(contribution.sum, (isNegative ? "-" : "") + term);
      continue;
    }
    resume(contribution.sum);
    if (begun[contribution.sum])
      line(fmt::format("{} {} {};", sum, isNegative ? "-=" : "+=", term));
    else
      line(fmt::format("{} {} = {}{};", target.type, sum, isNegative ? "-" : "", term));
    begun[contribution.sum] = true;
    if (isLast)
      store(contribution.sum);
  }
}

void SegmentWriter::keep(unsigned sum, const std::string &value) {
  const std::string &name = program.sums[sum].name;
  line(fmt::format("kept.{} {} {};", name, progress.stored[sum] ? "+=" : "=", value));
  if (!progress.stored[sum])
    progress.kept.push_back(name);
  progress.stored[sum] = true;
}

void SegmentWriter::store(unsigned sum) {
  const std::string &name = program.sums[sum].name;
  if (!program.sums[sum].isResult || (options.resultsWait && progress.contributionsToCome[sum] > 0)) {
    keep(sum, name);
    return;
  }
  if (options.resultsWait && progress.stored[sum]) {
    line(fmt::format("{0} += kept.{0};", name));
    progress.stored[sum] = false;
  }
  const std::string value = printTerm(target, program.resultScale, {name});
  if (!isVector())
    line(fmt::format("result[{} * stride + point] {} {};", sum, progress.stored[sum] ? "+=" : "=", value));
  else if (progress.stored[sum])
    line(fmt::format(
        "hdl_store(result + {0} * stride + point, hdl_load(result + {0} * stride + point) + {1});", sum,
        value));
  else
    line(fmt::format("hdl_store(result + {} * stride + point, {});", sum, value));
  progress.stored[sum] = true;
}

/// With loops, fields are loaded before the loops of the batch that reads them.
void SegmentWriter::loads(const PlannedOperation &planned) {
  if (loops.before.empty())
    for (unsigned pure : planned.loads)
      loadAll(program.operations[pure]);
  for (unsigned operation : planned.totals)
    for (const Instruction &instruction : program.operations[operation].code)
      if (instruction.op == Op::Total && plan.wanted[instruction.result])
        total(instruction);
}

void SegmentWriter::loadAll(const Operation &operation) {
  for (const Instruction &instruction : operation.code)
    if (instruction.op == Op::Load && plan.wanted[instruction.result])
      load(instruction);
}

void SegmentWriter::loadsOfBatch(unsigned batch) {
  for (const PlannedOperation &planned : plan.operations)
    for (unsigned pure : planned.pure)
      if (spilled.batchOf[pure] == batch)
        loadAll(program.operations[pure]);
}

void SegmentWriter::fillBefore(unsigned operation) {
  const auto found = loops.before.find(operation);
  if (found == loops.before.end())
    return;
  batch = spilled.batchOf[operation];
  loadsOfBatch(batch);
  for (const std::string &each : beforeLoops)
    line(each);
  beforeLoops.clear();
  for (unsigned sum : resumed)
    if (contributionsLeft[sum] > 0)
      line(fmt::format("spill<{}>(row, {});", spilled.sums.at(sum), program.sums[sum].name));
  resumed.clear();
  const auto name = [&](unsigned value) { return program.valueNames[value]; };
  for (const PowerFill &fill : found->second)
    line(fmt::format("{}<{}>(row + {} * threads, exponents, {}, {}{}, {});",
                     fill.isShort ? "shortPowers" : "longPowers", fill.rows, fill.firstPlace, fill.firstRow,
                     fill.isShort ? "" : name(powers.temperature) + ", ", name(powers.logarithm),
                     name(powers.reciprocal)));
}

std::string SegmentWriter::write() {
  const auto begin = [&](unsigned operation) {
    fillBefore(operation);
    line("// " + inComment(program.operations[operation].note));
    reload(program.operations[operation]);
  };
  if (!loops.before.empty())
    loadsOfBatch(0);
  for (const PlannedOperation &planned : plan.operations) {
    loads(planned);
    for (unsigned pure : planned.pure) {
      begin(pure);
      code(program.operations[pure], true);
    }
    begin(planned.operation);
    code(program.operations[planned.operation], false);
    contributions(program.operations[planned.operation]);
  }
  return std::move(out);
}

} // namespace

Statements statementsOf(const flow::Program &program, const std::vector<flow::Segment> &segments,
                        const Target &target, const StatementOptions &options) {
  const ProgramFacts facts = factsOf(program);
  const TemperaturePowers powers = findPowers(program, options.powersAtATime);
  Progress progress = atBegin(program, options);
  std::vector<std::string> texts;
  for (const flow::Segment &segment : segments) {
    const SegmentPlan plan = planSegment(program, segment, powers);
    const LoopPlan loops = planLoops(program, powers, plan.wanted, plan.sequence(), progress.powers);
    progress.powers = loops.loops;
    texts.push_back(SegmentWriter(program, target, options, facts, powers, plan, loops, progress).write());
  }
  return {std::move(texts),         std::move(progress.table), std::move(progress.powers),
          std::move(progress.kept), progress.spilledRows,      progress.loopCount,
          progress.crowding};
}

} // namespace heddle::kernels
