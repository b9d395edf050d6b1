// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp issues its instructions in order and waits where one needs a result that is not there yet. The order
// is that of ptxas, which the PTX does not show; but ptxas moves loads up within their basic block as far as
// what they need and stores before them allow. So an instruction is taken to be issued once
//  - what it reads is there,
//  - for a load: every store before it in the block was issued, since the two may be of one address (unless
//  the load
//    is one of read-only data, ld.global.nc),
//  - for stores, atomics, barriers and fences: everything of their kind before them was.
// The block is through when its last instruction is issued and its loads are there: what a later block does
// with them is not known here. Loops whose loads are used an iteration later are taken for slower than
// they are.
//
// The schedule is computed for two latencies of global memory, none and a long one; what the difference
// makes of the long one is the number of rounds.
#include "counts/Spans.h"

#include "divergence/InstructionLatency.h"
#include "model/Thresholds.h"
#include "ptx/Destinations.h"
#include "ptx/Module.h"
#include "vm/Code.h"
#include "vm/Lowering.h"

#include <algorithm>
#include <unordered_map>

namespace heddle::counts {
namespace {

using ptx::Op;
using ptx::Space;

/// Longer than any chain of a block's other instructions matters beside it.
constexpr double LongLatency = 1000;

enum class Kind { Plain, Load, Store, Fence, AsyncWait };

Kind kindOf(const ptx::Instr &instr) {
  using enum ptx::OpClass;
  const ptx::OpInfo &op = ptx::info(instr.op);
  if (op.cls == Barrier || op.cls == Mbarrier || op.cls == Fence || op.cls == Call)
    return Kind::Fence;
  if (op.cls == AsyncWait)
    return Kind::AsyncWait;
  switch (op.memory) {
  case ptx::Memory::Loads:
    return instr.mods.space == Space::Param || instr.mods.space == Space::Const ? Kind::Plain : Kind::Load;
  case ptx::Memory::Stores:
  case ptx::Memory::Updates:
  case ptx::Memory::CopiesAsync: return Kind::Store;
  case ptx::Memory::Orders:
  case ptx::Memory::None: return Kind::Plain;
  }
  return Kind::Plain;
}

bool readsGlobal(std::string_view cls) {
  return cls == "ld.global.l1" || cls == "ld.generic.l1" || cls == "tex";
}
/// Moves and extensions are names of registers, mostly.
bool takesASlot(std::string_view cls) {
  return cls != divergence::NoInstruction && cls != "mov.b32" && cls != "cvt.s64.s32";
}
bool isAtomicOfGlobal(std::string_view cls) { return cls.starts_with("atom.global"); }

class Schedule {
public:
  Schedule(const ptx::Function &owner, const std::optional<arch::LatencyTable> &table, double latencyOfGlobal)
      : function(owner), latencies(table), global(latencyOfGlobal) {}

  /// `isIssued`: false for a load that is part of another one.
  void add(const ptx::Instr &instr, bool isIssued) {
    const std::string_view cls = divergence::latencyClassOf(function, instr);
    const Kind kind = kindOf(instr);
    double at = std::max(issueOf(instr), fence);
    if (kind == Kind::Load && !instr.mods.has(ptx::Flag::NonCoherent))
      at = std::max(at, stores);
    if (kind == Kind::Store)
      at = stores = std::max(at, stores);
    if (kind == Kind::Fence || kind == Kind::AsyncWait)
      at = std::max(at, last);
    const double done = at + resultAfter(instr, cls, kind);
    if (kind == Kind::Fence || kind == Kind::AsyncWait)
      fence = done;
    last = std::max(last, at);
    end = std::max(end, kind == Kind::Store && !isAtomicOfGlobal(cls) ? at : done);
    slots += isIssued && takesASlot(cls);
    eachWritten(function, instr, [&](uint32_t reg) { ready[reg] = done; });
  }
  double span() const { return std::max(end, model::threshold::launch::cyclesPerIssue * slots); }

private:
  /// Destinations that are waited for too do no harm: compilers write each register once.
  double issueOf(const ptx::Instr &instr) const {
    double at = 0;
    auto wait = [&](uint32_t reg) {
      if (auto found = ready.find(reg); found != ready.end())
        at = std::max(at, found->second);
    };
    eachRead(function, instr, wait);
    if (instr.guard)
      wait(instr.guard.reg);
    return at;
  }
  /// A wait for copies that leaves some groups under way has had the time of as many groups already.
  double resultAfter(const ptx::Instr &instr, std::string_view cls, Kind kind) const {
    if (kind == Kind::AsyncWait) {
      const auto operands = function.operandsOf(instr);
      return global / (1 + double(operands.empty() ? 0 : operands[0].value));
    }
    if (cls == divergence::NoInstruction)
      return 0;
    if (readsGlobal(cls) || isAtomicOfGlobal(cls))
      return global;
    return arch::latencyOf(latencies, cls).cycles;
  }

  const ptx::Function &function;
  const std::optional<arch::LatencyTable> &latencies;
  const double global;
  std::unordered_map<uint32_t, double> ready; ///< by register, of those that the block has written
  double stores = 0, fence = 0, last = 0; ///< when the last one was issued, was through, anything was issued
  double end = 0, slots = 0;
};

double spanOf(const vm::Code &code, const vm::BlockOfCode &block, const std::vector<MergedLoad> &loads,
              const std::optional<arch::LatencyTable> &latencies, double global) {
  Schedule schedule(*code.function, latencies, global);
  for (uint32_t site = block.firstSite; site < block.firstSite + block.sites; ++site)
    schedule.add(code.function->instrs[site - code.firstSite], !loads[site].isPartOfAnother());
  return schedule.span();
}

} // namespace

std::vector<MergedLoad> mergedLoadsOf(const vm::Kernel &kernel) {
  std::vector<MergedLoad> loads(kernel.info.sites);
  for (const auto &code : kernel.codes)
    std::ranges::copy(mergedLoads(*code->function), loads.begin() + code->firstSite);
  return loads;
}

std::vector<Span> spansOf(const vm::Kernel &kernel, const std::vector<MergedLoad> &loads,
                          const std::optional<arch::LatencyTable> &latencies) {
  std::vector<Span> spans(kernel.codeBlocks.size());
  for (const auto &code : kernel.codes)
    for (const vm::BlockOfCode &block : kernel.codeBlocks) {
      const uint32_t first = block.firstSite - code->firstSite;
      if (block.firstSite < code->firstSite || first >= code->function->instrs.size())
        continue;
      const double alone = spanOf(*code, block, loads, latencies, 0);
      const double withMemory = spanOf(*code, block, loads, latencies, LongLatency);
      spans[block.index] = {alone, (withMemory - alone) / LongLatency};
    }
  return spans;
}

} // namespace heddle::counts
