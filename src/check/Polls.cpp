// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. The cycle: instructions on a way from the load back to itself on which no instruction writes the registers of
// its
//    address. Without one the load is executed once for each address, and is no poll.
// 2. What depends on the value, inside the cycle: registers computed from it, registers that only one side of
//    a branch on it writes, and, once it is stored somewhere, whatever is loaded again.
// 3. A branch that leaves the cycle and depends on the value makes it a poll.
#include "check/Polls.h"

#include "ptx/Cfg.h"
#include "ptx/Destinations.h"
#include "vm/Lowering.h"

#include <algorithm>

namespace heddle::check {
namespace {

using ptx::Instr;
using ptx::Op;
using ptx::Operand;
using ptx::OperandKind;

using Set = std::vector<bool>; ///< of instructions, or of registers

class Poll {
public:
  Poll(const ptx::Function &function, uint32_t instr) : f(function), load(instr) {}

  bool decide() {
    for (const Operand &operand : f.operandsOf(f.instrs[load]))
      if (operand.kind == OperandKind::AddrReg)
        addressRegisters.push_back(operand.index);
    findCycle();
    if (!cycle[load] || (f.instrs[load].op == Op::Ld && storesThere()))
      return false;
    followValue();
    for (uint32_t i = 0; i < f.instrs.size(); ++i)
      if (cycle[i] && decides(f.instrs[i]) && leavesCycle(i))
        return true;
    return false;
  }

private:
  template <class Fn> void eachSuccessor(uint32_t i, Fn fn) const {
    const Instr &instr = f.instrs[i];
    if (!ptx::neverFallsThrough(instr) && i + 1 < f.instrs.size())
      fn(i + 1);
    if (instr.op == Op::Bra)
      fn(f.operandsOf(instr)[0].index);
    else if (instr.op == Op::BrxIdx)
      for (uint32_t target : f.targetLists[f.operandsOf(instr)[1].index])
        fn(target);
  }
  unsigned destinations(const Instr &instr) const {
    return instr.op == Op::Call ? 0 : ptx::countDests(f, instr);
  }
  bool changesAddress(uint32_t i) const {
    bool changes = false;
    eachWritten(f, f.instrs[i], [&](uint32_t reg) {
      changes |= std::count(addressRegisters.begin(), addressRegisters.end(), reg) != 0;
    });
    return changes;
  }

  /// What can be reached from `start` along `edges` while the address stays.
  Set reach(const std::vector<uint32_t> &start, const std::vector<std::vector<uint32_t>> &edges) const {
    Set seen(f.instrs.size(), false);
    std::vector<uint32_t> todo;
    auto visit = [&](uint32_t next) {
      if (!seen[next] && (next == load || !changesAddress(next)))
        seen[next] = true, todo.push_back(next);
    };
    for (uint32_t first : start)
      visit(first);
    while (!todo.empty()) {
      const uint32_t i = todo.back();
      todo.pop_back();
      for (uint32_t next : edges[i])
        visit(next);
    }
    return seen;
  }

  void findCycle() {
    ways.resize(f.instrs.size());
    std::vector<std::vector<uint32_t>> previous(f.instrs.size());
    for (uint32_t i = 0; i < f.instrs.size(); ++i)
      eachSuccessor(i, [&](uint32_t to) { ways[i].push_back(to), previous[to].push_back(i); });
    const Set ahead = reach(ways[load], ways), behind = reach(previous[load], previous);
    cycle.resize(f.instrs.size());
    for (size_t i = 0; i < cycle.size(); ++i)
      cycle[i] = ahead[i] && behind[i];
  }

  const Operand *addressOf(const Instr &instr) const {
    for (const Operand &operand : f.operandsOf(instr))
      if (operand.isAddress())
        return &operand;
    return nullptr;
  }
  bool storesThere() const {
    const Operand *polled = addressOf(f.instrs[load]);
    for (uint32_t i = 0; i < f.instrs.size(); ++i) {
      const Operand *at = cycle[i] && f.instrs[i].op == Op::St ? addressOf(f.instrs[i]) : nullptr;
      if (at && polled && at->kind == polled->kind && at->index == polled->index &&
          at->value == polled->value)
        return true;
    }
    return false;
  }

  bool dependsOnValue(const Instr &instr) const {
    bool depends = instr.guard && value[instr.guard.reg];
    auto operands = f.operandsOf(instr);
    for (unsigned i = destinations(instr); i < operands.size(); ++i)
      eachRegister(f, operands[i], [&](uint32_t reg) { depends |= value[reg]; });
    return depends;
  }
  bool decides(const Instr &instr) const {
    if (instr.op == Op::BrxIdx)
      return dependsOnValue(instr);
    return instr.guard && value[instr.guard.reg] && ptx::endsBlock(instr);
  }
  bool leavesCycle(uint32_t i) const {
    bool leaves = f.instrs[i].op != Op::Bra && f.instrs[i].op != Op::BrxIdx;
    for (uint32_t to : ways[i])
      leaves |= !cycle[to];
    return leaves;
  }

  void mark(uint32_t reg) {
    changed |= !value[reg];
    value[reg] = true;
  }
  void markWritten(uint32_t i) {
    eachWritten(f, f.instrs[i], [&](uint32_t reg) { mark(reg); });
  }

  void followValue() {
    value.assign(f.registers.size(), false);
    markWritten(load);
    bool stored = false;
    do {
      changed = false;
      for (uint32_t i = 0; i < f.instrs.size(); ++i) {
        if (!cycle[i])
          continue;
        const Instr &instr = f.instrs[i];
        const ptx::Memory memory = ptx::info(instr.op).memory;
        const bool loads = memory == ptx::Memory::Loads || memory == ptx::Memory::Updates;
        if (dependsOnValue(instr)) {
          if (memory == ptx::Memory::Stores && !stored)
            stored = changed = true;
          markWritten(i);
          if (ptx::endsBlock(instr))
            markSides(i);
        } else if (stored && loads) {
          markWritten(i);
        }
      }
    } while (changed);
  }

  /// What only one side of a branch writes on its way back to the load.
  void markSides(uint32_t branch) {
    std::vector<Set> sides;
    for (uint32_t to : ways[branch])
      sides.push_back(sideOf(to));
    for (uint32_t i = 0; i < f.instrs.size(); ++i) {
      const auto in = std::count_if(sides.begin(), sides.end(), [&](const Set &side) { return side[i]; });
      if (in && size_t(in) < sides.size())
        markWritten(i);
    }
  }
  Set sideOf(uint32_t first) const {
    Set seen(f.instrs.size(), false);
    std::vector<uint32_t> todo;
    auto visit = [&](uint32_t to) {
      if (cycle[to] && to != load && !seen[to])
        seen[to] = true, todo.push_back(to);
    };
    visit(first);
    while (!todo.empty()) {
      const uint32_t i = todo.back();
      todo.pop_back();
      for (uint32_t to : ways[i])
        visit(to);
    }
    return seen;
  }

  const ptx::Function &f;
  const uint32_t load;
  std::vector<uint32_t> addressRegisters;
  std::vector<std::vector<uint32_t>> ways; ///< for each instruction, where it may go
  Set cycle, value;
  bool changed = false;
};

} // namespace

bool isPoll(const ptx::Function &function, uint32_t instr) { return Poll(function, instr).decide(); }

bool isResultRead(const ptx::Function &function, uint32_t instr) {
  Set result(function.registers.size());
  bool isRead = false;
  auto operandsFrom = [&](uint32_t i, bool written, auto act) {
    const Instr &each = function.instrs[i];
    auto operands = function.operandsOf(each);
    const size_t results = each.op == Op::Call ? 0 : ptx::countDests(function, each);
    for (size_t o = written ? 0 : results; o < (written ? results : operands.size()); ++o)
      eachRegister(function, operands[o], act);
  };
  operandsFrom(instr, true, [&](uint32_t reg) { result[reg] = true; });
  for (uint32_t i = 0; i < function.instrs.size() && !isRead; ++i)
    operandsFrom(i, false, [&](uint32_t reg) { isRead |= result[reg]; });
  return isRead;
}

} // namespace heddle::check
