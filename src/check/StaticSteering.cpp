// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executing a block with unknown data: the dispatch. The header gives the overview.
//
// For each instruction of a warp, in this order:
//
// 1. Branches and returns go to StaticFlow.cpp, where lanes may not know which way they go.
// 2. The guard splits the lanes: those that surely execute, and those that may, because their predicate is
//    unknown. Lanes that surely do not are left out.
// 3. Arithmetic has its rules in StaticRules.cpp. An instruction without a rule ends the check as undecided.
// 4. A synchronization that some lanes may or may not reach is undecided, with the origin of the doubt in
//    words.
// 5. Memory is accessed for sure lanes. For those that may, the access is made under the assumption that the
//    guard holds and marked `perhaps`, so that a conflict found there is possible but not certain; what it
//    loads is unknown.
//
// A load is unknown where another thread of the launch may write what it reads: `mayChange` decides it by the
// state space, the semantics (a load with ordering is there because others write), and by whether the bases
// of all writes of the kernel may alias the address. Loops that poll such a load are found beforehand
// (StaticRegion.h).
#include "check/StaticSteering.h"

namespace heddle::check {

using namespace vm;

StaticSteering::StaticSteering(const Kernel &executed, const Knowledge &knowledge, Choices &made)
    : kernel(executed), known(knowledge), choices(made), names(executed),
      sharedPointers(executed, GenericPointers::To::Shared),
      localPointers(executed, GenericPointers::To::Local), bases(executed),
      regions(*executed.entry().module, {sharedPointers.anywhere(), localPointers.anywhere()},
              [this](const ptx::Function &f, const ptx::Instr &instr) { return mayChange(f, instr); }) {
  auto special = [&](ptx::SpecialReg reg) {
    const Origins origins = origin::ofSpecial(reg);
    if ((origins == origin::BlockId && known.blockId) || (origins == origin::GridSize && known.grid))
      return Origins(0);
    return known.isSharedSizeUnknown && origin::isSharedSize(reg) ? origin::SharedSize : origins;
  };
  for (const auto &code : kernel.codes) {
    TaintPlan &fresh = plans[code.get()] = planTaint(*code, special);
    for (const ptx::Instr *instr : regions.polledIn(*code->function))
      fresh.steps[size_t(instr - code->function->instrs.data())].isPolled = true;
  }
  follows = writesGlobalAt() != nullptr;
}

const ptx::Instr *StaticSteering::spinsAt() const {
  for (const auto &code : kernel.codes) {
    const TaintPlan &made = plans.at(code.get());
    for (size_t i = 0; i < made.steps.size(); ++i)
      if (made.steps[i].isPolled)
        return &code->function->instrs[i];
  }
  return nullptr;
}

const ptx::Instr *StaticSteering::writesGlobalAt() const {
  for (const auto &code : kernel.codes)
    for (const ptx::Instr &instr : code->function->instrs) {
      const ptx::Memory memory = ptx::info(instr.op).memory;
      const bool writes = memory == ptx::Memory::Stores || memory == ptx::Memory::Updates ||
                          (memory == ptx::Memory::CopiesAsync && instr.mods.space == ptx::Space::Global);
      if (writes && bases.of(*code, instr))
        return &instr;
    }
  return nullptr;
}

/// Whether other threads of the launch may write what this reads. A load that is ordered by itself is there
/// for nothing else.
bool StaticSteering::mayChange(const ptx::Function &function, const ptx::Instr &instr) const {
  using ptx::Space;
  const Space space = instr.mods.space;
  if (space == Space::Local || space == Space::Param || space == Space::Const ||
      instr.mods.has(ptx::Flag::NonCoherent))
    return false;
  if (ptx::info(instr.op).memory == ptx::Memory::Updates || space == Space::Shared ||
      space == Space::SharedCluster || instr.mods.sem > ptx::Semantics::Volatile)
    return true;
  for (const ptx::Operand &operand : function.operandsOf(instr))
    if (operand.kind == ptx::OperandKind::AddrVar) {
      const Space of = executedModule().variables[operand.index].space;
      if (of == Space::Param || of == Space::Local || of == Space::Const)
        return false;
      if (of == Space::Shared)
        return true;
    }
  const Bases read = bases.of(*kernel.byFunction.at(&function), instr);
  return read && bases.written() && PointerBases::mayAlias(read, bases.written());
}

namespace {

/// The launch has one block; the kernel reads the block index and the grid that the caller gave.
void setIndices(Warp &warp, const SpecialRow &row, const Knowledge &known) {
  using enum ptx::SpecialReg;
  const Dim3 id = known.blockId.value_or(Dim3{0, 0, 0}), size = known.grid.value_or(Dim3{1, 1, 1});
  uint32_t value = 0;
  switch (row.reg) {
  case CtaIdX:
  case ClusterIdX: value = id.x; break;
  case CtaIdY:
  case ClusterIdY: value = id.y; break;
  case CtaIdZ:
  case ClusterIdZ: value = id.z; break;
  case NCtaIdX:
  case NClusterIdX: value = size.x; break;
  case NCtaIdY:
  case NClusterIdY: value = size.y; break;
  case NCtaIdZ:
  case NClusterIdZ: value = size.z; break;
  default: return;
  }
  std::fill_n(warp.row<uint32_t>(InSpecials | row.offset), Lanes, value);
}

} // namespace

void StaticSteering::warpBegins(Warp &warp) {
  if (warps.size() <= warp.index)
    warps.resize(warp.index + 1);
  warps[warp.index] = std::make_unique<WarpShadow>();
  warps[warp.index]->begin(warp.splits[0].frame);
  for (const SpecialRow &row : kernel.specials)
    setIndices(warp, row, known);
}

void StaticSteering::enter(Warp &warp) {
  shadow = warps[warp.index].get();
  const Frame *frame = warp.now().frame;
  regs = &shadow->of(frame);
  if (!plan || plan->code != frame->code)
    plan = &plans.at(frame->code);
}

Taint StaticSteering::operandTaint(const ptx::Operand &operand, uint32_t mask) const {
  const bool isRegister = operand.isReg() || operand.kind == ptx::OperandKind::AddrReg;
  return isRegister ? regs->of(operand.index, mask) : Taint{};
}

StaticSteering::Who StaticSteering::whoExecutes(Warp &warp, const Inst &in, const TaintStep &s,
                                                uint32_t mask) const {
  if (in.guard == NoLoc)
    return {mask, 0, 0};
  const Taint guard = regs->of(s.guard, mask);
  const uint32_t holds = in.guardNegated ? ~warp.pred(in.guard) : warp.pred(in.guard);
  return {mask & ~guard.lanes & holds, guard.lanes, guard.origins};
}

Flow StaticSteering::step(Warp &warp, const Inst &in) {
  enter(warp);
  const TaintStep &s = stepOf(in);
  const uint32_t mask = warp.now().mask;
  if (in.counts && (s.rule == TaintRule::Branch || s.rule == TaintRule::Table))
    return branch(warp, in, s);
  if (in.counts && s.rule == TaintRule::Leave)
    return leave(warp, in, s);
  const Who who = whoExecutes(warp, in, s, mask);
  if (!in.counts) // a helper of the instruction that follows, or what is left of one that took its taint
                  // already
    return who.sure ? in.run(warp, in, who.sure) : Flow::Next;
  return who.sure | who.maybe ? act(warp, in, s, who) : Flow::Next;
}

Flow StaticSteering::act(Warp &warp, const Inst &in, const TaintStep &s, const Who &who) {
  if (s.rule < TaintRule::Load)
    return compute(warp, in, s, who);
  if (s.rule == TaintRule::NotFollowed)
    return giveUp(warp, in, "the static check does not know what this instruction does", who.because);
  if (s.rule == TaintRule::Call)
    return call(warp, in, s, who);
  trapPassed |= s.rule == TaintRule::Trap && who.maybe;
  if (s.rule == TaintRule::Trap || s.rule == TaintRule::Stack)
    return who.sure ? execute(warp, in, who.sure) : Flow::Next;
  if (who.maybe && s.rule > TaintRule::Image && s.rule != TaintRule::CopyAsync && s.rule != TaintRule::Order)
    return giveUp(warp, in, "whether threads reach this synchronization depends on " + describe(who.because),
                  who.because);
  if (who.sure)
    if (Flow flow = actSurely(warp, in, s, who.sure); flow != Flow::Next || !who.maybe)
      return flow;
  if (!who.maybe || s.rule == TaintRule::Order)
    return Flow::Next;
  const Origins before = std::exchange(perhapsBecause, perhapsBecause | who.because);
  const ptx::Instr *branchBefore =
      perhaps ? perhapsBranch : std::exchange(perhapsBranch, &plan->code->sourceOf(in));
  ++perhaps;
  const Assume happens(*this, who.maybe, guardFacts(s.guard, !in.guardNegated));
  Flow flow = actSurely(warp, in, s, who.maybe);
  --perhaps;
  perhapsBecause = before, perhapsBranch = branchBefore;
  setDsts(s, who.maybe, {who.maybe, who.because | origin::Memory});
  return flow;
}

Flow StaticSteering::actSurely(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask) {
  switch (s.rule) {
  case TaintRule::Load: return load(warp, in, s, mask);
  case TaintRule::Store: return store(warp, in, s, mask);
  case TaintRule::Atomic: return atomic(warp, in, s, mask);
  case TaintRule::Image: setDsts(s, mask, {mask, origin::Memory}); return Flow::Next;
  case TaintRule::Barrier: return barrier(warp, in, s, mask);
  case TaintRule::WarpSync: return warpSync(warp, in, s, mask);
  case TaintRule::Product8x8:
  case TaintRule::MatrixLoad:
  case TaintRule::MatrixStore: return matrix(warp, in, s, mask);
  case TaintRule::Mbarrier:
  case TaintRule::ArriveOnCopies: return mbarrier(warp, in, s, mask);
  case TaintRule::CopyAsync: return copyAsync(warp, in, s, mask);
  case TaintRule::BulkCopy: return bulkCopy(warp, in, s, mask);
  default: return execute(warp, in, mask); // fences, groups of copies, the cluster's barrier
  }
}

} // namespace heddle::check
