// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses in loops whose length is data.
//
//     for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
//       y[i] = ...
//
// The walk of a region (StaticFlow.cpp) passes such a loop once, and that one iteration is to be any. Registers that
// the loop writes would then hold anything; but most of them move by the same step from iteration to iteration, and what
// they hold is a sum: what they held at first, plus completed iterations times step.
//
//   1. When a warp comes to the loop's branch for the first time, each register that the loop writes gets a symbol
//      of its own, and one iteration is executed without reporting its events.
//   2. Back at the branch, a register whose sum is its own symbol plus something without such symbols moves by that
//      step, whatever all of them held. The others, and those that two ways leave with different sums, may hold anything.
//   3. The iteration that counts is walked with `first + iterations * step`. How many iterations a thread has completed is
//      a symbol too, but one that each thread has for itself: who compares addresses keeps that in mind (StaticOverlap.cpp).
//
// What follows from going back (`i < n`) is carried over in the same way: it has to be the same comparison before the
// first iteration and after one.
#include "check/StaticSteering.h"
#include "vm/Lowering.h"

#include <cstring>

namespace heddle::check {

using namespace vm;

namespace {

constexpr FormValue Anything{Forms::Opaque, 0};
constexpr size_t MostRegisters = Forms::Registers - 1, MostLoops = Forms::Registers - Forms::Loops;

bool isInteger(const ptx::Register &reg) {
  return reg.cls == ptx::RegClass::B32 || reg.cls == ptx::RegClass::B64;
}

bool isSame(const FormValue &a, const FormValue &b) { return a.form == b.form && a.offset == b.offset; }

} // namespace

// --- facts
// -------------------------------------------------------------------------------------------------------

StaticSteering::Assume::Assume(StaticSteering &steering, uint32_t lanes, const Facts &facts)
    : all(steering.facts), before(all.size()) {
  for (unsigned i = 0; i < facts.count; ++i)
    if (steering.mentions(lanes, facts.atLeastZero[i], Forms::Parameters, Forms::Loops) ||
        steering.mentions(lanes, facts.atLeastZero[i], Forms::BlockIdx, Forms::GridDim))
      all.emplace_back(lanes, facts.atLeastZero[i]);
}

Facts StaticSteering::guardFacts(uint32_t guard, bool value) const {
  const Condition *condition = follows && guard != ptx::kNone ? regs->conditionOf(guard) : nullptr;
  return !condition ? Facts{} : value ? condition->ifTrue : condition->ifFalse;
}

bool StaticSteering::mentions(uint32_t lanes, const LaneForms &sums, uint32_t first, uint32_t end) const {
  for (uint32_t left = lanes; left; left &= left - 1)
    if (const FormId form = sums[unsigned(__builtin_ctz(left))].form; form != Forms::Opaque)
      return forms.mentions(form, first, end);
  return false;
}

/// The innermost ones come first, and those with a parameter before others: they separate the digits of an
/// address that has a parameter as a factor. Where it has none, a bound of blockIdx is enough.
void StaticSteering::gatherFacts(uint32_t mask) {
  global.facts.count = 0;
  for (const bool withParameter : {true, false})
    for (const auto *list : {&std::as_const(facts), &std::as_const(shadow->remains)})
      for (size_t i = list->size(); i-- > 0 && global.facts.count < Facts::Most;)
        if (const auto &[lanes, sums] = (*list)[i];
            lanes & mask && mentions(lanes, sums, Forms::Parameters, Forms::Loops) == withParameter) {
          global.facts.add(sums);
          LaneForms &added = global.facts.atLeastZero[global.facts.count - 1];
          eachLane(~lanes, [&](unsigned lane) { added[lane] = Anything; });
        }
}

// --- loops
// -------------------------------------------------------------------------------------------------------

/// What a register holds, known or not.
void StaticSteering::currentSums(Warp &warp, uint32_t reg, uint32_t mask, LaneForms &out) {
  const ptx::Function &f = *plan->code->function;
  if (registerLocations.empty() || registersOf != &f)
    registerLocations = registerLocs(f), registersOf = &f;
  const uint8_t *row = warp.frame().regs + registerLocations[reg];
  const bool isWide = f.registers[reg].cls == ptx::RegClass::B64;
  const LaneForms *sums = regs->formsOf(reg);
  const uint32_t unknown = regs->lanesOf(reg);
  out.fill(Anything);
  eachLane(mask, [&](unsigned lane) {
    if (unknown >> lane & 1) {
      out[lane] = sums ? (*sums)[lane] : Anything;
      return;
    }
    int32_t narrow;
    int64_t wide;
    std::memcpy(&narrow, row + 4 * lane, 4);
    if (isWide)
      std::memcpy(&wide, row + 8 * lane, 8);
    out[lane] = {Forms::Constant, isWide ? wide : narrow};
  });
}

/// A warp is back at the branch of a loop.
void StaticSteering::closeLoop(Warp &warp, const Inst &in, const TaintStep &s, const Region &region,
                               uint32_t mask) {
  if (!dry || dry->branch != &in)
    return;
  for (size_t i = 0; i < dry->registers.size(); ++i) {
    LaneForms now;
    currentSums(warp, dry->registers[i], mask, now);
    eachLane(mask, [&](unsigned lane) {
      const bool isFirst = !(dry->arrived >> lane & 1);
      dry->after[i][lane] = isFirst || isSame(dry->after[i][lane], now[lane]) ? now[lane] : Anything;
    });
  }
  dry->back = dry->arrived ? Facts{} : backFacts(in, s, region);
  dry->arrived |= mask;
}

/// What follows from going back.
Facts StaticSteering::backFacts(const Inst &in, const TaintStep &s, const Region &region) const {
  if (s.rule != TaintRule::Branch || region.jumpsBack == region.fallsBack)
    return {};
  return guardFacts(s.guard, region.jumpsBack != bool(in.mode));
}

/// A sum of what registers held at the beginning of an iteration, when so many have been completed.
FormValue StaticSteering::later(const OpenLoop &loop, const FormValue &sum, unsigned lane,
                                const FormValue &iterations) {
  if (sum.form == Forms::Opaque)
    return Anything;
  FormValue result{Forms::Constant, sum.offset};
  const Forms::Polynomial terms = forms.of(sum.form);
  for (const auto &[monomial, coefficient] : terms) {
    FormValue term{Forms::Constant, 1};
    for (Forms::Symbol symbol : monomial)
      if (symbol < Forms::Registers) {
        term = forms.multiply(term, {forms.symbol(symbol), 0});
      } else {
        const size_t i = symbol - Forms::Registers;
        term = forms.multiply(
            term, forms.add(loop.before[i][lane], forms.multiply(loop.steps[i][lane], iterations)));
      }
    result = forms.add(result, term, coefficient);
  }
  return result;
}

Facts StaticSteering::enterLoop(Warp &warp, const Inst &in, const TaintStep &s, const Region &region,
                                uint32_t mask, const Taint &unsure, const std::vector<uint32_t> &ways,
                                uint32_t join) {
  const ptx::Function &f = *plan->code->function;
  OpenLoop loop;
  loop.branch = &in;
  for (uint32_t reg : region.written)
    if (follows && !dry && onlyGlobal && isInteger(f.registers[reg]) &&
        loop.registers.size() < MostRegisters) {
      loop.registers.push_back(reg);
      currentSums(warp, reg, mask, loop.before.emplace_back());
    }
  const Facts first = backFacts(in, s, region);
  forget(region, mask, unsure.origins);
  if (region.storesShared) { // what an iteration reads there an earlier one may have stored
    sharedBytes.forget();
    sharedBytes.origins |= unsure.origins;
  }
  const auto symbolAt =
      loopSymbols.try_emplace(&plan->code->sourceOf(in), Forms::Symbol(Forms::Loops + loopSymbols.size()))
          .first;
  if (loop.registers.empty() || loopSymbols.size() > MostLoops)
    return {};
  const Forms::Symbol symbol = symbolAt->second;
  loop.after.resize(loop.registers.size());
  for (size_t i = 0; i < loop.registers.size(); ++i) {
    LaneForms own;
    own.fill({forms.symbol(Forms::Symbol(Forms::Registers + i)), 0});
    regs->setForms(loop.registers[i], mask, own);
  }
  dry = &loop;
  for (uint32_t way : ways) {
    const Flow flow = walk(warp, way, mask, join);
    if (flow != Flow::Next || abandoned)
      break; // the iteration that counts comes to the same end
  }
  dry = nullptr;
  forget(region, mask, unsure.origins);
  const FormValue iterations{forms.symbol(symbol), 0}, before = forms.add(iterations, {Forms::Constant, -1});
  for (size_t i = 0; i < loop.registers.size(); ++i) {
    const FormValue own{forms.symbol(Forms::Symbol(Forms::Registers + i)), 0};
    LaneForms &steps = loop.steps.emplace_back(), sums;
    steps.fill(Anything), sums.fill(Anything);
    eachLane(mask & loop.arrived, [&](unsigned lane) {
      const FormValue step = forms.add(loop.after[i][lane], own, -1);
      if (step.form == Forms::Opaque || forms.mentions(step.form, Forms::Registers, 0x10000))
        return;
      steps[lane] = step;
      sums[lane] = forms.add(loop.before[i][lane], forms.multiply(step, iterations));
    });
    regs->setForms(loop.registers[i], mask, sums);
  }
  Facts back;
  for (unsigned i = 0; i < first.count && i < loop.back.count; ++i) {
    LaneForms sums;
    sums.fill(Anything);
    eachLane(mask & loop.arrived, [&](unsigned lane) {
      const FormValue &one = loop.back.atLeastZero[i][lane];
      if (isSame(later(loop, one, lane, {Forms::Constant, -1}), first.atLeastZero[i][lane]))
        sums[lane] = later(loop, one, lane, before);
    });
    back.add(sums);
  }
  return back;
}

} // namespace heddle::check
