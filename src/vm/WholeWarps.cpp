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

#include "vm/CompiledEvents.h"
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
  warps.resize(members.size());
  for (size_t w = 0; w < members.size(); ++w) {
    Member &member = members[w];
    Split &split = member.split;
    Warp &warp = *block.warps[w];
    if (split.frame) {
      for (auto [offset, bytes] : code->zeroed)
        std::memset(split.frame->regs + offset, 0, bytes);
      warp.polls = warp.changes = 0;
      split.backEdges = split.checkEvery = split.pollsSeen = split.changesSeen = 0, split.stateHash = 0;
    } else {
      warp.start(block, unsigned(w), AllLanes);
      split = {};
      split.frame = warp.rootFrame();
      split.mask = AllLanes;
      warps[w] = {&warp, split.frame, split.frame->regs, warp.base[2], &warp.changes, &warp.polls};
    }
    split.pc = member.from = code->entryPc;
    split.checkAt = FirstLook;
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
      rest = {true, WarpQuantum, before, std::nullopt};
      running = round.turn;
      const Stage stage = members[running].stage;
      const Stop stop = stage == Stage::Done    ? Stop::Done
                        : stage == Stage::Waits ? Stop::Blocked
                                                : slice(block, rest);
      round.turn = running;
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

/// Whether the warp may go on from here, after some more backward jumps, without the handler. At a branch that it takes, `behind` is what
/// becomes of its split.
bool WholeWarps::canStep(const Split &split, const Inst &in, uint32_t rounds, Split &behind) const {
  if (in.guard != NoLoc)
    return false;
  if (in.step != Step::Branch)
    return in.endsThread || in.step == Step::Barrier;
  if (in.b != NoLoc) {
    const uint32_t holds = *reinterpret_cast<const uint32_t *>(split.frame->regs + in.b);
    if ((in.mode ? ~holds : holds) != AllLanes)
      return false;
  }
  behind = split;
  behind.backEdges += rounds;
  behind.jump(in, uint32_t(in.imm));
  const bool isBackward = code->insts[behind.pc].order <= in.order;
  return !isBackward || ++behind.backEdges < behind.checkAt || !state.warp->considerSpin(behind);
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
      each.from = each.split.pc++;
    }
  waiting = 0;
}

void WholeWarps::prepare(const CompiledWarp &warp) {
  state.warp = warp.warp, state.root = warp.root;
  state.registers = warp.registers, state.specials = warp.specials;
  state.changes = warp.changes, state.polls = warp.polls;
  state.next = state.endOfNext = nullptr;
}

/// Warps may have ended in compiled code, and the next ones begun.
void WholeWarps::catchUp() {
  for (; warps[running].warp != state.warp; ++running)
    members[running].stage = Stage::Done, ++done;
  members[running].stage = Stage::Ready;
}

WholeWarps::Stop WholeWarps::slice(Block &block, RestOfSlice &rest) {
  prepare(warps[running]);
  // All behind the first that begins have not begun either. Nobody waits for those that end.
  // Observers receive events of each, and have counts of each.
  if (members[running].stage == Stage::Fresh && !waiting && !block.grid->request.maxWarpInstructions &&
      !block.grid->interests)
    state.next = warps.data() + running + 1, state.endOfNext = warps.data() + warps.size();
  members[running].stage = Stage::Ready;
  if (!block.enteredBlocks.empty())
    state.enteredBlocks = block.enteredBlocks.data() + running * block.grid->kernel.codeBlocks.size();
  uint32_t spent = 0;
  Split behind;
  for (;;) {
    const CompiledPlace place = compiled->places[members[running].split.pc];
    if (place.entry) {
      const Split &from = members[running].split;
      const CompiledFunction function = functionOf(compiled->whole, place.part, *code, *block.grid);
      if (!function) {
        separate(block);
        rest.entered = {from.pc | uint64_t(CompiledExit::Part) << CompiledExitShift, spent};
        return Stop::Separate;
      }
      state.budget = rest.budget, state.spent = spent;
      state.roundsLeft = from.checkAt > from.backEdges ? from.checkAt - from.backEdges : 0;
      state.roundsCounted = state.roundsLeft;
      const uint64_t result = callCompiled(function, state, place.entry - 1);
      deliverLoads(state);
      const auto why = CompiledExit(result >> CompiledExitShift);
      const bool isPart = why == CompiledExit::Part;
      bool goesOn = areActive && !state.apartCount && (isPart || why == CompiledExit::Interpret);
      if (areActive)
        catchUp();
      const uint32_t rounds = state.roundsCounted - state.roundsLeft;
      if (!isPart && goesOn)
        goesOn = canStep(members[running].split, code->insts[uint32_t(result)], rounds, behind);
      if (!goesOn) {
        if (areActive)
          separate(block);
        rest.entered = state.warp->leftCompiled(state, result, Lanes, rest.budget);
        state.apartCount = 0;
        return Stop::Separate;
      }
      count(block, state.counted + state.apartCounted, state.counted * Lanes + state.apartThreads);
      state.counted = state.apartCounted = state.apartThreads = 0;
      rest.budget = state.budget, spent = state.spent;
      members[running].split.pc = uint32_t(result);
      members[running].split.backEdges += rounds;
      if (isPart)
        continue;
    } else if (!canStep(members[running].split, code->insts[members[running].split.pc], 0, behind)) {
      separate(block);
      return Stop::Separate;
    } else if (!block.enteredBlocks.empty() && code->insts[members[running].split.pc].leader) {
      ++state.enteredBlocks[code->codeBlock[members[running].split.pc]]; // no compiled code has seen it
    }
    Member &member = members[running];
    const Inst &in = code->insts[member.split.pc];
    if (block.grid->interests)
      reportStep(block, *state.warp, in);
    count(block, in.counts, in.counts * Lanes);
    if (in.endsThread) {
      member.stage = Stage::Done, ++done;
      releaseIfComplete(block);
      return Stop::Done;
    }
    if (in.step == Step::Branch) {
      member.from = member.split.pc;
      member.split = behind;
      if (spent + 1 >= rest.budget)
        return Stop::Budget;
      rest.budget -= spent + 1;
    } else {
      member.stage = Stage::Waits;
      if (!waiting++)
        firstAtBarrier = running;
      releaseIfComplete(block);
      if (member.stage == Stage::Waits)
        return Stop::Blocked;
      --rest.budget;
    }
    spent = 0;
  }
}

void WholeWarps::separate(Block &block) {
  catchUp();
  areActive = false;
  areSeparating = true;
  state.next = state.endOfNext = nullptr; // compiled code may go on, but not with other warps
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
      warp.begin(member.split.frame);
      warp.now() = member.split;
      warp.now().jump(code->insts[member.from], member.split.pc);
    }
    member.split.frame = nullptr;
  }
  const uint64_t counted[] = {block.warpInstructions, block.threadInstructions};
  auto arrive = [&](size_t w) {
    Warp &warp = *block.warps[w];
    const Inst &in = code->insts[members[w].split.pc];
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
