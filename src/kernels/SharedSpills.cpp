// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that is read or added to in several batches has an interval of batches. What crosses the loops before a
// batch is in a register there, unless it waits in a row. Intervals are chosen one at a time, at the loops with most
// values in registers: first those that are at many such loops and are seldom read.
#include "kernels/SharedSpills.h"

#include <algorithm>
#include <optional>

namespace heddle::kernels {

using flow::Instruction;
using flow::Op;
using flow::Operation;

namespace {

/// The batch of every operation of the sequence.
std::vector<unsigned> batches(const flow::Program &program, const std::vector<unsigned> &sequence,
                              const LoopPlan &loops) {
  std::vector<unsigned> of(program.operations.size());
  unsigned batch = 0;
  for (unsigned operation : sequence) {
    if (loops.before.contains(operation))
      ++batch;
    of[operation] = batch;
  }
  return of;
}

/// The operations that T, log2 T and 1/T come from: all loops and most reactions read their values.
std::vector<bool> readEverywhere(const flow::Program &program, const TemperaturePowers &powers) {
  std::vector<bool> are(program.operations.size());
  for (unsigned value : {powers.temperature, powers.logarithm, powers.reciprocal})
    are[program.definedBy[value]] = true;
  return are;
}

enum class Kind { Value, Sum, Total };

struct Interval {
  Kind kind = Kind::Value;
  unsigned index = 0;                 ///< of the value or sum
  unsigned begin = 0, end = 0;        ///< first and last batch
  unsigned usedIn = 0;                ///< batches, and the last of them so far
  bool canWait = true, waits = false; ///< else it is in a register

  void use(unsigned batch) {
    usedIn += usedIn == 0 || batch != end ? 1 : 0;
    end = batch;
  }
  bool crosses(unsigned batch) const { return begin < batch && batch <= end; }
};

class Intervals {
public:
  Intervals(const flow::Program &program, const SegmentPlan &plan, const TemperaturePowers &powers,
            const LoopPlan &loops, const std::vector<bool> &isInside, const std::vector<unsigned> &batchOf)
      : program(program), plan(plan), loops(loops), isInside(isInside), batchOf(batchOf),
        stays(readEverywhere(program, powers)), isAddedTo(program.sums.size()) {
    for (const Operation &operation : program.operations)
      for (const flow::Contribution &contribution : operation.contributions)
        isAddedTo[contribution.sum] = true;
    collectTotals();
    for (unsigned operation : plan.sequence())
      collect(operation);
  }

  std::vector<Interval> take() && {
    std::vector<Interval> all;
    for (const auto *group : {&values, &sums, &totals})
      for (const auto &[index, interval] : *group)
        if (interval.begin < interval.end)
          all.push_back(interval);
    return all;
  }

private:
  const flow::Program &program;
  const SegmentPlan &plan;
  const LoopPlan &loops;
  const std::vector<bool> &isInside;
  const std::vector<unsigned> &batchOf;
  std::vector<bool> stays, isAddedTo;
  std::map<unsigned, Interval> values, sums, totals;

  /// Totals are loaded some way ahead of the operations that read them, maybe before loops.
  void collectTotals() {
    unsigned batch = 0;
    for (const PlannedOperation &each : plan.operations) {
      for (unsigned operation : each.totals)
        for (const Instruction &instruction : program.operations[operation].code)
          if (instruction.op == Op::Total && plan.wanted[instruction.result] && isAddedTo[instruction.index])
            totals.try_emplace(instruction.index, Interval{Kind::Total, instruction.index, batch, batch});
      batch = batchOf[each.operation];
    }
  }

  void read(const flow::Operand &operand, unsigned batch) {
    if (operand.value)
      if (const auto found = values.find(*operand.value); found != values.end())
        found->second.use(batch);
  }

  void collect(unsigned index) {
    const Operation &operation = program.operations[index];
    const unsigned batch = batchOf[index];
    for (const Instruction &instruction : operation.code) {
      if (!plan.wanted[instruction.result])
        continue;
      if (instruction.op == Op::Total) {
        if (const auto found = totals.find(instruction.index); found != totals.end())
          found->second.use(batch);
        continue;
      }
      if (!loops.places.contains(instruction.result))
        for (const flow::Operand &operand : instruction.operands)
          read(operand, batch);
      if (isInside[instruction.result])
        continue;
      Interval interval = {Kind::Value, instruction.result, batch, batch};
      interval.canWait = !stays[index] && instruction.op != Op::Load && instruction.op != Op::Piecewise;
      values.emplace(instruction.result, interval);
    }
    for (const flow::Contribution &contribution : operation.contributions) {
      read(contribution.value, batch);
      sums.try_emplace(contribution.sum, Interval{Kind::Sum, contribution.sum, batch, batch})
          .first->second.use(batch);
    }
  }
};

/// What is in registers during the loops before each batch.
class Pressure {
public:
  Pressure(std::vector<Interval> &intervals, unsigned batchCount, const SpillLimits &limits)
      : intervals(intervals), limits(limits), inRegisters(batchCount), inRows(batchCount),
        unpromising(batchCount) {
    for (const Interval &each : intervals)
      for (unsigned batch = each.begin + 1; batch <= each.end; ++batch)
        ++inRegisters[batch];
  }

  /// Lets intervals wait until no loop has too many values beside it, or no row is left.
  std::vector<unsigned> relieve() && {
    for (std::optional<unsigned> worst = worstBatch(); worst; worst = worstBatch())
      if (Interval *best = bestFor(*worst))
        spill(*best);
      else
        unpromising[*worst] = true;
    return std::move(inRegisters);
  }

private:
  std::vector<Interval> &intervals;
  const SpillLimits &limits;
  std::vector<unsigned> inRegisters, inRows;
  std::vector<bool> unpromising;

  bool isOver(unsigned batch) const { return inRegisters[batch] > limits.mostInRegisters; }

  std::optional<unsigned> worstBatch() const {
    std::optional<unsigned> worst;
    for (unsigned batch = 1; batch < inRegisters.size(); ++batch)
      if (isOver(batch) && !unpromising[batch] && (!worst || inRegisters[batch] > inRegisters[*worst]))
        worst = batch;
    return worst;
  }

  bool hasRow(const Interval &interval) const {
    return std::all_of(inRows.begin() + interval.begin, inRows.begin() + interval.end + 1,
                       [&](unsigned taken) { return taken < limits.mostRows; });
  }

  Interval *bestFor(unsigned batch) {
    Interval *best = nullptr;
    double bestGain = 0;
    for (Interval &each : intervals) {
      if (!each.canWait || each.waits || !each.crosses(batch) || !hasRow(each))
        continue;
      unsigned relieved = 0;
      for (unsigned other = each.begin + 1; other <= each.end; ++other)
        relieved += isOver(other) ? 1 : 0;
      const double gain = double(relieved) / (1.0 + each.usedIn);
      if (gain > bestGain)
        best = &each, bestGain = gain;
    }
    return best;
  }

  void spill(Interval &interval) {
    interval.waits = true;
    for (unsigned batch = interval.begin; batch <= interval.end; ++batch) {
      ++inRows[batch];
      inRegisters[batch] -= batch > interval.begin ? 1 : 0;
    }
  }
};

} // namespace

SharedSpills spillToShared(const flow::Program &program, const SegmentPlan &plan,
                           const TemperaturePowers &powers, const LoopPlan &loops,
                           const std::vector<bool> &isInside, const SpillLimits &limits) {
  const std::vector<unsigned> sequence = plan.sequence();
  SharedSpills spilled = {batches(program, sequence, loops), {}, {}, {}, 0, {}};
  if (loops.before.empty())
    return spilled;
  const unsigned batchCount = spilled.batchOf[sequence.back()] + 1;
  std::vector<Interval> intervals = Intervals(program, plan, powers, loops, isInside, spilled.batchOf).take();
  spilled.inRegisters = Pressure(intervals, batchCount, limits).relieve();
  std::ranges::stable_sort(intervals, {}, &Interval::begin);
  std::vector<unsigned> busyUntil;
  for (const Interval &each : intervals) {
    if (!each.waits)
      continue;
    const auto row = std::ranges::find_if(busyUntil, [&](unsigned until) { return until < each.begin; });
    (each.kind == Kind::Value ? spilled.rows
     : each.kind == Kind::Sum ? spilled.sums
                              : spilled.totals)[each.index] = unsigned(row - busyUntil.begin());
    if (row == busyUntil.end())
      busyUntil.push_back(each.end);
    else
      *row = each.end;
  }
  spilled.rowCount = unsigned(busyUntil.size());
  return spilled;
}

} // namespace heddle::kernels
