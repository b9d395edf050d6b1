// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cudart/Modules.h"

#include "cudart/Report.h"
#include "ptx/Fatbin.h"
#include "ptx/Link.h"
#include "ptx/Parser.h"

#include <algorithm>
#include <cstring>
#include <sstream>

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

void resolveMarker(ptx::DeviceImage &image) {
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
  module.wrappers.push_back(wrapper);
  module.ptxName = modules.size() == 1 ? "embedded PTX" : fmt::format("embedded PTX {}", modules.size());
  return &module;
}

RegisteredModule *Modules::addLinked(const void *wrapper) {
  std::lock_guard lock(guard);
  // A library that is opened later is linked by itself: what was there is in use by then.
  for (RegisteredModule &module : modules)
    if (module.isLinked && !module.tried) {
      module.wrappers.push_back(wrapper);
      return &module;
    }
  RegisteredModule *module = add(wrapper);
  module->isLinked = true;
  module->ptxName = "linked PTX";
  return module;
}

void Modules::addKernel(RegisteredModule *module, const void *host, std::string name) {
  std::lock_guard lock(guard);
  KernelEntry &entry = module->kernels.emplace_back();
  entry.module = module;
  entry.name = std::move(name);
  entry.host = host;
  if (host)
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

std::optional<ptx::Module> Modules::parse(const RegisteredModule &module, cudaError_t &error,
                                          Diagnostics &diagnostics) const {
  std::vector<ptx::Module> parsed;
  if (!module.text.empty())
    parsed.push_back(ptx::parse(module.text, module.ptxName, diagnostics));
  for (const void *wrapper : module.wrappers) {
    std::string why;
    std::optional<ptx::DeviceImage> image = ptx::ptxFromWrapper(wrapper, smVersion, why);
    if (!image) {
      diagnostics.error({}, "cannot run this program's kernels: " + why);
      error = cudaErrorNoKernelImageForDevice;
      return std::nullopt;
    }
    resolveMarker(*image);
    const std::string name =
        module.isLinked ? fmt::format("{} {}", module.ptxName, parsed.size() + 1) : module.ptxName;
    parsed.push_back(ptx::parse(image->ptx, name, diagnostics));
  }
  error = cudaErrorInvalidPtx;
  if (diagnostics.has(Severity::Error))
    return std::nullopt;
  return module.isLinked ? ptx::link(std::move(parsed), module.ptxName, diagnostics)
                         : std::optional(std::move(parsed.front()));
}

bool Modules::load(RegisteredModule &module, Diagnostics &diagnostics) {
  module.tried = true;
  std::optional<ptx::Module> parsed = parse(module, module.loadError, diagnostics);
  if (!parsed)
    return false;
  module.ptxVersion = parsed->smVersion;
  module.loaded = simulator.load(std::make_shared<const ptx::Module>(std::move(*parsed)), diagnostics);
  module.loadError = module.loaded ? cudaSuccess : cudaErrorInvalidKernelImage;
  return module.loaded;
}

bool Modules::load(RegisteredModule &module) {
  if (module.tried)
    return module.loaded;
  Diagnostics diagnostics;
  if (!load(module, diagnostics))
    reportFailure(diagnostics);
  return module.loaded;
}

RegisteredModule *Modules::loadText(std::string text, cudaError_t &error, std::string &log) {
  std::lock_guard lock(guard);
  RegisteredModule &module = modules.emplace_back();
  module.text = std::move(text);
  module.ptxName = fmt::format("loaded PTX {}", modules.size());
  Diagnostics diagnostics;
  if (load(module, diagnostics)) {
    module.text.clear();
    return &module;
  }
  std::ostringstream out;
  print(out, diagnostics, false);
  log = out.str();
  error = module.loadError;
  modules.pop_back();
  return nullptr;
}

bool Modules::isModule(const RegisteredModule *module) {
  std::lock_guard lock(guard);
  return std::any_of(modules.begin(), modules.end(), [&](const RegisteredModule &m) { return &m == module; });
}

bool Modules::unload(RegisteredModule *module) {
  std::lock_guard lock(guard);
  if (!isModule(module) || !module->wrappers.empty())
    return false;
  for (KernelEntry &kernel : module->kernels)
    byHost.erase(&kernel);
  simulator.unload(module->loaded);
  modules.remove_if([&](const RegisteredModule &m) { return &m == module; });
  return true;
}

std::vector<std::string> Modules::kernelNames(RegisteredModule &module) {
  std::lock_guard lock(guard);
  return load(module) ? module.loaded->kernelNames() : std::vector<std::string>();
}

KernelEntry *Modules::kernelOf(RegisteredModule &module, std::string_view name) {
  std::lock_guard lock(guard);
  for (KernelEntry &kernel : module.kernels)
    if (kernel.name == name)
      return &kernel;
  const std::vector<std::string> names = kernelNames(module);
  if (std::find(names.begin(), names.end(), name) == names.end())
    return nullptr;
  addKernel(&module, nullptr, std::string(name));
  return &module.kernels.back();
}

const vm::Variable *Modules::variableOf(RegisteredModule &module, std::string_view name) {
  std::lock_guard lock(guard);
  return load(module) ? module.loaded->variable(name) : nullptr;
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
