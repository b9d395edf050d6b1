// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cudart/Abi.h"
#include "vm/Simulator.h"

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace heddle::cudart {

class Modules;
struct RegisteredModule;

/// A kernel that the program registered. Handles of the API (cudaFunction_t, cudaKernel_t) point here.
struct KernelEntry {
  RegisteredModule *module = nullptr;
  std::string name;
  const void *host = nullptr;         ///< the host stub that represents it
  const vm::Kernel *kernel = nullptr; ///< once asked for
  int maxDynamicSharedBytes = -1;     ///< cudaFuncSetAttribute; -1: what a block gets without asking
  int preferredCarveout = -1;
  bool nonPortableCluster = false;
};

/// A __device__, __constant__ or __managed__ variable that the program registered.
struct SymbolEntry {
  RegisteredModule *module = nullptr;
  std::string name;
  size_t bytes = 0;
  void **managedPointer = nullptr;    ///< host variable that gets the address; null unless managed
  const void *initialValue = nullptr; ///< of a managed variable whose device side has none (Clang)
};

/// What one object file of the program brought along, or all that are linked with each other (-rdc=true), or PTX that the
/// program loads itself. What was registered is parsed and loaded when something of it is first used.
struct RegisteredModule {
  std::vector<const void *> wrappers; ///< the containers of its files
  std::string text;                   ///< PTX that the program loaded; it has no container
  bool isLinked = false;              ///< its files are linked
  std::string ptxName;                ///< how messages name its PTX
  std::list<KernelEntry> kernels;
  std::list<SymbolEntry> symbols;
  vm::LoadedModule *loaded = nullptr;
  cudaError_t loadError = cudaSuccess;
  bool tried = false;
  unsigned ptxVersion = 0;
};

/// Programs built by heddle with Clang register a marker and bring the PTX it represents apart: the texts by
/// their markers. `text` lives as long as the program.
void providePtx(std::string marker, const char *text);

/// Everything the program's start-up code registers, and the way from there to the simulator.
class Modules {
public:
  Modules(vm::Simulator &simulator, unsigned smVersion) : simulator(simulator), smVersion(smVersion) {}

  RegisteredModule *add(const void *wrapper);
  /// The same for a file that is linked with others: these are one module.
  RegisteredModule *addLinked(const void *wrapper);
  void addKernel(RegisteredModule *module, const void *host, std::string name);
  void addSymbol(RegisteredModule *module, const void *host, SymbolEntry symbol);
  /// Managed variables are touched by host code without any call, so they get their memory at once.
  void placeManaged(RegisteredModule *module);

  /// Device variables as they were when the program started.
  void initializeVariables();

  /// PTX that the program loads by itself. Null with the error to return and what is wrong in `log`.
  RegisteredModule *loadText(std::string text, cudaError_t &error, std::string &log);
  /// Unloads what loadText gave. False for any other module.
  bool unload(RegisteredModule *module);
  bool isModule(const RegisteredModule *module);
  std::vector<std::string> kernelNames(RegisteredModule &module);
  /// By name; null where the module has no such kernel or variable.
  KernelEntry *kernelOf(RegisteredModule &module, std::string_view name);
  const vm::Variable *variableOf(RegisteredModule &module, std::string_view name);

  /// By host stub or by handle; null where it is not registered.
  KernelEntry *find(const void *function);
  SymbolEntry *findSymbol(const void *host);

  /// The kernel, lowered. Null with the error to return; what is wrong was reported once.
  const vm::Kernel *ready(KernelEntry &entry, cudaError_t &error);
  const vm::Variable *variable(SymbolEntry &symbol, cudaError_t &error);
  /// The same for what the host calls it; cudaErrorInvalidSymbol where it is not registered.
  const vm::Variable *variableOf(const void *host, cudaError_t &error);

private:
  bool load(RegisteredModule &module);
  bool load(RegisteredModule &module, Diagnostics &diagnostics);
  std::optional<ptx::Module> parse(const RegisteredModule &module, cudaError_t &error,
                                   Diagnostics &diagnostics) const;

  vm::Simulator &simulator;
  const unsigned smVersion;
  std::recursive_mutex guard;
  std::list<RegisteredModule> modules;
  std::unordered_map<const void *, KernelEntry *> byHost;
  std::unordered_map<const void *, SymbolEntry *> symbolByHost;
};

} // namespace heddle::cudart
