// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Control Flow Instructions" without calls, and what ends or delays a thread.
#include "vm/Exec.h"
#include "vm/Grid.h"

namespace heddle::vm {
namespace {

using ptx::Op;

Flow jump(Warp &warp, const Inst &in, uint32_t mask) {
  if (warp.block->grid->sees(Observer::Branches))
    warp.block->grid->observer->branch(warp.ref(), warp.siteOf(in), mask, mask);
  warp.now().jump(in, uint32_t(in.imm));
  return Flow::Jumped;
}

/// The guard of a branch is its condition, so it is read here (in b) and not by the loop.
Flow branch(Warp &warp, const Inst &in, uint32_t mask) {
  const uint32_t holds = warp.pred(in.b), taken = mask & (in.mode ? ~holds : holds);
  if (warp.block->grid->sees(Observer::Branches))
    warp.block->grid->observer->branch(warp.ref(), warp.siteOf(in), mask, taken);
  if (taken == 0)
    return Flow::Next;
  if (taken == mask) {
    warp.now().jump(in, uint32_t(in.imm));
    return Flow::Jumped;
  }
  warp.flush(&in);
  warp.separate(in, taken, uint32_t(in.imm));
  warp.now().jump(in, warp.code().pcOf(in) + 1);
  return Flow::Reschedule;
}

/// brx.idx: lanes diverge by their index.
Flow jumpTable(Warp &warp, const Inst &in, uint32_t mask) {
  const auto &targets = warp.block->grid->kernel.jumpTables[in.extra];
  const uint32_t *index = warp.row<uint32_t>(in.a);
  uint32_t outside = 0;
  eachLane(mask, [&](unsigned lane) { outside |= uint32_t(index[lane] >= targets.size()) << lane; });
  if (outside)
    return warp.fault(in, outside, FaultKind::BadCall,
                      fmt::format("index {} of an indirect branch is beyond its {} targets",
                                  index[firstLane(outside)], targets.size()));
  const uint32_t first = targets[index[firstLane(mask)]];
  if (warp.block->grid->sees(Observer::Branches)) {
    uint32_t with = 0;
    eachLane(mask, [&](unsigned lane) { with |= uint32_t(targets[index[lane]] == first) << lane; });
    warp.block->grid->observer->branch(warp.ref(), warp.siteOf(in), mask, with);
  }
  warp.flush(&in);
  if (uint32_t passing = warp.now().mask & ~mask)
    warp.separate(in, passing, warp.code().pcOf(in) + 1);
  for (uint32_t left = mask; left;) {
    const uint32_t target = targets[index[firstLane(left)]];
    uint32_t group = 0;
    eachLane(left, [&](unsigned lane) { group |= uint32_t(targets[index[lane]] == target) << lane; });
    left &= ~group;
    if (target != first)
      warp.separate(in, group, target);
  }
  warp.now().jump(in, first);
  return Flow::Reschedule;
}

Flow exitLanes(Warp &warp, const Inst &in, uint32_t mask) {
  const bool all = mask == warp.now().mask;
  warp.lanesExit(in, mask);
  return all ? Flow::Gone : Flow::Next;
}

Flow trap(Warp &warp, const Inst &in, uint32_t mask) {
  return warp.fault(in, mask, FaultKind::Trap, "the program trapped");
}

/// The simulator does not model time, so a thread that sleeps lets all others run first.
Flow sleep(Warp &warp, const Inst &in, uint32_t) {
  warp.now().jump(in, warp.code().pcOf(in) + 1);
  warp.now().deferred = true;
  return Flow::Yield;
}

Flow nothing(Warp &, const Inst &, uint32_t) { return Flow::Next; }

bool lowerBranch(Lowering &lo) {
  Inst &in = lo.emit(lo.instr->guard ? branch : jump);
  in.b = in.guard, in.mode = in.guardNegated;
  in.guard = NoLoc;
  in.imm = lo.ops[0].index;
  in.step = Step::Branch;
  lo.jumpFixups.push_back(uint32_t(lo.code.insts.size() - 1));
  return true;
}

bool lowerTable(Lowering &lo) {
  Loc index = lo.source(lo.ops[0], 32);
  Inst &in = lo.emit(jumpTable);
  in.a = index;
  in.extra = uint32_t(lo.kernel.jumpTables.size());
  lo.kernel.jumpTables.push_back(lo.function.targetLists[lo.ops[1].index]);
  lo.tableFixups.push_back(in.extra);
  return true;
}

} // namespace

bool lowerFlow(Lowering &lo) {
  switch (lo.instr->op) {
  case Op::Bra: return lowerBranch(lo);
  case Op::BrxIdx: return lowerTable(lo);
  case Op::Exit: lo.emit(exitLanes).endsThread = 1; return true;
  case Op::Ret:
    if (!lo.function.isEntry)
      return false; // a call returns: ExecCall.cpp
    lo.emit(exitLanes).endsThread = 1;
    return true;
  case Op::Trap: lo.emit(trap); return true;
  case Op::Nanosleep: lo.emit(sleep); return true;
  case Op::GridDepControl: lo.emit(nothing); return true;
  default: return false;
  }
}

} // namespace heddle::vm
