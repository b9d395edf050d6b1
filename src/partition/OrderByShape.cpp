// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A segment is a run of steps without synchronization and without ends of sums. In it, reads of rows come
// first (they are moved to their uses later, see Pieces.h), then operations by the rank of their shapes, each
// with what it puts and adds, then other additions. A segment that puts into a row that it also reads is not
// changed.
#include "partition/OrderByShape.h"

#include <algorithm>
#include <map>
#include <set>

namespace heddle::partition {
namespace {

/// The structure of an operation: instructions, and which of them each one reads. Constants and inputs are
/// all alike.
std::vector<unsigned> shapeOfWork(const flow::Operation &operation) {
  constexpr unsigned constant = 1000000, input = 1000001;
  std::map<unsigned, unsigned> inner;
  std::vector<unsigned> shape;
  for (const flow::Instruction &instruction : operation.code) {
    shape.insert(shape.end(),
                 {unsigned(instruction.op), instruction.field, unsigned(instruction.steps.values.size())});
    for (const flow::Operand &operand : instruction.operands) {
      auto found = operand.value ? inner.find(*operand.value) : inner.end();
      shape.push_back(operand.isConstant() ? constant : found == inner.end() ? input : found->second);
    }
    inner.emplace(instruction.result, unsigned(inner.size()));
  }
  return shape;
}

/// A number for each operation: operations of equal shape have equal numbers, and the shapes that most warps
/// have most of the lowest.
std::vector<unsigned> ranksOf(const flow::Program &program, const Partitioned &partitioned) {
  std::map<std::vector<unsigned>, std::vector<unsigned>> members; // operations by shape
  for (unsigned i = 0; i < program.operations.size(); ++i)
    members[shapeOfWork(program.operations[i])].push_back(i);
  std::vector<std::vector<unsigned>> counts(program.operations.size(),
                                            std::vector<unsigned>(partitioned.warps.size()));
  for (size_t warp = 0; warp < partitioned.warps.size(); ++warp)
    for (const Step &step : partitioned.warps[warp])
      if (step.kind == StepKind::Do)
        ++counts[step.operation][warp];

  struct Group {
    unsigned common = 0, total = 0;
    const std::vector<unsigned> *operations;
  };
  std::vector<Group> groups;
  for (const auto &[shape, operations] : members) {
    std::vector<unsigned> ofWarp(partitioned.warps.size());
    for (unsigned operation : operations)
      for (size_t warp = 0; warp < ofWarp.size(); ++warp)
        ofWarp[warp] += counts[operation][warp];
    Group group = {*std::ranges::min_element(ofWarp), 0, &operations};
    for (unsigned count : ofWarp)
      group.total += count;
    groups.push_back(group);
  }
  std::ranges::stable_sort(groups, [](const Group &a, const Group &b) {
    return std::tuple(b.common, b.total, a.operations->front()) <
           std::tuple(a.common, a.total, b.operations->front());
  });
  std::vector<unsigned> ranks(program.operations.size());
  for (unsigned rank = 0; rank < groups.size(); ++rank)
    for (unsigned operation : *groups[rank].operations)
      ranks[operation] = rank;
  return ranks;
}

class Segment {
public:
  Segment(const flow::Program &program, const std::vector<unsigned> &ranks)
      : program(program), ranks(ranks) {}

  void add(const Step &step) { steps.push_back(step); }

  void orderInto(std::vector<Step> &to) {
    if (rowsMeet()) {
      std::ranges::copy(steps, std::back_inserter(to));
    } else {
      std::ranges::copy_if(steps, std::back_inserter(to),
                           [](const Step &step) { return step.kind == StepKind::Get; });
      collect();
      emitUnits(to);
      std::ranges::copy(rest, std::back_inserter(to));
    }
    steps.clear();
    units.clear();
    rest.clear();
  }

private:
  /// An operation, with what is done with its values.
  struct Unit {
    unsigned operation;
    std::vector<Step> steps;
    bool isDone = false;
  };
  const flow::Program &program;
  const std::vector<unsigned> &ranks;
  std::vector<Step> steps, rest;
  std::vector<Unit> units;

  bool rowsMeet() const {
    std::set<unsigned> read, written;
    for (const Step &step : steps)
      if (step.kind == StepKind::Get)
        read.insert(step.row);
      else if (step.kind == StepKind::Put && !written.insert(step.row).second)
        return true;
    return std::ranges::any_of(written, [&](unsigned row) { return read.contains(row); });
  }

  void collect() {
    std::map<unsigned, size_t> unitOf; // by operation
    for (const Step &step : steps) {
      if (step.kind == StepKind::Get)
        continue;
      if (step.kind == StepKind::Do) {
        unitOf[step.operation] = units.size();
        units.push_back({step.operation, {step}});
        continue;
      }
      const bool isPut = step.kind == StepKind::Put;
      const auto unit = isPut             ? unitOf.find(program.definedBy[step.value])
                        : step.term.value ? unitOf.find(program.definedBy[*step.term.value])
                                          : unitOf.end();
      (unit == unitOf.end() ? rest : units[unit->second].steps).push_back(step);
    }
  }

  /// The lowest rank first among those that have what they need.
  void emitUnits(std::vector<Step> &to) {
    std::set<unsigned> pending;
    for (const Unit &unit : units)
      pending.insert(unit.operation);
    const auto isReady = [&](const Unit &unit) {
      const std::vector<unsigned> inputs = program.inputs(unit.operation);
      return std::ranges::none_of(inputs,
                                  [&](unsigned value) { return pending.contains(program.definedBy[value]); });
    };
    for (size_t done = 0; done < units.size(); ++done) {
      Unit *best = nullptr;
      for (Unit &unit : units)
        if (!unit.isDone && (!best || ranks[unit.operation] < ranks[best->operation]) && isReady(unit))
          best = &unit;
      best->isDone = true;
      pending.erase(best->operation);
      std::ranges::copy(best->steps, std::back_inserter(to));
    }
  }
};

bool staysInSegment(const Step &step) {
  return step.kind == StepKind::Do || step.kind == StepKind::Get || step.kind == StepKind::Put ||
         step.kind == StepKind::Accumulate;
}

} // namespace

Partitioned orderByShape(const flow::Program &program, Partitioned partitioned) {
  const std::vector<unsigned> ranks = ranksOf(program, partitioned);
  for (std::vector<Step> &steps : partitioned.warps) {
    std::vector<Step> ordered;
    Segment segment(program, ranks);
    for (const Step &step : steps) {
      if (staysInSegment(step)) {
        segment.add(step);
        continue;
      }
      segment.orderInto(ordered);
      ordered.push_back(step);
    }
    segment.orderInto(ordered);
    steps = std::move(ordered);
  }
  return partitioned;
}

} // namespace heddle::partition
