// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages about faults and deadlocks.
#include "ptx/Printer.h"
#include "support/Demangle.h"
#include "vm/Block.h"
#include "vm/Grid.h"
#include "vm/Source.h"

#include <algorithm>

namespace heddle::vm {
namespace {

SourceLocation locationOf(const ptx::Module &module, const ptx::SourceLoc &loc) {
  return loc.file == ptx::kNone ? SourceLocation{}
                                : SourceLocation{module.files[loc.file].path, loc.line, loc.column, 0, {}};
}

SourceLocation sourceOf(const Code &code, const ptx::Instr &instr) {
  return vm::sourceOf(*code.module, instr);
}

/// The line of a function in a header is of little help; the line that it was inlined into is the user's own.
void addInlining(const Code &code, const ptx::Instr &instr, std::vector<std::string> &details) {
  const ptx::Module &module = *code.module;
  if (instr.loc == ptx::kNone)
    return;
  constexpr int Deepest = 8;
  const ptx::SourceLoc *inner = &module.locs[instr.loc];
  for (int depth = 0; inner->inlinedAt != ptx::kNone && depth < Deepest; ++depth) {
    const ptx::SourceLoc &outer = module.locs[inner->inlinedAt];
    if (SourceLocation at = locationOf(module, outer); at.isKnown())
      details.push_back(
          inner->function == ptx::kNone
              ? fmt::format("inlined at {}", at.str())
              : fmt::format("in '{}', inlined at {}", functionName(module.texts[inner->function]), at.str()));
    inner = &outer;
  }
}

SourceLocation ptxLocation(const Code &code, const ptx::Instr &instr) {
  return {code.module->path.empty() ? "<ptx>" : code.module->path, instr.line, instr.column, 0, {}};
}

std::string lanesOf(uint32_t mask, unsigned warp) {
  return mask == AllLanes ? fmt::format("warp {}", warp)
                          : fmt::format("warp {} ({} lanes)", warp, countLanes(mask));
}

} // namespace

ThreadPlace Warp::placeOf(unsigned lane) const {
  const Dim3 &size = block->grid->request.block;
  uint32_t thread = index * Lanes + lane;
  return {block->id, {thread % size.x, thread / size.x % size.y, thread / size.x / size.y}, index, lane};
}

WarpRef Warp::ref() const {
  return {&block->grid->kernel.info, block->id,           block->index,        index,
          core ? core->index : 0,    block->grid->number, splits[current].mask};
}

Flow Warp::fault(const Inst &in, uint32_t lanes, FaultKind kind, std::string text,
                 std::vector<std::string> details) {
  const ptx::Instr &instr = code().sourceOf(in);
  Fault f;
  f.kind = kind;
  f.kernel = block->grid->kernel.info.name;
  f.text = std::move(text);
  f.instruction = ptx::print(*code().module, *code().function, instr);
  f.source = sourceOf(code(), instr);
  f.ptx = ptxLocation(code(), instr);
  f.where = placeOf(firstLane(lanes));
  f.details = std::move(details);
  addInlining(code(), instr, f.details);
  for (const Frame *frame = now().frame; frame->caller; frame = frame->caller) {
    const Code &caller = *frame->caller->code;
    const ptx::Instr &call = caller.sourceOf(*frame->call);
    SourceLocation at = sourceOf(caller, call);
    f.details.push_back(fmt::format(
        "in '{}', called from '{}' at {}", functionName(frame->code->function->name),
        functionName(caller.function->name), (at.isKnown() ? at : ptxLocation(caller, call)).str()));
    if (f.details.size() > 12)
      break;
  }
  block->fault = std::move(f);
  return Flow::Faulted;
}

Flow Warp::misused(const Inst &in, uint32_t lanes, Misuse misuse, std::string text,
                   std::vector<std::string> details) {
  const FaultKind kind = misuse == Misuse::WarpMask           ? FaultKind::WarpSyncMisuse
                         : misuse >= Misuse::MbarrierNotValid ? FaultKind::MbarrierMisuse
                                                              : FaultKind::BarrierMisuse;
  fault(in, lanes, kind, std::move(text), std::move(details));
  block->fault->misuse = misuse;
  return Flow::Faulted;
}

Flow Warp::faultAt(const Inst &in, unsigned lane, FaultKind kind, uint64_t address, std::string text,
                   std::vector<std::string> details) {
  fault(in, 1u << lane, kind, std::move(text), std::move(details));
  block->fault->address = address;
  return Flow::Faulted;
}

// --- deadlock
// --------------------------------------------------------------------------------------------------

std::string describeWait(const Block &block, const Warp &, const Split &split) {
  switch (split.state) {
  case SplitState::AtBarrier: {
    const Barrier &barrier = block.barriers[split.barrier];
    if (split.barrier == ClusterBarrier) // the count of this block alone does not show who is missing
      return "waits at the barrier of the cluster";
    return fmt::format("waits at barrier {} ({} of {} threads arrived)", split.barrier,
                       std::min(barrier.arrived, barrier.expected), barrier.expected);
  }
  case SplitState::AtWarpSync:
    return fmt::format("waits for the other lanes of mask {:#010x} in a warp-level operation", split.members);
  case SplitState::AtCluster: return "waits at the cluster barrier";
  case SplitState::Ready: return "polls memory that no thread changes";
  }
  return {};
}

std::vector<Waiting> Block::waiting() const {
  std::vector<Waiting> list;
  for (const auto &warp : warps)
    for (unsigned i = 0; i < warp->splitCount; ++i) {
      const Split &split = warp->splits[i];
      const Code &code = *split.frame->code;
      const ptx::Instr &instr = code.sourceOf(code.insts[split.pc]);
      const Waiting::On on = split.state == SplitState::AtWarpSync ? Waiting::On::Warp
                             : split.state == SplitState::Ready    ? Waiting::On::Memory
                                                                   : Waiting::On::Barrier;
      list.push_back({id, warp->index, split.mask, describeWait(*this, *warp, split), on, split.barrier,
                      sourceOf(code, instr), ptxLocation(code, instr)});
    }
  return list;
}

/// For each barrier at which threads wait: which threads are missing, and where they are instead.
static void whoNeverCame(const Block &block, std::vector<std::string> &details) {
  for (unsigned id = 0; id < block.barriers.size(); ++id) {
    const Barrier &barrier = block.barriers[id];
    if (!barrier.expected)
      continue;
    std::vector<std::string> elsewhere;
    for (const auto &warp : block.warps) {
      uint32_t missing = warp->present & ~barrier.lanes[warp->index];
      if (uint32_t gone = missing & warp->exited)
        elsewhere.push_back(lanesOf(gone, warp->index) + " exited");
      for (unsigned i = 0; i < warp->splitCount; ++i)
        if (uint32_t here = missing & warp->splits[i].mask)
          elsewhere.push_back(lanesOf(here, warp->index) + " " + describeWait(block, *warp, warp->splits[i]));
    }
    if (elsewhere.size() > 8)
      elsewhere.resize(8), elsewhere.push_back("and more");
    std::string text = fmt::format("barrier {}: {} of {} threads arrived", id,
                                   std::min(barrier.arrived, barrier.expected), barrier.expected);
    for (size_t i = 0; i < elsewhere.size(); ++i)
      text += (i ? ", " : "; not: ") + elsewhere[i];
    details.push_back(text);
  }
}

Fault Block::deadlock() const {
  Fault f;
  f.kind = FaultKind::Deadlock;
  f.kernel = grid->kernel.info.name;
  f.waiting = waiting();
  f.text = fmt::format("deadlock in block ({},{},{}): every thread that is left waits", id.x, id.y, id.z);
  f.where.block = id;
  if (!f.waiting.empty()) {
    f.source = f.waiting.front().source;
    f.ptx = f.waiting.front().ptx;
  }
  whoNeverCame(*this, f.details);
  return f;
}

} // namespace heddle::vm
