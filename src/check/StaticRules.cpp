// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lanes of a result are known. In general those whose sources all are; sharper where kernels compute
// addresses and conditions: zero times anything, a selection by a known predicate, "false and anything". The
// simulator computes on whatever is in the unknown lanes, so a rule may call a lane known only if its
// result is the same for every value there.
#include "check/StaticSteering.h"
#include "vm/Lanes.h"
#include "vm/Lowering.h"

#include <cstring>

namespace heddle::check {

using namespace vm;

namespace {

template <class T> uint32_t lanesEqual(Warp &warp, Loc loc, T value) {
  const T *row = warp.row<T>(loc);
  uint32_t lanes = 0;
  HEDDLE_EACH_LANE(lane) lanes |= row[lane] == value ? 1u << lane : 0u;
  return lanes;
}

/// Lanes whose bits are all zero, or all one.
uint32_t lanesUniform(Warp &warp, Loc loc, unsigned bits, bool ones) {
  switch (bits) {
  case 16: return lanesEqual<uint16_t>(warp, loc, ones ? uint16_t(~0u) : uint16_t(0));
  case 32: return lanesEqual<uint32_t>(warp, loc, ones ? ~0u : 0u);
  case 64: return lanesEqual<uint64_t>(warp, loc, ones ? ~uint64_t(0) : 0);
  default: return 0;
  }
}

} // namespace

Taint StaticSteering::sourcesOf(const TaintStep &s, uint32_t mask) const {
  Taint all{s.special ? mask : 0, s.special};
  for (uint32_t reg : srcsOf(s))
    if (reg != ptx::kNone)
      all.add(regs->of(reg, mask));
  return all;
}

/// setp.and p, a, b, c and relatives. Where c is unknown the comparison alone may settle it: it is made with
/// a c that leaves the word to the comparison.
Taint StaticSteering::compareResult(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask) const {
  Taint all = sourcesOf(s, mask);
  const auto op = ptx::BoolOp(in.mode);
  if (!all.lanes || in.c == NoLoc || s.srcs < 3 || (op != ptx::BoolOp::And && op != ptx::BoolOp::Or) ||
      in.d != NoLoc)
    return all;
  const bool isAnd = op == ptx::BoolOp::And;
  const auto srcs = srcsOf(s);
  const uint32_t unknownJoin = taintOf(srcs[2], mask).lanes;
  const uint32_t unknownTest = taintOf(srcs[0], mask).lanes | taintOf(srcs[1], mask).lanes;
  const uint32_t join = warp.pred(in.c);
  uint32_t settled = ~unknownJoin & (isAnd ? ~join : join);
  if (unknownJoin & ~unknownTest) {
    const uint32_t before = warp.pred(in.dst);
    warp.pred(in.c) = isAnd ? AllLanes : 0;
    in.run(warp, in, mask);
    const uint32_t test = warp.pred(in.dst);
    warp.pred(in.dst) = before;
    warp.pred(in.c) = join;
    settled |= ~unknownTest & (isAnd ? ~test : test);
  }
  all.lanes &= ~settled;
  return all;
}

Taint StaticSteering::resultOf(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask) const {
  if (s.rule == TaintRule::Cancel)
    return {};
  if (s.rule == TaintRule::ActiveMask)
    return {perhaps || mask != warp.alive() ? mask : 0, origin::Hardware};
  Taint all = sourcesOf(s, mask);
  if (s.rule == TaintRule::Carry && s.carries & 1)
    all.add({shadow->carry.lanes & mask, shadow->carry.origins});
  if (!all.lanes || s.special)
    return all;
  const unsigned bits = ptx::bitsOf(plan->code->sourceOf(in).type());
  auto taint = [&](unsigned i) { return taintOf(srcsOf(s)[i], mask); };
  auto knownAll = [&](unsigned i, Loc loc, bool ones) {
    return lanesUniform(warp, loc, bits, ones) & ~taint(i).lanes;
  };
  switch (s.rule) {
  case TaintRule::AndBits: all.lanes &= ~(knownAll(0, in.a, false) | knownAll(1, in.b, false)); break;
  case TaintRule::OrBits: all.lanes &= ~(knownAll(0, in.a, true) | knownAll(1, in.b, true)); break;
  case TaintRule::AndPred:
    all.lanes &= ~((~warp.pred(in.a) & ~taint(0).lanes) | (~warp.pred(in.b) & ~taint(1).lanes));
    break;
  case TaintRule::OrPred:
    all.lanes &= ~((warp.pred(in.a) & ~taint(0).lanes) | (warp.pred(in.b) & ~taint(1).lanes));
    break;
  case TaintRule::Product: {
    const uint32_t zero = knownAll(0, in.a, false) | knownAll(1, in.b, false);
    all.lanes &= ~zero | (s.srcs > 2 ? taint(2).lanes : 0);
    break;
  }
  case TaintRule::Select: {
    const uint32_t first = warp.pred(in.c);
    all.lanes = (taint(2).lanes | (first & taint(0).lanes) | (~first & taint(1).lanes)) & mask;
    break;
  }
  case TaintRule::Compare: return compareResult(warp, in, s, mask);
  default: break;
  }
  return all;
}

/// isspacep of shared or local memory, for a register that never holds such an address.
bool StaticSteering::isElsewhere(const Inst &in, const TaintStep &s) const {
  const uint32_t reg = srcsOf(s)[0];
  const uint64_t window = uint64_t(in.imm);
  return reg != ptx::kNone && ((window == SharedWindow && !sharedPointers.mayHold(*plan->code, reg)) ||
                               (window == LocalWindow && !localPointers.mayHold(*plan->code, reg)));
}

/// Whether each source has one value in all lanes, known or not, and one of them is not known.
bool StaticSteering::sourcesAlike(Warp &warp, const TaintStep &s, uint32_t mask) {
  if (!regs->anyAlike() || s.special)
    return false;
  const ptx::Function &f = *plan->code->function;
  if (registerLocations.empty() || registersOf != &f)
    registerLocations = registerLocs(f), registersOf = &f;
  bool any = false;
  for (uint32_t reg : srcsOf(s)) {
    if (reg == ptx::kNone)
      continue;
    if (regs->isAlike(reg)) {
      any = true;
      continue;
    }
    const uint8_t *row = warp.frame().regs + registerLocations[reg];
    const unsigned bits = ptx::bitsOf(f.registers[reg].cls), bytes = bits / 8, first = firstLane(mask);
    if (regs->lanesOf(reg) & mask || bits == 1)
      return false;
    for (uint32_t left = mask; left; left &= left - 1)
      if (std::memcmp(row + unsigned(__builtin_ctz(left)) * bytes, row + first * bytes, bytes) != 0)
        return false;
  }
  return any;
}

Flow StaticSteering::compute(Warp &warp, const Inst &in, const TaintStep &s, const Who &who) {
  const uint32_t mask = who.sure | who.maybe;
  Taint result = resultOf(warp, in, s, mask);
  uint32_t elsewhere = 0;
  if (s.rule == TaintRule::IsSpace && result.lanes && isElsewhere(in, s)) {
    elsewhere = result.lanes; // an address that is data is one of global memory: neither shared nor local
    result.lanes = 0;
  }
  if (who.maybe)
    result.add({who.maybe, who.because});
  if (s.rule == TaintRule::Carry && s.carries & 2)
    shadow->carry = {(shadow->carry.lanes & ~mask) | result.lanes, shadow->carry.origins | result.origins};
  const bool isAlike = s.dsts && result.lanes == mask && mask == warp.alive() && !who.maybe &&
                       s.rule != TaintRule::ActiveMask && s.rule != TaintRule::Carry &&
                       sourcesAlike(warp, s, mask);
  const bool isOne = s.dsts == 1 || (s.dsts == 2 && dstsOf(s)[1] == ptx::kNone);
  const bool isPredicate = isOne && dstsOf(s)[0] != ptx::kNone &&
                           plan->code->function->registers[dstsOf(s)[0]].cls == ptx::RegClass::Pred;
  if (follows && result.lanes & who.sure && s.dsts == 1 && !isPredicate) {
    const uint32_t lanes = result.lanes & who.sure;
    LaneForms sums; // found first: the destination may be a source
    const bool isSum = follow(warp, in, s, lanes, sums);
    std::optional<Extremum> extremum = isSum ? std::nullopt : followExtremum(warp, in, s, lanes);
    setDsts(s, mask, result);
    if (isSum)
      regs->setForms(dstsOf(s)[0], lanes, sums);
    else if (extremum && dstsOf(s)[0] != ptx::kNone)
      regs->setExtremum(dstsOf(s)[0], std::move(*extremum));
  } else if (follows && result.lanes & who.sure && isPredicate) {
    const Condition condition = followPredicate(warp, in, s, result.lanes & who.sure);
    setDsts(s, mask, result);
    regs->setCondition(dstsOf(s)[0], condition);
  } else {
    setDsts(s, mask, result);
  }
  if (isAlike && dstsOf(s)[0] != ptx::kNone)
    regs->setAlike(dstsOf(s)[0]);
  if (!(who.sure & ~result.lanes) && s.dsts)
    return Flow::Next; // the values are not needed
  Flow flow = in.run(warp, in, who.sure);
  if (elsewhere)
    warp.pred(in.dst) &= ~elsewhere;
  return flow;
}

} // namespace heddle::check
