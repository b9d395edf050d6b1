// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Program.h"

#include "jit/Operations.h"
#include "vm/Access.h"
#include "vm/Module.h"

#include <algorithm>

namespace heddle::jit {

using ptx::Op;
using ptx::OperandKind;

namespace {

/// Instructions of a part. One of double precision of 20,000 is compiled in 5.0 s with parts of at most 600, and 6.7 s with 1200.
constexpr uint32_t MostInPart = 600;

/// The width of an operand that the row of Ops.def describes by a word.
unsigned widthOfWord(const ptx::Instr &instr, std::string_view word) {
  while (!word.empty() && std::string_view("=~?-^").find(word.front()) != std::string_view::npos)
    word.remove_prefix(1);
  word = word.substr(0, word.find('|'));
  const bool isWide = instr.mods.mul == ptx::MulMode::Wide;
  auto bits = [&](unsigned which) { return ptx::bitsOf(instr.types[which]); };
  if (word == "T" || word == "V" || word == "mov" || word == "vec")
    return bits(0);
  if (word == "W")
    return isWide ? 2 * bits(0) : bits(0);
  if (word == "U" || word == "X" || word == "Y")
    return bits(word == "U" ? 1 : word == "X" ? 2 : 3);
  if (word == "pred")
    return 1;
  unsigned number = 0;
  for (char c : word)
    number = c >= '0' && c <= '9' ? number * 10 + unsigned(c - '0') : number;
  return number ? number : 32;
}

unsigned widthOfOperand(const ptx::Instr &instr, unsigned index) {
  std::string_view words = ptx::info(instr.op).operands;
  for (unsigned at = 0; !words.empty();) {
    const size_t end = words.find(' ');
    const std::string_view word = words.substr(0, end);
    words = end == std::string_view::npos ? std::string_view() : words.substr(end + 1);
    const unsigned covers = word.find("|p") != std::string_view::npos ? 2 : 1;
    if (index < at + covers)
      return widthOfWord(instr, word);
    at += covers;
  }
  return 32;
}

bool readsLiveSpecial(ptx::SpecialReg reg) {
  using enum ptx::SpecialReg;
  return reg == Clock || reg == ClockHi || reg == Clock64 || reg == GlobalTimer || reg == GlobalTimerLo ||
         reg == GlobalTimerHi;
}

} // namespace

Program::Program(const vm::CompileRequest &asked)
    : request(asked), function(*asked.code.function), code(asked.code) {
  for (uint32_t i = 0; i < code.insts.size(); ++i)
    while (starts.size() <= code.sources[i])
      starts.push_back(i);
  starts.resize(function.instrs.size() + 1, uint32_t(code.insts.size()));
  choose();
  findLive();
  divided = divide(*this, request.mostInPart ? request.mostInPart : MostInPart);
}

// --- operands

/// Elements of vectors one by one.
static std::vector<ptx::Operand> oneByOne(const ptx::Function &function,
                                          std::span<const ptx::Operand> given) {
  std::vector<ptx::Operand> all;
  for (const ptx::Operand &operand : given) {
    if (operand.kind != OperandKind::Vector) {
      all.push_back(operand);
      continue;
    }
    auto elements = function.elementsOf(operand);
    all.insert(all.end(), elements.begin(), elements.end());
  }
  return all;
}

std::vector<ptx::Operand> Program::sources(uint32_t instr) const {
  return oneByOne(function, operands(instr).subspan(request.destinations[instr]));
}

std::vector<ptx::Operand> Program::destinations(uint32_t instr) const {
  return oneByOne(function, operands(instr).first(request.destinations[instr]));
}

std::vector<uint32_t> Program::reads(uint32_t instr) const {
  std::vector<uint32_t> regs;
  for (const ptx::Operand &each : sources(instr))
    if (each.isReg() || each.kind == OperandKind::AddrReg)
      regs.push_back(each.index);
  for (const ptx::Operand &each : destinations(instr)) // an address in front, as in st
    if (each.kind == OperandKind::AddrReg)
      regs.push_back(each.index);
  return regs;
}

std::vector<uint32_t> Program::writes(uint32_t instr) const {
  std::vector<uint32_t> regs;
  for (const ptx::Operand &each : destinations(instr))
    if (each.isReg())
      regs.push_back(each.index);
  return regs;
}

const vm::SpecialRow *Program::specialOf(const ptx::Operand &operand) const {
  if (operand.kind == OperandKind::Special)
    for (const vm::SpecialRow &row : request.kernel.specials)
      if (row.reg == ptx::SpecialReg(operand.index))
        return &row;
  return nullptr;
}

std::optional<Constant> Program::constantOf(uint32_t instr, const ptx::Operand &operand,
                                            unsigned index) const {
  const ptx::Instr &what = function.instrs[instr];
  // An element of a vector: its share of the whole.
  unsigned bits = 32, at = 0;
  auto given = operands(instr);
  for (unsigned i = request.destinations[instr]; i < given.size(); ++i) {
    const unsigned elements = given[i].kind == OperandKind::Vector ? given[i].count : 1;
    if (index < at + elements) {
      bits = widthOfOperand(what, i) / elements;
      break;
    }
    at += elements;
  }
  bits = bits == 1 ? 1 : std::max(bits, 16u);
  if (bits > 64)
    return std::nullopt;
  auto chop = [&](uint64_t value) {
    return Constant{bits == 64 ? value : value & ((uint64_t(1) << bits) - 1), bits};
  };
  switch (operand.kind) {
  case OperandKind::Imm: return chop(operand.negated ? !operand.value : operand.value);
  case OperandKind::Func: return chop(vm::functionAddress(request.kernel.owner->number, operand.index));
  case OperandKind::Var: {
    const ptx::Variable &variable = request.kernel.owner->module->variables[operand.index];
    if (variable.space == ptx::Space::Local || variable.space == ptx::Space::Param)
      return std::nullopt;
    if (variable.space == ptx::Space::Shared || variable.space == ptx::Space::SharedCluster) {
      auto found = request.kernel.sharedOffsets.find(operand.index);
      return found == request.kernel.sharedOffsets.end() ? std::nullopt
                                                         : std::optional(chop(found->second + operand.value));
    }
    return chop(request.kernel.owner->addressOf(operand.index) + operand.value);
  }
  default: return std::nullopt;
  }
}

// --- how each instruction is executed

bool Program::isOperation(uint32_t instr) const {
  const ptx::Instr &what = function.instrs[instr];
  if (!isCompiled(function, what) || readsCarry(what) || writesCarry(what))
    return false;
  unsigned index = 0;
  for (const ptx::Operand &each : sources(instr)) {
    if (each.isReg() ? !isHeld(each.index)
        : each.kind == OperandKind::Special
            ? readsLiveSpecial(ptx::SpecialReg(each.index)) || !specialOf(each)
            : !constantOf(instr, each, index))
      return false;
    ++index;
  }
  return std::ranges::all_of(writes(instr), [&](uint32_t reg) { return isHeld(reg); });
}

bool Program::isAccess(uint32_t instr) const {
  const ptx::Instr &what = function.instrs[instr];
  if ((what.op != Op::Ld && what.op != Op::Ldu && what.op != Op::St) ||
      starts[instr + 1] != starts[instr] + 1)
    return false;
  const vm::Inst &in = inst(instr);
  const bool isStore = what.op == Op::St;
  auto spaceIsServed = [&] {
    switch (in.space) {
    case vm::MemorySpace::Shared:
    case vm::MemorySpace::Global:
    case vm::MemorySpace::Generic: return true;
    case vm::MemorySpace::Constant: return !isStore;
    case vm::MemorySpace::Param: return !isStore && in.address == vm::AddressForm::Parameters;
    default: return false;
    }
  };
  if (vm::orderingOf(in.mode) != vm::Ordering::Weak || in.bytes > 8 || !spaceIsServed() ||
      in.address == vm::AddressForm::Frame ||
      (in.address == vm::AddressForm::Reg32 && in.space != vm::MemorySpace::Shared))
    return false;
  for (const ptx::Operand &each : isStore ? sources(instr) : destinations(instr))
    if (each.isReg() && (!isHeld(each.index) || bitsOf(each.index) < in.bytes * 8))
      return false;
  if (isStore)
    for (const ptx::Operand &each : sources(instr))
      if (!each.isReg() && !each.isAddress() && each.kind != OperandKind::Imm)
        return false;
  return true;
}

bool Program::isAtomic(uint32_t instr) const {
  const ptx::Instr &what = function.instrs[instr];
  if ((what.op != Op::Atom && what.op != Op::Red) || starts[instr + 1] != starts[instr] + 1)
    return false;
  const vm::Inst &in = inst(instr);
  const auto kind = ptx::kindOf(what.types[0]);
  if (in.space != vm::MemorySpace::Shared || in.bytes != 4 || in.elements != 1 ||
      vm::orderingOf(in.mode) != vm::Ordering::Relaxed || in.address == vm::AddressForm::Frame ||
      (kind != ptx::TypeKind::Signed && kind != ptx::TypeKind::Unsigned && kind != ptx::TypeKind::Bits))
    return false;
  switch (what.mods.atom) {
  case ptx::AtomOp::Add:
  case ptx::AtomOp::And:
  case ptx::AtomOp::Or:
  case ptx::AtomOp::Xor:
  case ptx::AtomOp::Min:
  case ptx::AtomOp::Max:
  case ptx::AtomOp::Exch: break;
  default: return false;
  }
  return std::ranges::all_of(operands(instr), [&](const ptx::Operand &each) {
    return each.isReg() ? bitsOf(each.index) == 32
                        : each.isAddress() || each.kind == OperandKind::Imm || each.kind == OperandKind::Sink;
  });
}

/// Of all lanes, by their number in the program.
bool Program::isExchange(uint32_t instr) const {
  const ptx::Instr &what = function.instrs[instr];
  if ((what.op != Op::ShflSync && what.op != Op::VoteSync) || what.guard ||
      starts[instr + 1] != starts[instr] + 1)
    return false;
  const auto from = sources(instr);
  const unsigned members = what.op == Op::ShflSync ? 3 : 1;
  if (from.size() != members + 1)
    return false;
  for (unsigned i = 0; i <= members; ++i) {
    const unsigned bits = what.op == Op::VoteSync && i == 0 ? 1 : 32;
    const auto constant = constantOf(instr, from[i], i);
    if (i >= 2 || i == members ? !constant : from[i].isReg() ? bitsOf(from[i].index) != bits : !constant)
      return false;
    if (i == members && uint32_t(constant->value) != vm::AllLanes)
      return false;
  }
  return std::ranges::all_of(destinations(instr), [&](const ptx::Operand &each) {
    return !each.isReg() || bitsOf(each.index) == 1 || bitsOf(each.index) == 32;
  });
}

Way Program::wayOfOther(uint32_t instr) const {
  const ptx::Instr &what = function.instrs[instr];
  const ptx::OpInfo &info = ptx::info(what.op);
  switch (info.lanes) {
  case ptx::Lanes::Flow:
  case ptx::Lanes::Block:
  case ptx::Lanes::Cluster: return Way::Leave;
  default: break;
  }
  switch (info.cls) {
  case ptx::OpClass::Barrier: return info.lanes == ptx::Lanes::Named ? Way::Handler : Way::Leave;
  case ptx::OpClass::Branch:
  case ptx::OpClass::Call:
  case ptx::OpClass::Mbarrier:
  case ptx::OpClass::AsyncWait: return Way::Leave;
  default: return what.op == Op::Nanosleep || what.op == Op::Trap ? Way::Leave : Way::Handler;
  }
}

void Program::choose() {
  for (uint32_t i = 0; i < count(); ++i) {
    const ptx::Instr &what = function.instrs[i];
    if (what.op == Op::Bra)
      ways.push_back(Way::Branch);
    else if (isAccess(i))
      ways.push_back(Way::Access);
    else if (isAtomic(i) && !request.observed.sharedMemory)
      ways.push_back(Way::Atomic);
    else if (isExchange(i) && !request.observed.synchronization)
      ways.push_back(Way::Exchange);
    else
      ways.push_back(isOperation(i) ? Way::Operation : wayOfOther(i));
  }
}

void Program::addEntries(const std::vector<bool> &blocks) {
  std::vector<bool> isEntry(count() + 1, false);
  for (size_t b = 0; b < function.blocks.size(); ++b) {
    const ptx::Block &block = function.blocks[b];
    isEntry[block.first] = b == 0 || blocks[b];
    // The head of a loop: a slice that has used up its budget ends there.
    for (uint32_t pred : block.preds)
      if (inst(block.first).order <= inst(function.blocks[pred].end - 1).order)
        isEntry[block.first] = true;
  }
  for (uint32_t i = 0; i < count(); ++i)
    if (ways[i] == Way::Leave)
      isEntry[i + 1] = true;
  std::vector<bool> isKept = isEntry;
  for (const Part &part : divided)
    isKept[part.first] = true;
  for (const ptx::Block &block : function.blocks)
    for (uint32_t succ : block.succs)
      if (partOf(function.blocks[succ].first) != partOf(block.end - 1))
        isKept[function.blocks[succ].first] = true;
  for (uint32_t i = 0; i < count(); ++i)
    if (isKept[i] && ways[i] != Way::Leave)
      entries.push_back(i);
  keepLive(isKept);
}

uint32_t Program::partOf(uint32_t instr) const {
  auto behind = std::ranges::upper_bound(divided, instr, {}, &Part::first);
  return uint32_t(behind - divided.begin()) - 1;
}

// --- registers

const llvm::BitVector &Program::liveBefore(uint32_t instr) const { return live.at(instr); }

llvm::BitVector Program::liveBehind(const ptx::Block &block) const {
  llvm::BitVector now(unsigned(function.registers.size()));
  for (uint32_t succ : block.succs)
    now |= liveBefore(function.blocks[succ].first);
  return now;
}

void Program::stepBack(uint32_t instr, llvm::BitVector &now) const {
  const ptx::Instr &what = function.instrs[instr];
  if (what.op == Op::Call) { // which operands are written differs: all are needed
    for (const ptx::Operand &each : operands(instr))
      if (each.kind == OperandKind::Vector) {
        for (const ptx::Operand &element : function.elementsOf(each))
          if (element.isReg())
            now.set(element.index);
      } else if (each.isReg()) {
        now.set(each.index);
      }
  } else {
    if (!what.guard)
      for (uint32_t reg : writes(instr))
        now.reset(reg);
    for (uint32_t reg : reads(instr))
      now.set(reg);
  }
  if (what.guard)
    now.set(what.guard.reg);
}

void Program::findLive() {
  const unsigned regs = unsigned(function.registers.size());
  // What a block does to registers: with none live behind it, and with all.
  std::vector<llvm::BitVector> read, passed;
  for (const ptx::Block &block : function.blocks) {
    live.try_emplace(block.first, regs);
    llvm::BitVector &none = read.emplace_back(regs), &all = passed.emplace_back(regs, true);
    for (uint32_t i = block.end; i-- > block.first;) {
      stepBack(i, none);
      stepBack(i, all);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = function.blocks.size(); b-- > 0;) {
      llvm::BitVector now = liveBehind(function.blocks[b]);
      now &= passed[b];
      now |= read[b];
      llvm::BitVector &known = live.at(function.blocks[b].first);
      if (now != known) {
        known = std::move(now);
        changed = true;
      }
    }
  }
}

void Program::keepLive(const std::vector<bool> &wanted) {
  for (const ptx::Block &block : function.blocks) {
    llvm::BitVector now = liveBehind(block);
    for (uint32_t i = block.end; i-- > block.first;) {
      stepBack(i, now);
      if (wanted[i])
        live.try_emplace(i, now);
    }
  }
}

} // namespace heddle::jit
