// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "flow/Segments.h"

#include "flow/Cost.h"
#include "flow/Stages.h"

#include <algorithm>
#include <limits>

namespace heddle::flow {

namespace {

/// The pure operations of operations [begin, end) of an order, in an order in which each finds its inputs.
std::vector<unsigned> pureOf(const std::vector<std::vector<unsigned>> &needs,
                             const std::vector<unsigned> &order, size_t begin, size_t end,
                             size_t operationCount) {
  std::vector<bool> seen(operationCount);
  std::vector<unsigned> all;
  for (size_t i = begin; i < end; ++i)
    for (unsigned needed : needs[order[i]])
      if (!seen[needed]) {
        seen[needed] = true;
        all.push_back(needed);
      }
  return all;
}

} // namespace

std::vector<Segment> cutIntoSegments(const Program &program, const std::vector<unsigned> &order,
                                     unsigned limit) {
  const size_t count = order.size();
  const std::vector<unsigned> stages = stagesOf(program);
  std::vector<std::vector<unsigned>> needs(program.operations.size());
  std::vector<unsigned> size(program.operations.size());
  for (unsigned i = 0; i < program.operations.size(); ++i) {
    size[i] = instructionsOf(program.operations[i]);
    if (!program.operations[i].isPure())
      needs[i] = program.needs(i);
  }

  // The least total code of the first `end` operations, and where the last segment of that begins.
  std::vector<unsigned long> least(count + 1, std::numeric_limits<unsigned long>::max());
  std::vector<size_t> beginOfLast(count + 1);
  std::vector<unsigned> sizeOfLast(count + 1);
  least[0] = 0;
  for (size_t end = 1; end <= count; ++end) {
    std::vector<bool> seen(program.operations.size());
    unsigned code = 0;
    for (size_t begin = end; begin-- > 0 && stages[order[begin]] == stages[order[end - 1]];) {
      code += size[order[begin]];
      for (unsigned needed : needs[order[begin]])
        if (!seen[needed]) {
          seen[needed] = true;
          code += size[needed];
        }
      if (code > limit && begin + 1 < end)
        break;
      if (least[begin] + code <= least[end]) {
        least[end] = least[begin] + code;
        beginOfLast[end] = begin;
        sizeOfLast[end] = code;
      }
    }
  }

  std::vector<Segment> segments;
  for (size_t end = count; end > 0; end = beginOfLast[end]) {
    const size_t begin = beginOfLast[end];
    segments.push_back({{order.begin() + long(begin), order.begin() + long(end)},
                        pureOf(needs, order, begin, end, program.operations.size()),
                        sizeOfLast[end]});
  }
  std::ranges::reverse(segments);
  return segments;
}

} // namespace heddle::flow
