// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Taint follows the PTX instruction and its operands as written, not the machine's lowered form: what is
// written and what is read stands in ptx/Ops.def for every instruction alike.
#include "check/StaticPlan.h"

#include "vm/Lowering.h"

namespace heddle::check {
namespace {

using ptx::Op;
using ptx::OperandKind;

bool isPred(const ptx::Instr &instr) { return instr.type() == ptx::Type::Pred; }
bool isIntegerLike(ptx::Type type) {
  const ptx::TypeKind kind = ptx::kindOf(type);
  return kind == ptx::TypeKind::Bits || kind == ptx::TypeKind::Unsigned || kind == ptx::TypeKind::Signed;
}

bool sameSources(const ptx::Function &f, const ptx::Instr &instr) {
  auto ops = f.operandsOf(instr);
  return ops.size() == 3 && ops[1].isReg() && ops[2].isReg() && ops[1].index == ops[2].index &&
         ops[1].negated == ops[2].negated;
}

uint8_t carriesOf(const ptx::Instr &instr) {
  const bool reads = instr.op == Op::AddC || instr.op == Op::SubC || instr.op == Op::MadC;
  return uint8_t((reads ? 1 : 0) | (instr.mods.has(ptx::Flag::CarryOut) ? 2 : 0));
}

TaintRule arithmeticRule(const ptx::Function &f, const ptx::Instr &instr) {
  if (carriesOf(instr))
    return TaintRule::Carry;
  switch (instr.op) {
  case Op::And: return isPred(instr) ? TaintRule::AndPred : TaintRule::AndBits;
  case Op::Or: return isPred(instr) ? TaintRule::OrPred : TaintRule::OrBits;
  case Op::Mul:
  case Op::Mad: return isIntegerLike(instr.type()) ? TaintRule::Product : TaintRule::Plain;
  case Op::Sub:
  case Op::Xor:
    return sameSources(f, instr) && (isPred(instr) || isIntegerLike(instr.type())) ? TaintRule::Cancel
                                                                                   : TaintRule::Plain;
  case Op::Selp: return TaintRule::Select;
  case Op::Setp: return TaintRule::Compare;
  case Op::IsSpaceP: return TaintRule::IsSpace;
  case Op::ActiveMask: return TaintRule::ActiveMask;
  case Op::Alloca:
  case Op::StackSave:
  case Op::StackRestore: return TaintRule::Stack;
  default: return TaintRule::Plain;
  }
}

TaintRule ruleOf(const ptx::Function &f, const ptx::Instr &instr) {
  switch (instr.op) {
  case Op::Ld:
  case Op::Ldu: return TaintRule::Load;
  case Op::St: return TaintRule::Store;
  case Op::Atom:
  case Op::AtomCas:
  case Op::Red: return TaintRule::Atomic;
  case Op::Tex:
  case Op::Tld4:
  case Op::Txq:
  case Op::SuldB:
  case Op::SustB:
  case Op::SustP:
  case Op::Suq: return TaintRule::Image;
  case Op::BarSync:
  case Op::BarArrive:
  case Op::BarRed:
  case Op::BarCtaSync:
  case Op::BarCtaArrive:
  case Op::BarCtaRed:
  case Op::BarrierSync:
  case Op::BarrierArrive:
  case Op::BarrierRed:
  case Op::BarrierCtaSync:
  case Op::BarrierCtaArrive:
  case Op::BarrierCtaRed: return TaintRule::Barrier;
  case Op::BarrierClusterArrive:
  case Op::BarrierClusterWait: return TaintRule::ClusterBarrier;
  case Op::BarWarpSync:
  case Op::Shfl:
  case Op::ShflSync:
  case Op::Vote:
  case Op::VoteSync:
  case Op::MatchSync:
  case Op::MatchAllSync:
  case Op::ReduxSync:
  case Op::ElectSync: return TaintRule::Meet;
  case Op::MmaSync:
  case Op::MovMatrix:
  case Op::WmmaMma: return TaintRule::Product8x8;
  case Op::LdMatrix:
  case Op::WmmaLoadA:
  case Op::WmmaLoadB:
  case Op::WmmaLoadC: return TaintRule::MatrixLoad;
  case Op::StMatrix:
  case Op::WmmaStoreD: return TaintRule::MatrixStore;
  case Op::MbarrierInit:
  case Op::MbarrierInval:
  case Op::MbarrierExpectTx:
  case Op::MbarrierCompleteTx:
  case Op::MbarrierArrive:
  case Op::MbarrierArriveDrop:
  case Op::MbarrierTestWait:
  case Op::MbarrierTryWait: return TaintRule::Mbarrier;
  case Op::CpAsync: return TaintRule::CopyAsync;
  case Op::CpAsyncBulk: return TaintRule::BulkCopy;
  case Op::CpAsyncMbarrierArrive: return TaintRule::ArriveOnCopies;
  case Op::CpAsyncCommitGroup:
  case Op::CpAsyncWaitGroup:
  case Op::CpAsyncWaitAll:
  case Op::CpAsyncBulkCommitGroup:
  case Op::CpAsyncBulkWaitGroup:
  case Op::Fence:
  case Op::FenceProxy:
  case Op::FenceMbarrierInit:
  case Op::Membar:
  case Op::MembarProxy:
  case Op::Nanosleep:
  case Op::GridDepControl: return TaintRule::Order;
  case Op::Bra: return TaintRule::Branch;
  case Op::BrxIdx: return TaintRule::Table;
  case Op::Ret:
  case Op::Exit: return TaintRule::Leave;
  case Op::Trap: return TaintRule::Trap;
  case Op::Call: return TaintRule::Call;
  default: return arithmeticRule(f, instr);
  }
}

/// Registers that tell whether an mbarrier's phase was over when somebody looked: what they say depends on
/// the schedule.
std::vector<bool> waitResults(const ptx::Function &f) {
  std::vector<bool> tells(f.registers.size(), false);
  auto each = [&](const ptx::Operand &operand, auto use) {
    if (operand.isReg())
      use(operand.index);
    else if (operand.kind == OperandKind::Vector)
      for (const ptx::Operand &element : f.elementsOf(operand))
        if (element.isReg())
          use(element.index);
  };
  bool any = false;
  for (bool changed = true; changed;) {
    changed = false;
    for (const ptx::Instr &instr : f.instrs) {
      const bool waits = instr.op == Op::MbarrierTestWait || instr.op == Op::MbarrierTryWait;
      if (!waits && (!any || ptx::info(instr.op).memory != ptx::Memory::None))
        continue;
      auto operands = f.operandsOf(instr);
      const unsigned dests = vm::countDests(f, instr);
      bool holds = waits;
      for (unsigned i = dests; i < operands.size() && !waits; ++i)
        each(operands[i], [&](uint32_t reg) { holds |= tells[reg]; });
      for (unsigned i = 0; i < dests && holds; ++i)
        each(operands[i], [&](uint32_t reg) {
          changed |= !tells[reg];
          tells[reg] = any = true;
        });
    }
    if (!any)
      break;
  }
  return tells;
}

class Planner {
public:
  Planner(TaintPlan &result, const std::function<Origins(ptx::SpecialReg)> &originsOf)
      : plan(result), function(*result.code->function), special(originsOf), waits(waitResults(function)) {}

  void add(const ptx::Instr &instr) {
    TaintStep step;
    step.rule = ruleOf(function, instr);
    step.carries = step.rule == TaintRule::Carry ? carriesOf(instr) : 0;
    step.first = uint32_t(plan.registers.size());
    step.guard = instr.guard ? instr.guard.reg : ptx::kNone;
    step.afterWait = instr.guard && waits[instr.guard.reg];
    if (step.rule != TaintRule::Call)
      addOperands(instr, step);
    plan.steps.push_back(step);
  }

private:
  void addOperands(const ptx::Instr &instr, TaintStep &step) {
    auto operands = function.operandsOf(instr);
    const unsigned dests = vm::countDests(function, instr);
    for (unsigned i = 0; i < dests; ++i)
      step.dsts = uint16_t(step.dsts + addDests(operands[i]));
    for (unsigned i = dests; i < operands.size(); ++i)
      addSources(instr, operands[i], step);
  }

  unsigned addDests(const ptx::Operand &operand) {
    if (operand.kind != OperandKind::Vector) {
      plan.registers.push_back(operand.isReg() ? operand.index : ptx::kNone);
      return 1;
    }
    for (const ptx::Operand &element : function.elementsOf(operand))
      plan.registers.push_back(element.isReg() ? element.index : ptx::kNone);
    return operand.count;
  }

  void addSources(const ptx::Instr &instr, const ptx::Operand &operand, TaintStep &step) {
    if (operand.kind == OperandKind::Vector) {
      for (const ptx::Operand &element : function.elementsOf(operand))
        addSources(instr, element, step);
      return;
    }
    if (operand.isAddress()) {
      if (operand.kind == OperandKind::AddrReg && step.address == ptx::kNone)
        step.address = operand.index;
      return;
    }
    if (operand.kind == OperandKind::Special)
      step.special |= special(ptx::SpecialReg(operand.index));
    // Sources keep their places, so that a rule can tell the first from the second.
    plan.registers.push_back(operand.isReg() ? operand.index : ptx::kNone);
    ++step.srcs;
  }

  TaintPlan &plan;
  const ptx::Function &function;
  const std::function<Origins(ptx::SpecialReg)> &special;
  const std::vector<bool> waits;
};

} // namespace

TaintPlan planTaint(const vm::Code &code, const std::function<Origins(ptx::SpecialReg)> &special) {
  TaintPlan plan;
  plan.code = &code;
  plan.steps.reserve(code.function->instrs.size());
  Planner planner(plan, special);
  for (const ptx::Instr &instr : code.function->instrs)
    planner.add(instr);
  plan.startOf.assign(code.function->instrs.size(), ptx::kNone);
  for (uint32_t pc = uint32_t(code.sources.size()); pc-- > 0;)
    plan.startOf[code.sources[pc]] = pc;
  return plan;
}

} // namespace heddle::check
