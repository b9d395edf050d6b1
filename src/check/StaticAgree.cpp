// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Synchronization after a branch on data, where all threads of the block are sure to go the same way: the
// condition depends on parameters, blockIdx and gridDim, and all threads come to it alike. Such a branch is
// taken one way in one execution and the other way in another (StaticChoices.h).
//
// A loop of this kind may go round any number of times. From its second round on, what is not the same as in
// the round before counts as unknown: the loop's counter, and what is computed from it. If the rounds still
// differ in a shared address or in synchronization, that is named as undecided. If not, a time comes when a
// round begins as the one before began, and so do all that follow; then the loop is left. Barriers of the
// whole block and meetings inside a warp leave nothing behind, so rounds that begin alike are alike, and what
// two neighbouring rounds do to each other any two do. Not so with named barriers, mbarriers and groups of
// copies: loops over those are undecided.
#include "check/StaticSteering.h"
#include "check/StaticUniform.h"
#include "vm/Lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace heddle::check {

using namespace vm;

namespace {

// Rounds after which a loop has to repeat itself: values may be handed down through that many registers.
constexpr uint32_t SettledBy = 6;

uint32_t differingLanes(const uint8_t *now, const uint8_t *before, unsigned bits) {
  if (bits == 1) {
    uint32_t a, b;
    std::memcpy(&a, now, 4);
    std::memcpy(&b, before, 4);
    return a ^ b;
  }
  const unsigned bytes = bits / 8;
  uint32_t lanes = 0;
  for (unsigned lane = 0; lane < Lanes; ++lane)
    lanes |= uint32_t(std::memcmp(now + lane * bytes, before + lane * bytes, bytes) != 0) << lane;
  return lanes;
}

} // namespace

bool StaticSteering::mayAgree(Warp &warp, const TaintStep &s, const Region &region, uint32_t unsure) {
  const ptx::Function &f = *plan->code->function;
  if (perhaps || !f.isEntry || s.rule == TaintRule::Table || unsure != warp.alive())
    return false;
  if (region.loops && (!region.plainSync || region.fallsBack == region.jumpsBack))
    return false;
  if (!varying)
    varying = varyingRegisters(f, warp.block->grid->request.block, regions);
  return !(*varying)[s.guard];
}

void StaticSteering::forgetMemory(Origins because) {
  memoryIsData = true;
  sharedBytes.forget();
  sharedBytes.origins |= because;
  for (auto &warp : warps)
    if (warp)
      for (ByteShadow &local : warp->local)
        local.forget(), local.origins |= because;
}

/// The same for what unknown registers are sums of: an address that moves with the round is any address.
bool StaticSteering::settleSums(Arrival &last, bool compares) {
  bool same = true;
  regs->forgetExtrema(); // of numbers that may differ from round to round
  for (uint32_t reg = 0; reg < plan->code->function->registers.size(); ++reg) {
    const LaneForms *now = regs->formsOf(reg);
    if (!now)
      continue;
    auto [before, isNew] = last.sums.try_emplace(reg, *now);
    LaneForms next = *now;
    for (unsigned lane = 0; lane < Lanes && compares; ++lane) {
      const FormValue &old = before->second[lane];
      if (!(regs->lanesOf(reg) >> lane & 1) || next[lane].form == Forms::Opaque)
        continue;
      if (isNew || old.form != next[lane].form || old.offset != next[lane].offset)
        next[lane] = {Forms::Opaque, 0}, same = false;
    }
    if (!same)
      regs->setForms(reg, AllLanes, next);
    before->second = next;
  }
  return same;
}

/// Compares a round's beginning with the one before and forgets what differs; false where they should be the
/// same by now and are not.
bool StaticSteering::settle(Warp &warp, const Inst &in, uint32_t arrival, Origins because) {
  const ptx::Function &f = *plan->code->function;
  if (registerLocations.empty() || registersOf != &f)
    registerLocations = registerLocs(f), registersOf = &f;
  roundsBegun = true;
  if (!memoryIsData)
    forgetMemory(because);
  shadow->carry = {AllLanes, because};
  Arrival &last = shadow->arrivals[in.site];
  const uint8_t *frame = warp.frame().regs;
  bool same = arrival > 1;
  for (uint32_t reg = 0; reg < f.registers.size() && arrival > 1; ++reg) {
    const uint32_t unknown = regs->lanesOf(reg), before = last.unknown[reg];
    same &= unknown == before;
    if (unknown == AllLanes)
      continue;
    const uint32_t differs =
        differingLanes(frame + registerLocations[reg], last.values.data() + registerLocations[reg],
                       ptx::bitsOf(f.registers[reg].cls));
    const uint32_t forgotten = warp.now().mask & ~unknown & ~before & differs;
    same &= !forgotten;
    if (forgotten)
      regs->set(reg, forgotten, {forgotten, because | origin::Round});
  }
  same &= settleSums(last, arrival > 1);
  last.values.assign(frame, frame + plan->code->frameBytes);
  last.unknown.resize(f.registers.size());
  for (uint32_t reg = 0; reg < f.registers.size(); ++reg)
    last.unknown[reg] = regs->lanesOf(reg);
  return same || arrival < SettledBy;
}

/// One loop inside the other: what the inner one does may depend on the outer one's round.
bool StaticSteering::isNested(const Inst &in) {
  const ptx::Function &f = *plan->code->function;
  auto comesBackTo = [&](uint32_t from, uint32_t to) {
    const Region &region = regions.of(f, to);
    return reaches(f, f.blockOf[from], f.blockOf[to],
                   region.join == ptx::kNone ? ptx::kNone : f.blockOf[region.join]);
  };
  const uint32_t mine = indexOf(in);
  for (uint32_t other : agreedLoops)
    if (other != mine && comesBackTo(mine, other) && comesBackTo(other, mine))
      return true;
  agreedLoops.insert(mine);
  return false;
}

Flow StaticSteering::agree(Warp &warp, const Inst &in, const TaintStep &s, const Region &region,
                           Origins because) {
  const uint32_t mask = warp.now().mask, arrival = ++shadow->arrivals[in.site].count;
  const bool isBranch = s.rule == TaintRule::Branch;
  const Loc pred = isBranch ? in.b : in.guard;
  const bool negated = isBranch ? in.mode : in.guardNegated;
  loopPassed |= region.loops;
  if (region.loops && isNested(in))
    return syncDepends(warp, in, region, because);
  if (region.loops && !settle(warp, in, arrival, because))
    return giveUp(warp, in,
                  "the analysis of this loop, whose number of iterations depends on " + describe(because) +
                      ", does not converge",
                  because);
  // How often a loop goes round is free; but not every value that is the round's can come about, nor every
  // pair of them.
  if (because & origin::Round && !(region.loops && arrival > 1))
    assumed = true;
  agreedOrigins |= because;
  const SourceLocation at = locationOf(plan->code->sourceOf(in));
  const std::string way =
      fmt::format("{} {}:{}, which depends on {}",
                  region.loops ? "a number of iterations of the loop at" : "one outcome of the branch at",
                  std::filesystem::path(at.file).filename().string(), at.line, describe(because));
  if (at.isKnown() && std::ranges::find(ways, way) == ways.end())
    ways.push_back(way);
  assumed |= (leftOrigins & because) != 0; // whose parameters are large
  // Leaving first: the shortest executions come first, and a loop's last round leaves anyway.
  const bool jumps = region.loops ? region.fallsBack : false;
  const bool holds = choices.decide(in.site, arrival, jumps != negated, region.loops && arrival >= SettledBy);
  regs->set(s.guard, mask, {});
  warp.pred(pred) = holds ? warp.pred(pred) | mask : warp.pred(pred) & ~mask;
  return isBranch ? in.run(warp, in, mask) : leave(warp, in, s);
}

} // namespace heddle::check
