// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cudart/Modules.h"

#include "cudart/Fatbin.h"
#include "cudart/Report.h"
#include "ptx/Parser.h"

#include <cstring>

namespace heddle::cudart {
namespace {

struct ProvidedTexts {
  std::mutex guard;
  std::unordered_map<std::string, const char *> byMarker;

  /// Made when first asked for: constructors of the program come before ours.
  static ProvidedTexts &instance() {
    static auto *texts = new ProvidedTexts;
    return *texts;
  }
};

void resolveMarker(DeviceImage &image) {
  ProvidedTexts &texts = ProvidedTexts::instance();
  std::lock_guard lock(texts.guard);
  if (auto found = texts.byMarker.find(image.ptx); found != texts.byMarker.end())
    image.ptx = found->second;
}

} // namespace

void providePtx(std::string marker, const char *text) {
  ProvidedTexts &texts = ProvidedTexts::instance();
  std::lock_guard lock(texts.guard);
  texts.byMarker[std::move(marker)] = text;
}

RegisteredModule *Modules::add(const void *wrapper) {
  std::lock_guard lock(guard);
  RegisteredModule &module = modules.emplace_back();
  module.wrapper = wrapper;
  module.ptxName = modules.size() == 1 ? "embedded PTX" : fmt::format("embedded PTX {}", modules.size());
  return &module;
}

void Modules::addKernel(RegisteredModule *module, const void *host, std::string name) {
  std::lock_guard lock(guard);
  KernelEntry &entry = module->kernels.emplace_back();
  entry.module = module;
  entry.name = std::move(name);
  entry.host = host;
  byHost[host] = &entry;
  byHost[&entry] = &entry;
}

void Modules::addSymbol(RegisteredModule *module, const void *host, SymbolEntry symbol) {
  std::lock_guard lock(guard);
  symbol.module = module;
  module->symbols.push_back(std::move(symbol));
  symbolByHost[host] = &module->symbols.back();
}

void Modules::placeManaged(RegisteredModule *module) {
  std::lock_guard lock(guard);
  for (SymbolEntry &symbol : module->symbols) {
    cudaError_t error = cudaSuccess;
    if (!symbol.managedPointer || *symbol.managedPointer)
      continue;
    if (const vm::Variable *variable = this->variable(symbol, error)) {
      *symbol.managedPointer = reinterpret_cast<void *>(variable->address);
      // Programs may name the variable by where it lives as well as by the host's pointer to it.
      symbolByHost[*symbol.managedPointer] = &symbol;
      if (symbol.initialValue)
        std::memcpy(*symbol.managedPointer, symbol.initialValue, std::min(symbol.bytes, variable->bytes));
    }
  }
}

void Modules::initializeVariables() {
  std::lock_guard lock(guard);
  for (RegisteredModule &module : modules) {
    if (module.loaded)
      module.loaded->initializeVariables();
    for (SymbolEntry &symbol : module.symbols)
      if (symbol.initialValue && symbol.managedPointer && *symbol.managedPointer)
        std::memcpy(*symbol.managedPointer, symbol.initialValue, symbol.bytes);
  }
}

KernelEntry *Modules::find(const void *function) {
  std::lock_guard lock(guard);
  auto found = byHost.find(function);
  return found == byHost.end() ? nullptr : found->second;
}

SymbolEntry *Modules::findSymbol(const void *host) {
  std::lock_guard lock(guard);
  auto found = symbolByHost.find(host);
  return found == symbolByHost.end() ? nullptr : found->second;
}

bool Modules::load(RegisteredModule &module) {
  if (module.tried)
    return module.loaded;
  module.tried = true;
  std::string why;
  std::optional<DeviceImage> image = ptxFromWrapper(module.wrapper, smVersion, why);
  if (!image) {
    reportFailure("cannot run this program's kernels: " + why);
    module.loadError = cudaErrorNoKernelImageForDevice;
    return false;
  }
  resolveMarker(*image);
  Diagnostics diagnostics;
  auto parsed = std::make_shared<const ptx::Module>(ptx::parse(image->ptx, module.ptxName, diagnostics));
  module.ptxVersion = parsed->smVersion;
  if (diagnostics.has(Voice::Error)) {
    reportFailure(diagnostics);
    module.loadError = cudaErrorInvalidPtx;
    return false;
  }
  module.loaded = machine.load(parsed, diagnostics);
  if (!module.loaded) {
    reportFailure(diagnostics);
    module.loadError = cudaErrorInvalidKernelImage;
  }
  return module.loaded;
}

const vm::Kernel *Modules::ready(KernelEntry &entry, cudaError_t &error) {
  std::lock_guard lock(guard);
  if (entry.kernel)
    return entry.kernel;
  if (!load(*entry.module)) {
    error = entry.module->loadError;
    return nullptr;
  }
  Diagnostics why;
  entry.kernel = entry.module->loaded->kernel(entry.name, why);
  if (!entry.kernel) {
    reportFailure(why);
    error = why.empty() ? cudaErrorInvalidDeviceFunction : cudaErrorNotSupported;
  }
  return entry.kernel;
}

const vm::Variable *Modules::variableOf(const void *host, cudaError_t &error) {
  SymbolEntry *entry = findSymbol(host);
  if (!entry)
    error = cudaErrorInvalidSymbol;
  return entry ? variable(*entry, error) : nullptr;
}

const vm::Variable *Modules::variable(SymbolEntry &symbol, cudaError_t &error) {
  std::lock_guard lock(guard);
  if (!load(*symbol.module)) {
    error = symbol.module->loadError;
    return nullptr;
  }
  const vm::Variable *variable = symbol.module->loaded->variable(symbol.name);
  if (!variable)
    error = cudaErrorInvalidSymbol;
  return variable;
}

} // namespace heddle::cudart
