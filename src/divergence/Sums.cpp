// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear sums that a branch of a PTX function compares.
//
// A loop `for (i = begin[v]; i < begin[v + 1]; ++i)` runs end - begin times. Neither input alone says that;
// their difference does. This finds such sums from the instructions, so that the predictor can use them as
// inputs.
//
// 1. Registers with a single writer are expanded through add, sub, mul and mad by constants, shl, neg, mov
//    and cvt down to loads and special registers, which the caller names. Anything else has no sum.
// 2. `beginOf` goes through loop steps (add or sub of a constant) and copies to what the register begins
//    with: the counter of a loop has two writers, its start and its step. All starts must be the same sum.
// 3. The two sides of a comparison are subtracted. Where one side has no sum, its operands are searched for
//    the largest parts that have one.
//
// Only sums of at least two inputs are kept: single inputs are known already. Guarded writers, floating point
// and memory are not followed. Cost: the depth of expressions is bounded by `Deepest`.
#include "divergence/Sums.h"

#include "ptx/Module.h"
#include "vm/Lowering.h"

#include <algorithm>
#include <set>

namespace heddle::divergence {
namespace {

/// Deeper than any expression that a person writes; what lies deeper is followed no further.
constexpr unsigned Deepest = 32;

using Maybe = std::optional<Sum>;
using ptx::Op;

Maybe added(Maybe a, const Maybe &b, double times) {
  if (!a || !b)
    return std::nullopt;
  for (const auto &[input, factor] : *b) {
    double &sum = (*a)[input];
    sum += times * factor;
    if (sum == 0)
      a->erase(input);
  }
  return a;
}
Maybe scaled(const Maybe &a, double times) { return added(Sum(), a, times); }

std::optional<double> constantOf(const ptx::Instr &instr, const ptx::Operand &operand) {
  if (!operand.isImm())
    return std::nullopt;
  return ptx::bitsOf(instr.type()) == 64 ? double(int64_t(operand.value)) : double(int32_t(operand.value));
}

/// What a step of a loop, or a copy, takes its value from but for a constant; nothing for other instructions.
const ptx::Operand *steppedFrom(std::span<const ptx::Operand> operands, const ptx::Instr &instr) {
  const bool steps =
      (instr.op == Op::Add || instr.op == Op::Sub) && operands[1].isReg() && operands[2].isImm();
  return steps || (instr.op == Op::Mov && operands[1].isReg()) ? &operands[1] : nullptr;
}

void keep(const Maybe &sum, std::vector<Sum> &found) {
  if (sum && sum->size() > 1 && std::find(found.begin(), found.end(), *sum) == found.end())
    found.push_back(*sum);
}

} // namespace

Sums::Sums(const ptx::Function &followed, Leaves given)
    : function(followed), leaves(std::move(given)), writers(followed.registers.size()) {
  for (uint32_t i = 0; i < function.instrs.size(); ++i) {
    const ptx::Instr &instr = function.instrs[i];
    auto operands = function.operandsOf(instr);
    const unsigned written =
        instr.op == Op::Call ? unsigned(operands.size()) : ptx::countDests(function, instr);
    for (unsigned o = 0; o < std::min<size_t>(written, operands.size()); ++o)
      if (operands[o].isReg())
        writers[operands[o].index].push_back(i);
      else if (operands[o].kind == ptx::OperandKind::Vector)
        for (const ptx::Operand &element : function.elementsOf(operands[o]))
          if (element.isReg())
            writers[element.index].push_back(i);
  }
}

Sums::Maybe Sums::of(const ptx::Operand &operand, unsigned depth) const {
  if (operand.isImm())
    return Sum();
  return operand.isReg() ? ofRegister(operand.index, depth) : std::nullopt;
}

Sums::Maybe Sums::ofRegister(uint32_t reg, unsigned depth) const {
  if (writers[reg].size() != 1 || depth > Deepest)
    return std::nullopt;
  return ofInstr(function.instrs[writers[reg].front()], reg, depth + 1);
}

Sums::Maybe Sums::product(const ptx::Instr &instr, const ptx::Operand &a, const ptx::Operand &b,
                          unsigned depth) const {
  if (std::optional<double> times = constantOf(instr, b))
    return scaled(of(a, depth), *times);
  if (std::optional<double> times = constantOf(instr, a))
    return scaled(of(b, depth), *times);
  return std::nullopt;
}

Sums::Maybe Sums::ofInstr(const ptx::Instr &instr, uint32_t reg, unsigned depth) const {
  auto operands = function.operandsOf(instr);
  if (instr.guard || operands.size() < 2 || (instr.op != Op::Ld && ptx::isFloat(instr.type())))
    return std::nullopt;
  switch (instr.op) {
  case Op::Ld: return leaves.loaded(reg);
  case Op::Mov:
  case Op::Cvt:
    return operands[1].kind == ptx::OperandKind::Special ? leaves.special(instr, operands[1])
                                                         : of(operands[1], depth);
  case Op::Neg: return scaled(of(operands[1], depth), -1);
  case Op::Add: return added(of(operands[1], depth), of(operands[2], depth), 1);
  case Op::Sub: return added(of(operands[1], depth), of(operands[2], depth), -1);
  case Op::Mul: return product(instr, operands[1], operands[2], depth);
  case Op::Mad: return added(product(instr, operands[1], operands[2], depth), of(operands[3], depth), 1);
  case Op::Shl:
    return operands[2].isImm()
               ? scaled(of(operands[1], depth), double(uint64_t(1) << (operands[2].value & 63)))
               : std::nullopt;
  default: return std::nullopt;
  }
}

/// Through copies and steps back to the one sum that they all begin with.
Sums::Maybe Sums::beginOf(uint32_t start) const {
  if (Maybe sum = ofRegister(start, 0))
    return sum;
  Maybe begin;
  std::set<uint32_t> seen = {start};
  std::vector<uint32_t> todo = {start};
  while (!todo.empty()) {
    const uint32_t reg = todo.back();
    todo.pop_back();
    for (uint32_t writer : writers[reg]) {
      const ptx::Instr &instr = function.instrs[writer];
      const ptx::Operand *from = steppedFrom(function.operandsOf(instr), instr);
      if (from && !ofRegister(from->index, 0)) {
        if (seen.insert(from->index).second)
          todo.push_back(from->index);
        continue;
      }
      const Maybe sum = ofInstr(instr, reg, 0);
      if (!sum || (begin && *begin != *sum))
        return std::nullopt;
      begin = sum;
    }
  }
  return begin;
}

void Sums::collectCompared(const ptx::Instr &compare, std::vector<Sum> &found) const {
  auto operands = function.operandsOf(compare);
  const unsigned first = ptx::countDests(function, compare);
  auto begin = [&](const ptx::Operand &operand) {
    return operand.isReg() ? beginOf(operand.index) : of(operand, 0);
  };
  const Maybe a = begin(operands[first]), b = begin(operands[first + 1]);
  if (a && b)
    return keep(added(a, b, -1), found);
  for (unsigned i = first; i < first + 2; ++i)
    if (operands[i].isReg())
      collect(operands[i].index, 0, found);
}

/// What a register is made of, down to the largest parts that are sums.
void Sums::collect(uint32_t reg, unsigned depth, std::vector<Sum> &found) const {
  if (const Maybe sum = beginOf(reg); sum || writers[reg].size() != 1 || depth > Deepest)
    return keep(sum, found);
  const ptx::Instr &instr = function.instrs[writers[reg].front()];
  const ptx::OpInfo &info = ptx::info(instr.op);
  if (instr.op == Op::Setp)
    return collectCompared(instr, found);
  if (instr.op == Op::Call || instr.op == Op::Unsupported || info.memory != ptx::Memory::None ||
      info.lanes != ptx::Lanes::Each)
    return;
  auto operands = function.operandsOf(instr);
  for (unsigned i = ptx::countDests(function, instr); i < operands.size(); ++i)
    if (operands[i].isReg())
      collect(operands[i].index, depth + 1, found);
}

std::vector<Sum> Sums::comparedBy(uint32_t condition) const {
  std::vector<Sum> found;
  collect(condition, 0, found);
  return found;
}

} // namespace heddle::divergence
