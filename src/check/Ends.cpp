// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How launches end: what the machine stopped becomes a finding, a deadlock one with the wait-for picture.
#include "check/Parts.h"
#include "vm/Code.h"

#include <algorithm>

namespace heddle::check {
namespace {

using vm::FaultKind;
using vm::Misuse;

Rule ruleOf(const vm::Fault &fault) {
  switch (fault.misuse) {
  case Misuse::BarrierNumber:
  case Misuse::BarrierCount: return Rule::BarrierCount;
  case Misuse::BarrierTwice: return Rule::BarrierReused;
  case Misuse::BarrierTooMany: return Rule::BarrierOversubscribed;
  case Misuse::MbarrierNotValid:
  case Misuse::MbarrierOther: return Rule::MbarrierUninitialized;
  case Misuse::MbarrierArrivals: return Rule::MbarrierCount;
  case Misuse::MbarrierBytes: return Rule::MbarrierBytes;
  case Misuse::WarpMask: return Rule::WarpMask;
  case Misuse::None: break;
  }
  switch (fault.kind) {
  case FaultKind::OutOfBounds: return Rule::MemoryOutOfBounds;
  case FaultKind::UseAfterFree: return Rule::MemoryFreed;
  case FaultKind::Misaligned: return Rule::MemoryMisaligned;
  case FaultKind::WrongSpace: return Rule::MemorySpaceMismatch;
  case FaultKind::ReadOnly: return Rule::MemoryReadOnly;
  case FaultKind::StackOverflow: return Rule::MemoryStack;
  case FaultKind::BarrierMisuse: return Rule::BarrierCount;
  case FaultKind::MbarrierMisuse: return Rule::MbarrierUninitialized;
  case FaultKind::WarpSyncMisuse: return Rule::WarpMask;
  case FaultKind::Deadlock: return Rule::DeadlockBarrier;
  default: return Rule::MemoryFault;
  }
}

const char *hintOf(Rule rule) {
  switch (rule) {
  case Rule::BarrierCount:
    return "all threads that meet at a barrier have to give it the same count, a multiple of 32";
  case Rule::BarrierReused: return "wait for something that comes after that round before arriving again";
  case Rule::BarrierOversubscribed: return "count every warp that arrives or waits";
  case Rule::MbarrierUninitialized:
    return "mbarrier.init by one thread, then a __syncthreads(), before anybody uses it";
  case Rule::MbarrierCount: return "the count given to mbarrier.init is that of the arrivals of each phase";
  case Rule::WarpMask: return "the mask of a _sync operation names exactly the lanes that execute it";
  case Rule::BarrierNotCooperative:
    return "launch with cudaLaunchCooperativeKernel, or with the attribute cudaLaunchAttributeCooperative";
  case Rule::DeadlockBarrier: return "every thread that the barrier counts has to come to it";
  case Rule::DeadlockMbarrier:
    return "count the arrivals and bytes of the phase, and the parity that is waited for";
  case Rule::DeadlockWarp: return "the mask names lanes that never come";
  case Rule::DeadlockSpin: return "who should change what is polled has ended or waits itself";
  default: return "";
  }
}

/// Which kind of waiting is the cause: those at barriers may wait for those who poll, not the other way
/// round.
Rule deadlockRule(const vm::Fault &fault, bool polledMbarrier) {
  bool barrier = false, warp = false, memory = false;
  for (const vm::Waiting &waiting : fault.waiting) {
    barrier |= waiting.on == vm::Waiting::On::Barrier;
    warp |= waiting.on == vm::Waiting::On::Warp;
    memory |= waiting.on == vm::Waiting::On::Memory;
  }
  if (memory)
    return polledMbarrier ? Rule::DeadlockMbarrier : Rule::DeadlockSpin;
  return barrier ? Rule::DeadlockBarrier : warp ? Rule::DeadlockWarp : Rule::DeadlockSpin;
}

vm::Waiting::On causeOf(Rule rule) {
  return rule == Rule::DeadlockBarrier ? vm::Waiting::On::Barrier
         : rule == Rule::DeadlockWarp  ? vm::Waiting::On::Warp
                                       : vm::Waiting::On::Memory;
}

/// Cooperative groups find the barrier of the grid through these registers.
bool usesGridBarrier(const vm::Kernel &kernel) {
  return std::any_of(kernel.specials.begin(), kernel.specials.end(), [](const vm::SpecialRow &special) {
    return special.reg == ptx::SpecialReg::EnvReg1 || special.reg == ptx::SpecialReg::EnvReg2;
  });
}

uint64_t numberOf(const LaunchState &launch, const vm::Dim3 &block) {
  return block.x + uint64_t(launch.grid.x) * (block.y + uint64_t(launch.grid.y) * block.z);
}

/// These have not gone past a barrier: they come to it when what they poll changes.
uint32_t lanesThatPoll(const LaunchState &launch, const vm::Fault &fault, uint64_t block, unsigned warp) {
  uint32_t lanes = 0;
  for (const vm::Waiting &waiting : fault.waiting)
    if (waiting.on == vm::Waiting::On::Memory && waiting.warp == warp &&
        numberOf(launch, waiting.block) == block)
      lanes |= waiting.lanes;
  return lanes;
}

/// Nothing for a whole warp.
std::string someLanes(uint32_t lanes) { return lanes == ~0u ? "" : " lanes " + vm::lanesText(lanes); }

} // namespace

void Checker::Parts::launchEnded(LaunchState &launch, const vm::LaunchResult &result) {
  for (auto &[index, state] : launch.states)
    tellUnwritten(launch, state->unwritten, Rule::UninitializedShared);
  tellUnwritten(launch, launch.unwritten, Rule::UninitializedGlobal);
  tellPlainReads();
  if (!result.fault || (result.fault->misuse == Misuse::BarrierCount && launch.countTold))
    return;
  if (result.fault->kind == FaultKind::Timeout) { // it may be slow only: nothing is decided
    std::lock_guard lock(guard);
    ++total.stopped;
    return;
  }
  const vm::Fault &fault = *result.fault;
  Finding finding;
  finding.rule = ruleOf(fault);
  finding.kernel = launch.name;
  finding.place = fault.source.isKnown() ? fault.source : fault.ptx;
  finding.text = fault.text;
  if (!launch.cooperative && fault.kind == FaultKind::Trap && usesGridBarrier(*launch.kernel)) {
    finding.rule = Rule::BarrierNotCooperative;
    finding.text = fmt::format("grid.sync() in a launch of '{}' that is not cooperative: its blocks need not "
                               "all be there, so the barrier stops the kernel",
                               launch.name);
  }
  if (fault.kind != FaultKind::Deadlock) {
    const unsigned thread = fault.where.warp * 32 + fault.where.lane;
    const uint64_t block = numberOf(launch, fault.where.block);
    finding.notes.push_back(
        {{},
         fmt::format("in {} of {}{}", threadName(launch.block, thread), blockName(launch.grid, block),
                     fault.instruction.empty() ? "" : ": " + fault.instruction)});
    // The machine cannot tell an mbarrier that was never one from one that is none any more.
    if (fault.misuse == Misuse::MbarrierNotValid && fault.address)
      for (auto &[index, state] : launch.states)
        if (auto at = state->mbarriers.find(uint32_t(*fault.address));
            at != state->mbarriers.end() && at->second.wasValid) {
          if (at->second.told)
            return;
          finding.rule = Rule::MbarrierInvalid;
        }
  }
  if (fault.kind == FaultKind::Deadlock) {
    bool polled = false;
    for (auto &[index, state] : launch.states) {
      if (checkBytes(launch, *state))
        return; // that is why, and has been told
      for (auto &[offset, mbarrier] : state->mbarriers)
        for (auto &[thread, wait] : mbarrier.waits) {
          polled |= wait.failed;
          if (wait.failed && mbarrier.told)
            return;
        }
      // A block barrier that some wait at while others wait at another one.
      for (unsigned b = 0; b < 16; ++b) {
        const BarrierState &barrier = state->barriers[b];
        if (!barrier.gathered)
          continue;
        for (const vm::Waiting &waiting : fault.waiting) {
          const bool missing = waiting.warp < state->warps.size() && !barrier.waiting[waiting.warp];
          if (barrier.whole && missing && waiting.on == vm::Waiting::On::Barrier && waiting.barrier != b &&
              isNew(Rule::BarrierInRole, barrier.firstPlace, 0))
            tell(Rule::BarrierInRole, launch, barrier.firstPlace,
                 fmt::format(
                     "this waits for the whole block, but warp {} waits elsewhere and never comes here",
                     waiting.warp),
                 0, {},
                 "__syncthreads() must be reached by all threads alike; warps with roles of their own need "
                 "named barriers");
        }
      }
      if (state->barriers[0].gathered && state->barriers[0].whole)
        tellWhoWentRound(launch, *state, state->barriers[0]);
      for (WarpState &warp : state->warps) {
        warp.passedBarrier &= ~lanesThatPoll(launch, fault, index, warp.index);
        if (warp.passedBarrier)
          passedBy({launch, *state, warp, warp.passedPlace});
      }
    }
    finding.rule = deadlockRule(fault, polled);
    // Of all who wait, the one whose wait is the cause, not the one with the lowest number.
    const auto cause =
        std::find_if(fault.waiting.begin(), fault.waiting.end(),
                     [&](const vm::Waiting &waiting) { return waiting.on == causeOf(finding.rule); });
    if (cause != fault.waiting.end())
      finding.place = cause->source.isKnown() ? cause->source : cause->ptx;
    constexpr size_t MostWaiting = 16;
    for (const vm::Waiting &waiting : fault.waiting) {
      if (finding.notes.size() == MostWaiting) {
        finding.notes.push_back({{}, fmt::format("and {} more", fault.waiting.size() - MostWaiting)});
        break;
      }
      const uint64_t block = numberOf(launch, waiting.block);
      finding.notes.push_back({waiting.source.isKnown() ? waiting.source : waiting.ptx,
                               fmt::format("warp {}{} of {} {}", waiting.warp, someLanes(waiting.lanes),
                                           blockName(launch.grid, block), waiting.what)});
    }
    if (finding.rule == Rule::DeadlockSpin && launch.cooperative && usesGridBarrier(*launch.kernel) &&
        launch.states.size() < launch.blocks) {
      finding.notes.push_back(
          {{},
           fmt::format("{} of the {} blocks ended, and grid.sync() waits for every block of the grid",
                       launch.blocks - launch.states.size(), launch.blocks)});
      finding.hint = "every block of the grid has to come to grid.sync()";
    }
    for (auto &[index, state] : launch.states)
      for (auto &[offset, mbarrier] : state->mbarriers) {
        const bool waitedFor = std::any_of(mbarrier.waits.begin(), mbarrier.waits.end(),
                                           [](auto &w) { return w.second.failed; });
        if (waitedFor)
          finding.notes.push_back(
              {{},
               fmt::format("mbarrier {} of {}: phase {}, {} of {} arrivals missing, {} bytes missing",
                           sharedName(*launch.kernel, offset, 8), blockName(launch.grid, index),
                           mbarrier.phases, mbarrier.pending, mbarrier.expected, mbarrier.bytes)});
      }
  }
  for (const std::string &detail : fault.details)
    finding.notes.push_back({{}, detail});
  if (finding.hint.empty())
    finding.hint = hintOf(finding.rule);
  if (finding.rule == Rule::MemoryOutOfBounds && fault.details.empty()) // else they name the nearest one
    finding.hint = "no allocation is near: kernels cannot use pointers to host memory, or pointers never set";
  const std::string key = fmt::format("{}||{}", idOf(finding.rule), lineOf(finding.place));
  findings.add(std::move(finding), key);
}

} // namespace heddle::check
