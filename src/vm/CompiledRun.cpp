// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop of Warp.cpp for code that is compiled.
//
// At an entry the state of the split is handed to compiled code, which returns at an instruction that is to be interpreted. The same
// things happen as without compiled code, in the same order: counts, the budget of a slice, the checks of loops for polling, and
// those at the first instruction of a block whether another split has to run first. Compiled code does them for as long as nothing
// results from them; as soon as something would, it stops before the instruction, and the handler does it.
#include "vm/Block.h"
#include "vm/CompiledEvents.h"
#include "vm/Engine.h"
#include "vm/Grid.h"
#include "vm/Warp.h"

#include <cstring>

namespace heddle::vm {
namespace {

void countFor(CompiledState &state, Block &block, uint64_t lanes) {
  block.warpInstructions += state.counted + state.apartCounted;
  block.threadInstructions += state.counted * lanes + state.apartThreads;
  state.counted = state.apartCounted = state.apartThreads = 0;
}

uint32_t executeInsts(CompiledState *state, uint32_t first, uint32_t count) {
  deliverLoads(*state);
  Warp &warp = *state->warp;
  if (warp.block->whole.areActive)
    warp.block->whole.separate(*warp.block);
  else if (!warp.hasBegun)
    warp.begin(state->root);
  const uint32_t all = warp.now().mask;
  const Inst *in = warp.code().insts.data() + first;
  for (const Inst *end = in + count; in != end; ++in) {
    uint32_t mask = state->mask;
    if (in->guard != NoLoc) {
      const uint32_t holds = *reinterpret_cast<const uint32_t *>(warp.base[0] + in->guard);
      mask &= in->guardNegated ? ~holds : holds;
    }
    if (!mask)
      continue;
    // Handlers that let lanes wait count what was executed before, and clocks are read from those counts.
    countFor(*state, *warp.block, countLanes(all));
    warp.now().backEdges += state->roundsCounted - state->roundsLeft;
    state->roundsCounted = state->roundsLeft;
    warp.segment = in;
    warp.now().mask = state->mask;
    if (const Flow flow = in->run(warp, *in, mask); flow != Flow::Next) {
      state->stopped = warp.code().pcOf(*in);
      return uint32_t(flow);
    }
    warp.now().mask = all;
  }
  return uint32_t(Flow::Next);
}

/// Whether lanes of the mask have first + lane * stride, in every group of lanes.
template <class T> bool isExpected(const uint8_t *row, uint32_t mask, unsigned group, int32_t stride) {
  const T *values = reinterpret_cast<const T *>(row);
  for (unsigned begin = 0; begin < Lanes; begin += group) {
    uint32_t left = mask >> begin & uint32_t((uint64_t(1) << group) - 1);
    if (!left)
      continue;
    const unsigned first = firstLane(left);
    const T base = T(values[begin + first] - T(first) * T(stride));
    for (; left; left &= left - 1)
      if (values[begin + firstLane(left)] != T(base + T(firstLane(left)) * T(stride)))
        return false;
  }
  return true;
}

bool isExpectedPredicate(uint32_t value, uint32_t mask, unsigned group) {
  for (unsigned begin = 0; begin < Lanes; begin += group) {
    const uint32_t lanes = mask & uint32_t((uint64_t(1) << group) - 1) << begin;
    if ((value & lanes) != 0 && (value & lanes) != lanes)
      return false;
  }
  return true;
}

} // namespace

bool Warp::hasExpectedRows(const CompiledVersion &version, uint32_t entry, uint32_t mask) {
  for (const ExpectedRow &each : version.expected[entry]) {
    const uint8_t *at = base[0] + each.row;
    bool good = false;
    switch (each.bytes) {
    case 0: good = isExpectedPredicate(*reinterpret_cast<const uint32_t *>(at), mask, each.lanes); break;
    case 2: good = isExpected<uint16_t>(at, mask, each.lanes, each.stride); break;
    case 4: good = isExpected<uint32_t>(at, mask, each.lanes, each.stride); break;
    default: good = isExpected<uint64_t>(at, mask, each.lanes, each.stride); break;
    }
    if (!good)
      return false;
  }
  return true;
}

/// Lanes that are apart where compiled code stopped become splits.
void Warp::separateApart(const CompiledState &state, uint32_t pc) {
  Split &mine = now();
  const Inst &here = mine.frame->code->insts[pc];
  mine.mask = state.here;
  for (unsigned i = 0; i < state.apartCount; ++i) {
    if (!state.apart[i].mask)
      continue;
    Split &fresh = splits[splitCount++];
    fresh = mine;
    fresh.mask = state.apart[i].mask;
    fresh.backEdges += state.roundsLeft - state.apart[i].roundsLeft;
    fresh.jump(here, state.apart[i].pc);
  }
  mayHaveOtherRows = true;
}

/// What compiled code is given, for these lanes.
void Warp::prepare(CompiledState &state, uint32_t lanes, uint32_t budget) {
  state.warp = this;
  state.registers = base[0], state.specials = base[2];
  state.changes = &changes, state.polls = &polls;
  state.mask = lanes, state.firstLane = firstLane(lanes);
  state.budget = budget;
  state.code = hasBegun ? &code() : &block->grid->kernel.entry();
  if (!block->enteredBlocks.empty())
    state.enteredBlocks = block->enteredBlocks.data() + index * block->grid->kernel.codeBlocks.size();
}

void prepareForBlock(CompiledState &state, const Block &block, Core &core) {
  state.blockSpecials = block.specials.data();
  state.shared = block.shared, state.sharedBytes = block.sharedBytes;
  state.loads = core.loads.data(), state.stores = core.stores.data();
  state.parameters = block.grid->parameters;
  state.execute = executeInsts;
  prepareEvents(state, block);
}

EnteredCode Warp::enterCompiled(CompiledFunction run, uint32_t entry, uint32_t spent, uint32_t &budget) {
  Split &split = now();
  CompiledState state;
  prepareForBlock(state, *block, *core);
  prepare(state, split.mask, budget);
  state.spent = spent;
  state.orderLimit = splitCount > 1 ? orderLimit() : ~0u;
  state.roundsLeft = split.checkAt > split.backEdges ? split.checkAt - split.backEdges : 0;
  state.roundsCounted = state.roundsLeft;
  const uint64_t lanes = countLanes(split.mask);
  const uint64_t result = callCompiled(run, state, entry);
  deliverLoads(state);
  return leftCompiled(state, result, lanes, budget);
}

/// What has to be done with the state when compiled code has returned.
EnteredCode Warp::leftCompiled(CompiledState &state, uint64_t result, uint64_t lanes, uint32_t &budget) {
  countFor(state, *block, lanes);
  budget = state.budget;
  if (result >> CompiledExitShift <
      uint64_t(CompiledExit::Handler)) // after a handler this may be another split
    now().backEdges += state.roundsCounted - state.roundsLeft;
  if (state.apartCount)
    separateApart(state, uint32_t(result));
  return {result, state.spent};
}

/// Most warps of most kernels run in compiled code from the first instruction to the last; what a warp needs for anything else is
/// set up only when something else happens. Nothing: the warp is to begin in the usual way, or has ended.
std::optional<EnteredCode> Warp::enterFromStart(CompiledStart &start, uint32_t &budget) {
  const Code &entry = block->grid->kernel.entry();
  Frame *root = rootFrame();
  CompiledState &state = start.state;
  if (!start.run && !entry.localBytes) {
    const CompiledCode *compiled = compiledFor(entry, *block->grid);
    const CompiledPlace place = compiled ? compiled->places[entry.entryPc] : CompiledPlace();
    if (place.entry && present == AllLanes)
      start.run = functionOf(compiled->whole, place.part, entry, *block->grid);
    if (start.run) {
      noteExecuted(entry);
      noteCompiled(entry);
      start.entry = place.entry - 1;
      prepareForBlock(state, *block, *core);
      state.orderLimit = ~0u;
    }
  }
  if (!start.run || present != AllLanes) {
    begin(root);
    return std::nullopt;
  }
  base[0] = root->regs;
  prepare(state, AllLanes, budget);
  state.root = root;
  state.spent = state.apartCount = 0;
  state.roundsLeft = state.roundsCounted = FirstLook;
  const uint64_t result = callCompiled(start.run, state, start.entry);
  deliverLoads(state);
  const Inst &in = entry.insts[uint32_t(result)];
  if (!hasBegun && in.endsThread && in.guard == NoLoc && !state.apartCount &&
      !block->grid->sees(Observer::Lifetimes) &&
      result >> CompiledExitShift == uint64_t(CompiledExit::Interpret)) {
    state.counted += in.counts;
    countFor(state, *block, Lanes);
    exited = present;
    splitCount = 0;
    unusedRoot = root;
    block->lanesExited();
    return std::nullopt;
  }
  if (!hasBegun)
    begin(root);
  return leftCompiled(state, result, Lanes, budget);
}

Flow Warp::runCompiled(const CompiledCode &compiled, std::optional<EnteredCode> entered, uint32_t &budget) {
  Split &split = now();
  useFrame(split.frame);
  const Inst *insts = split.frame->code->insts.data();
  const Inst *ip = insts + split.pc;
  segment = ip;
  uint32_t before = 0; // insts between the last jump and `segment`
  for (;;) {
    Flow flow = Flow::Next;
    bool wasRun = false, wasNoted = ip == awaited;
    const CompiledPlace &place = compiled.places[size_t(ip - insts)];
    const uint32_t entry = entered || wasNoted ? 0 : place.entry;
    awaited = nullptr;
    if (entry) {
      CompiledVersion &version = split.mask == AllLanes ? compiled.whole : compiled.masked;
      CompiledFunction native = functionOf(version, place.part, *split.frame->code, *block->grid);
      if (native && (!mayHaveOtherRows || hasExpectedRows(version, entry - 1, split.mask))) {
        if (ip != segment)
          flush(ip - 1);
        noteCompiled(*split.frame->code);
        entered = enterCompiled(native, entry - 1, before + uint32_t(ip - segment), budget);
      }
    }
    if (entered) {
      const auto [result, spent] = *entered;
      entered.reset();
      ip = insts + uint32_t(result);
      segment = ip;
      before = spent;
      const auto why = uint32_t(result >> CompiledExitShift);
      if (why == uint32_t(CompiledExit::Leader)) {
        split.jump(ip[-1], uint32_t(ip - insts));
        if (mustReschedule())
          return Flow::Reschedule;
        continue;
      }
      if (why == uint32_t(CompiledExit::Part))
        continue;
      wasNoted = true;
      if (why >= uint32_t(CompiledExit::Handler)) {
        flow = Flow(why - uint32_t(CompiledExit::Handler));
        wasRun = true;
      }
    }
    if (!wasRun) {
      if (compiled.places[size_t(ip - insts)].mayWrap) // not `place`: compiled code has moved on
        mayHaveOtherRows = true;
      uint32_t mask = split.mask;
      if (ip->guard != NoLoc) {
        const uint32_t holds = *reinterpret_cast<const uint32_t *>(base[0] + ip->guard);
        mask &= ip->guardNegated ? ~holds : holds;
      }
      if (!wasNoted && ip->leader && block->grid->sees(Observer::CodeBlocks))
        noteBlock(*ip);
      const Inst *counted = segment;
      flow = mask ? ip->run(*this, *ip, mask) : Flow::Next;
      if (segment != counted)
        before = 0; // as in run(): what a handler has counted is not charged
    }
    if (flow == Flow::Next) {
      ++ip;
      if (ip->leader && splitCount > 1) [[unlikely]] {
        split.jump(ip[-1], uint32_t(ip - insts));
        if (mustReschedule()) {
          flush(ip - 1);
          return Flow::Reschedule;
        }
      }
      continue;
    }
    if (flow != Flow::Jumped) {
      if (flow == Flow::Yield || flow == Flow::Faulted)
        flush(ip);
      if (flow == Flow::AwaitOrder) {
        awaited = ip;
        if (ip != segment)
          flush(ip - 1);
      }
      return flow;
    }
    flush(ip);
    const Inst *target = insts + split.pc;
    const uint32_t spent = before + uint32_t(ip - segment) + 1;
    before = 0;
    const bool backward = target->order <= ip->order;
    segment = ip = target;
    if (backward && ++split.backEdges >= split.checkAt && considerSpin(split))
      return Flow::Yield;
    if (spent >= budget) {
      budget = 0;
      return Flow::Yield;
    }
    budget -= spent;
    if (splitCount > 1 && mustReschedule())
      return Flow::Reschedule;
  }
}

} // namespace heddle::vm
