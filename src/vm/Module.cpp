// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/Module.h"

#include "support/Text.h"

#include <algorithm>
#include <cstring>

namespace heddle::vm {
namespace {

bool inGlobalMemory(const ptx::Variable &variable) {
  return variable.space == ptx::Space::Global || variable.space == ptx::Space::Const;
}

} // namespace

LoadedModuleImpl::~LoadedModuleImpl() {
  for (uint64_t address : owned)
    memory.free(reinterpret_cast<void *>(address));
}

bool LoadedModuleImpl::placeOne(uint32_t index, const std::vector<std::unique_ptr<LoadedModuleImpl>> &before,
                                Diagnostics &diagnostics) {
  const ptx::Variable &variable = module->variables[index];
  if (variable.linkage == ptx::Linkage::Extern) {
    for (const auto &other : before)
      if (const Variable *found = other->variable(variable.name)) {
        addresses[index] = found->address;
        return true;
      }
    diagnostics.error(
        {module->path, variable.line, 0, 0, {}},
        fmt::format("variable '{}' is declared extern, and no loaded module defines it", variable.name));
    return false;
  }
  const bool constant = variable.space == ptx::Space::Const;
  AllocationKind kind = constant             ? AllocationKind::Constant
                        : variable.isManaged ? AllocationKind::Managed
                                             : AllocationKind::Global;
  void *at = memory.allocate(variable.bytes, kind, variable.name, std::max<uint64_t>(variable.align, 256));
  if (!at) {
    diagnostics.error({module->path, variable.line, 0, 0, {}},
                      fmt::format("no room for variable '{}' of {} bytes", variable.name, variable.bytes));
    return false;
  }
  owned.push_back(uint64_t(at));
  addresses[index] = uint64_t(at);
  placed.push_back({variable.name, uint64_t(at), variable.bytes, constant});
  return true;
}

void LoadedModuleImpl::initialize(uint32_t index) {
  const ptx::Variable &variable = module->variables[index];
  auto *at = reinterpret_cast<uint8_t *>(addresses[index]);
  std::memset(at, 0, variable.bytes);
  std::copy_n(variable.init.begin(), std::min<uint64_t>(variable.init.size(), variable.bytes), at);
  for (const ptx::Relocation &r : variable.relocs) {
    uint64_t value = r.isFunction ? functionAddress(number, r.symbol) : addresses[r.symbol];
    value = (value + uint64_t(r.addend)) >> r.shift;
    std::memcpy(reinterpret_cast<uint8_t *>(addresses[index]) + r.offset, &value, r.bytes);
  }
}

bool LoadedModuleImpl::place(const std::vector<std::unique_ptr<LoadedModuleImpl>> &before,
                             Diagnostics &diagnostics) {
  addresses.assign(module->variables.size(), 0);
  for (uint32_t i = 0; i < module->variables.size(); ++i)
    if (inGlobalMemory(module->variables[i]) && !placeOne(i, before, diagnostics))
      return false;
  initializeVariables();
  return true;
}

void LoadedModuleImpl::initializeVariables() {
  for (uint32_t i = 0; i < module->variables.size(); ++i)
    if (inGlobalMemory(module->variables[i]) && module->variables[i].linkage != ptx::Linkage::Extern)
      initialize(i);
}

const Kernel *LoadedModuleImpl::kernel(std::string_view name, Diagnostics &why) {
  std::lock_guard lock(guard);
  if (auto it = kernels.find(name); it != kernels.end())
    return it->second.get();
  uint32_t index = module->findFunction(name);
  if (index == ptx::kNone || !module->functions[index].isEntry || !module->functions[index].isDefined) {
    auto nearest = nearestFirst(name, kernelNames());
    auto &d = why.error({module->path, 0, 0, 0, {}}, fmt::format("there is no kernel '{}'", name));
    if (!nearest.empty())
      d.withHint(fmt::format("did you mean '{}'?", nearest.front()));
    return nullptr;
  }
  std::unique_ptr<Kernel> made = lower(*this, module->functions[index], why);
  return made ? (kernels[std::string(name)] = std::move(made)).get() : nullptr;
}

const Variable *LoadedModuleImpl::variable(std::string_view name) const {
  for (const Variable &v : placed)
    if (v.name == name)
      return &v;
  return nullptr;
}

std::vector<std::string> LoadedModuleImpl::kernelNames() const {
  std::vector<std::string> names;
  for (const ptx::Function &f : module->functions)
    if (f.isEntry && f.isDefined)
      names.push_back(f.name);
  return names;
}

} // namespace heddle::vm
