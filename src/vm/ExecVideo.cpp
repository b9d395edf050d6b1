// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Video Instructions". Each is one form of semantics/VideoOps.h, which the instruction carries in Inst::imm.
#include "ptx/Video.h"
#include "semantics/VideoOps.h"
#include "vm/Exec.h"

#include <bit>

namespace heddle::vm {
namespace {

using ptx::Op;
using sem::VideoForm;
using sem::VideoPart;

Flow video(Warp &warp, const Inst &in, uint32_t mask) {
  const VideoForm form = std::bit_cast<VideoForm>(in.imm);
  uint32_t *to = warp.row<uint32_t>(in.dst);
  const uint32_t *a = warp.row<uint32_t>(in.a), *b = warp.row<uint32_t>(in.b), *c = warp.row<uint32_t>(in.c);
  eachLane(mask, [&](unsigned lane) { to[lane] = sem::videoResult(form, a[lane], b[lane], c[lane]); });
  return Flow::Next;
}

sem::VideoOp operationOf(Op op) {
  switch (op) {
  case Op::Vsub:
  case Op::Vsub2:
  case Op::Vsub4: return sem::VideoOp::Sub;
  case Op::Vabsdiff:
  case Op::Vabsdiff2:
  case Op::Vabsdiff4: return sem::VideoOp::AbsDiff;
  case Op::Vmin:
  case Op::Vmin2:
  case Op::Vmin4: return sem::VideoOp::Min;
  case Op::Vmax:
  case Op::Vmax2:
  case Op::Vmax4: return sem::VideoOp::Max;
  case Op::Vavrg2:
  case Op::Vavrg4: return sem::VideoOp::Average;
  case Op::Vset:
  case Op::Vset2:
  case Op::Vset4: return sem::VideoOp::Set;
  case Op::Vshl: return sem::VideoOp::ShiftLeft;
  case Op::Vshr: return sem::VideoOp::ShiftRight;
  case Op::Vmad: return sem::VideoOp::Mad;
  default: return sem::VideoOp::Add;
  }
}

sem::VideoCompare compareOf(ptx::CmpOp cmp) {
  switch (cmp) {
  case ptx::CmpOp::Ne: return sem::VideoCompare::Ne;
  case ptx::CmpOp::Lt: return sem::VideoCompare::Lt;
  case ptx::CmpOp::Le: return sem::VideoCompare::Le;
  case ptx::CmpOp::Gt: return sem::VideoCompare::Gt;
  case ptx::CmpOp::Ge: return sem::VideoCompare::Ge;
  default: return sem::VideoCompare::Eq;
  }
}

sem::VideoSecond secondOf(ptx::AtomOp op) {
  switch (op) {
  case ptx::AtomOp::Add: return sem::VideoSecond::Add;
  case ptx::AtomOp::Min: return sem::VideoSecond::Min;
  case ptx::AtomOp::Max: return sem::VideoSecond::Max;
  default: return sem::VideoSecond::None;
  }
}

ptx::Selector selectorOf(const ptx::Operand &operand) {
  return operand.isReg() ? ptx::Selector::of(operand.value) : ptx::Selector();
}

VideoPart partOf(const ptx::Selector &selector) {
  if (!selector)
    return VideoPart::Word;
  const VideoPart first = selector.unit == 'b' ? VideoPart::Byte0 : VideoPart::Half0;
  return VideoPart(unsigned(first) + selector.digits[0]);
}

/// For each lane the part of {b, a} that it reads. Without a selector a lane reads its own part of the operand, whose
/// parts begin at `first`.
uint16_t choiceOf(const ptx::Selector &selector, unsigned lanes, unsigned first) {
  unsigned choice = 0;
  for (unsigned lane = 0; lane < lanes; ++lane)
    choice |= (selector ? selector.digits[lane] : first + lane) << (4 * lane);
  return uint16_t(choice);
}

uint8_t maskOf(const ptx::Selector &selector, unsigned lanes) {
  if (!selector)
    return uint8_t((1u << lanes) - 1);
  unsigned mask = 0;
  for (unsigned i = 0; i < selector.count; ++i)
    mask |= 1u << selector.digits[i];
  return uint8_t(mask);
}

/// vset has no destination type: its result is unsigned.
void setTypes(VideoForm &form, const ptx::Instr &instr) {
  const unsigned first = form.op == sem::VideoOp::Set ? 0 : 1;
  form.signedD = first == 1 && ptx::isSigned(instr.types[0]);
  form.signedA = ptx::isSigned(instr.types[first]);
  form.signedB = ptx::isSigned(instr.types[first + 1]);
}

VideoForm formOf(const ptx::Instr &instr, std::span<const ptx::Operand> ops) {
  VideoForm form;
  form.op = operationOf(instr.op);
  form.lanes = ptx::videoLanes(instr.op);
  setTypes(form, instr);
  form.saturates = instr.mods.has(ptx::Flag::Sat);
  form.second = secondOf(instr.mods.atom);
  form.compare = compareOf(instr.mods.cmp);
  form.wraps = instr.mods.wrap == ptx::WrapMode::Wrap;
  form.plusOne = instr.mods.has(ptx::Flag::PlusOne);
  form.scale = instr.mods.has(ptx::Flag::Shr7) ? 7 : instr.mods.has(ptx::Flag::Shr15) ? 15 : 0;
  form.negatesA = ops[1].negated;
  form.negatesB = ops[2].negated;
  form.negatesC = ops.size() > 3 && ops[3].negated;
  const unsigned lanes = unsigned(form.lanes);
  if (lanes == 1) {
    form.selectA = unsigned(partOf(selectorOf(ops[1])));
    form.selectB = unsigned(partOf(selectorOf(ops[2])));
    form.part = partOf(selectorOf(ops[0]));
  } else {
    form.selectA = choiceOf(selectorOf(ops[1]), lanes, 0);
    form.selectB = choiceOf(selectorOf(ops[2]), lanes, lanes);
    form.mask = maskOf(selectorOf(ops[0]), lanes);
  }
  return form;
}

/// The row of an operand whose sign is part of the form.
Loc unsignedSource(Lowering &lo, ptx::Operand operand) {
  operand.negated = false;
  return lo.source(operand, 32);
}

} // namespace

bool lowerVideo(Lowering &lo) {
  if (!ptx::isVideo(lo.instr->op))
    return false;
  const Loc a = unsignedSource(lo, lo.ops[1]), b = unsignedSource(lo, lo.ops[2]);
  const Loc c = lo.ops.size() > 3 ? unsignedSource(lo, lo.ops[3]) : lo.constant(0, 32);
  const Loc dst = lo.dest(lo.ops[0]);
  Inst &in = lo.emit(video);
  in.dst = dst, in.a = a, in.b = b, in.c = c;
  in.imm = std::bit_cast<int64_t>(formOf(*lo.instr, lo.ops));
  return true;
}

} // namespace heddle::vm
