// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan that is right for every program and quick for none: operations level by level, a barrier of all
// warps between levels, a row for every value that another operation wants. Code generation is tested with it
// apart from planning.
#pragma once

#include "Programs.h"

#include <algorithm>
#include <map>
#include <set>

namespace heddle::partition::test {

class LevelPlan {
public:
  LevelPlan(const flow::Program &program, unsigned warps)
      : program(program), count(warps), level(program.operations.size()), owner(program.operations.size()) {
    partitioned.warps.resize(warps);
    findLevels();
    for (unsigned i = 0; i < owner.size(); ++i)
      owner[i] = ownTotals(i).empty() ? i % warps : ownTotals(i).front() % warps;
  }

  Partitioned make() {
    const unsigned last = level.empty() ? 0 : *std::ranges::max_element(level);
    for (unsigned at = 0; at <= last; ++at) {
      closeFor(at);
      for (unsigned i = 0; i < level.size(); ++i)
        if (level[i] == at)
          perform(i);
      barrier();
    }
    std::set<unsigned> results;
    for (unsigned sum = 0; sum < program.sums.size(); ++sum)
      if (program.sums[sum].isResult)
        results.insert(sum);
    closeAll(results);
    barrier();
    return partitioned;
  }

private:
  const flow::Program &program;
  unsigned count;
  std::vector<unsigned> level, owner;
  Partitioned partitioned;
  std::map<unsigned, unsigned> rowOf;
  std::set<unsigned> closed;
  std::map<unsigned, std::set<unsigned>> partials; ///< warps that have one, by sum

  std::vector<unsigned> ownTotals(unsigned operation) const {
    std::vector<unsigned> sums;
    for (const auto &instruction : program.operations[operation].code)
      if (instruction.op == flow::Op::Total)
        sums.push_back(instruction.index);
    return sums;
  }

  bool isReadElsewhere(unsigned value) const {
    for (unsigned i = 0; i < program.operations.size(); ++i)
      if (i != program.definedBy[value] && std::ranges::count(program.inputs(i), value))
        return true;
    return false;
  }

  void findLevels() {
    for (unsigned i = 0; i < level.size(); ++i) {
      for (unsigned value : program.inputs(i))
        level[i] = std::max(level[i], level[program.definedBy[value]] + 1);
      for (unsigned sum : ownTotals(i))
        for (unsigned j = 0; j < i; ++j)
          for (const auto &contribution : program.operations[j].contributions)
            if (contribution.sum == sum)
              level[i] = std::max(level[i], level[j] + 1);
    }
  }

  /// Different barriers in turn, as plans have them.
  void barrier() {
    SyncPoint point;
    for (unsigned warp = 0; warp < count; ++warp) {
      point.waiting.push_back(warp);
      partitioned.warps[warp].push_back(at(StepKind::Wait, unsigned(partitioned.points.size())));
    }
    point.barrier = unsigned(partitioned.points.size() % 16);
    partitioned.points.push_back(point);
  }

  void closeFor(unsigned at) {
    std::set<unsigned> sums;
    for (unsigned i = 0; i < level.size(); ++i)
      if (level[i] == at)
        for (unsigned sum : ownTotals(i))
          sums.insert(sum);
    closeAll(sums);
  }

  void closeAll(const std::set<unsigned> &sums) {
    const auto closerOf = [&](unsigned sum) {
      for (unsigned i = 0; i < owner.size(); ++i)
        if (std::ranges::count(ownTotals(i), sum))
          return owner[i];
      return sum % count;
    };
    std::map<std::pair<unsigned, unsigned>, unsigned> rows;
    for (unsigned sum : sums)
      for (unsigned warp : partials[sum])
        if (warp != closerOf(sum) && !closed.contains(sum)) {
          Step put = step(StepKind::PutPartial);
          put.sum = sum;
          put.row = rows[{sum, warp}] = partitioned.rows++;
          partitioned.warps[warp].push_back(put);
        }
    barrier();
    for (unsigned sum : sums) {
      if (!closed.insert(sum).second)
        continue;
      for (unsigned warp : partials[sum])
        if (warp != closerOf(sum)) {
          Step add = step(StepKind::AddPartial);
          add.sum = sum;
          add.row = rows[{sum, warp}];
          partitioned.warps[closerOf(sum)].push_back(add);
        }
      partitioned.warps[closerOf(sum)].push_back(close(sum));
    }
  }

  void perform(unsigned operation) {
    auto &steps = partitioned.warps[owner[operation]];
    for (unsigned value : program.inputs(operation))
      steps.push_back(get(value, rowOf.at(value)));
    steps.push_back(test::perform(operation));
    for (const auto &instruction : program.operations[operation].code) {
      if (!isReadElsewhere(instruction.result))
        continue;
      rowOf[instruction.result] = partitioned.rows;
      steps.push_back(put(instruction.result, partitioned.rows++));
    }
    for (const auto &contribution : program.operations[operation].contributions) {
      Step add = step(StepKind::Accumulate);
      add.sum = contribution.sum;
      add.coefficient = contribution.coefficient;
      add.term = contribution.value;
      steps.push_back(add);
      partials[contribution.sum].insert(owner[operation]);
    }
  }
};

inline Partitioned planByLevels(const flow::Program &program, unsigned warps) {
  return LevelPlan(program, warps).make();
}

} // namespace heddle::partition::test
