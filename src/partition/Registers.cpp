// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Backwards through the steps of a warp, a value lives from its last use to the step that makes it or reads it from
// its row; a sum from the step that closes it or hands it on to the first that adds to it. The most that live at
// any step is the answer. Values whose row is written once are left out between their uses: reading them again
// costs an access, not a register.
#include "partition/Registers.h"

#include "model/Thresholds.h"

#include <algorithm>

namespace heddle::partition {

namespace {

/// An exponential has some ten doubles in flight, and indices, pointers and the loop take the rest.
using model::threshold::partition::registersBesides;

/// Values that lie in a row from the time they are put there to the end of the iteration.
std::vector<bool> valuesThatStay(const flow::Program &program, const Partitioned &partitioned) {
  std::vector<unsigned> writes(partitioned.rows);
  for (const std::vector<Step> &steps : partitioned.warps)
    for (const Step &step : steps)
      if (step.kind == StepKind::Put || step.kind == StepKind::PutPartial)
        ++writes[step.row];
  std::vector<bool> stays(program.definedBy.size());
  for (const std::vector<Step> &steps : partitioned.warps)
    for (const Step &step : steps)
      if (step.kind == StepKind::Put && writes[step.row] == 1)
        stays[step.value] = true;
  return stays;
}

/// Walks backwards: a value lives before a step that uses it, up to the step that makes it.
class Walk {
public:
  Walk(const flow::Program &program, std::vector<bool> stays)
      : program(program), stays(std::move(stays)), lives(program.definedBy.size()),
        grows(program.sums.size()) {}

  void before(const Step &step) {
    switch (step.kind) {
    case StepKind::Do:
      for (const flow::Instruction &instruction : program.operations[step.operation].code)
        endValue(instruction.result);
      for (const flow::Instruction &instruction : program.operations[step.operation].code) {
        if (instruction.op == flow::Op::Total)
          useSum(instruction.index);
        for (const flow::Operand &operand : instruction.operands)
          use(operand, step.operation);
      }
      break;
    case StepKind::Put: use(flow::Operand::of(step.value), ~0u); break;
    case StepKind::Get: endValue(step.value); break;
    case StepKind::Accumulate:
      use(step.term, ~0u);
      useSum(step.sum);
      break;
    case StepKind::PutPartial:
    case StepKind::AddPartial:
    case StepKind::Close: useSum(step.sum); break;
    case StepKind::Arrive:
    case StepKind::Wait: break;
    }
    most = std::max(most, alive);
  }

  /// Before the first step that adds to it a sum is nothing.
  void beginSum(unsigned sum) {
    alive -= grows[sum];
    grows[sum] = false;
  }

  unsigned most = 0;

private:
  const flow::Program &program;
  const std::vector<bool> stays;
  std::vector<bool> lives, grows;
  unsigned alive = 0;

  void endValue(unsigned value) {
    alive -= lives[value];
    lives[value] = false;
  }

  void use(const flow::Operand &operand, unsigned operation) {
    if (!operand.value || program.definedBy[*operand.value] == operation || lives[*operand.value] ||
        stays[*operand.value])
      return;
    lives[*operand.value] = true;
    ++alive;
  }

  void useSum(unsigned sum) {
    if (!grows[sum])
      ++alive;
    grows[sum] = true;
  }
};

bool addsTo(const Step &step) {
  return step.kind == StepKind::Accumulate || step.kind == StepKind::AddPartial;
}

} // namespace

unsigned mostKept(const flow::Program &program, const Partitioned &partitioned, unsigned warp) {
  const std::vector<Step> &steps = partitioned.warps[warp];
  std::vector<size_t> first(program.sums.size(), steps.size()); // step that begins each sum
  for (size_t i = steps.size(); i-- > 0;)
    if (addsTo(steps[i]))
      first[steps[i].sum] = i;
  Walk walk(program, valuesThatStay(program, partitioned));
  for (size_t i = steps.size(); i-- > 0;) {
    walk.before(steps[i]);
    if (addsTo(steps[i]) && first[steps[i].sum] == i)
      walk.beginSum(steps[i].sum);
  }
  return walk.most;
}

unsigned registersFor(unsigned kept) { return 2 * kept + registersBesides; }

} // namespace heddle::partition
