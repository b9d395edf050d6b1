// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The region of a branch is every block that can be reached from it without passing its immediate
// post-dominator.
//
// A way that can only end in a trap is not a way that a correct program takes, and a post-dominator that
// counts it lies at the function's very end: `assert` would make everything after it depend on its
// condition. So where one side of a branch ends well and the other cannot, the branch is taken to go the
// first way.
//
// A loop polls where its branch depends, inside the loop, on a load or an atomic of memory that another
// thread of the launch may write: a slice of the loop, backwards from the branch's condition, finds it.
// `volatile` makes no difference: it is for the compiler, not for the hardware to order threads.
#include "check/StaticRegion.h"

#include "vm/Lowering.h"

#include <algorithm>

namespace heddle::check {
namespace {

using ptx::Op;

bool isLeaving(const ptx::Instr &instr) { return instr.op == Op::Ret || instr.op == Op::Exit; }

bool isShared(ptx::Space space) { return space == ptx::Space::Shared || space == ptx::Space::SharedCluster; }

const ptx::Function *calleeOf(const ptx::Module &module, const ptx::Function &f, const ptx::Instr &call) {
  const ptx::Operand &callee = f.operandsOf(call)[0];
  return callee.kind == ptx::OperandKind::Func ? &module.functions[callee.index] : nullptr;
}

bool isBlockBarrier(const ptx::Function &f, const ptx::Instr &instr) {
  switch (instr.op) {
  case Op::BarSync:
  case Op::BarCtaSync:
  case Op::BarrierSync:
  case Op::BarrierCtaSync: return f.operandsOf(instr).size() == 1 && f.operandsOf(instr)[0].isImm();
  default: return false;
  }
}

/// Barriers of the whole block, and meetings inside a warp: they leave nothing behind for the next round.
bool isPlainSync(const ptx::Function &f, const ptx::Instr &instr) {
  if (isBlockBarrier(f, instr))
    return true;
  const ptx::Lanes lanes = ptx::info(instr.op).lanes;
  return lanes == ptx::Lanes::Named || lanes == ptx::Lanes::Whole;
}

/// The space that an address operand names by its variable, where it does.
ptx::Space spaceOf(const ptx::Module &module, const ptx::Function &f, const ptx::Instr &instr) {
  for (const ptx::Operand &operand : f.operandsOf(instr))
    if (operand.kind == ptx::OperandKind::AddrVar)
      return module.variables[operand.index].space;
  return instr.mods.space;
}

} // namespace

bool reaches(const ptx::Function &f, uint32_t from, uint32_t to, uint32_t join) {
  std::vector<bool> visited(f.blocks.size(), false);
  std::vector<uint32_t> todo;
  if (from != join)
    todo.push_back(from);
  while (!todo.empty()) {
    const uint32_t block = todo.back();
    todo.pop_back();
    if (block == to)
      return true;
    if (visited[block])
      continue;
    visited[block] = true;
    for (uint32_t succ : f.blocks[block].succs)
      if (succ != join)
        todo.push_back(succ);
  }
  return false;
}

bool leavesAtOnce(const ptx::Function &f, uint32_t block) {
  for (size_t steps = 0; steps < f.blocks.size(); ++steps) {
    const ptx::Instr &first = f.instrs[f.blocks[block].first];
    if (first.guard || (!isLeaving(first) && first.op != Op::Bra))
      return false;
    if (isLeaving(first))
      return true;
    block = f.blockOf[f.operandsOf(first)[0].index];
  }
  return false;
}

bool Regions::actsBefore(const ptx::Function &f, uint32_t index) {
  auto acts = [&](uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; ++i)
      if (f.instrs[i].op == Op::Call || synchronizes(f, f.instrs[i]) || touchesShared(f, f.instrs[i]) ||
          touchesGlobal(f, f.instrs[i]))
        return true;
    return false;
  };
  const uint32_t home = f.blockOf[index];
  std::vector<bool> seen(f.blocks.size(), false);
  std::vector<uint32_t> todo(f.blocks[home].preds.begin(), f.blocks[home].preds.end());
  while (!todo.empty()) {
    const uint32_t block = todo.back();
    todo.pop_back();
    if (seen[block])
      continue;
    seen[block] = true;
    if (acts(f.blocks[block].first, f.blocks[block].end))
      return true;
    todo.insert(todo.end(), f.blocks[block].preds.begin(), f.blocks[block].preds.end());
  }
  return acts(f.blocks[home].first, index);
}

bool Regions::synchronizes(const ptx::Function &function, const ptx::Instr &instr) {
  if (instr.op == Op::Call) {
    const ptx::Function *callee = calleeOf(module, function, instr);
    return !callee || effectsOf(*callee).syncs;
  }
  switch (instr.op) {
  case Op::MbarrierInit:
  case Op::MbarrierInval:
  case Op::MbarrierExpectTx:
  case Op::MbarrierCompleteTx:
  case Op::MbarrierArrive:
  case Op::MbarrierArriveDrop:
  case Op::MbarrierTestWait:
  case Op::MbarrierTryWait:
  case Op::CpAsyncBulk:
  case Op::CpAsyncMbarrierArrive:
  case Op::CpAsyncCommitGroup:
  case Op::CpAsyncWaitGroup:
  case Op::CpAsyncWaitAll:
  case Op::CpAsyncBulkCommitGroup:
  case Op::CpAsyncBulkWaitGroup:
  case Op::Shfl:
  case Op::Vote: return true;
  default: break;
  }
  const ptx::Lanes lanes = ptx::info(instr.op).lanes;
  return lanes != ptx::Lanes::Each && lanes != ptx::Lanes::Flow && instr.op != Op::SetMaxNReg;
}

bool Regions::touchesShared(const ptx::Function &function, const ptx::Instr &instr) {
  if (instr.op == Op::Call) {
    const ptx::Function *callee = calleeOf(module, function, instr);
    return callee && effectsOf(*callee).touchesShared;
  }
  if (instr.op == Op::CpAsync)
    return true;
  const ptx::Memory memory = ptx::info(instr.op).memory;
  if (memory != ptx::Memory::Loads && memory != ptx::Memory::Stores && memory != ptx::Memory::Updates)
    return false;
  if (ptx::info(instr.op).text.starts_with("tex") || instr.op == Op::Tld4 || instr.op == Op::SuldB ||
      instr.op == Op::SustB || instr.op == Op::SustP)
    return false;
  const ptx::Space space = spaceOf(module, function, instr);
  return isShared(space) || (space == ptx::Space::None && generic.toShared);
}

bool Regions::touchesGlobal(const ptx::Function &function, const ptx::Instr &instr) {
  if (instr.op == Op::Call) {
    const ptx::Function *callee = calleeOf(module, function, instr);
    return !callee || effectsOf(*callee).touchesGlobal;
  }
  const ptx::Memory memory = ptx::info(instr.op).memory;
  if (memory != ptx::Memory::Loads && memory != ptx::Memory::Stores && memory != ptx::Memory::Updates)
    return false;
  const ptx::Space space = spaceOf(module, function, instr);
  return space == ptx::Space::Global || space == ptx::Space::None;
}

bool Regions::touchesLocal(const ptx::Function &function, const ptx::Instr &instr) {
  if (instr.op == Op::Call) {
    const ptx::Function *callee = calleeOf(module, function, instr);
    return callee && effectsOf(*callee).touchesLocal;
  }
  const ptx::Memory memory = ptx::info(instr.op).memory;
  if (memory != ptx::Memory::Loads && memory != ptx::Memory::Stores && memory != ptx::Memory::Updates)
    return false;
  const ptx::Space space = spaceOf(module, function, instr);
  return space == ptx::Space::Local || (space == ptx::Space::None && generic.toLocal);
}

bool Regions::mayTrap(const ptx::Function &function, const ptx::Instr &instr) {
  if (instr.op != Op::Call)
    return instr.op == Op::Trap;
  const ptx::Function *callee = calleeOf(module, function, instr);
  return callee && (callee->name == "__assertfail" || effectsOf(*callee).mayTrap);
}

Effects Regions::effectsOf(const ptx::Function &function) {
  if (auto it = effects.find(&function); it != effects.end())
    return it->second;
  effects[&function] = {}; // a recursive call adds nothing that is not found on the way
  Effects found;
  for (const ptx::Instr &instr : function.instrs) {
    found.syncs |= synchronizes(function, instr);
    found.touchesShared |= touchesShared(function, instr);
    found.touchesGlobal |= touchesGlobal(function, instr);
    found.touchesLocal |= touchesLocal(function, instr);
    found.mayTrap |= mayTrap(function, instr);
  }
  return effects[&function] = found;
}

/// For each block, whether the function's proper end can be reached from it.
const std::vector<bool> &Regions::endsWell(const ptx::Function &function) {
  auto [it, isNew] = good.try_emplace(&function);
  std::vector<bool> &well = it->second;
  if (!isNew)
    return well;
  well.assign(function.blocks.size(), false);
  std::vector<uint32_t> todo;
  auto reach = [&](uint32_t block) {
    if (!well[block])
      well[block] = true, todo.push_back(block);
  };
  for (uint32_t b = 0; b < function.blocks.size(); ++b)
    if (isLeaving(function.instrs[function.blocks[b].end - 1]))
      reach(b);
  while (!todo.empty()) {
    const uint32_t block = todo.back();
    todo.pop_back();
    for (uint32_t pred : function.blocks[block].preds)
      reach(pred);
  }
  return well;
}

void Regions::scanInstruction(const ptx::Function &function, uint32_t index, Region &region) {
  const ptx::Instr &instr = function.instrs[index];
  const bool waits = instr.op == Op::MbarrierTestWait || instr.op == Op::MbarrierTryWait;
  const bool syncs = synchronizes(function, instr), shared = touchesShared(function, instr);
  if (syncs)
    region.sync = std::min(region.sync, index);
  region.touchesShared |= shared;
  region.storesShared |= shared && ptx::info(instr.op).memory != ptx::Memory::Loads;
  region.touchesGlobal |= touchesGlobal(function, instr);
  region.touchesLocal |= touchesLocal(function, instr);
  region.mayTrap |= mayTrap(function, instr);
  region.plainSync &= !syncs || isPlainSync(function, instr);
  region.blockSync &= !syncs || isBlockBarrier(function, instr);
  region.warpSync &= !syncs || (instr.op != Op::Call && ptx::info(instr.op).lanes == ptx::Lanes::Named) ||
                     instr.op == Op::Shfl || instr.op == Op::Vote;
  region.acts |= (syncs && !waits) || shared || isLeaving(instr);
  const bool stores =
      instr.op == Op::St && instr.mods.space != ptx::Space::Global && !isShared(instr.mods.space);
  region.storesLocal |= stores || instr.op == Op::Call;
  if (isLeaving(instr) && (region.leaving == ptx::kNone || !instr.guard))
    region.leaving = index;
}

void Regions::scan(const ptx::Function &function, uint32_t block, Region &region, std::vector<bool> &seen) {
  for (uint32_t i = function.blocks[block].first; i < function.blocks[block].end; ++i) {
    const ptx::Instr &instr = function.instrs[i];
    scanInstruction(function, i, region);
    auto operands = function.operandsOf(instr);
    const unsigned dests = instr.op == Op::Call ? 0 : ptx::countDests(function, instr);
    auto note = [&](const ptx::Operand &operand) {
      if (operand.isReg() && !seen[operand.index])
        seen[operand.index] = true, region.written.push_back(operand.index);
    };
    auto noteAll = [&](const ptx::Operand &operand) {
      if (operand.kind != ptx::OperandKind::Vector)
        return note(operand);
      for (const ptx::Operand &element : function.elementsOf(operand))
        note(element);
    };
    for (unsigned d = 0; d < dests; ++d)
      noteAll(operands[d]);
    if (instr.op == Op::Call && operands.size() > 1)
      noteAll(operands[1]);
  }
}

bool Regions::isPolling(const ptx::Function &f, uint32_t branch, const std::vector<bool> &blocks) {
  std::vector<bool> needed(f.registers.size(), false);
  bool grows = true, polls = false;
  auto need = [&](const ptx::Operand &operand, auto &self) -> void {
    if (operand.kind == ptx::OperandKind::Vector)
      for (const ptx::Operand &element : f.elementsOf(operand))
        self(element, self);
    else if ((operand.isReg() || operand.kind == ptx::OperandKind::AddrReg) && !needed[operand.index])
      needed[operand.index] = grows = true;
  };
  auto isNeeded = [&](const ptx::Operand &operand, auto &self) -> bool {
    if (operand.kind == ptx::OperandKind::Vector)
      return std::ranges::any_of(f.elementsOf(operand), [&](const auto &each) { return self(each, self); });
    return operand.isReg() && needed[operand.index];
  };
  if (f.instrs[branch].guard)
    needed[f.instrs[branch].guard.reg] = true;
  else
    need(f.operandsOf(f.instrs[branch])[0], need);
  while (std::exchange(grows, false))
    for (uint32_t i = 0; i < f.instrs.size(); ++i) {
      const ptx::Instr &instr = f.instrs[i];
      if (!blocks[f.blockOf[i]] || instr.op == Op::Call)
        continue;
      auto operands = f.operandsOf(instr);
      const unsigned dests = ptx::countDests(f, instr);
      bool writes = false;
      for (unsigned d = 0; d < dests; ++d)
        writes |= isNeeded(operands[d], isNeeded);
      if (!writes)
        continue;
      const bool waits = instr.op == Op::MbarrierTestWait || instr.op == Op::MbarrierTryWait;
      const ptx::Memory memory = ptx::info(instr.op).memory;
      if (!waits && (memory == ptx::Memory::Loads || memory == ptx::Memory::Updates) && changes(f, instr))
        polls = true, polled[&f].insert(&instr);
      for (unsigned i2 = dests; i2 < operands.size(); ++i2)
        need(operands[i2], need);
      if (instr.guard && !needed[instr.guard.reg])
        needed[instr.guard.reg] = grows = true;
    }
  return polls;
}

/// Whether all ways from this branch that do not end well end in a trap soon: without a loop.
bool Regions::findTrap(const ptx::Function &function, const ptx::Block &branch, Region &region) {
  const std::vector<bool> &well = endsWell(function);
  std::vector<bool> visited(function.blocks.size(), false), seen(function.registers.size(), false);
  std::vector<uint32_t> todo;
  auto visit = [&](uint32_t next) {
    if (!well[next] && !visited[next])
      visited[next] = true, todo.push_back(next);
  };
  for (uint32_t succ : branch.succs)
    visit(succ);
  Region way;
  while (!todo.empty()) {
    const uint32_t next = todo.back();
    todo.pop_back();
    scan(function, next, way, seen);
    for (uint32_t succ : function.blocks[next].succs) {
      if (succ <= next)
        return false;
      visit(succ);
    }
  }
  region.mayTrap = true;
  region.actsBeforeTrap =
      way.touchesShared || way.touchesGlobal || way.touchesLocal || way.sync != ptx::kNone;
  return true;
}

Region Regions::find(const ptx::Function &function, uint32_t index) {
  const ptx::Instr &instr = function.instrs[index];
  const uint32_t home = function.blockOf[index];
  const ptx::Block &block = function.blocks[home];
  const std::vector<bool> &well = endsWell(function);
  Region region;
  std::vector<uint32_t> ends;
  for (uint32_t succ : block.succs)
    if (well[succ])
      ends.push_back(succ);
  if (!isLeaving(instr) && ends.size() == 1 && block.succs.size() > 1 && findTrap(function, block, region)) {
    region.join = function.blocks[ends[0]].first;
    return region;
  }
  const uint32_t join = isLeaving(instr) ? ptx::kNone : block.ipdom;
  region.join = join == ptx::kNone ? ptx::kNone : function.blocks[join].first;
  if (isLeaving(instr))
    region.leaving = index;
  std::vector<bool> visited(function.blocks.size(), false), seen(function.registers.size(), false);
  std::vector<uint32_t> todo;
  auto visit = [&](uint32_t next) {
    if (next == home)
      region.loops = true;
    if (next != join && !visited[next])
      visited[next] = true, todo.push_back(next);
  };
  for (uint32_t succ : block.succs)
    visit(succ);
  while (!todo.empty()) {
    const uint32_t next = todo.back();
    todo.pop_back();
    scan(function, next, region, seen);
    for (uint32_t succ : function.blocks[next].succs) {
      region.hasLoop |= succ != join && succ <= next;
      visit(succ);
    }
  }
  if (region.loops && (instr.guard || instr.op == Op::BrxIdx))
    region.polls = isPolling(function, index, visited);
  if (region.loops && instr.op == Op::Bra && instr.guard) {
    region.jumpsBack = reaches(function, function.blockOf[function.operandsOf(instr)[0].index], home, join);
    region.fallsBack =
        index + 1 < function.instrs.size() && reaches(function, function.blockOf[index + 1], home, join);
  }
  return region;
}

const std::set<const ptx::Instr *> &Regions::polledIn(const ptx::Function &f) {
  if (!polledKnown.insert(&f).second)
    return polled[&f];
  // Every cycle goes back in the text somewhere, and lies between where it jumps from and where it jumps to.
  std::vector<bool> inCycle(f.instrs.size(), false);
  for (uint32_t b = 0; b < f.blocks.size(); ++b)
    for (uint32_t succ : f.blocks[b].succs)
      if (succ <= b)
        std::fill(inCycle.begin() + f.blocks[succ].first, inCycle.begin() + f.blocks[b].end, true);
  for (uint32_t i = 0; i < f.instrs.size(); ++i)
    if (inCycle[i] && ((f.instrs[i].op == Op::Bra && f.instrs[i].guard) || f.instrs[i].op == Op::BrxIdx))
      of(f, i);
  return polled[&f];
}

bool Regions::mayPoll(const ptx::Function &f, uint32_t branch) {
  const std::set<const ptx::Instr *> &all = polledIn(f);
  if (all.empty())
    return false;
  auto [at, isNew] = polling.try_emplace(&f.instrs[branch], false);
  if (!isNew)
    return at->second;
  const Region &region = of(f, branch);
  const uint32_t join = region.join == ptx::kNone ? ptx::kNone : f.blockOf[region.join];
  return at->second = std::ranges::any_of(all, [&](const ptx::Instr *instr) {
           const uint32_t to = f.blockOf[size_t(instr - f.instrs.data())];
           return std::ranges::any_of(f.blocks[f.blockOf[branch]].succs,
                                      [&](uint32_t succ) { return reaches(f, succ, to, join); });
         });
}

const Region &Regions::of(const ptx::Function &function, uint32_t instr) {
  std::unique_ptr<Region> &entry = known[&function.instrs[instr]];
  if (!entry)
    entry = std::make_unique<Region>(find(function, instr));
  return *entry;
}

} // namespace heddle::check
