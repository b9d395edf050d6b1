// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that may leave before the others synchronize, as data decides:
//
//     if (i >= n) return;
//     ...
//     __syncthreads();
//
// Any threads of the block may be those that remain. It is enough to execute the kernel with all of them:
//
//   - Those that leave have accessed nothing and have reached no barrier, so the others do what they would do without them.
//   - The others synchronize by barriers of the whole block only, at which threads that have ended count as arrived (an
//     assumption of the verdict). Two accesses are then ordered by the barriers between them, whoever else remains:
//     threads that remain race, or come to different barriers, only if they do so among all.
//   - What they read is another matter: a thread that left has not written. So nothing that is stored from then on counts
//     as known, and what another thread wrote may not have been written (StaticObserver.cpp).
//
// What depends on which lanes are there - votes, shuffles, member masks, activemask, barriers with a count - is left
// undecided, as are threads that wait for others by looking at memory.
//
// A violation among all threads is certain only if all may remain: each comparison that keeps them there is one that
// large parameters satisfy. Else what is found is undecided.
#include "check/StaticSteering.h"
#include "vm/Lowering.h"

#include <algorithm>

namespace heddle::check {

using namespace vm;
using ptx::Op;

namespace {

bool hasActiveMask(const Kernel &kernel) {
  return std::ranges::any_of(kernel.codes, [](const auto &code) {
    return std::ranges::any_of(code->function->instrs,
                               [](const ptx::Instr &instr) { return instr.op == Op::ActiveMask; });
  });
}

/// The one instruction that writes a predicate; null: there are several.
const ptx::Instr *onlyWriter(const ptx::Function &f, uint32_t reg) {
  const ptx::Instr *found = nullptr;
  for (const ptx::Instr &instr : f.instrs) {
    for (unsigned i = 0; i < countDests(f, instr); ++i)
      if (const ptx::Operand &operand = f.operandsOf(instr)[i]; operand.isReg() && operand.index == reg) {
        if (found)
          return nullptr;
        found = &instr;
      }
  }
  return found;
}

/// Whether what follows from the predicate having that value (StaticConditions.h) is all that it takes.
bool isExact(const ptx::Function &f, uint32_t reg, bool value) {
  const ptx::Instr *writer = onlyWriter(f, reg);
  if (!writer || writer->guard)
    return false;
  auto operands = f.operandsOf(*writer);
  auto source = [&](unsigned i, bool wanted) {
    return operands[i].isReg() && !operands[i].negated && isExact(f, operands[i].index, wanted);
  };
  switch (writer->op) {
  case Op::Setp: // p, or p|q, and two numbers
    return operands.size() == 4 && operands[1].kind == ptx::OperandKind::Sink;
  case Op::Not: return source(1, !value);
  case Op::And: return value && source(1, true) && source(2, true);
  case Op::Or: return !value && source(1, false) && source(2, false);
  default: return false;
  }
}

/// Whether large parameters make the sum at least 0.
bool growsWithParameters(const Forms &forms, FormId form) {
  if (form == Forms::Opaque || form == Forms::Constant)
    return false;
  bool grows = false;
  for (const auto &[monomial, factor] : forms.of(form)) {
    const bool hasParameter = std::ranges::any_of(
        monomial, [](Forms::Symbol symbol) { return symbol >= Forms::Parameters && symbol < Forms::Loops; });
    if (hasParameter && (monomial.size() != 1 || factor <= 0))
      return false;
    grows |= hasParameter;
  }
  return grows;
}

} // namespace

/// The way on which the thread remains: whether it is the jump. Nothing: neither side just leaves.
std::optional<bool> StaticSteering::remainsByJumping(const Inst &in, const TaintStep &s) const {
  if (s.rule == TaintRule::Leave)
    return false;
  const ptx::Function &f = *plan->code->function;
  const uint32_t index = indexOf(in);
  if (s.rule != TaintRule::Branch || index + 1 >= f.instrs.size())
    return std::nullopt;
  const bool jumpLeaves = leavesAtOnce(f, f.blockOf[f.operandsOf(f.instrs[index])[0].index]);
  return jumpLeaves == leavesAtOnce(f, f.blockOf[index + 1]) ? std::nullopt : std::optional(!jumpLeaves);
}

bool StaticSteering::mayLeaveEarly(Warp &warp, const Inst &in, const TaintStep &s, const Region &region,
                                   uint32_t unsure) {
  const ptx::Function &f = *plan->code->function;
  return !perhaps && f.isEntry && unsure == warp.alive() && unsure == warp.now().mask && region.blockSync &&
         !region.loops && remainsByJumping(in, s) && !regions.actsBefore(f, indexOf(in)) &&
         regions.polledIn(f).empty() && !hasActiveMask(kernel);
}

/// All lanes remain.
Flow StaticSteering::remain(Warp &warp, const Inst &in, const TaintStep &s, Origins because) {
  const uint32_t mask = warp.now().mask;
  const bool isBranch = s.rule == TaintRule::Branch;
  const Loc pred = isBranch ? in.b : in.guard;
  const bool holds = *remainsByJumping(in, s) != (isBranch ? bool(in.mode) : in.guardNegated);
  const Facts remains = guardFacts(s.guard, holds);
  bool mayAll =
      isExact(*plan->code->function, s.guard, holds) && remains.count && remains.count < Facts::Most;
  for (unsigned i = 0; i < remains.count; ++i) {
    eachLane(mask,
             [&](unsigned lane) { mayAll &= growsWithParameters(forms, remains.atLeastZero[i][lane].form); });
    shadow->remains.emplace_back(mask, remains.atLeastZero[i]);
  }
  // Parameters that were chosen to be something else are not large.
  assumed |= !mayAll || (agreedOrigins & because);
  leftOrigins |= because;
  if (!memoryIsData)
    forgetMemory(because);
  regs->set(s.guard, mask, {});
  warp.pred(pred) = holds ? warp.pred(pred) | mask : warp.pred(pred) & ~mask;
  return isBranch ? in.run(warp, in, mask) : leave(warp, in, s);
}

} // namespace heddle::check
