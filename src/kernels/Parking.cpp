// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/Parking.h"

#include <algorithm>

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

} // namespace

ParkedValues parkValues(const flow::Program &program, const SegmentPlan &plan,
                        const TemperaturePowers &powers, const LoopPlan &loops,
                        const std::vector<bool> &isInside, unsigned mostRows) {
  const std::vector<unsigned> sequence = plan.sequence();
  ParkedValues parked = {batches(program, sequence, loops), {}, 0};
  if (mostRows == 0 || loops.before.empty())
    return parked;
  std::vector<unsigned> lastBatch(program.definedBy.size());
  for (unsigned operation : sequence) {
    const auto use = [&](const flow::Operand &operand) {
      if (operand.value)
        lastBatch[*operand.value] = std::max(lastBatch[*operand.value], parked.batchOf[operation]);
    };
    for (const Instruction &instruction : program.operations[operation].code)
      if (plan.wanted[instruction.result] && !loops.places.contains(instruction.result))
        std::ranges::for_each(instruction.operands, use);
    for (const flow::Contribution &contribution : program.operations[operation].contributions)
      use(contribution.value);
  }
  const std::vector<bool> stays = readEverywhere(program, powers);
  std::vector<unsigned> busyUntil;
  for (unsigned operation : sequence)
    for (const Instruction &instruction : program.operations[operation].code) {
      const unsigned value = instruction.result, batch = parked.batchOf[operation];
      if (stays[operation] || !plan.wanted[value] || isInside[value] || instruction.op == Op::Load ||
          instruction.op == Op::Total || instruction.op == Op::Piecewise || lastBatch[value] <= batch)
        continue;
      const auto row = std::ranges::find_if(busyUntil, [&](unsigned until) { return until < batch; });
      if (row == busyUntil.end() && busyUntil.size() == mostRows)
        continue;
      parked.rows[value] = unsigned(row - busyUntil.begin());
      if (row == busyUntil.end())
        busyUntil.push_back(lastBatch[value]);
      else
        *row = lastBatch[value];
    }
  parked.rowCount = unsigned(busyUntil.size());
  return parked;
}

} // namespace heddle::kernels
