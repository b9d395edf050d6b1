// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value of the store is followed back inside its basic block, through copies and conversions, to an
// operation that an atomic function has, and from there to a load whose address is written alike.
#include "check/Updates.h"

#include "vm/Lowering.h"

namespace heddle::check {
namespace {

using ptx::Instr;
using ptx::Op;
using ptx::Operand;

const char *atomicFor(Op op) {
  switch (op) {
  case Op::Add:
  case Op::Fma:
  case Op::Mad:
  case Op::Sub: return "atomicAdd";
  case Op::Min: return "atomicMin";
  case Op::Max: return "atomicMax";
  case Op::And: return "atomicAnd";
  case Op::Or: return "atomicOr";
  case Op::Xor: return "atomicXor";
  default: return nullptr;
  }
}

/// Whether the atomic function changes this source: x - y subtracts from x, and a * b + x adds to x.
bool isChanged(Op op, size_t source) {
  switch (op) {
  case Op::Sub: return source == 0;
  case Op::Fma:
  case Op::Mad: return source == 2;
  default: return true;
  }
}

struct Backwards {
  const ptx::Function &f;
  const Instr &store;
  uint32_t begin; ///< of the block

  const Operand *addressOf(const Instr &instr) const {
    for (const Operand &operand : f.operandsOf(instr))
      if (operand.isAddress())
        return &operand;
    return nullptr;
  }

  /// The instruction before `at` that sets a register, kNone where the block does not say.
  uint32_t definition(uint32_t reg, uint32_t at) const {
    while (at-- > begin) {
      auto operands = f.operandsOf(f.instrs[at]);
      const unsigned dests = ptx::countDests(f, f.instrs[at]);
      for (unsigned d = 0; d < dests; ++d)
        if (operands[d].isReg() && operands[d].index == reg)
          return at;
    }
    return ptx::kNone;
  }

  bool loadsFromThere(const Instr &instr) const {
    if (instr.op != Op::Ld)
      return false;
    const Operand *from = addressOf(instr), *to = addressOf(store);
    return from && to && from->kind == to->kind && from->index == to->index && from->value == to->value;
  }

  /// Neighbours of the element that is stored are loaded too, as in scans: those are what threads exchange.
  bool loadsBesides(uint32_t at) const {
    const Operand *to = addressOf(store);
    while (at-- > begin)
      if (const Operand *from = f.instrs[at].op == Op::Ld ? addressOf(f.instrs[at]) : nullptr)
        if (to && from->kind == to->kind && from->index == to->index && from->value != to->value)
          return true;
    return false;
  }

  std::optional<Update> follow(uint32_t reg, uint32_t at, const char *atomic, unsigned steps) const {
    const uint32_t where = definition(reg, at);
    if (where == ptx::kNone || steps == 0)
      return std::nullopt;
    const Instr &instr = f.instrs[where];
    if (loadsFromThere(instr))
      return atomic ? std::optional(Update{where, atomic}) : std::nullopt;
    const char *here = atomicFor(instr.op);
    const bool copies = instr.op == Op::Mov || instr.op == Op::Cvt;
    // x + a - b takes two additions, and is one atomicAdd(&x, a - b).
    if (!copies && (!here || (atomic && std::string_view(here) != atomic)))
      return std::nullopt;
    auto operands = f.operandsOf(instr);
    const size_t first = ptx::countDests(f, instr);
    for (size_t i = first; i < operands.size(); ++i)
      if (operands[i].isReg() && (copies || isChanged(instr.op, i - first)))
        if (auto update = follow(operands[i].index, where, copies ? atomic : here, steps - 1))
          return update;
    return std::nullopt;
  }
};

} // namespace

std::optional<Update> updateOf(const ptx::Function &function, uint32_t store) {
  constexpr unsigned MostSteps = 6;
  const Instr &instr = function.instrs[store];
  auto operands = function.operandsOf(instr);
  if (instr.op != Op::St || operands.size() < 2 || !operands[1].isReg())
    return std::nullopt;
  const uint32_t first = function.blocks[function.blockOf[store]].first;
  const Backwards walk{function, instr, first};
  if (walk.loadsBesides(store))
    return std::nullopt;
  return walk.follow(operands[1].index, store, nullptr, MostSteps);
}

bool isHalfOfUpdate(const ptx::Function &function, uint32_t instr, std::string_view atomic) {
  if (function.instrs[instr].op == Op::St) {
    const std::optional<Update> update = updateOf(function, instr);
    return update && update->atomic == atomic;
  }
  if (function.instrs[instr].op != Op::Ld)
    return false;
  const uint32_t end = function.blocks[function.blockOf[instr]].end;
  for (uint32_t store = instr + 1; store < end; ++store)
    if (const std::optional<Update> update = updateOf(function, store);
        update && update->load == instr && update->atomic == atomic)
      return true;
  return false;
}

} // namespace heddle::check
