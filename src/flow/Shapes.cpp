// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Backwards from the sums: which values are live. 2. Which of them other operations read: those are written
// to memory, the others are the shape's own. 3. Each operation is walked once; constants and what it reads from
// outside go to its row, a column for each use, and everything else goes to a text. Operations with equal texts
// have one shape, if they are on one level: a level comes after all that its operations read, so the operations of
// a shape do not depend on each other.
#include "flow/Shapes.h"

#include <algorithm>
#include <map>

namespace heddle::flow {

namespace {

/// Backwards from the sums.
std::vector<bool> liveValues(const Program &program) {
  std::vector<bool> live(program.definedBy.size());
  const auto want = [&](const Operand &operand) {
    if (operand.value)
      live[*operand.value] = true;
  };
  for (size_t i = program.operations.size(); i-- > 0;) {
    const Operation &operation = program.operations[i];
    for (const Contribution &contribution : operation.contributions)
      want(contribution.value);
    for (size_t j = operation.code.size(); j-- > 0;)
      if (live[operation.code[j].result])
        std::ranges::for_each(operation.code[j].operands, want);
  }
  return live;
}

/// Values that are read outside of the operation that computes them, or go into sums.
std::vector<bool> writtenValues(const Program &program, const std::vector<bool> &live) {
  std::vector<bool> written(program.definedBy.size());
  for (unsigned i = 0; i < program.operations.size(); ++i) {
    for (const Instruction &instruction : program.operations[i].code)
      if (live[instruction.result])
        for (const Operand &operand : instruction.operands)
          if (operand.value && program.definedBy[*operand.value] != i)
            written[*operand.value] = true;
    for (const Contribution &contribution : program.operations[i].contributions)
      if (contribution.value.value)
        written[*contribution.value.value] = true;
  }
  return written;
}

/// Walks through one operation: what fills the shape in, and a text that is the same for equal shapes.
class Walk {
public:
  Walk(const Program &program, unsigned operation, const std::vector<bool> &live,
       const std::vector<bool> &written) {
    member.operation = operation;
    for (const Instruction &instruction : program.operations[operation].code)
      if (live[instruction.result])
        instructionIn(instruction, written[instruction.result]);
  }

  Member member;
  std::string key;

private:
  std::map<unsigned, size_t> inside; ///< values of this operation, by number

  void constant(double value) {
    member.constants.push_back(value);
    key += "c";
  }

  void read(Source source) {
    member.reads.push_back(source);
    key += "r";
  }

  void operandIn(const Operand &operand) {
    if (!operand.value)
      constant(operand.constant);
    else if (auto found = inside.find(*operand.value); found != inside.end())
      key += std::to_string(found->second);
    else
      read({Source::Kind::Value, *operand.value, 0});
    key += ",";
  }

  void instructionIn(const Instruction &instruction, bool isWritten) {
    key += std::to_string(int(instruction.op)) + ":";
    for (const Operand &operand : instruction.operands)
      operandIn(operand);
    if (instruction.op == Op::Load)
      read({Source::Kind::Component, instruction.index, instruction.field});
    if (instruction.op == Op::Total)
      read({Source::Kind::Sum, instruction.index, 0});
    for (double each : instruction.steps.thresholds)
      constant(each);
    for (double each : instruction.steps.values)
      constant(each);
    inside.emplace(instruction.result, inside.size());
    if (isWritten)
      member.writes.push_back(instruction.result);
    key += isWritten ? "!" : ";";
  }
};

/// The level after all that an operation reads.
unsigned levelOf(const Member &member, const Program &program, const std::vector<unsigned> &levels,
                 const std::vector<unsigned> &sumLevels) {
  unsigned level = 0;
  for (const Source &source : member.reads)
    if (source.kind == Source::Kind::Value)
      level = std::max(level, levels[program.definedBy[source.index]] + 1);
    else if (source.kind == Source::Kind::Sum)
      level = std::max(level, sumLevels[source.index]);
  return level;
}

} // namespace

Shapes findShapes(const Program &program) {
  Shapes shapes;
  shapes.live = liveValues(program);
  shapes.readAt.resize(program.sums.size());
  const std::vector<bool> written = writtenValues(program, shapes.live);
  std::vector<unsigned> levels(program.operations.size()), sumLevels(program.sums.size());
  std::map<std::pair<unsigned, std::string>, size_t> places;
  for (unsigned i = 0; i < program.operations.size(); ++i) {
    Walk walk(program, i, shapes.live, written);
    const unsigned level = levels[i] = levelOf(walk.member, program, levels, sumLevels);
    for (const Contribution &contribution : program.operations[i].contributions)
      sumLevels[contribution.sum] = std::max(sumLevels[contribution.sum], level + 1);
    for (const Source &source : walk.member.reads)
      if (source.kind == Source::Kind::Sum) {
        auto &at = shapes.readAt[source.index];
        at = std::min(at.value_or(level), level);
      }
    if (walk.member.writes.empty())
      continue; // not needed
    auto [place, isNew] = places.try_emplace({level, walk.key}, shapes.all.size());
    if (isNew)
      shapes.all.push_back({level, {}});
    shapes.all[place->second].members.push_back(std::move(walk.member));
  }
  std::ranges::stable_sort(shapes.all, {}, &Shape::level);
  return shapes;
}

} // namespace heddle::flow
