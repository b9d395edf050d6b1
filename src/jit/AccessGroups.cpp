// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/AccessGroups.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace heddle::jit {

namespace {

/// Offsets of a group differ by less, so that what is checked together mostly belongs to one allocation.
constexpr int64_t MostBytesBetween = 4096;
/// What a load of a lane has at most.
constexpr unsigned BytesOfRow = 16;

uint32_t addressRegister(const Program &program, uint32_t instr) {
  for (const ptx::Operand &each : program.operands(instr))
    if (each.kind == ptx::OperandKind::AddrReg)
      return each.index;
  return ptx::kNone;
}

bool isLoad(const Program &program, uint32_t instr) {
  return program.function.instrs[instr].op != ptx::Op::St;
}

} // namespace

AccessGroups::AccessGroups(const Program &program, uint32_t first, uint32_t end) {
  using Key = std::tuple<uint32_t, vm::MemorySpace, bool, unsigned>;
  std::map<Key, size_t> open;
  std::vector<AccessGroup> found;
  uint32_t writes = 0;
  for (uint32_t i = first; i < end; ++i) {
    const Way way = program.wayOf(i);
    const vm::Inst &in = program.inst(i);
    const uint32_t reg = way == Way::Access ? addressRegister(program, i) : ptx::kNone;
    const bool isInRegister = in.address == vm::AddressForm::Reg32 || in.address == vm::AddressForm::Reg64;
    if (reg != ptx::kNone && isInRegister && !program.function.instrs[i].guard) {
      const unsigned bytes = unsigned(in.bytes) * in.elements;
      auto [at, isNew] = open.try_emplace({reg, in.space, isLoad(program, i), bytes}, found.size());
      if (!isNew) {
        const AccessGroup &group = found[at->second];
        const int64_t lowest = std::min(group.lowest, in.imm), highest = std::max(group.highest, in.imm);
        isNew = highest - lowest > MostBytesBetween || (in.imm - group.lowest) % int64_t(bytes);
        if (isNew)
          at->second = found.size();
      }
      if (isNew)
        found.push_back({i, in.imm, in.imm, {}, {}});
      AccessGroup &group = found[at->second];
      group.lowest = std::min(group.lowest, in.imm), group.highest = std::max(group.highest, in.imm);
      group.accesses.push_back(i);
      group.writes.push_back(writes);
    }
    writes += way == Way::Atomic || way == Way::Handler || (way == Way::Access && !isLoad(program, i));
    for (uint32_t changed : program.writes(i))
      std::erase_if(open, [&](const auto &each) { return std::get<0>(each.first) == changed; });
  }
  for (AccessGroup &group : found) {
    if (group.accesses.size() < 2)
      continue;
    for (uint32_t each : group.accesses)
      groupOf[each] = groups.size();
    findNeighbours(program, group);
    groups.push_back(std::move(group));
  }
}

void AccessGroups::findNeighbours(const Program &program, const AccessGroup &group) {
  const vm::Inst &in = program.inst(group.first);
  if (!isLoad(program, group.first) || in.elements != 1 || in.bytes < 4)
    return;
  const unsigned count = BytesOfRow / in.bytes;
  struct Load {
    uint32_t writes;
    int64_t imm;
    uint32_t instr;
    auto operator<=>(const Load &) const = default;
  };
  std::vector<Load> loads;
  for (size_t i = 0; i < group.accesses.size(); ++i)
    loads.push_back({group.writes[i], program.inst(group.accesses[i]).imm, group.accesses[i]});
  std::ranges::sort(loads);
  for (size_t i = 0; i + count <= loads.size();) {
    bool isRow = true;
    for (unsigned k = 1; k < count; ++k)
      isRow &=
          loads[i + k].writes == loads[i].writes && loads[i + k].imm == loads[i].imm + int64_t(k) * in.bytes;
    if (!isRow) {
      ++i;
      continue;
    }
    Neighbours all{loads[i].instr, loads[i].imm, {}};
    for (unsigned k = 0; k < count; ++k) {
      all.loads.push_back(loads[i + k].instr);
      all.first = std::min(all.first, loads[i + k].instr);
      neighbourOf[loads[i + k].instr] = neighbours.size();
    }
    neighbours.push_back(std::move(all));
    i += count;
  }
}

} // namespace heddle::jit
