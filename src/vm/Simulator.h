// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Launch.h"
#include "vm/Limits.h"
#include "vm/Memory.h"
#include "vm/Observer.h"
#include "vm/Services.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace heddle::ptx {
struct Module;
}

namespace heddle::vm {

/// A `.global` or `.const` variable of a loaded module, placed in memory.
struct Variable {
  std::string name;
  uint64_t address = 0;
  uint64_t bytes = 0;
  bool constant = false;
};

/// A module whose variables have addresses and whose kernels are lowered when first requested. It is valid until
/// the simulator is destroyed or the module is unloaded.
class LoadedModule {
public:
  virtual ~LoadedModule() = default;
  /// nullptr if there is no kernel of this name, or if it uses something that the simulator does not support; then
  /// `why` names the instruction and its location.
  virtual const Kernel *kernel(std::string_view name, Diagnostics &why) = 0;
  virtual const Variable *variable(std::string_view name) const = 0;
  virtual const std::vector<Variable> &variables() const = 0;
  virtual std::vector<std::string> kernelNames() const = 0;
  /// Resets every variable to the value that it had when the module was loaded (cudaDeviceReset).
  virtual void initializeVariables() = 0;
};

const KernelInfo &infoOf(const Kernel &kernel);

/// The SIMT simulator: memory, loaded modules, launches. Memory and launches may be used from several host
/// threads at once; a launch returns when the whole grid is done.
///
///     Simulator simulator(limits);
///     LoadedModule *module = simulator.load(parsed, diagnostics);
///     void *x = simulator.memory().allocate(bytes, AllocationKind::Device);
///     LaunchResult r = simulator.launch({.kernel = module->kernel("saxpy", diagnostics), .grid = {8}, ...});
class Simulator {
public:
  explicit Simulator(Limits limits, Services *services = nullptr);
  ~Simulator();

  const Limits &limits() const;
  Memory &memory();
  void setServices(Services *services);

  /// nullptr with the reason in `diagnostics` when a variable does not fit or a symbol is missing. Symbols
  /// that are `.extern` here are looked for in the modules loaded before.
  LoadedModule *load(std::shared_ptr<const ptx::Module> module, Diagnostics &diagnostics);
  void unload(LoadedModule *module);

  LaunchResult launch(const LaunchRequest &request, Observer *observer = nullptr);

  /// Total bytes that `malloc` in device code may allocate (cudaDeviceSetLimit).
  void setDeviceHeapBytes(uint64_t bytes);
  /// Stack of one thread (cudaDeviceSetLimit).
  void setStackBytes(uint32_t bytes);

private:
  struct Parts;
  std::unique_ptr<Parts> parts;
};

} // namespace heddle::vm
