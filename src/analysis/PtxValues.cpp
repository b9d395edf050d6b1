// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/PtxValues.h"

#include "ptx/Destinations.h"

#include <algorithm>

namespace heddle::analysis {

using namespace ptx;

namespace {

bool isSameForAll(SpecialReg reg) {
  return (reg >= SpecialReg::NTidX && reg <= SpecialReg::NTidZ) ||
         (reg >= SpecialReg::CtaIdX && reg <= SpecialReg::NCtaIdZ);
}

} // namespace

PtxValues::PtxValues(const Function &kernel)
    : f(kernel), uses(f.registers.size()), writers(f.registers.size()) {
  for (const Instr &instr : f.instrs)
    all.push_back(operandsOf(instr));
  for (uint32_t i = 0; i < f.instrs.size(); ++i) {
    for (uint32_t r : all[i].reads)
      uses[r].push_back(i);
    for (uint32_t r : all[i].writes)
      writers[r].push_back(i);
  }
  findConstants();
  for (uint32_t r = 0; r < f.registers.size(); ++r)
    if (const auto origins = partsOf(r))
      parts[r] = *origins;
}

PtxValues::Operands PtxValues::operandsOf(const Instr &instr) const {
  Operands found;
  const auto into = [](std::vector<uint32_t> &list) {
    return [&list](uint32_t reg) {
      if (std::ranges::find(list, reg) == list.end())
        list.push_back(reg);
    };
  };
  eachWritten(f, instr, into(found.writes));
  eachRead(f, instr, into(found.reads));
  return found;
}

bool PtxValues::isFree(uint32_t instr) const {
  const auto &writes = all[instr].writes;
  return !writes.empty() &&
         std::ranges::all_of(writes, [&](uint32_t r) { return isConstant(r) || parts.contains(r); });
}

std::vector<uint32_t> PtxValues::read(uint32_t instr) const {
  std::vector<uint32_t> result;
  if (!isFree(instr))
    for (uint32_t r : all[instr].reads)
      addOrigins(r, result, 0);
  return result;
}

std::optional<PtxValues::Address> PtxValues::addressOf(const Instr &instr) const {
  for (const Operand &operand : f.operandsOf(instr)) {
    if (!operand.isAddress() || operand.kind == OperandKind::AddrImm)
      continue;
    Address address = {operand.index, operand.kind == OperandKind::AddrVar, operand.offset(),
                       bytesOf(instr.type()) * instr.mods.vectorWidth()};
    while (!address.isVariable && parts.contains(address.base)) {
      const Instr &made = f.instrs[writers[address.base].front()];
      const auto operands = f.operandsOf(made);
      if (made.op == Op::Add && operands[1].isReg() && operands[2].isImm())
        address.offset += operands[2].offset();
      else if (made.op != Op::Cvta && made.op != Op::Mov)
        break;
      address.base = operands[1].index;
    }
    return address;
  }
  return std::nullopt;
}

const Instr *PtxValues::onlyWriter(uint32_t r) const {
  if (writers[r].size() != 1 || f.instrs[writers[r].front()].guard ||
      all[writers[r].front()].writes.size() != 1)
    return nullptr;
  return &f.instrs[writers[r].front()];
}

/// Read from constant memory, or part of the instruction that uses them, wherever they are needed.
bool PtxValues::isMadeOfConstants(const Instr &instr) const {
  const auto operands = f.operandsOf(instr);
  if (instr.op == Op::Ld)
    return instr.mods.space == Space::Param;
  if (instr.op != Op::Mov && instr.op != Op::Cvta)
    return false;
  const Operand &from = operands[1];
  if (from.isReg())
    return isConstant(from.index);
  return from.kind == OperandKind::Special ? isSameForAll(SpecialReg(from.index))
                                           : from.kind != OperandKind::Vector;
}

void PtxValues::findConstants() {
  for (size_t before = size_t(-1); before != constants.size();) {
    before = constants.size();
    for (uint32_t r = 0; r < f.registers.size(); ++r)
      if (const Instr *instr = onlyWriter(r); instr && isMadeOfConstants(*instr))
        constants.insert(r);
  }
}

bool PtxValues::usesAre(uint32_t r, auto condition) const {
  return std::ranges::all_of(uses[r], [&](uint32_t use) { return condition(f.instrs[use]); });
}

/// The registers from which the instruction that uses `r` makes it; nothing where it is held in a register of its own.
std::optional<std::vector<uint32_t>> PtxValues::partsOf(uint32_t r) const {
  const Instr *instr = onlyWriter(r);
  if (!instr || isConstant(r))
    return std::nullopt;
  const auto operands = f.operandsOf(*instr);
  const auto &reads = all[writers[r].front()].reads;
  if (reads.empty())
    return std::nullopt;
  const bool isWide = bitsOf(instr->type()) == 64;
  switch (instr->op) {
  case Op::Add: // base and offset of an address
    if (isWide && operands[1].isReg() && operands[2].isImm() &&
        usesAre(r, [](const Instr &use) { return info(use.op).memory != Memory::None || use.op == Op::Add; }))
      return reads;
    return std::nullopt;
  case Op::Cvta: return reads;
  case Op::Mov:
    if (operands[1].isReg() && operands[0].isReg() && writers[operands[1].index].size() == 1)
      return reads;
    return std::nullopt;
  case Op::Cvt:
    if (isWide && !isFloat(instr->type()) && !isFloat(instr->type2()) && bitsOf(instr->type2()) == 32)
      return reads;
    return std::nullopt;
  case Op::Mul: // an index times the size of an element: part of the multiply-add that makes the address
  case Op::Shl:
    if ((instr->op == Op::Mul ? instr->mods.mul == MulMode::Wide : isWide) &&
        usesAre(r, [](const Instr &use) { return use.op == Op::Add; }))
      return reads;
    return std::nullopt;
  case Op::Ld: // moved to the block of its only use
    if (instr->mods.space == Space::Shared && uses[r].size() == 1 &&
        isLater(f.blockOf[uses[r].front()], f.blockOf[writers[r].front()]))
      return reads;
    return std::nullopt;
  default: return std::nullopt;
  }
}

bool PtxValues::reaches(uint32_t from, uint32_t to) const {
  std::vector<uint32_t> pending = f.blocks[from].succs;
  std::set<uint32_t> seen(pending.begin(), pending.end());
  while (!pending.empty()) {
    const uint32_t block = pending.back();
    pending.pop_back();
    if (block == to)
      return true;
    for (uint32_t next : f.blocks[block].succs)
      if (seen.insert(next).second)
        pending.push_back(next);
  }
  return false;
}

/// Executed after the other block and no more often.
bool PtxValues::isLater(uint32_t block, uint32_t other) const {
  return block > other && (!reaches(block, block) || reaches(block, other));
}

void PtxValues::addOrigins(uint32_t r, std::vector<uint32_t> &into, unsigned depth) const {
  constexpr unsigned deepest = 32;
  const auto found = parts.find(r);
  if (found == parts.end() || depth == deepest) {
    if (std::ranges::find(into, r) == into.end())
      into.push_back(r);
    return;
  }
  for (uint32_t origin : found->second)
    addOrigins(origin, into, depth + 1);
}

} // namespace heddle::analysis
