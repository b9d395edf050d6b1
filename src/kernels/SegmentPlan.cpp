// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/SegmentPlan.h"

#include "model/Thresholds.h"

#include <algorithm>

namespace heddle::kernels {
namespace {

using model::threshold::chemistry::loadAhead;

/// Backwards from the contributions: a segment may want few of the values that a pure operation has.
std::vector<bool> wantedIn(const flow::Program &program, const flow::Segment &segment,
                           const TemperaturePowers &powers) {
  std::vector<bool> wanted(program.definedBy.size());
  const auto want = [&](const flow::Operand &operand) {
    if (operand.value)
      wanted[*operand.value] = true;
  };
  const auto through = [&](const flow::Operation &operation) {
    for (const flow::Contribution &contribution : operation.contributions)
      want(contribution.value);
    for (size_t i = operation.code.size(); i-- > 0;) {
      const unsigned result = operation.code[i].result;
      if (wanted[result] && !powers.has(result))
        std::ranges::for_each(operation.code[i].operands, want);
      if (wanted[result] && powers.has(result))
        wanted[powers.temperature] = wanted[powers.logarithm] = wanted[powers.reciprocal] = true;
    }
  };
  for (unsigned operation : segment.operations)
    through(program.operations[operation]);
  for (size_t i = segment.pure.size(); i-- > 0;)
    through(program.operations[segment.pure[i]]);
  return wanted;
}

} // namespace

std::vector<unsigned> SegmentPlan::sequence() const {
  std::vector<unsigned> all;
  for (const PlannedOperation &each : operations) {
    all.insert(all.end(), each.pure.begin(), each.pure.end());
    all.push_back(each.operation);
  }
  return all;
}

SegmentPlan planSegment(const flow::Program &program, const flow::Segment &segment,
                        const TemperaturePowers &powers) {
  const size_t count = segment.operations.size();
  SegmentPlan plan = {std::vector<PlannedOperation>(count), wantedIn(program, segment, powers)};
  std::vector<bool> isPlaced(program.operations.size());
  const auto ahead = [&](size_t i) -> PlannedOperation & {
    return plan.operations[i > loadAhead ? i - loadAhead : 0];
  };
  for (size_t i = 0; i < count; ++i) {
    plan.operations[i].operation = segment.operations[i];
    for (unsigned needed : program.needs(segment.operations[i]))
      if (!isPlaced[needed]) {
        isPlaced[needed] = true;
        plan.operations[i].pure.push_back(needed);
        ahead(i).loads.push_back(needed);
        ahead(i).totals.push_back(needed);
      }
  }
  for (size_t i = 0; i < count; ++i)
    ahead(i).totals.push_back(segment.operations[i]);
  return plan;
}

} // namespace heddle::kernels
