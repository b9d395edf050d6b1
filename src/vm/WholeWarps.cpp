// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps of which all lanes stay together.
//
// In most blocks of most kernels, warps only execute compiled code and wait at barriers of the whole block. Until something else happens, a
// warp needs no splits, no barrier with lanes, and no rows of special registers of its own block: a few numbers say where it is. Here
// such warps take their turns in the order, with the budgets, counts and checks of loops that Block::run, Warp::slice and Splits.cpp
// have. When anything else happens, such as the call of a handler, all warps of the block get their usual state, and go on from
// there in the usual way.
#include "vm/WholeWarps.h"

#include "vm/Engine.h"
#include "vm/Grid.h"

#include <cstring>

namespace heddle::vm {

namespace {

void count(Block &block, uint64_t warpInstructions, uint64_t threadInstructions) {
  block.warpInstructions += warpInstructions, block.threadInstructions += threadInstructions;
}

} // namespace

bool WholeWarps::start(Block &block) {
  const Grid &grid = *block.grid;
  areActive = false;
  if (!grid.compiles || grid.request.steering || grid.request.scheduleSeed || block.cluster->hasSeveral() ||
      grid.threadsPerBlock % Lanes)
    return false;
  code = &grid.kernel.entry();
  compiled = code->localBytes ? nullptr : compiledFor(*code, grid);
  const CompiledPlace place = compiled ? compiled->places[code->entryPc] : CompiledPlace();
  if (!place.entry || !functionOf(compiled->whole, place.part, *code, grid))
    return false;
  members.resize(block.warps.size());
  for (size_t w = 0; w < members.size(); ++w) {
    Member &member = members[w];
    Warp &warp = *block.warps[w];
    if (member.root) {
      for (auto [offset, bytes] : code->zeroed)
        std::memset(member.root->regs + offset, 0, bytes);
      warp.polls = warp.changes = 0;
    } else {
      warp.start(block, unsigned(w), AllLanes);
      member.root = warp.rootFrame();
      member.specials = warp.base[2];
    }
    member.pc = member.from = code->entryPc;
    member.backEdges = 0, member.checkAt = FirstLook;
    member.stage = Stage::Fresh;
  }
  waiting = done = 0;
  noteExecuted(*code);
  noteCompiled(*code);
  areActive = true;
  return true;
}

std::optional<BlockEnd> WholeWarps::run(Block &block, Core &on, Round &round, RestOfSlice &rest) {
  Grid &grid = *block.grid;
  core = &on;
  prepareForBlock(state, block, on);
  state.orderLimit = ~0u, state.mask = AllLanes, state.firstLane = state.apartCount = 0;
  state.code = code;
  if (grid.interests)
    for (auto &warp : block.warps)
      warp->core = &on;
  for (unsigned number = 0;; ++number) {
    if (block.mustStop(on, number))
      return BlockEnd::Stopped;
    round = {.number = number};
    for (; round.turn < members.size(); ++round.turn) {
      const uint64_t before = block.warpInstructions;
      rest = {true, Block::WarpQuantum, before, std::nullopt};
      const Stage stage = members[round.turn].stage;
      const Stop stop = stage == Stage::Done    ? Stop::Done
                        : stage == Stage::Waits ? Stop::Blocked
                                                : slice(block, round.turn, rest);
      if (stop == Stop::Separate)
        return std::nullopt;
      grid.count(block.warpInstructions - before);
      round.done &= stop == Stop::Done;
      round.moved |= stop == Stop::Budget || block.warpInstructions != before;
    }
    if (round.done)
      return BlockEnd::Done;
  }
}

/// Whether the warp may go on from here without the handler.
bool WholeWarps::canStep(const Member &member, const Warp &warp, const Inst &in) {
  if (in.guard != NoLoc)
    return false;
  if (in.step != Step::Branch)
    return in.endsThread || in.step == Step::Barrier;
  if (in.b != NoLoc) {
    const uint32_t holds = *reinterpret_cast<const uint32_t *>(member.root->regs + in.b);
    if ((in.mode ? ~holds : holds) != AllLanes)
      return false;
  }
  return warp.polls == 0; // else it may be due to look whether it polls in vain
}

/// A branch that is taken; true: the slice is over.
bool WholeWarps::branch(Member &member, const Inst &in, uint32_t spent, uint32_t &budget) {
  const Inst &target = code->insts[uint32_t(in.imm)];
  member.from = code->pcOf(in), member.pc = uint32_t(in.imm);
  if (target.order <= in.order && ++member.backEdges >= member.checkAt) { // as Warp::considerSpin
    member.checkAt = member.backEdges + RarestLook;
    if (member.backEdges >= PlainRounds)
      member.backEdges = 0, member.checkAt = FirstLook;
  }
  if (spent + 1 >= budget)
    return true;
  budget -= spent + 1;
  return false;
}

/// The event of a step, as its handler has it.
void WholeWarps::reportStep(Block &block, Warp &warp, const Inst &in) {
  const Grid &grid = *block.grid;
  const SiteRef site{&code->sourceOf(in), in.site};
  if (in.endsThread) {
    if (grid.sees(Observer::Lifetimes))
      grid.observer->lanesExit(warp.ref(), site, AllLanes);
  } else if (in.step == Step::Barrier) {
    const bool isAligned =
        site.instruction->op != ptx::Op::BarrierCtaSync || site.instruction->mods.has(ptx::Flag::Aligned);
    if (grid.sees(Observer::Synchronization))
      grid.observer->barrierReached(
          warp.ref(), site,
          {.mask = AllLanes, .generation = block.barriers[0].generation, .aligned = isAligned});
  } else {
    if (!block.agreedBranches.empty())
      ++block.agreedBranches[in.site];
    if (state.watchedBranches && state.watchedBranches[in.site])
      grid.observer->branch(warp.ref(), site, AllLanes, AllLanes);
  }
}

void WholeWarps::releaseIfComplete(Block &block) {
  if (!waiting || waiting + done != members.size())
    return;
  if (block.grid->sees(Observer::Synchronization)) {
    block.grid->observer->barrierCompleted(block.warps[0]->ref(), 0, block.barriers[0].generation++);
    block.usedBarriers |= 1;
  }
  for (Member &each : members)
    if (each.stage == Stage::Waits) {
      each.stage = Stage::Ready;
      each.from = each.pc++;
    }
  waiting = 0;
}

WholeWarps::Stop WholeWarps::slice(Block &block, size_t index, RestOfSlice &rest) {
  Member &member = members[index];
  Warp &warp = *block.warps[index];
  member.stage = Stage::Ready;
  state.warp = &warp, state.root = member.root;
  state.registers = member.root->regs, state.specials = member.specials;
  state.changes = &warp.changes, state.polls = &warp.polls;
  if (!block.enteredBlocks.empty())
    state.enteredBlocks = block.enteredBlocks.data() + index * block.grid->kernel.codeBlocks.size();
  uint32_t spent = 0;
  for (;;) {
    const CompiledPlace place = compiled->places[member.pc];
    if (place.entry) {
      const CompiledFunction function = functionOf(compiled->whole, place.part, *code, *block.grid);
      if (!function) {
        separate(block);
        rest.entered = {member.pc | uint64_t(CompiledExit::Part) << CompiledExitShift, spent};
        return Stop::Separate;
      }
      state.budget = rest.budget, state.spent = spent;
      state.roundsLeft = member.checkAt > member.backEdges ? member.checkAt - member.backEdges : 0;
      state.roundsCounted = state.roundsLeft;
      const uint64_t result = callCompiled(function, state, place.entry - 1);
      const auto why = CompiledExit(result >> CompiledExitShift);
      const bool isPart = why == CompiledExit::Part;
      if (!areActive || state.apartCount || !(isPart || why == CompiledExit::Interpret) ||
          !(isPart || canStep(member, warp, code->insts[uint32_t(result)]))) {
        if (areActive)
          separate(block);
        rest.entered = warp.leftCompiled(state, result, Lanes, rest.budget);
        state.apartCount = 0;
        return Stop::Separate;
      }
      count(block, state.counted + state.apartCounted, state.counted * Lanes + state.apartThreads);
      state.counted = state.apartCounted = state.apartThreads = 0;
      member.backEdges += state.roundsCounted - state.roundsLeft;
      member.pc = uint32_t(result);
      rest.budget = state.budget, spent = state.spent;
      if (isPart)
        continue;
    } else if (!canStep(member, warp, code->insts[member.pc])) {
      separate(block);
      return Stop::Separate;
    } else if (!block.enteredBlocks.empty() && code->insts[member.pc].leader) {
      ++state.enteredBlocks[code->codeBlock[member.pc]]; // no compiled code has seen it
    }
    const Inst &in = code->insts[member.pc];
    if (block.grid->interests)
      reportStep(block, warp, in);
    count(block, in.counts, in.counts * Lanes);
    if (in.endsThread) {
      member.stage = Stage::Done, ++done;
      releaseIfComplete(block);
      return Stop::Done;
    }
    if (in.step == Step::Branch) {
      if (branch(member, in, spent, rest.budget))
        return Stop::Budget;
    } else {
      member.stage = Stage::Waits;
      if (!waiting++)
        firstAtBarrier = index;
      releaseIfComplete(block);
      if (member.stage == Stage::Waits)
        return Stop::Blocked;
      --rest.budget;
    }
    spent = 0;
  }
}

void WholeWarps::separate(Block &block) {
  areActive = false;
  areSeparating = true;
  for (size_t w = 0; w < members.size(); ++w) {
    Member &member = members[w];
    Warp &warp = *block.warps[w];
    const uint32_t polls = warp.polls, changes = warp.changes;
    warp.start(block, unsigned(w), AllLanes);
    warp.polls = polls, warp.changes = changes;
    warp.core = core;
    if (member.stage == Stage::Done) {
      warp.exited = AllLanes, warp.splitCount = 0;
    } else if (member.stage != Stage::Fresh) {
      warp.begin(member.root);
      warp.now().jump(code->insts[member.from], member.pc);
      warp.now().backEdges = member.backEdges, warp.now().checkAt = member.checkAt;
    }
    member.root = nullptr;
  }
  const uint64_t counted[] = {block.warpInstructions, block.threadInstructions};
  auto arrive = [&](size_t w) {
    Warp &warp = *block.warps[w];
    const Inst &in = code->insts[members[w].pc];
    warp.segment = &in;
    block.reachBarrier(warp, in, AllLanes, 0, 0, true, true, BarrierEvent::Kind::Sync, 0);
  };
  if (waiting)
    arrive(firstAtBarrier);
  for (size_t w = 0; w < members.size(); ++w)
    if (members[w].stage == Stage::Waits && w != firstAtBarrier)
      arrive(w);
  block.warpInstructions = counted[0], block.threadInstructions = counted[1];
  areSeparating = false;
}

} // namespace heddle::vm
