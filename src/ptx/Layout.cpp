// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptx/Layout.h"

#include <algorithm>

namespace heddle::ptx {
namespace {

constexpr uint64_t kDynamicAlign = 16;

uint64_t alignUp(uint64_t value, uint64_t align) { return (value + align - 1) / align * align; }

bool callsThroughPointer(const Function &function) {
  return std::any_of(function.instrs.begin(), function.instrs.end(), [&](const Instr &instr) {
    return instr.op == Op::Call && function.operandsOf(instr)[0].kind == OperandKind::Reg;
  });
}

/// Functions whose address is taken: named outside of a call, or in an initializer.
std::vector<uint32_t> addressTaken(const Module &module) {
  std::vector<uint32_t> taken;
  for (const Function &function : module.functions)
    for (const Instr &instr : function.instrs)
      if (instr.op != Op::Call)
        for (const Operand &operand : function.operandsOf(instr))
          if (operand.kind == OperandKind::Func)
            taken.push_back(operand.index);
  for (const Variable &variable : module.variables)
    for (const Relocation &reloc : variable.relocs)
      if (reloc.isFunction)
        taken.push_back(reloc.symbol);
  return taken;
}

void forEachShared(const Module &module, const std::vector<uint32_t> &functions, std::vector<bool> &used) {
  for (uint32_t f : functions)
    for (const Operand &operand : module.functions[f].operands)
      if ((operand.kind == OperandKind::Var || operand.kind == OperandKind::AddrVar) &&
          module.variables[operand.index].space == Space::Shared)
        used[operand.index] = true;
}

} // namespace

std::vector<uint32_t> reachableFrom(const Module &module, uint32_t function) {
  std::vector<bool> seen(module.functions.size(), false);
  std::vector<uint32_t> work;
  bool pointersAdded = false;
  auto add = [&](uint32_t f) {
    if (!seen[f]) {
      seen[f] = true;
      work.push_back(f);
    }
  };
  add(function);
  while (!work.empty()) {
    const Function &f = module.functions[work.back()];
    work.pop_back();
    for (const Operand &operand : f.operands)
      if (operand.kind == OperandKind::Func)
        add(operand.index);
    if (!pointersAdded && callsThroughPointer(f)) {
      pointersAdded = true;
      for (uint32_t taken : addressTaken(module))
        add(taken);
    }
  }
  std::vector<uint32_t> result;
  for (uint32_t i = 0; i < seen.size(); ++i)
    if (seen[i])
      result.push_back(i);
  return result;
}

SharedLayout layoutShared(const Module &module, uint32_t kernel) {
  std::vector<bool> used(module.variables.size(), false);
  forEachShared(module, reachableFrom(module, kernel), used);
  SharedLayout layout;
  uint64_t dynamicAlign = kDynamicAlign;
  std::vector<uint32_t> dynamic;
  for (uint32_t i = 0; i < used.size(); ++i) {
    const Variable &v = module.variables[i];
    if (!used[i])
      continue;
    if (v.isDynamicShared()) {
      dynamic.push_back(i);
      dynamicAlign = std::max<uint64_t>(dynamicAlign, v.align);
      continue;
    }
    uint64_t offset = alignUp(layout.staticBytes, v.align);
    layout.offsets.emplace_back(i, offset);
    layout.staticBytes = offset + v.bytes;
  }
  layout.dynamicOffset = alignUp(layout.staticBytes, dynamicAlign);
  for (uint32_t i : dynamic)
    layout.offsets.emplace_back(i, layout.dynamicOffset);
  return layout;
}

uint64_t SharedLayout::offsetOf(uint32_t variable) const {
  auto found = std::find_if(offsets.begin(), offsets.end(),
                            [&](const std::pair<uint32_t, uint64_t> &o) { return o.first == variable; });
  return found == offsets.end() ? ~uint64_t(0) : found->second;
}

} // namespace heddle::ptx
