// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Synchronization must not depend on data: which barrier, how many threads, which lanes. What is shown to
// other lanes may be data; then what they get is.
#include "check/StaticSteering.h"
#include "vm/WarpSyncs.h"

namespace heddle::check {

using namespace vm;
using ptx::Op;

Flow StaticSteering::barrier(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask) {
  const ptx::Instr &instr = plan->code->sourceOf(in);
  auto operands = plan->code->function->operandsOf(instr);
  const bool reduces = s.dsts != 0;
  const size_t first = reduces ? 1 : 0, last = operands.size() - (reduces ? 1 : 0); // number and count
  Taint fixed;
  for (size_t i = first; i < last; ++i)
    fixed.add(operandTaint(operands[i], mask));
  if (fixed.lanes)
    return giveUp(warp, in,
                  "the number or the thread count of this barrier depends on " + describe(fixed.origins),
                  fixed.origins);
  setDsts(s, mask, {mask, origin::Vote | (reduces ? operandTaint(operands.back(), mask).origins : 0)});
  return execute(warp, in, mask);
}

Flow StaticSteering::mbarrier(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask) {
  Taint fixed = sourcesOf(s, mask);
  fixed.add(taintOf(s.address, mask));
  if (fixed.lanes)
    return giveUp(warp, in,
                  "the address or an operand of this mbarrier operation depends on " +
                      describe(fixed.origins),
                  fixed.origins);
  setDsts(s, mask, {});
  return execute(warp, in, mask);
}

// --- lanes that synchronize
// ------------------------------------------------------------------------------------------------

namespace {

bool namesMembers(const ptx::Instr &instr) { return ptx::info(instr.op).lanes == ptx::Lanes::Named; }

/// Votes that what is known settles: one known "no" for all, one known "yes" for any.
bool isSettled(ptx::VoteMode mode, uint32_t votes, uint32_t sure, uint32_t heard) {
  if (mode == ptx::VoteMode::All)
    return (sure & heard & ~votes) != 0;
  return mode == ptx::VoteMode::Any && (sure & heard & votes) != 0;
}

} // namespace

/// What each lane takes home when all of `mask` are there at once.
Taint StaticSteering::warpSyncResult(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask) const {
  const ptx::Instr &instr = plan->code->sourceOf(in);
  const auto srcs = srcsOf(s);
  Taint result;
  if (instr.op == Op::ElectSync || srcs.empty())
    return result;
  const Taint shown = taintOf(srcs[0], mask);
  auto heard = [&](unsigned lane) { return in.d == NoLoc ? mask : warp.row<uint32_t>(in.d)[lane] & mask; };
  if (instr.op == Op::Shfl || instr.op == Op::ShflSync) {
    Taint where = taintOf(srcs[1], mask);
    where.add(taintOf(srcs[2], mask));
    eachLane(mask & ~where.lanes, [&](unsigned lane) {
      const unsigned from = shuffleSource(lane, warp.row<uint32_t>(in.b)[lane],
                                          warp.row<uint32_t>(in.c)[lane], instr.mods.shfl);
      result.lanes |= uint32_t(!(mask >> from & 1) || (shown.lanes >> from & 1)) << lane;
    });
    return {result.lanes | where.lanes, shown.origins | where.origins | origin::Vote};
  }
  const bool isVote = instr.op == Op::Vote || instr.op == Op::VoteSync;
  const uint32_t votes = isVote ? warp.pred(in.a) : 0;
  eachLane(mask, [&](unsigned lane) {
    const bool unsure = shown.lanes & heard(lane);
    const bool settled = isVote && isSettled(instr.mods.vote, votes, mask & ~shown.lanes, heard(lane));
    result.lanes |= uint32_t(unsure && !settled) << lane;
  });
  result.origins = shown.origins;
  return result;
}

/// Whether all lanes of the warp take the same home.
bool StaticSteering::syncsAlike(Warp &warp, const Inst &in, uint32_t mask) const {
  const ptx::Instr &instr = plan->code->sourceOf(in);
  const bool isVote = instr.op == Op::Vote || instr.op == Op::VoteSync || instr.op == Op::ReduxSync;
  if (!isVote || mask != warp.alive())
    return false;
  bool alike = true;
  eachLane(mask,
           [&](unsigned lane) { alike &= in.d == NoLoc || (warp.row<uint32_t>(in.d)[lane] & mask) == mask; });
  return alike;
}

Flow StaticSteering::warpSync(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask) {
  const ptx::Instr &instr = plan->code->sourceOf(in);
  if (namesMembers(instr)) {
    const Taint members = operandTaint(plan->code->function->operandsOf(instr).back(), mask);
    if (members.lanes)
      return giveUp(warp, in,
                    "the member mask of this warp-level operation depends on " + describe(members.origins),
                    members.origins);
  }
  const Taint result = warpSyncResult(warp, in, s, mask);
  const bool alike = syncsAlike(warp, in, mask);
  FrameShadow &mine = *regs;
  Flow flow = execute(warp, in, mask);
  // Lanes that wait for others get what those bring, later: that is not used any more.
  const bool together = flow == Flow::Next;
  for (uint32_t reg : dstsOf(s))
    if (reg != ptx::kNone)
      mine.set(reg, mask, together ? result : Taint{mask, origin::Vote});
  if (alike && together && dstsOf(s).size() == 1 && dstsOf(s)[0] != ptx::kNone && result.lanes)
    mine.setAlike(dstsOf(s)[0]);
  return flow;
}

} // namespace heddle::check
