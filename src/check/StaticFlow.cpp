// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches that depend on data.
//
// Lanes that know how a branch goes take it as ever. Those that do not know pass its region, up to where its paths reconverge, at
// once and by themselves; that is possible because nothing in the region synchronizes, or only inside
// a warp whose lanes all go the same way, since they voted.
// Afterwards they know nothing of what the region may have written.
//
//   - A region that touches neither shared memory nor the thread's own need not be executed.
//   - One that does is walked: lanes go every way that the data may send them, one way after the other. What
//   they do
//     there is marked as something that may or may not happen. Before the second way they forget what the
//     first one wrote; a loop that ends when data says so is passed once, with everything that it writes
//     forgotten beforehand, so that its one round represents any.
#include "check/StaticSteering.h"
#include "semantics/Libdevice.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::check {

using namespace vm;
using ptx::Op;

namespace {

constexpr uint32_t NoJoin = ~0u;
// Instructions that are walked in regions before we say that it takes too long: about a minute.
constexpr uint64_t MostWalked = 200'000'000;
// The same where a region is walked for its accesses to global memory alone: about two seconds.
constexpr uint64_t MostWalkedForGlobal = 5'000'000;

} // namespace

void StaticSteering::forget(const Region &region, uint32_t lanes, Origins because) {
  for (uint32_t reg : region.written)
    regs->set(reg, lanes, {lanes, because});
  shadow->carry.add({lanes, because}); // which code is to use without a branch in between
  if (region.storesLocal)
    forgetLocal(lanes, because);
}

// --- branches of the kernel's own flow
// --------------------------------------------------------------------------------

/// The lanes are the current split's. On return they know no more what the region may write; the caller continues where its paths
/// reconverge.
Flow StaticSteering::passRegion(Warp &warp, const Inst &in, uint32_t lanes, const Taint &because) {
  const Region &region = regions.of(*plan->code->function, indexOf(in));
  const bool syncs = region.sync != ptx::kNone;
  const bool isGlobal = follows && region.touchesGlobal && !region.touchesShared && !syncs;
  auto leaveUnseen = [&] {
    leaveGlobal(in);
    if (region.touchesLocal)
      note(plan->code->sourceOf(in),
           "the accesses to local memory under this condition are too many to analyze", 0, OfLocal);
  };
  if (isGlobal && walkedForGlobal > MostWalkedForGlobal)
    leaveUnseen();
  else if (region.touchesShared || region.touchesLocal || isGlobal || syncs) {
    const Origins before = std::exchange(perhapsBecause, perhapsBecause | because.origins);
    if (!perhaps)
      perhapsBranch = &plan->code->sourceOf(in);
    ++perhaps;
    onlyGlobal += isGlobal;
    uint32_t pc = plan->code->pcOf(in), mask = lanes;
    const uint32_t join = region.join == ptx::kNone ? NoJoin : plan->startOf[region.join];
    const bool leaves = stepOf(in).rule == TaintRule::Leave;
    Flow flow = Flow::Next;
    if (leaves) {
      const Assume stays(*this, lanes, guardFacts(stepOf(in).guard, in.guardNegated));
      flow = walk(warp, pc + 1, mask, NoJoin);
    } else {
      flow = walkBranch(warp, in, mask, join, pc);
    }
    --perhaps;
    onlyGlobal -= isGlobal;
    if (std::exchange(abandoned, false))
      leaveUnseen(), openLoops.clear();
    perhapsBecause = before;
    if (flow != Flow::Next)
      return flow;
  }
  forget(region, lanes, because.origins);
  return Flow::Next;
}

/// Whether all lanes of the warp go the same way, since they voted, and synchronize with each other only on it. Then the
/// region is passed like any other: no thread outside waits for them.
bool StaticSteering::goTogether(Warp &warp, const TaintStep &s, const Region &region, uint32_t unsure) const {
  return s.rule == TaintRule::Branch && region.warpSync && unsure == warp.alive() && regs->isAlike(s.guard);
}

/// Accesses to global memory that are not checked.
void StaticSteering::leaveGlobal(const Inst &in) {
  if (!follows)
    return;
  const bool isBranch = stepOf(in).rule >= TaintRule::Branch && stepOf(in).rule != TaintRule::Call;
  note(plan->code->sourceOf(in),
       isBranch ? "the accesses to global memory under this condition are too many to analyze"
                : "accesses of this instruction to global memory are not analyzed",
       0, setOf(Property::GlobalRacesInBlock) | setOf(Property::GlobalRacesBetweenBlocks));
}

/// Behind this branch, whose condition is data, threads are taken not to trap.
void StaticSteering::passTrap(const Region &region) {
  trapPassed |= region.mayTrap;
  actsBeforeTrapPassed |= region.actsBeforeTrap;
}

Flow StaticSteering::branch(Warp &warp, const Inst &in, const TaintStep &s) {
  const uint32_t mask = warp.now().mask;
  const Taint unsure = s.rule == TaintRule::Table ? sourcesOf(s, mask) : taintOf(s.guard, mask);
  if (!unsure.lanes) {
    if (s.afterWait && regions.of(*plan->code->function, indexOf(in)).acts)
      note(plan->code->sourceOf(in),
           "what threads do here depends on whether they come early or late to an mbarrier",
           origin::Hardware);
    return in.run(warp, in, mask);
  }
  const Region &region = regions.of(*plan->code->function, indexOf(in));
  passTrap(region);
  const bool syncs = region.sync != ptx::kNone, agrees = syncs && mayAgree(warp, s, region, unsure.lanes);
  if (syncs && !agrees && mayLeaveEarly(warp, in, s, region, unsure.lanes))
    return remain(warp, in, s, unsure.origins);
  if (!polled && (region.polls || regions.mayPoll(*plan->code->function, indexOf(in))))
    polled = &plan->code->sourceOf(in);
  loopPassed |= region.loops || region.hasLoop;
  if (agrees)
    return agree(warp, in, s, region, unsure.origins);
  if (syncs && !goTogether(warp, s, region, unsure.lanes))
    return syncDepends(warp, in, region, unsure.origins);
  const bool parts = unsure.lanes != mask;
  if (parts) { // those that know return to this branch by themselves
    warp.flush(&in);
    warp.separate(in, mask & ~unsure.lanes, plan->code->pcOf(in));
  }
  if (Flow flow = passRegion(warp, in, unsure.lanes, unsure); flow != Flow::Next)
    return flow;
  if (region.join == ptx::kNone) {
    if (region.leaving == ptx::kNone)
      return giveUp(warp, in,
                    "no path from this branch, which depends on " + describe(unsure.origins) +
                        ", reaches the end of the kernel",
                    unsure.origins);
    return endLanes(warp, plan->code->insts[plan->startOf[region.leaving]], unsure.lanes);
  }
  warp.now().jump(in, plan->startOf[region.join]);
  return parts ? Flow::Reschedule : Flow::Jumped;
}

/// exit, and ret.
Flow StaticSteering::leave(Warp &warp, const Inst &in, const TaintStep &s) {
  const uint32_t mask = warp.now().mask;
  const Who who = whoExecutes(warp, in, s, mask);
  if (who.maybe) {
    const Region &region = regions.of(*plan->code->function, indexOf(in));
    if (region.sync != ptx::kNone)
      return mayAgree(warp, s, region, who.maybe)            ? agree(warp, in, s, region, who.because)
             : mayLeaveEarly(warp, in, s, region, who.maybe) ? remain(warp, in, s, who.because)
                                                             : syncDepends(warp, in, region, who.because);
    if (who.maybe != mask) {
      warp.flush(&in);
      warp.separate(in, mask & ~who.maybe, plan->code->pcOf(in));
    }
    if (Flow flow = passRegion(warp, in, who.maybe, {who.maybe, who.because}); flow != Flow::Next)
      return flow;
    return endLanes(warp, in, who.maybe);
  }
  if (!who.sure)
    return Flow::Next;
  if (!plan->code->function->isEntry)
    copyResults(warp, who.sure);
  return in.run(warp, in, who.sure);
}

/// All lanes of the current split leave the function, or the kernel.
Flow StaticSteering::endLanes(Warp &warp, const Inst &leaving, uint32_t lanes) {
  if (!plan->code->function->isEntry && plan->code->sourceOf(leaving).op == Op::Ret) {
    forgetLocal(lanes, origin::Memory);
    copyResults(warp, lanes);
  }
  warp.segment = &leaving;
  return leaving.run(warp, leaving, lanes);
}

// --- walking a region
// -------------------------------------------------------------------------------------------------

/// Executes from pc on until the join, or until no lane is left.
Flow StaticSteering::walk(Warp &warp, uint32_t pc, uint32_t mask, uint32_t join) {
  const Code &code = *plan->code;
  while (pc != join && mask && !abandoned) {
    const Inst &in = code.insts[pc];
    const TaintStep &s = stepOf(in);
    if (onlyGlobal && ++walkedForGlobal > MostWalkedForGlobal) {
      abandoned = true;
      return Flow::Next;
    }
    if (!onlyGlobal && ++walked > MostWalked)
      return giveUp(warp, in, "code that depends on " + describe(perhapsBecause) + " is too long to analyze",
                    perhapsBecause);
    if (in.counts && (s.rule == TaintRule::Branch || s.rule == TaintRule::Table)) {
      if (Flow flow = walkBranch(warp, in, mask, join, pc); flow != Flow::Next)
        return flow;
      continue;
    }
    const Who who = whoExecutes(warp, in, s, mask);
    Flow flow = Flow::Next;
    trapPassed |= s.rule == TaintRule::Trap && (who.sure | who.maybe);
    if (in.counts && (s.rule == TaintRule::Leave || s.rule == TaintRule::Trap))
      mask &= ~who.sure; // those that leave have no more to do; those that may leave go on
    else if (!in.counts)
      flow = who.sure ? in.run(warp, in, who.sure) : Flow::Next;
    else if (who.sure | who.maybe)
      flow = act(warp, in, s, who);
    if (flow != Flow::Next && flow != Flow::Faulted)
      return giveUp(warp, in, "whether lanes execute this together depends on " + describe(perhapsBecause),
                    perhapsBecause);
    if (flow != Flow::Next)
      return flow;
    ++pc;
  }
  return Flow::Next;
}

namespace {

/// Where the lanes of a branch go: for each target those that are known to go there.
struct Way {
  uint32_t pc = 0, lanes = 0;
};

std::vector<Way> waysOf(Warp &warp, const Inst &in, const Code &code, bool isTable, uint32_t sure) {
  std::vector<Way> ways;
  auto add = [&](uint32_t pc, uint32_t lanes) {
    for (Way &way : ways)
      if (way.pc == pc)
        return void(way.lanes |= lanes);
    ways.push_back({pc, lanes});
  };
  if (isTable) {
    const auto &targets = warp.block->grid->kernel.jumpTables[in.extra];
    const uint32_t *index = warp.row<uint32_t>(in.a);
    for (uint32_t target : targets)
      add(target, 0);
    eachLane(sure, [&](unsigned lane) {
      if (index[lane] < targets.size())
        add(targets[index[lane]], 1u << lane);
    });
    return ways;
  }
  if (in.b == NoLoc) { // no condition
    add(uint32_t(in.imm), sure);
    return ways;
  }
  const uint32_t holds = in.mode ? ~warp.pred(in.b) : warp.pred(in.b);
  add(uint32_t(in.imm), sure & holds);
  add(code.pcOf(in) + 1, sure & ~holds);
  return ways;
}

} // namespace

/// Lanes at a branch inside a region. Sets pc to where they are together again; `mask` are those that get
/// there.
Flow StaticSteering::walkBranch(Warp &warp, const Inst &in, uint32_t &mask, uint32_t join, uint32_t &pc) {
  const Code &code = *plan->code;
  const TaintStep &s = stepOf(in);
  const bool isTable = s.rule == TaintRule::Table;
  const Taint unsure = isTable ? sourcesOf(s, mask) : taintOf(s.guard, mask);
  std::vector<Way> ways = waysOf(warp, in, code, isTable, mask & ~unsure.lanes);
  if (!unsure.lanes) {
    std::erase_if(ways, [](const Way &way) { return way.lanes == 0; });
    if (ways.empty()) {
      mask = 0;
      return Flow::Next;
    }
    if (ways.size() == 1) {
      pc = ways[0].pc;
      return Flow::Next;
    }
  }
  const Region &region = regions.of(*code.function, indexOf(in));
  if (unsure.lanes)
    passTrap(region);
  if (unsure.lanes && region.sync != ptx::kNone && !goTogether(warp, s, region, unsure.lanes))
    return syncDepends(warp, in, region, unsure.origins);
  const uint32_t meets = region.join == ptx::kNone ? NoJoin : plan->startOf[region.join];
  // Lanes that leave a loop early wait where its caller collects them all: no need to go deeper for each
  // round.
  if (!unsure.lanes && meets == join && meets != NoJoin) {
    std::erase_if(ways, [&](const Way &way) { return way.pc == meets; });
    if (ways.size() == 1) {
      pc = ways[0].pc, mask = ways[0].lanes;
      return Flow::Next;
    }
  }
  const bool loops = region.loops && unsure.lanes;
  loopPassed |= loops;
  if (loops && openLoops.contains(&code.sourceOf(in))) { // its one round is over
    closeLoop(warp, in, s, region, mask);
    pc = meets;
    if (meets == NoJoin)
      mask = 0;
    return Flow::Next;
  }
  const bool isPlain = !isTable && in.b != NoLoc;
  Facts ifTrue = isPlain ? guardFacts(s.guard, true) : Facts{},
        ifFalse = isPlain ? guardFacts(s.guard, false) : Facts{};
  if (loops) {
    openLoops.insert(&code.sourceOf(in));
    std::vector<uint32_t> inside;
    for (const Way &way : ways)
      if (way.pc != meets)
        inside.push_back(way.pc);
    const Facts back = enterLoop(warp, in, s, region, mask, unsure, inside, meets);
    const bool backIfTrue =
        region.jumpsBack != in.mode; // in.mode: the branch is taken where the guard is false
    ifTrue = backIfTrue ? back : Facts{}, ifFalse = backIfTrue ? Facts{} : back;
    if (abandoned)
      return Flow::Next;
  }
  for (const Way &way : ways) {
    if (way.pc == meets)
      continue;
    const bool jumps = way.pc == uint32_t(in.imm);
    const Assume taken(*this, unsure.lanes, jumps != in.mode ? ifTrue : ifFalse);
    if (Flow flow = walk(warp, way.pc, way.lanes | unsure.lanes, meets); flow != Flow::Next)
      return flow;
    forget(region, unsure.lanes, unsure.origins);
  }
  if (loops)
    openLoops.erase(&code.sourceOf(in));
  pc = meets;
  if (meets == NoJoin)
    mask = 0;
  return Flow::Next;
}

// --- calls
// --------------------------------------------------------------------------------------------------------------

/// Mirrors what the simulator copied into the frame that was just entered.
void StaticSteering::copyArguments(Warp &warp, const Inst &in, uint32_t mask) {
  const Frame *callee = warp.now().frame, *caller = callee->caller;
  const ptx::Function &f = *caller->code->function;
  auto operands = f.operandsOf(caller->code->sourceOf(in));
  std::span<const ptx::Operand> arguments;
  if (operands.size() > 2 && operands[2].kind == ptx::OperandKind::Vector)
    arguments = f.elementsOf(operands[2]);
  const CallSite &site = *callee->site;
  const FrameShadow &from = *regs;
  for (size_t i = 0; i < site.arguments.size() && i < callee->code->paramPlaces.size(); ++i) {
    const CallSite::Piece &piece = site.arguments[i];
    const uint64_t to = callee->localBase + callee->code->paramPlaces[i];
    eachLane(mask, [&](unsigned lane) {
      ByteShadow &local = shadow->local[lane];
      if (piece.reg == NoLoc) {
        for (uint32_t b = 0; b < piece.bytes; ++b)
          local.set(to + b, 1, local.any(caller->localBase + piece.callerOffset + b, 1));
        return;
      }
      const bool isRegister = i < arguments.size() && arguments[i].isReg();
      local.set(to, piece.bytes, isRegister && from.lanesOf(arguments[i].index) >> lane & 1);
    });
  }
}

/// Mirrors what the simulator is about to copy back.
void StaticSteering::copyResults(Warp &warp, uint32_t mask) {
  const Frame *callee = warp.now().frame, *caller = callee->caller;
  const ptx::Function &f = *caller->code->function;
  auto operands = f.operandsOf(caller->code->sourceOf(*callee->call));
  std::span<const ptx::Operand> results;
  if (operands.size() > 1 && operands[1].kind == ptx::OperandKind::Vector)
    results = f.elementsOf(operands[1]);
  FrameShadow &to = shadow->of(caller);
  for (size_t i = 0; i < callee->site->results.size() && i < callee->code->resultPlaces.size(); ++i) {
    const CallSite::Piece &piece = callee->site->results[i];
    const uint64_t from = callee->localBase + callee->code->resultPlaces[i];
    eachLane(mask, [&](unsigned lane) {
      ByteShadow &local = shadow->local[lane];
      if (piece.reg == NoLoc)
        for (uint32_t b = 0; b < piece.bytes; ++b)
          local.set(caller->localBase + piece.callerOffset + b, 1, local.any(from + b, 1));
      else if (i < results.size() && results[i].isReg())
        to.set(results[i].index, 1u << lane, {local.any(from, piece.bytes) ? 1u << lane : 0, local.origins});
    });
  }
  regs = &shadow->of(callee);
}

/// printf, malloc, assertions, math. Math on known values is computed; what else they give is data.
Flow StaticSteering::callExternal(Warp &warp, const Inst &in, const CallSite &site, uint32_t mask) {
  const ptx::Function &f = *plan->code->function;
  auto operands = f.operandsOf(plan->code->sourceOf(in));
  if (site.name == "__assertfail")
    return perhaps ? Flow::Next : execute(warp, in, mask);
  const uint64_t base = warp.frame().localBase;
  auto element = [&](unsigned which, size_t i) -> const ptx::Operand * {
    if (operands.size() <= which || operands[which].kind != ptx::OperandKind::Vector)
      return nullptr;
    auto all = f.elementsOf(operands[which]);
    return i < all.size() && all[i].isReg() ? &all[i] : nullptr;
  };
  Taint data{site.math ? 0 : mask, origin::Memory};
  for (size_t i = 0; site.math && i < site.arguments.size(); ++i)
    if (const ptx::Operand *reg = element(2, i))
      data.add(regs->of(reg->index, mask));
    else
      eachLane(mask, [&](unsigned lane) {
        if (shadow->local[lane].any(base + site.arguments[i].callerOffset, site.arguments[i].bytes))
          data.add({1u << lane, shadow->local[lane].origins});
      });
  if (site.math && std::ranges::any_of(site.math->parameters, semantics::isOut))
    forgetLocal(data.lanes, data.origins); // it gives results through pointers
  if (site.math && mask & ~data.lanes)
    if (Flow flow = execute(warp, in, mask & ~data.lanes); flow != Flow::Next)
      return flow;
  for (size_t i = 0; i < site.results.size(); ++i)
    if (const ptx::Operand *reg = element(1, i))
      regs->set(reg->index, mask, data);
    else
      eachLane(mask, [&](unsigned lane) {
        shadow->local[lane].set(base + site.results[i].callerOffset, site.results[i].bytes,
                                data.lanes >> lane & 1);
        shadow->local[lane].origins |= data.origins;
      });
  return Flow::Next;
}

Flow StaticSteering::call(Warp &warp, const Inst &in, const TaintStep &, const Who &who) {
  const CallSite &site = kernel.calls[in.extra];
  const bool isExternal = !site.callee && site.pointer == NoLoc;
  if (isExternal && !who.maybe)
    return callExternal(warp, in, site, who.sure);
  Taint target;
  if (site.pointer != NoLoc)
    target = operandTaint(plan->code->function->operandsOf(plan->code->sourceOf(in))[0], who.sure);
  if (target.lanes)
    return giveUp(warp, in, "which function is called here depends on " + describe(target.origins),
                  target.origins);
  if (perhaps || who.maybe) {
    const Effects effects = site.callee ? regions.effectsOf(*site.callee->function) : Effects{};
    if ((!site.callee && !isExternal) || effects.syncs || effects.touchesShared)
      return giveUp(warp, in,
                    "whether this function, which uses shared memory, is called depends on " +
                        describe(perhapsBecause | who.because),
                    perhapsBecause | who.because);
    if (effects.touchesGlobal || isExternal)
      leaveGlobal(in);
    if (effects.touchesLocal)
      note(plan->code->sourceOf(in),
           "whether this function, which uses local memory, is called depends on " +
               describe(perhapsBecause | who.because),
           perhapsBecause | who.because, OfLocal);
    const uint32_t mask = who.sure | who.maybe;
    forgetLocal(mask, perhapsBecause | who.because);
    auto operands = plan->code->function->operandsOf(plan->code->sourceOf(in));
    if (operands.size() > 1 && operands[1].kind == ptx::OperandKind::Vector)
      for (const ptx::Operand &result : plan->code->function->elementsOf(operands[1]))
        if (result.isReg())
          regs->set(result.index, mask, {mask, perhapsBecause | who.because});
    return Flow::Next;
  }
  const Frame *before = warp.now().frame;
  Flow flow = execute(warp, in, who.sure);
  const Frame *frame = warp.now().frame;
  if (flow == Flow::Faulted || frame == before)
    return flow;
  copyArguments(warp, in, warp.now().mask);
  shadow->begin(frame);
  return flow;
}

} // namespace heddle::check
