// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the simulator stopped becomes a finding. A fault has its rule, its location and its thread. A deadlock has
// many threads that wait, of which most wait for others: the finding is about those whose wait is the cause, and
// its notes list who waits where. Threads that poll memory or an mbarrier come first, since those at barriers
// may wait for them and not the other way round.
#include "check/Ends.h"

#include "check/StaticDynamicShared.h"
#include "support/Text.h"
#include "vm/Code.h"

#include <algorithm>

namespace heddle::check {
namespace {

using vm::FaultKind;
using vm::Misuse;

Rule ruleOfFault(const vm::Fault &fault) {
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
    return "all threads that synchronize at a barrier must give it the same count, a multiple of 32";
  case Rule::BarrierReused: return "synchronize with the warps of the previous round before arriving again";
  case Rule::BarrierOversubscribed: return "count every warp that arrives or waits";
  case Rule::MbarrierUninitialized:
    return "mbarrier.init by one thread, then a __syncthreads(), before any thread uses it";
  case Rule::MbarrierCount: return "initialize the mbarrier with the number of arrivals per phase";
  case Rule::WarpMask: return "the mask of a _sync operation names exactly the lanes that execute it";
  case Rule::BarrierNotCooperative:
    return "launch with cudaLaunchCooperativeKernel, or with the attribute cudaLaunchAttributeCooperative";
  case Rule::DeadlockBarrier: return "every thread that the barrier counts has to arrive at it";
  case Rule::DeadlockMbarrier:
    return "compare the arrivals with the count of mbarrier.init, the bytes with expect_tx, and the parity "
           "of the wait with that of the phase";
  case Rule::DeadlockWarp: return "the mask must contain only lanes that execute the operation";
  case Rule::DeadlockSpin:
    return "the thread that should write the polled memory has exited, or waits itself";
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

uint64_t numberOf(const LaunchFacts &launch, const vm::Dim3 &block) {
  return block.x + uint64_t(launch.grid.x) * (block.y + uint64_t(launch.grid.y) * block.z);
}

/// Nothing for a whole warp.
std::string someLanes(uint32_t lanes) { return lanes == ~0u ? "" : " " + vm::lanesWithWord(lanes); }

/// Outside of the block's shared memory, or of a thread's stack: no pointer and no allocation is concerned.
bool isOfShared(const vm::Fault &fault) {
  return fault.kind == FaultKind::OutOfBounds && fault.text.starts_with("shared ");
}
bool isOfStack(const vm::Fault &fault) {
  return fault.kind == FaultKind::OutOfBounds && fault.text.starts_with("local ");
}

Finding beginFinding(const LaunchFacts &launch, const vm::Fault &fault) {
  Finding finding;
  finding.rule = ruleOfFault(fault);
  finding.kernel = launch.name;
  finding.location = fault.source.isKnown() ? fault.source : fault.ptx;
  finding.text = fault.text;
  return finding;
}

void addWaiting(Finding &finding, const LaunchFacts &launch, const vm::Fault &fault) {
  constexpr size_t MostWaiting = 16;
  for (const vm::Waiting &waiting : fault.waiting) {
    if (finding.notes.size() == MostWaiting) {
      finding.notes.push_back({{}, fmt::format("and {} more", fault.waiting.size() - MostWaiting)});
      break;
    }
    finding.notes.push_back(
        {waiting.source.isKnown() ? waiting.source : waiting.ptx,
         fmt::format("warp {}{} of {} {}", waiting.warp, someLanes(waiting.lanes),
                     blockName(launch.grid, numberOf(launch, waiting.block)), waiting.what)});
  }
}

} // namespace

Finding faultFinding(const LaunchFacts &launch, const vm::Fault &fault) {
  Finding finding = beginFinding(launch, fault);
  if (!launch.cooperative && fault.kind == FaultKind::Trap && usesGridBarrier(*launch.kernel)) {
    finding.rule = Rule::BarrierNotCooperative;
    finding.text = fmt::format("grid.sync() in a launch of '{}' that is not cooperative: its blocks need not "
                               "be resident at the same time, so the barrier stops the kernel",
                               launch.name);
  }
  const unsigned thread = fault.where.warp * 32 + fault.where.lane;
  const uint64_t block = numberOf(launch, fault.where.block);
  finding.notes.push_back(
      {{},
       fmt::format("in {} of {}{}", threadName(launch.block, thread), blockName(launch.grid, block),
                   fault.instruction.empty() ? "" : ": " + fault.instruction)});
  if (isOfShared(fault) && fault.details.empty())
    if (const std::string where =
            afterSharedArrays(*launch.kernel, fault.address.value_or(0), launch.dynamicShared);
        !where.empty()) {
      finding.notes.push_back({{}, "the address is " + where});
      if (dynamicSharedAt(*launch.kernel))
        finding.hint = fmt::format("dynamic shared memory has {} here: the third argument of <<<...>>> is "
                                   "its size in bytes",
                                   counted(launch.dynamicShared, "byte"));
    }
  return finding;
}

Finding deadlockFinding(const LaunchFacts &launch, const vm::Fault &fault, const Deadlock &deadlock) {
  Finding finding = beginFinding(launch, fault);
  finding.rule = deadlockRule(fault, deadlock.pollsMbarrier);
  // The class of the rule precedes the text already.
  if (const std::string name = "deadlock: "; finding.text.starts_with(name))
    finding.text.erase(0, name.size());
  // Of all who wait, the one whose wait is the cause, not the one with the lowest number.
  const auto cause = std::ranges::find_if(
      fault.waiting, [&](const vm::Waiting &waiting) { return waiting.on == causeOf(finding.rule); });
  if (cause != fault.waiting.end())
    finding.location = cause->source.isKnown() ? cause->source : cause->ptx;
  addWaiting(finding, launch, fault);
  if (finding.rule == Rule::DeadlockSpin && launch.cooperative && usesGridBarrier(*launch.kernel) &&
      deadlock.blocksLeft < launch.blocks) {
    finding.notes.push_back(
        {{},
         fmt::format("{} of the {} blocks ended, and grid.sync() waits for every block of the grid",
                     launch.blocks - deadlock.blocksLeft, launch.blocks)});
    finding.hint = "every block of the grid has to reach grid.sync()";
  }
  for (const std::string &text : deadlock.mbarriers)
    finding.notes.push_back({{}, text});
  return finding;
}

Finding withDetails(Finding finding, const vm::Fault &fault) {
  for (const std::string &detail : fault.details)
    finding.notes.push_back({{}, detail});
  if (finding.hint.empty())
    finding.hint = hintOf(finding.rule);
  const bool isByPointer = !isOfShared(fault) && !isOfStack(fault);
  if (finding.rule == Rule::MemoryOutOfBounds && isByPointer &&
      fault.details.empty()) // else they name the nearest one
    finding.hint = "no allocation is near: the pointer is not initialized, or points to host memory that was "
                   "not allocated by cudaMallocHost, cudaHostAlloc or cudaMallocManaged";
  return finding;
}

void reportRoleBarriers(const LaunchFacts &launch, const vm::Fault &fault, const BlockBarriers &barriers,
                        const BlockOrder &order, Reporter &reporter) {
  for (unsigned number = 0; number < vm::HardwareBarriers; ++number) {
    const BlockBarriers::Round *round = barriers.open(number);
    if (!round || !round->whole)
      continue;
    for (const vm::Waiting &waiting : fault.waiting)
      if (waiting.warp < order.warps() && !round->waiting[waiting.warp] &&
          waiting.on == vm::Waiting::On::Barrier && waiting.barrier != number &&
          reporter.isNew(Rule::BarrierInRole, round->firstInstrId, 0))
        reporter.report(
            Rule::BarrierInRole, launch, round->firstInstrId,
            fmt::format("this waits for the whole block, but warp {} waits elsewhere and never arrives here",
                        waiting.warp),
            0, {},
            "__syncthreads() must be reached by all threads alike; warps with roles of their own need "
            "named barriers");
  }
}

uint32_t lanesThatPoll(const LaunchFacts &launch, const vm::Fault &fault, uint64_t block, unsigned warp) {
  uint32_t lanes = 0;
  for (const vm::Waiting &waiting : fault.waiting)
    if (waiting.on == vm::Waiting::On::Memory && waiting.warp == warp &&
        numberOf(launch, waiting.block) == block)
      lanes |= waiting.lanes;
  return lanes;
}

} // namespace heddle::check
