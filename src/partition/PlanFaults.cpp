// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Races first, by vector clocks. A plan without races and with points in order gives the same in every order
// of its warps, so what values are where can be followed in any one of them: each warp runs until it has to
// wait.
#include "partition/PlanFaults.h"

#include "partition/Barriers.h"
#include "partition/HappensBefore.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace heddle::partition {

namespace {

using Faults = std::vector<std::string>;

std::string nameOf(unsigned warp, size_t step) { return fmt::format("step {} of warp {}", step, warp); }

void checkEnd(const Partitioned &partitioned, Faults &faults) {
  if (partitioned.points.empty() || partitioned.points.back().waiting.size() != partitioned.warps.size())
    faults.push_back("the last point is not one that all warps wait at");
  for (unsigned w = 0; w < partitioned.warps.size(); ++w) {
    const std::vector<Step> &steps = partitioned.warps[w];
    if (steps.empty() || steps.back().kind != StepKind::Wait ||
        steps.back().point + 1 != partitioned.points.size())
      faults.push_back(fmt::format("warp {} does not end with a wait at the last point", w));
  }
}

void checkBarriers(const Partitioned &partitioned, const HappensBefore &order, unsigned barriers,
                   Faults &faults) {
  std::map<unsigned, unsigned> last;
  for (unsigned p = 0; p < partitioned.points.size(); ++p) {
    const unsigned barrier = partitioned.points[p].barrier;
    if (barrier >= barriers)
      faults.push_back(fmt::format("point {} has barrier {} of {}", p, barrier, barriers));
    if (auto found = last.find(barrier);
        found != last.end() && interfere(partitioned, order, found->second, p))
      faults.push_back(
          fmt::format("points {} and {} have barrier {}, and the second can be reached before the "
                      "first is complete",
                      found->second, p, barrier));
    last[barrier] = p;
  }
}

struct Access {
  unsigned warp = 0;
  size_t step = 0;
  bool isWrite = false;
};

bool isOrdered(const HappensBefore &order, const Access &a, const Access &b) {
  return order.isBefore(a.warp, a.step, b.warp, b.step) || order.isBefore(b.warp, b.step, a.warp, a.step);
}

/// Any two accesses to a row of which one writes must be ordered; what is read follows from the order then.
void checkRows(const Partitioned &partitioned, const HappensBefore &order, Faults &faults) {
  std::vector<std::vector<Access>> rows(partitioned.rows);
  for (unsigned w = 0; w < partitioned.warps.size(); ++w)
    for (size_t i = 0; i < partitioned.warps[w].size(); ++i) {
      const Step &step = partitioned.warps[w][i];
      const bool writes = step.kind == StepKind::Put || step.kind == StepKind::PutPartial;
      if (!writes && step.kind != StepKind::Get && step.kind != StepKind::AddPartial)
        continue;
      if (step.row >= partitioned.rows)
        faults.push_back(fmt::format("{} uses row {} of {}", nameOf(w, i), step.row, partitioned.rows));
      else
        rows[step.row].push_back({w, i, writes});
    }
  for (unsigned row = 0; row < rows.size(); ++row)
    for (size_t a = 0; a < rows[row].size(); ++a)
      for (size_t b = 0; b < a; ++b) {
        const Access &first = rows[row][b], &second = rows[row][a];
        if ((first.isWrite || second.isWrite) && !isOrdered(order, first, second))
          faults.push_back(fmt::format("row {} is {} by {} and {} by {}, and no point orders them", row,
                                       first.isWrite ? "written" : "read", nameOf(first.warp, first.step),
                                       second.isWrite ? "written" : "read",
                                       nameOf(second.warp, second.step)));
      }
}

/// What a partial sum is made of: each term with the number of times it was added.
using Terms = std::map<std::tuple<bool, unsigned, double, double>, int>;

void add(Terms &terms, double coefficient, const flow::Operand &operand) {
  ++terms[{operand.isConstant(), operand.value.value_or(0), operand.constant, coefficient}];
}

struct RowContent {
  std::optional<unsigned> value, sum;
  Terms terms; ///< of a partial of `sum`
};

class Follower {
public:
  Follower(const flow::Program &program, const Partitioned &partitioned, Faults &faults)
      : program(program), partitioned(partitioned), faults(faults), whole(program.sums.size()),
        rows(partitioned.rows), held(partitioned.warps.size(), std::vector<bool>(program.definedBy.size())),
        partials(partitioned.warps.size()),
        closed(partitioned.warps.size(), std::vector<bool>(program.sums.size())), sent(closed),
        next(partitioned.warps.size()), come(partitioned.points.size()), closings(program.sums.size()) {
    for (const flow::Operation &operation : program.operations)
      for (const flow::Contribution &c : operation.contributions)
        add(whole[c.sum], c.coefficient, c.value);
  }

  void follow() {
    for (bool moved = true; moved;) {
      moved = false;
      for (unsigned w = 0; w < partitioned.warps.size(); ++w)
        moved |= runWarp(w);
    }
    for (unsigned s = 0; s < program.sums.size(); ++s)
      if (program.sums[s].isResult && closings[s] != 1)
        faults.push_back(fmt::format("result {} is closed {} times", program.sums[s].name, closings[s]));
  }

private:
  const flow::Program &program;
  const Partitioned &partitioned;
  Faults &faults;
  std::vector<Terms> whole;
  std::vector<RowContent> rows;
  std::vector<std::vector<bool>> held;             ///< values in the registers of each warp
  std::vector<std::map<unsigned, Terms>> partials; ///< of each warp
  std::vector<std::vector<bool>> closed, sent;     ///< sums, in each warp
  std::vector<size_t> next;                        ///< step of each warp
  std::vector<unsigned> come;                      ///< warps that have been at each point
  std::vector<unsigned> closings;                  ///< of each sum

  /// Returns whether it did anything.
  bool runWarp(unsigned w) {
    const std::vector<Step> &steps = partitioned.warps[w];
    const size_t before = next[w];
    while (next[w] < steps.size() && mayGoOn(w))
      perform(w, next[w]), ++next[w];
    return next[w] != before;
  }

  /// A warp that waits has come; it goes on when all have.
  bool mayGoOn(unsigned w) const {
    if (next[w] == 0)
      return true;
    const Step &last = partitioned.warps[w][next[w] - 1];
    return last.kind != StepKind::Wait || 32 * come[last.point] >= partitioned.points[last.point].threads();
  }

  void wantHeld(unsigned w, size_t i, const flow::Operand &operand) {
    if (operand.value && !held[w][*operand.value])
      faults.push_back(fmt::format("{} reads {}, which is not in its registers", nameOf(w, i),
                                   program.valueNames[*operand.value]));
  }

  void perform(unsigned w, size_t i) {
    const Step &step = partitioned.warps[w][i];
    switch (step.kind) {
    case StepKind::Do: doOperation(w, i, program.operations[step.operation]); break;
    case StepKind::Put:
      wantHeld(w, i, flow::Operand::of(step.value));
      rows[step.row] = {step.value, std::nullopt, {}};
      break;
    case StepKind::Get:
      if (rows[step.row].value != step.value)
        faults.push_back(fmt::format("{} wants {} from row {}, which holds something else", nameOf(w, i),
                                     program.valueNames[step.value], step.row));
      held[w][step.value] = true;
      break;
    case StepKind::Accumulate:
      wantHeld(w, i, step.term);
      add(partials[w][step.sum], step.coefficient, step.term);
      wantOpen(w, i);
      break;
    case StepKind::PutPartial:
      wantOpen(w, i);
      rows[step.row] = {std::nullopt, step.sum, partials[w][step.sum]};
      sent[w][step.sum] = true;
      break;
    case StepKind::AddPartial: addPartial(w, i); break;
    case StepKind::Close: close(w, i); break;
    case StepKind::Arrive:
    case StepKind::Wait: ++come[step.point]; break;
    }
  }

  void doOperation(unsigned w, size_t i, const flow::Operation &operation) {
    for (const flow::Instruction &instruction : operation.code) {
      for (const flow::Operand &operand : instruction.operands)
        wantHeld(w, i, operand);
      if (instruction.op == flow::Op::Total && !closed[w][instruction.index])
        faults.push_back(fmt::format("{} reads the total of {}, which it has not closed", nameOf(w, i),
                                     program.sums[instruction.index].name));
      held[w][instruction.result] = true;
    }
  }

  void wantOpen(unsigned w, size_t i) {
    if (const unsigned s = partitioned.warps[w][i].sum; closed[w][s] || sent[w][s])
      faults.push_back(
          fmt::format("{} is about {}, which it has closed or sent", nameOf(w, i), program.sums[s].name));
  }

  void addPartial(unsigned w, size_t i) {
    const Step &step = partitioned.warps[w][i];
    if (rows[step.row].sum != step.sum)
      faults.push_back(fmt::format("{} wants a partial of {} from row {}, which holds something else",
                                   nameOf(w, i), program.sums[step.sum].name, step.row));
    for (const auto &[term, count] : rows[step.row].terms)
      partials[w][step.sum][term] += count;
    wantOpen(w, i);
  }

  void close(unsigned w, size_t i) {
    const unsigned s = partitioned.warps[w][i].sum;
    if (partials[w][s] != whole[s])
      faults.push_back(fmt::format("{} closes {}, which does not hold each of its terms once", nameOf(w, i),
                                   program.sums[s].name));
    wantOpen(w, i);
    closed[w][s] = true;
    ++closings[s];
  }
};

} // namespace

std::vector<std::string> findFaults(const flow::Program &program, const Partitioned &partitioned,
                                    unsigned barriers) {
  Faults faults;
  if (std::string fault = orderFault(partitioned); !fault.empty())
    return {fault}; // without order there are no clocks
  const HappensBefore order(partitioned);
  checkEnd(partitioned, faults);
  checkBarriers(partitioned, order, barriers, faults);
  checkRows(partitioned, order, faults);
  if (faults.empty())
    Follower(program, partitioned, faults).follow();
  return faults;
}

} // namespace heddle::partition
