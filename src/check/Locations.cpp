// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers for instructions, and names for what findings mention.
//
// Shadow memory keeps the last accesses of each element, so a location there must be small: instructions with an access or a barrier (sites) are
// numbered over all kernels of the program, and 32 bits identify kernel and instruction. Source lines, demangled kernel names and names such as tile[3] or
// thread (1,2) are made from the number only when a finding is printed.
#include "check/Locations.h"

#include "support/Demangle.h"
#include "support/Text.h"
#include "vm/Code.h"
#include "vm/Module.h"
#include "vm/Source.h"

#include <algorithm>

namespace heddle::check {

SourceLocation locationOf(const ptx::Module &module, const ptx::Instr &instr) {
  SourceLocation source = vm::sourceOf(module, instr);
  if (source.isKnown())
    return source;
  return {module.path.empty() ? "<ptx>" : module.path, instr.line, instr.column, 0, {}};
}

std::string readableKernel(const std::string &mangled) { return functionName(mangled); }

std::string readableVariable(const std::string &mangled) {
  std::string text = demangled(mangled);
  // Variables of a function come as "kernel(int*)::tile".
  if (size_t at = text.rfind("::"); at != std::string::npos && text.find('(') != std::string::npos)
    text = text.substr(at + 2);
  // Clang's name of a local shared variable that has none in C++: "_ZZ...E4tile" does not get here;
  // "kernel.tile" may.
  return text;
}

uint32_t InstructionTable::add(const vm::Kernel &kernel) {
  std::lock_guard lock(guard);
  auto [found, fresh] = known.try_emplace(&kernel, next);
  if (!fresh)
    return found->second;
  Table table;
  table.first = next;
  table.kernel = &kernel;
  table.name = readableKernel(kernel.info.name);
  table.sites.resize(kernel.info.sites);
  for (uint32_t c = 0; c < kernel.codes.size(); ++c) {
    const vm::Code &code = *kernel.codes[c];
    for (size_t i = 0; i < code.insts.size(); ++i)
      if (code.insts[i].site < table.sites.size() && i < code.sources.size())
        table.sites[code.insts[i].site] = {c, code.sources[i]};
  }
  next += kernel.info.sites + 1;
  tables.push_back(std::move(table));
  return found->second;
}

const InstructionTable::Table *InstructionTable::tableOf(uint32_t instrId) const {
  for (const Table &table : tables)
    if (instrId >= table.first && instrId - table.first < table.sites.size())
      return &table;
  return nullptr;
}

const ptx::Instr *InstructionTable::instruction(uint32_t instrId) const {
  std::lock_guard lock(guard);
  const Table *table = tableOf(instrId);
  if (!table)
    return nullptr;
  auto [code, instr] = table->sites[instrId - table->first];
  return &table->kernel->codes[code]->function->instrs[instr];
}

InstructionTable::InFunction InstructionTable::inFunction(uint32_t instrId) const {
  std::lock_guard lock(guard);
  const Table *table = tableOf(instrId);
  if (!table)
    return {};
  auto [code, instr] = table->sites[instrId - table->first];
  return {table->kernel->codes[code]->function, instr};
}

SourceLocation InstructionTable::of(uint32_t instrId) const {
  std::lock_guard lock(guard);
  const Table *table = tableOf(instrId);
  if (!table)
    return {};
  auto [code, index] = table->sites[instrId - table->first];
  const vm::Code &owner = *table->kernel->codes[code];
  return locationOf(*owner.module, owner.function->instrs[index]);
}

std::string InstructionTable::kernelOf(uint32_t instrId) const {
  std::lock_guard lock(guard);
  const Table *table = tableOf(instrId);
  return table ? table->name : std::string();
}

std::string sharedName(const vm::Kernel &kernel, uint64_t offset, uint32_t elementBytes) {
  const std::vector<ptx::Variable> &variables = kernel.owner->module->variables;
  const ptx::Variable *best = nullptr;
  uint64_t bestOffset = 0;
  for (const auto &[index, at] : kernel.sharedOffsets) {
    const ptx::Variable &variable = variables[index];
    const bool inside = offset >= at && (variable.isDynamicShared() || offset < at + variable.bytes);
    if (inside && (!best || at > bestOffset || (at == bestOffset && variable.bytes)))
      best = &variable, bestOffset = at;
  }
  if (!best)
    return fmt::format("shared memory at byte {}", offset);
  const uint64_t inside = offset - bestOffset;
  std::string name = readableVariable(best->name);
  if (!best->isDynamicShared() && best->bytes <= elementBytes)
    return name;
  if (!elementBytes || inside % elementBytes)
    return fmt::format("{} at byte {}", name, inside);
  return fmt::format("{}[{}]", name, inside / elementBytes);
}

std::string afterSharedArrays(const vm::Kernel &kernel, uint64_t offset, uint32_t dynamicBytes) {
  const ptx::Variable *last = nullptr;
  uint64_t lastEnd = 0, lastBytes = 0;
  for (const auto &[index, at] : kernel.sharedOffsets) {
    const ptx::Variable &variable = kernel.owner->module->variables[index];
    const uint64_t bytes = variable.isDynamicShared() ? dynamicBytes : variable.bytes;
    if (at + bytes <= offset && (!last || at + bytes >= lastEnd))
      last = &variable, lastEnd = at + bytes, lastBytes = bytes;
  }
  if (!last)
    return "";
  return fmt::format("{} the end of '{}' ({}), the last shared array of the kernel",
                     offset == lastEnd ? "directly after" : counted(offset - lastEnd, "byte") + " after",
                     readableVariable(last->name), counted(lastBytes, "byte"));
}

std::string threadName(const vm::Dim3 &size, unsigned thread) {
  if (size.y == 1 && size.z == 1)
    return fmt::format("thread {}", thread);
  const unsigned x = thread % size.x, y = thread / size.x % size.y, z = thread / size.x / size.y;
  return size.z == 1 ? fmt::format("thread ({},{})", x, y) : fmt::format("thread ({},{},{})", x, y, z);
}

std::string blockName(const vm::Dim3 &size, uint64_t block) {
  if (size.y == 1 && size.z == 1)
    return fmt::format("block {}", block);
  const uint64_t x = block % size.x, y = block / size.x % size.y, z = block / size.x / size.y;
  return size.z == 1 ? fmt::format("block ({},{})", x, y) : fmt::format("block ({},{},{})", x, y, z);
}

} // namespace heddle::check
