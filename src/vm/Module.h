// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Code.h"
#include "vm/Simulator.h"

#include <cstdint>
#include <map>
#include <mutex>

namespace heddle::vm {

/// The addresses of functions that a program sees: a window of their own, so that no other address is mistaken
/// for one.
constexpr uint64_t functionAddress(uint32_t moduleNumber, uint32_t functionIndex) {
  return FunctionWindow | uint64_t(moduleNumber) << 32 | uint64_t(functionIndex + 1) << 4;
}

class LoadedModuleImpl final : public LoadedModule {
public:
  LoadedModuleImpl(std::shared_ptr<const ptx::Module> parsed, Memory &global, uint32_t moduleNumber)
      : module(std::move(parsed)), memory(global), number(moduleNumber) {}
  ~LoadedModuleImpl() override;

  const Kernel *kernel(std::string_view name, Diagnostics &why) override;
  const Variable *variable(std::string_view name) const override;
  const std::vector<Variable> &variables() const override { return placed; }
  std::vector<std::string> kernelNames() const override;
  void initializeVariables() override;

  /// Assigns an address to every .global and .const variable; extern ones are those of modules loaded before.
  bool place(const std::vector<std::unique_ptr<LoadedModuleImpl>> &before, Diagnostics &diagnostics);
  /// 0 for variables that have no address in global memory.
  uint64_t addressOf(uint32_t variable) const { return addresses[variable]; }

  const std::shared_ptr<const ptx::Module> module;
  Memory &memory;
  const uint32_t number;

private:
  bool placeOne(uint32_t index, const std::vector<std::unique_ptr<LoadedModuleImpl>> &before,
                Diagnostics &diagnostics);
  void initialize(uint32_t index);

  std::vector<Variable> placed;
  std::vector<uint64_t> addresses;
  std::vector<uint64_t> owned;
  std::map<std::string, std::unique_ptr<Kernel>, std::less<>> kernels;
  std::mutex guard;
};

/// Lowers a kernel with all functions that it may call. nullptr, with the reason in `why`, if that is not possible.
std::unique_ptr<Kernel> lower(LoadedModuleImpl &module, const ptx::Function &function, Diagnostics &why);

} // namespace heddle::vm
