// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers a kernel with all functions that it may call:
//  1. find the functions that can be reached (through pointers: all whose address is taken),
//  2. lay out the shared variables that these use, the dynamic ones after the static ones,
//  3. lower each function.
#include "vm/CompileQueue.h"
#include "vm/Lowering.h"

#include <algorithm>
#include <set>

namespace heddle::vm {
namespace {

struct Reach {
  const ptx::Module &module;
  std::set<uint32_t> functions;
  std::set<uint32_t> shared;
  bool indirect = false;

  void visitOperand(const ptx::Operand &operand, std::vector<uint32_t> &todo) {
    using enum ptx::OperandKind;
    if (operand.kind == Func)
      todo.push_back(operand.index);
    if (operand.kind != Var && operand.kind != AddrVar)
      return;
    ptx::Space space = module.variables[operand.index].space;
    if (space == ptx::Space::Shared || space == ptx::Space::SharedCluster)
      shared.insert(operand.index);
  }

  void from(uint32_t start) {
    std::vector<uint32_t> todo{start};
    while (!todo.empty()) {
      uint32_t index = todo.back();
      todo.pop_back();
      if (!functions.insert(index).second)
        continue;
      const ptx::Function &f = module.functions[index];
      for (const ptx::Operand &operand : f.operands)
        visitOperand(operand, todo);
      for (const ptx::Instr &instr : f.instrs) {
        bool pointer = instr.op == ptx::Op::Call && f.operandsOf(instr)[0].kind != ptx::OperandKind::Func;
        if (pointer && !indirect) {
          indirect = true;
          for (uint32_t taken : addressTaken())
            todo.push_back(taken);
        }
      }
    }
  }

  std::set<uint32_t> addressTaken() const {
    std::set<uint32_t> taken;
    for (const ptx::Variable &v : module.variables)
      for (const ptx::Relocation &r : v.relocs)
        if (r.isFunction)
          taken.insert(r.symbol);
    for (const ptx::Function &f : module.functions)
      for (const ptx::Instr &instr : f.instrs)
        for (const ptx::Operand &operand : f.operandsOf(instr))
          if (operand.kind == ptx::OperandKind::Func && instr.op != ptx::Op::Call)
            taken.insert(operand.index);
    return taken;
  }
};

void layOutShared(Kernel &kernel, const ptx::Module &module, const std::set<uint32_t> &used) {
  uint64_t end = 0;
  uint32_t dynamicAlign = 16;
  for (uint32_t index : used) {
    const ptx::Variable &v = module.variables[index];
    if (v.isDynamicShared() || v.bytes == 0) {
      dynamicAlign = std::max(dynamicAlign, v.align);
      continue;
    }
    end = alignUp(end, std::max(1u, v.align));
    kernel.sharedOffsets[index] = uint32_t(end);
    end += v.bytes;
  }
  kernel.info.staticSharedBytes = uint32_t(end);
  kernel.dynamicSharedOffset = alignUp(end, dynamicAlign);
  for (uint32_t index : used)
    if (module.variables[index].isDynamicShared() || module.variables[index].bytes == 0)
      kernel.sharedOffsets[index] = kernel.dynamicSharedOffset;
}

/// Offsets of .param variables in the local frame: those of the body first, then the function's own parameters
/// and results (a kernel's own parameters are the launch's).
void layOutLocal(Code &code, const ptx::Module &module) {
  const ptx::Function &f = *code.function;
  uint32_t end = alignUp(f.localBytes, 16);
  auto add = [&](uint32_t variable) {
    const ptx::Variable &v = module.variables[variable];
    end = alignUp(end, std::max(1u, v.align));
    code.paramOffsets[variable] = end;
    end += uint32_t(v.bytes);
  };
  for (uint32_t variable : f.locals)
    if (module.variables[variable].space == ptx::Space::Param)
      add(variable);
  if (!f.isEntry) {
    for (const ptx::Param &p : f.params)
      if (p.variable != ptx::kNone)
        add(p.variable), code.paramPlaces.push_back(code.paramOffsets[p.variable]);
    for (const ptx::Param &p : f.results)
      if (p.variable != ptx::kNone)
        add(p.variable), code.resultPlaces.push_back(code.paramOffsets[p.variable]);
  }
  code.localBytes = alignUp(end, 16);
}

void describe(Kernel &kernel, const ptx::Module &module) {
  const ptx::Function &f = *kernel.function;
  KernelInfo &info = kernel.info;
  info.name = f.name;
  for (const ptx::Param &p : f.params)
    if (p.variable != ptx::kNone) {
      const ptx::Variable &v = module.variables[p.variable];
      info.parameters.push_back({uint32_t(v.offset), uint32_t(v.bytes), v.align});
      info.parameterBytes = std::max(info.parameterBytes, uint32_t(v.offset + v.bytes));
    }
  info.localBytes = uint32_t(f.localBytes);
  for (const ptx::Variable &v : module.variables)
    if (v.space == ptx::Space::Const)
      info.constantBytes += uint32_t(v.bytes);
  auto product = [](const uint32_t (&n)[3]) {
    return n[0] ? n[0] * std::max(1u, n[1]) * std::max(1u, n[2]) : 0;
  };
  info.maxThreads = product(f.bounds.reqNTid) ? product(f.bounds.reqNTid) : product(f.bounds.maxNTid);
  info.minBlocks = f.bounds.minNCtaPerSm;
  if (f.bounds.reqNTid[0])
    info.requiredBlock = {f.bounds.reqNTid[0], std::max(1u, f.bounds.reqNTid[1]),
                          std::max(1u, f.bounds.reqNTid[2])};
  const auto &cluster = f.bounds.reqNCtaPerCluster;
  if (cluster[0])
    info.requiredCluster = {cluster[0], std::max(1u, cluster[1]), std::max(1u, cluster[2])};
}

} // namespace

Kernel::Kernel() = default;
Kernel::~Kernel() { stopCompiling(*this); }

std::unique_ptr<Kernel> lower(LoadedModuleImpl &loaded, const ptx::Function &function, Diagnostics &why) {
  const ptx::Module &module = *loaded.module;
  auto kernel = std::make_unique<Kernel>();
  kernel->owner = &loaded;
  kernel->function = &function;
  const uint32_t start = uint32_t(&function - module.functions.data());
  Reach reach{module, {}, {}, false};
  reach.from(start);
  describe(*kernel, module);
  layOutShared(*kernel, module, reach.shared);
  std::vector<uint32_t> todo{start};
  for (uint32_t index : reach.functions)
    if (index != start && module.functions[index].isDefined && !module.functions[index].isEntry)
      todo.push_back(index);
  for (uint32_t index : todo) {
    Code &code = *kernel->codes.emplace_back(std::make_unique<Code>());
    code.module = &module;
    code.function = &module.functions[index];
    code.firstSite = kernel->info.sites;
    kernel->info.sites += uint32_t(code.function->instrs.size());
    kernel->byFunction[code.function] = &code;
    if (reach.indirect)
      kernel->byAddress[functionAddress(loaded.number, index)] = &code;
    layOutLocal(code, module);
  }
  bool good = true;
  for (auto &code : kernel->codes)
    good &= Lowering(*kernel, *code, loaded, why).run();
  kernel->info.codeBlocks = uint32_t(kernel->codeBlocks.size());
  return good ? std::move(kernel) : nullptr;
}

} // namespace heddle::vm
