// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands become memory locations (Loc): registers are rows of the frame, immediates and addresses rows of a
// pool, special registers rows that the warp fills when it starts. A value that is known only at run time (the
// address of a local variable, a clock) is computed into a temporary row by a helper before the instruction.
#include "vm/Lowering.h"

#include "ptx/Printer.h"
#include "vm/Exec.h"
#include "vm/Grid.h"
#include "vm/Order.h"
#include "vm/Source.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace heddle::vm {
namespace {

constexpr uint32_t RowAlignment = 64;

uint32_t rowBytes(unsigned bits) { return bits == 1 ? 4 : std::max(bits, 16u) / 8 * Lanes; }

template <class T> Flow localAddress(Warp &warp, const Inst &in, uint32_t mask) {
  const T at = T(warp.frame().localBase + uint64_t(in.imm));
  T *to = warp.row<T>(in.dst);
  eachLane(mask, [&](unsigned lane) { to[lane] = at; });
  return Flow::Next;
}

Flow parameterAddress(Warp &warp, const Inst &in, uint32_t mask) {
  uint64_t *to = warp.row<uint64_t>(in.dst);
  const uint64_t at = warp.block->grid->parameters + uint64_t(in.imm);
  eachLane(mask, [&](unsigned lane) { to[lane] = at; });
  return Flow::Next;
}

Flow notPred(Warp &warp, const Inst &in, uint32_t) {
  warp.pred(in.dst) = ~warp.pred(in.a);
  return Flow::Next;
}

Flow addressesInto(Warp &warp, const Inst &in, uint32_t) {
  warp.addresses(in, warp.row<uint64_t>(in.dst));
  return Flow::Next;
}

bool isWide(ptx::SpecialReg reg) { return ptx::bitsOf(reg) == 64; }

} // namespace

Lowering::Lowering(Kernel &k, Code &c, LoadedModuleImpl &m, Diagnostics &w)
    : kernel(k), code(c), module(m), function(*c.function), why(w) {}

// --- operands
// --------------------------------------------------------------------------------------------------

namespace {

/// Registers of one class are adjacent. Returns where each class begins and, as the last element, where all end.
std::array<uint32_t, ptx::kNumRegClasses + 1> classBases(const ptx::Function &function) {
  std::array<uint32_t, ptx::kNumRegClasses + 1> bases{};
  uint32_t end = 0;
  for (unsigned cls = 0; cls < ptx::kNumRegClasses; ++cls) {
    bases[cls] = alignUp(end, RowAlignment);
    end = bases[cls] + function.slots[cls] * rowBytes(ptx::bitsOf(ptx::RegClass(cls)));
  }
  bases.back() = alignUp(end, RowAlignment);
  return bases;
}

} // namespace

std::vector<Loc> registerLocs(const ptx::Function &function) {
  const auto bases = classBases(function);
  std::vector<Loc> locs;
  for (const ptx::Register &reg : function.registers)
    locs.push_back(bases[unsigned(reg.cls)] + reg.slot * rowBytes(ptx::bitsOf(reg.cls)));
  return locs;
}

void Lowering::layOutFrame() {
  const auto bases = classBases(function);
  std::copy_n(bases.begin(), ptx::kNumRegClasses, classBase);
  frameEnd = bases.back();
}

Loc Lowering::registerLoc(uint32_t index) const {
  const ptx::Register &reg = function.registers[index];
  return classBase[unsigned(reg.cls)] + reg.slot * rowBytes(ptx::bitsOf(reg.cls));
}

Loc Lowering::temporary(unsigned bits) {
  Loc loc = frameEnd;
  frameEnd = alignUp(frameEnd + rowBytes(bits), RowAlignment);
  return loc;
}

unsigned Lowering::width(const ptx::Operand &operand) const {
  return operand.isReg() ? ptx::bitsOf(function.registers[operand.index].cls) : 0;
}

Loc Lowering::constant(uint64_t value, unsigned bits) {
  bits = bits == 1 ? 1 : bits <= 16 ? 16 : bits;
  auto [it, isNew] = constants.try_emplace({value, bits}, NoLoc);
  if (!isNew)
    return it->second;
  const uint32_t at = alignUp(uint32_t(pool.size()), RowAlignment), bytes = rowBytes(bits);
  pool.resize(at + bytes);
  if (bits == 1) {
    uint32_t all = value & 1 ? AllLanes : 0;
    std::memcpy(pool.data() + at, &all, 4);
  } else {
    const unsigned each = bits / 8;
    for (unsigned lane = 0; lane < Lanes; ++lane)
      std::memcpy(pool.data() + at + lane * each, &value, std::min(each, 8u));
  }
  return it->second = InConstants | at;
}

Loc Lowering::special(ptx::SpecialReg reg, unsigned bits) {
  const bool wide = isWide(reg);
  if (Handler handler = readSpecial(reg)) {
    Loc to = temporary(wide ? 64 : 32);
    emitHelper(handler).dst = to;
    return to;
  }
  if (reg >= ptx::SpecialReg::ReservedSmemBegin && reg <= ptx::SpecialReg::ReservedSmem1)
    kernel.reservesShared = true;
  const Loc row = specialRow(reg, wide);
  if (bits != 16)
    return row;
  const Loc low = temporary(16);
  Inst &in = emitHelper(narrower(wide ? 64 : 32, 16));
  in.dst = low, in.a = row;
  return low;
}

Loc Lowering::specialRow(ptx::SpecialReg reg, bool isWide) {
  for (const SpecialRow &row : kernel.specials)
    if (row.reg == reg)
      return InSpecials | row.offset;
  SpecialRow row{reg, kernel.specialBytes, isWide};
  kernel.specialBytes += rowBytes(isWide ? 64 : 32);
  kernel.specials.push_back(row);
  return InSpecials | row.offset;
}

Loc Lowering::addressOfVariable(const ptx::Operand &operand, unsigned bits) {
  const ptx::Variable &variable = module.module->variables[operand.index];
  switch (variable.space) {
  case ptx::Space::Shared:
  case ptx::Space::SharedCluster: return constant(kernel.sharedOffsets[operand.index] + operand.value, bits);
  case ptx::Space::Local: {
    Loc to = temporary(bits);
    Inst &in = emitHelper(bits == 32 ? localAddress<uint32_t> : localAddress<uint64_t>);
    in.dst = to, in.imm = int64_t(variable.offset + operand.value);
    return to;
  }
  case ptx::Space::Param: {
    Loc to = temporary(64);
    const bool ofKernel = function.isEntry && !code.paramOffsets.contains(operand.index);
    Inst &in = emitHelper(ofKernel ? parameterAddress : localAddress<uint64_t>);
    in.dst = to;
    in.imm = int64_t((ofKernel ? variable.offset : code.paramOffsets[operand.index]) + operand.value);
    return to;
  }
  default: return constant(module.addressOf(operand.index) + operand.value, bits);
  }
}

Loc Lowering::source(const ptx::Operand &operand, unsigned bits) {
  using enum ptx::OperandKind;
  switch (operand.kind) {
  case Reg: {
    Loc loc = registerLoc(operand.index);
    if (!operand.negated)
      return loc;
    Loc inverse = temporary(1);
    Inst &in = emitHelper(notPred);
    in.dst = inverse, in.a = loc;
    return inverse;
  }
  case Imm: return constant(operand.negated ? !operand.value : operand.value, bits);
  case Special: return special(ptx::SpecialReg(operand.index), bits);
  case Var: return addressOfVariable(operand, bits);
  case Func: return constant(functionAddress(module.number, operand.index), bits);
  default: return constant(0, bits);
  }
}

Loc Lowering::dest(const ptx::Operand &operand) {
  if (operand.isReg())
    return registerLoc(operand.index);
  auto [it, isNew] = sinks.try_emplace(128, NoLoc);
  if (isNew)
    it->second = temporary(128);
  return it->second;
}

std::span<const ptx::Operand> Lowering::elements(const ptx::Operand &operand) const {
  return operand.kind == ptx::OperandKind::Vector ? function.elementsOf(operand) : std::span(&operand, 1);
}

uint32_t Lowering::addLocs(std::span<const Loc> locs) {
  uint32_t first = uint32_t(code.locs.size());
  code.locs.insert(code.locs.end(), locs.begin(), locs.end());
  return first;
}

void Lowering::setAddress(Inst &in, const ptx::Operand &address, ptx::Space space) {
  using enum ptx::Space;
  switch (space) {
  case Global: in.space = MemorySpace::Global; break;
  case Const: in.space = MemorySpace::Constant; break;
  case Shared:
  case SharedCluster: in.space = MemorySpace::Shared; break;
  case Local: in.space = MemorySpace::Local; break;
  case Param: in.space = function.isEntry ? MemorySpace::Param : MemorySpace::Local; break;
  default: in.space = MemorySpace::Generic; break;
  }
  in.imm = address.offset();
  if (address.kind == ptx::OperandKind::AddrReg) {
    in.a = registerLoc(address.index);
    in.address =
        function.registers[address.index].cls == ptx::RegClass::B32 ? AddressForm::Reg32 : AddressForm::Reg64;
    return;
  }
  in.address = AddressForm::Absolute;
  if (address.kind != ptx::OperandKind::AddrVar)
    return;
  const ptx::Variable &variable = module.module->variables[address.index];
  switch (variable.space) {
  case Shared:
  case SharedCluster:
    in.space = MemorySpace::Shared;
    in.imm += kernel.sharedOffsets[address.index];
    return;
  case Local:
    in.space = MemorySpace::Local;
    in.address = AddressForm::Frame;
    in.imm += int64_t(variable.offset);
    return;
  case Param:
    if (auto own = code.paramOffsets.find(address.index); own != code.paramOffsets.end()) {
      in.space = MemorySpace::Local;
      in.address = AddressForm::Frame;
      in.imm += own->second;
    } else {
      in.space = MemorySpace::Param;
      in.address = AddressForm::Parameters;
      in.imm += int64_t(variable.offset);
    }
    return;
  default:
    in.space = variable.space == Const ? MemorySpace::Constant : MemorySpace::Global;
    in.imm += int64_t(module.addressOf(address.index));
    return;
  }
}

Loc Lowering::addressRow(const ptx::Operand &address, ptx::Space space) {
  Loc to = temporary(64);
  Inst &in = emitHelper(addressesInto);
  setAddress(in, address, space);
  in.dst = to;
  return to;
}

bool Lowering::isRead(const ptx::Operand &operand) const {
  return operand.isReg() && readRegs[operand.index];
}

// --- instructions
// ----------------------------------------------------------------------------------------------

Inst &Lowering::emitHelper(Handler handler) {
  Inst &in = code.insts.emplace_back();
  in.run = handler;
  in.counts = 0;
  const uint32_t index = uint32_t(instr - function.instrs.data());
  in.site = code.firstSite + index;
  code.sources.push_back(index);
  return in;
}

Inst &Lowering::emit(Handler handler) {
  Inst &in = emitHelper(handler);
  in.counts = 1;
  if (instr->guard) {
    in.guard = registerLoc(instr->guard.reg);
    in.guardNegated = instr->guard.negated;
  }
  return in;
}

bool Lowering::unsupported(std::string_view reason) {
  const std::string name =
      instr->text != ptx::kNone ? module.module->texts[instr->text] : ptx::mnemonic(*module.module, *instr);
  return refused(fmt::format("'{}': {}", name, reason.empty() ? "not supported" : reason));
}

bool Lowering::refused(std::string text, std::string hint) {
  SourceLocation source = sourceOf(*module.module, *instr);
  if (!source.isKnown())
    source = {module.module->path, instr->line, instr->column, 0, {}};
  why.error(std::move(source), std::move(text)).withHint(std::move(hint));
  return false;
}

bool Lowering::lowerOne() {
  static constexpr bool (*families[])(Lowering &) = {
      lowerVideo,    lowerInteger, lowerBits,   lowerFloat, lowerHalf,   lowerCompare, lowerConvert,
      lowerMove,     lowerMemory,  lowerAtomic, lowerFlow,  lowerCall,   lowerSync,    lowerLanes,
      lowerMbarrier, lowerAsync,   lowerMatrix, lowerWmma,  lowerTexture};
  const size_t messages = why.all().size();
  const size_t insts = code.insts.size();
  for (auto family : families) {
    if (family(*this))
      return true;
    if (why.all().size() != messages)
      return false;
    code.insts.resize(insts);
    code.sources.resize(insts);
  }
  return unsupported("not supported");
}

/// First inst of a block, and the end of the block.
std::pair<uint32_t, uint32_t> Lowering::instsOf(uint32_t blockNumber) const {
  const ptx::Block &block = function.blocks[blockNumber];
  const uint32_t last = block.end < startOf.size() ? startOf[block.end] : uint32_t(code.insts.size());
  return {startOf[block.first], last};
}

/// Numbers, positions in the order, leaders; and jump targets converted from PTX instructions to insts.
void Lowering::finish() {
  BlockOrder order = orderBlocks(function.blocks);
  std::vector<uint32_t> startOfBlock(function.blocks.size());
  // Positions count instructions, so that two lanes in one block are ordered too; odd positions are ends of loops.
  std::vector<uint32_t> byPlace(function.blocks.size());
  for (uint32_t b = 0; b < function.blocks.size(); ++b)
    byPlace[order.place[b]] = b;
  uint32_t counter = 1;
  std::vector<uint32_t> endOrder(function.blocks.size());
  for (uint32_t b : byPlace) {
    auto [first, last] = instsOf(b);
    for (uint32_t i = first; i < last; ++i)
      code.insts[i].order = 2 * counter++;
    endOrder[b] = 2 * (counter - 1) + 1;
  }
  code.codeBlock.assign(code.insts.size(), 0);
  for (uint32_t b = 0; b < function.blocks.size(); ++b) {
    auto [first, last] = instsOf(b);
    Inst &leader = code.insts[first];
    leader.leader = 1;
    if (order.loopEnd[b] != ptx::kNone)
      leader.loopEnd = endOrder[byPlace[order.loopEnd[b]]];
    code.codeBlock[first] = uint32_t(kernel.codeBlocks.size());
    kernel.codeBlocks.push_back({uint32_t(kernel.codeBlocks.size()),
                                 code.firstSite + function.blocks[b].first,
                                 function.blocks[b].end - function.blocks[b].first});
  }
  uint32_t ordinal = 0;
  for (Inst &in : code.insts) {
    in.ordinal = ordinal;
    ordinal += in.counts;
  }
  for (uint32_t i : jumpFixups)
    code.insts[i].imm = startOf[size_t(code.insts[i].imm)];
  for (uint32_t t : tableFixups)
    for (uint32_t &target : kernel.jumpTables[t])
      target = startOf[target];
  code.constants.assign(pool.size() + RowAlignment, 0);
  uint8_t *aligned = code.constants.data();
  aligned += (RowAlignment - uintptr_t(aligned) % RowAlignment) % RowAlignment;
  std::copy(pool.begin(), pool.end(), aligned);
  code.frameBytes = alignUp(frameEnd, RowAlignment);
}

/// What a thread that polls depends on, apart from memory: see Warp::hashState.
void Lowering::findLoopState(const Liveness &live) {
  for (uint32_t b = 0; b < function.blocks.size(); ++b) {
    const uint32_t head = instsOf(b).first;
    auto isBackward = [&](uint32_t pred) {
      return code.insts[head].order <= code.insts[instsOf(pred).second - 1].order;
    };
    if (std::ranges::none_of(function.blocks[b].preds, isBackward))
      continue;
    std::vector<RegisterRow> &rows = code.stateOfLoop[head];
    for (uint32_t r = 0; r < function.registers.size(); ++r)
      if (live.isLiveAt(b, r))
        rows.push_back({registerLoc(r), ptx::bitsOf(function.registers[r].cls)});
  }
}

bool Lowering::run() {
  layOutFrame();
  readRegs.assign(function.registers.size(), false);
  for (const ptx::Instr &each : function.instrs) {
    if (each.guard)
      readRegs[each.guard.reg] = true;
    auto operands = function.operandsOf(each);
    for (size_t i = countDests(function, each); i < operands.size(); ++i)
      for (const ptx::Operand &operand : elements(operands[i]))
        if (operand.isReg() || operand.kind == ptx::OperandKind::AddrReg)
          readRegs[operand.index] = true;
  }
  startOf.reserve(function.instrs.size());
  bool good = true;
  for (const ptx::Instr &each : function.instrs) {
    startOf.push_back(uint32_t(code.insts.size()));
    instr = &each;
    ops = function.operandsOf(each);
    good &= lowerOne();
  }
  if (!good)
    return false;
  Liveness live = liveness(function);
  for (uint32_t r = 0; r < function.registers.size(); ++r)
    if (!live.liveAt.empty() && live.isLiveAt(0, r))
      code.zeroed.push_back({registerLoc(r), rowBytes(ptx::bitsOf(function.registers[r].cls))});
  if (&code == kernel.codes.front().get())
    kernel.info.registers = live.pressure;
  finish();
  findLoopState(live);
  return true;
}

} // namespace heddle::vm
