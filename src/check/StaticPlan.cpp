// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Taint follows the PTX instruction and its operands as written, not the simulator's lowered form: what is
// written and what is read is in ptx/Ops.def for every instruction alike.
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

TaintRule taintRuleOf(const ptx::Function &f, const ptx::Instr &instr) {
  if (carriesOf(instr))
    return TaintRule::Carry;
  const bool isValue = isPred(instr) || isIntegerLike(instr.type());
  switch (ptx::info(instr.op).taint) {
  case ptx::Taint::Plain: return TaintRule::Plain;
  case ptx::Taint::And: return isPred(instr) ? TaintRule::AndPred : TaintRule::AndBits;
  case ptx::Taint::Or: return isPred(instr) ? TaintRule::OrPred : TaintRule::OrBits;
  case ptx::Taint::Product: return isIntegerLike(instr.type()) ? TaintRule::Product : TaintRule::Plain;
  case ptx::Taint::Cancel: return sameSources(f, instr) && isValue ? TaintRule::Cancel : TaintRule::Plain;
  case ptx::Taint::Select: return TaintRule::Select;
  case ptx::Taint::Compare: return TaintRule::Compare;
  case ptx::Taint::IsSpace: return TaintRule::IsSpace;
  case ptx::Taint::ActiveMask: return TaintRule::ActiveMask;
  case ptx::Taint::Stack: return TaintRule::Stack;
  case ptx::Taint::Load: return TaintRule::Load;
  case ptx::Taint::Store: return TaintRule::Store;
  case ptx::Taint::Atomic: return TaintRule::Atomic;
  case ptx::Taint::Image: return TaintRule::Image;
  case ptx::Taint::Barrier: return TaintRule::Barrier;
  case ptx::Taint::ClusterBarrier: return TaintRule::ClusterBarrier;
  case ptx::Taint::WarpSync: return TaintRule::WarpSync;
  case ptx::Taint::Product8x8: return TaintRule::Product8x8;
  case ptx::Taint::MatrixLoad: return TaintRule::MatrixLoad;
  case ptx::Taint::MatrixStore: return TaintRule::MatrixStore;
  case ptx::Taint::Mbarrier: return TaintRule::Mbarrier;
  case ptx::Taint::CopyAsync: return TaintRule::CopyAsync;
  case ptx::Taint::BulkCopy: // one block alone cannot follow a copy to others
    return instr.mods.has(ptx::Flag::Multicast) ? TaintRule::NotFollowed : TaintRule::BulkCopy;
  case ptx::Taint::ArriveOnCopies: return TaintRule::ArriveOnCopies;
  case ptx::Taint::Order: return TaintRule::Order;
  case ptx::Taint::Branch: return TaintRule::Branch;
  case ptx::Taint::Table: return TaintRule::Table;
  case ptx::Taint::Leave: return TaintRule::Leave;
  case ptx::Taint::Trap: return TaintRule::Trap;
  case ptx::Taint::Call: return TaintRule::Call;
  case ptx::Taint::NotFollowed: return TaintRule::NotFollowed;
  }
  return TaintRule::NotFollowed;
}

/// Registers that hold whether an mbarrier's phase was over when a thread tested it: what they say depends on
/// the schedule.
std::vector<bool> waitResults(const ptx::Function &f) {
  std::vector<bool> observes(f.registers.size(), false);
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
      const unsigned dests = ptx::countDests(f, instr);
      bool holds = waits;
      for (unsigned i = dests; i < operands.size() && !waits; ++i)
        each(operands[i], [&](uint32_t reg) { holds |= observes[reg]; });
      for (unsigned i = 0; i < dests && holds; ++i)
        each(operands[i], [&](uint32_t reg) {
          changed |= !observes[reg];
          observes[reg] = any = true;
        });
    }
    if (!any)
      break;
  }
  return observes;
}

class Planner {
public:
  Planner(TaintPlan &result, const std::function<Origins(ptx::SpecialReg)> &originsOf)
      : plan(result), function(*result.code->function), special(originsOf), waits(waitResults(function)) {}

  void add(const ptx::Instr &instr) {
    TaintStep step;
    step.rule = taintRuleOf(function, instr);
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
    const unsigned dests = ptx::countDests(function, instr);
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
    // Sources keep their positions, so that a rule can distinguish the first from the second.
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
