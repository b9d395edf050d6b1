// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA C++ Programming Guide, "Synchronization Functions": __syncthreads() is allowed in conditional code
// only if the condition is the same for the whole block; since Volta the barrier waits for all threads of the
// block that have not exited. So a thread may end instead of coming to a barrier, but not go round it.
//
// The two are distinguished by where the ways of a branch reconverge (its immediate post-dominator). Is that the
// end of the kernel, or code that does nothing any more, then the thread that comes to no barrier has left
// the kernel; else it has left the branch or the loop only. This is a property of the thread's path: the
// order in which threads run does not enter.
#include "check/BarrierPaths.h"

#include "ptx/Cfg.h"

#include <algorithm>
#include <map>
#include <set>

namespace heddle::check {
namespace {

using ptx::Op;
using Sites = std::set<uint32_t>;

bool isBarrier(Op op) {
  switch (op) {
  case Op::BarSync:
  case Op::BarCtaSync:
  case Op::BarRed:
  case Op::BarCtaRed:
  case Op::BarrierSync:
  case Op::BarrierCtaSync:
  case Op::BarrierRed:
  case Op::BarrierCtaRed: return true;
  default: return false;
  }
}

/// 0: of no line.
uint32_t lineInSource(const ptx::Module &module, const ptx::Instr &instr) {
  return instr.loc == ptx::kNone ? 0 : module.locs[instr.loc].line;
}

class Finder {
public:
  explicit Finder(const vm::Kernel &k) : kernel(k) {
    for (const auto &code : kernel.codes) {
      byFunction[code->function] = code.get();
      std::vector<uint32_t> &ofCode = sites[code.get()];
      ofCode.assign(code->function->instrs.size(), ~0u);
      for (size_t i = 0; i < code->insts.size(); ++i)
        if (code->insts[i].counts)
          ofCode[code->sources[i]] = code->insts[i].site;
    }
  }

  Sites barriersOf(const vm::Code &code) {
    if (known.try_emplace(&code).second) { // a recursive call finds the empty set, and the outer one the rest
      Sites all;
      for (uint32_t b = 0; b < code.function->blocks.size(); ++b)
        all.merge(barriersIn(code, b));
      known[&code] = all;
    }
    return known[&code];
  }

  /// Of the instructions of a block, functions that they call included.
  Sites barriersIn(const vm::Code &code, uint32_t block) {
    Sites found;
    const ptx::Function &f = *code.function;
    for (uint32_t i = f.blocks[block].first; i < f.blocks[block].end; ++i) {
      if (isBarrier(f.instrs[i].op))
        found.insert(siteOf(code, i));
      if (f.instrs[i].op == Op::Call)
        for (const ptx::Operand &operand : f.operandsOf(f.instrs[i]))
          if (operand.kind == ptx::OperandKind::Func)
            if (auto callee = byFunction.find(&code.module->functions[operand.index]);
                callee != byFunction.end())
              found.merge(barriersOf(*callee->second));
    }
    return found;
  }

  /// Barriers on the ways from a block to `join`.
  Sites barriersBefore(const vm::Code &code, uint32_t from, uint32_t join) {
    Sites found;
    const ptx::Function &f = *code.function;
    std::vector<bool> seen(f.blocks.size(), false);
    std::vector<uint32_t> todo;
    auto visit = [&](uint32_t block) {
      if (block != join && !seen[block])
        seen[block] = true, todo.push_back(block);
    };
    visit(from);
    while (!todo.empty()) {
      const uint32_t block = todo.back();
      todo.pop_back();
      found.merge(barriersIn(code, block));
      for (uint32_t succ : f.blocks[block].succs)
        visit(succ);
    }
    return found;
  }

  /// Whether nothing but the thread's end follows. Compilers make one store of the one before an early return
  /// and the one at the end of the kernel; it belongs to no source line then, and does not count.
  bool onlyEnds(const vm::Code &code, uint32_t from) {
    const ptx::Function &f = *code.function;
    const bool hasLines = std::any_of(f.instrs.begin(), f.instrs.end(), [&](const ptx::Instr &instr) {
      return lineInSource(*code.module, instr) != 0;
    });
    std::vector<bool> seen(f.blocks.size(), false);
    std::vector<uint32_t> todo = {from};
    seen[from] = true;
    while (!todo.empty()) {
      const ptx::Block &block = f.blocks[todo.back()];
      todo.pop_back();
      for (uint32_t i = block.first; i < block.end; ++i) {
        const ptx::OpInfo &info = ptx::info(f.instrs[i].op);
        const bool merged = hasLines && f.instrs[i].op == Op::St && !lineInSource(*code.module, f.instrs[i]);
        if ((info.memory != ptx::Memory::None && !merged) || f.instrs[i].op == Op::Call ||
            (info.lanes != ptx::Lanes::Each && info.lanes != ptx::Lanes::Flow))
          return false;
      }
      for (uint32_t succ : block.succs)
        if (!seen[succ])
          seen[succ] = true, todo.push_back(succ);
    }
    return true;
  }

  uint32_t siteOf(const vm::Code &code, uint32_t instr) { return sites.at(&code)[instr]; }

private:
  const vm::Kernel &kernel;
  std::map<const ptx::Function *, const vm::Code *> byFunction;
  std::map<const vm::Code *, Sites> known;
  std::map<const vm::Code *, std::vector<uint32_t>> sites; ///< by instruction
};

std::vector<uint32_t> without(const Sites &all, const Sites &some) {
  std::vector<uint32_t> left;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(left));
  return left;
}

} // namespace

BarrierPaths::BarrierPaths(const vm::Kernel &kernel) {
  Finder finder(kernel);
  for (const auto &code : kernel.codes) {
    const ptx::Function &f = *code->function;
    if (finder.barriersOf(*code).empty())
      continue;
    for (const ptx::Block &block : f.blocks) {
      const uint32_t last = block.end - 1;
      const ptx::Instr &instr = f.instrs[last];
      // A function's end is not the kernel's: who leaves a function early goes on after the call.
      const bool meets = block.ipdom != ptx::kNone && !(f.isEntry && finder.onlyEnds(*code, block.ipdom));
      if (instr.op != Op::Bra || !instr.guard || block.succs.size() < 2 || (f.isEntry && !meets))
        continue;
      const uint32_t target = f.blockOf[f.operandsOf(instr)[0].index];
      const Sites falling = finder.barriersBefore(
          *code, block.succs[0] == target ? block.succs[1] : block.succs[0], block.ipdom);
      const Sites jumping = finder.barriersBefore(*code, target, block.ipdom);
      Branch fact;
      fact.skipped[1] = without(falling, jumping);
      fact.skipped[0] = without(jumping, falling);
      if (fact.skipped[0].empty() && fact.skipped[1].empty())
        continue;
      const uint32_t site = finder.siteOf(*code, last);
      if (site >= branches.size())
        branches.resize(site + 1, 0);
      facts.push_back(std::move(fact));
      branches[site] = uint32_t(facts.size());
    }
  }
}

bool BarrierPaths::passesBy(uint32_t branchSite, bool taken, uint32_t barrierSite) const {
  if (!decides(branchSite))
    return false;
  const std::vector<uint32_t> &skipped = facts[branches[branchSite] - 1].skipped[taken];
  return std::binary_search(skipped.begin(), skipped.end(), barrierSite);
}

} // namespace heddle::check
