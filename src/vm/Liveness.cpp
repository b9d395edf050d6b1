// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Backward data-flow analysis over basic blocks. A guarded write does not end a live range: lanes whose guard
// is false keep the old value.
#include "vm/Lowering.h"

namespace heddle::vm {
namespace {

using Words = std::vector<uint64_t>;

void set(Words &words, uint32_t i) { words[i / 64] |= uint64_t(1) << i % 64; }
void clear(Words &words, uint32_t i) { words[i / 64] &= ~(uint64_t(1) << i % 64); }
bool get(const Words &words, uint32_t i) { return words[i / 64] >> i % 64 & 1; }

unsigned weight(const ptx::Register &reg) {
  switch (reg.cls) {
  case ptx::RegClass::Pred: return 0;
  case ptx::RegClass::B64: return 2;
  case ptx::RegClass::B128: return 4;
  default: return 1;
  }
}

template <class F> void eachRegister(const ptx::Function &f, const ptx::Operand &operand, F use) {
  if (operand.kind == ptx::OperandKind::Vector) {
    for (const ptx::Operand &element : f.elementsOf(operand))
      eachRegister(f, element, use);
  } else if (operand.isReg() || operand.kind == ptx::OperandKind::AddrReg) {
    use(operand.index);
  }
}

/// Calls def and use for an instruction's registers, definitions first: walking backward that is the right
/// order.
template <class Def, class Use>
void eachAccess(const ptx::Function &f, const ptx::Instr &instr, Def def, Use use) {
  auto operands = f.operandsOf(instr);
  const unsigned dests = countDests(f, instr);
  const bool isCall = instr.op == ptx::Op::Call;
  for (unsigned i = 0; i < operands.size(); ++i)
    if ((!isCall && i < dests) || (isCall && i == 1))
      eachRegister(f, operands[i], def);
  for (unsigned i = 0; i < operands.size(); ++i)
    if ((!isCall && i >= dests) || (isCall && i != 1))
      eachRegister(f, operands[i], use);
  if (instr.guard)
    use(instr.guard.reg);
}

} // namespace

Liveness liveness(const ptx::Function &function) {
  const size_t words = (function.registers.size() + 63) / 64, count = function.blocks.size();
  std::vector<Words> gen(count, Words(words)), kill(count, Words(words)), in(count, Words(words));
  for (size_t b = 0; b < count; ++b)
    for (uint32_t i = function.blocks[b].end; i-- > function.blocks[b].first;) {
      const ptx::Instr &instr = function.instrs[i];
      eachAccess(
          function, instr,
          [&](uint32_t r) {
            if (!instr.guard)
              set(kill[b], r), clear(gen[b], r);
          },
          [&](uint32_t r) { set(gen[b], r); });
    }
  auto liveOut = [&](size_t b) {
    Words out(words);
    for (uint32_t succ : function.blocks[b].succs)
      for (size_t w = 0; w < words; ++w)
        out[w] |= in[succ][w];
    return out;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = count; b-- > 0;) {
      Words next = liveOut(b);
      for (size_t w = 0; w < words; ++w)
        next[w] = gen[b][w] | (next[w] & ~kill[b][w]);
      changed |= next != in[b];
      in[b] = std::move(next);
    }
  }
  Liveness result;
  for (size_t b = 0; b < count; ++b) {
    Words live = liveOut(b);
    unsigned now = 0;
    for (uint32_t r = 0; r < function.registers.size(); ++r)
      now += get(live, r) ? weight(function.registers[r]) : 0;
    result.pressure = std::max(result.pressure, now);
    for (uint32_t i = function.blocks[b].end; i-- > function.blocks[b].first;) {
      const ptx::Instr &instr = function.instrs[i];
      eachAccess(
          function, instr,
          [&](uint32_t r) {
            if (!instr.guard && get(live, r))
              clear(live, r), now -= weight(function.registers[r]);
          },
          [&](uint32_t r) {
            if (!get(live, r))
              set(live, r), now += weight(function.registers[r]);
          });
      result.pressure = std::max(result.pressure, now);
    }
  }
  result.liveAt = std::move(in);
  return result;
}

} // namespace heddle::vm
