// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules that a program loads itself: PTX text, or a container with PTX. Handles of modules and libraries are those of
// RegisteredModule, handles of functions and kernels those of KernelEntry. A cubin is machine code, which the simulator
// cannot run; that is reported.
#include "cudart/Driver.h"
#include "cudart/LoadImage.h"
#include "ptx/Fatbin.h"
#include "ptx/Link.h"
#include "ptx/Parser.h"
#include "ptx/Printer.h"
#include "support/Files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace heddle;
using namespace heddle::cudart;

namespace heddle::cudart {
namespace {

constexpr uint32_t kElfMagic = 0x464c457f, kFatbinMagic = 0x466243b1;

cudaError_t cannotRun(std::string_view what, std::string &log) {
  log = fmt::format("{} is machine code (a cubin), and the simulator runs PTX: load what nvcc -ptx writes",
                    what);
  reportFailure(log);
  return cudaErrorNoKernelImageForDevice;
}

} // namespace

cudaError_t ptxOfImage(Runtime &runtime, const void *image, std::string &text, std::string &log) {
  if (!image)
    return cudaErrorInvalidValue;
  uint32_t magic = 0;
  std::memcpy(&magic, image, std::min<size_t>(4, ::strnlen(static_cast<const char *>(image), 4)));
  if (magic == kElfMagic)
    return cannotRun("the image", log);
  const unsigned smVersion = runtime.arch.major * 10 + runtime.arch.minor;
  std::optional<ptx::DeviceImage> found = magic == kFatbinMagic ? ptx::ptxFromWrapper(image, smVersion, log)
                                                                : ptx::ptxFromImage(image, smVersion, log);
  if (!found)
    return cudaErrorInvalidKernelImage;
  text = std::move(found->ptx);
  return cudaSuccess;
}

cudaError_t ptxOfFile(Runtime &runtime, const char *path, std::string &text, std::string &log) {
  if (!path)
    return cudaErrorInvalidValue;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return cudaErrorFileNotFound;
  std::ostringstream contents;
  contents << file.rdbuf();
  const std::string bytes = contents.str();
  if (bytes.starts_with("\x7f"
                        "ELF"))
    return cannotRun(path, log);
  return ptxOfImage(runtime, bytes.c_str(), text, log);
}

cudaError_t loadPtx(Runtime &runtime, std::string text, RegisteredModule *&module, std::string &log) {
  cudaError_t error = cudaSuccess;
  module = runtime.modules.loadText(std::move(text), error, log);
  if (!module)
    report("a module cannot be loaded:\n" + log);
  return error;
}

cudaError_t unloadModule(Runtime &runtime, RegisteredModule *module) {
  if (!runtime.modules.isModule(module))
    return cudaErrorInvalidResourceHandle;
  if (cudaError_t error = runtime.synchronizeAll())
    return error;
  runtime.forgetCode();
  return runtime.modules.unload(module) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t kernelNamed(Runtime &runtime, RegisteredModule *module, const char *name, KernelEntry *&kernel) {
  if (!name)
    return cudaErrorInvalidValue;
  if (!runtime.modules.isModule(module))
    return cudaErrorInvalidResourceHandle;
  kernel = runtime.modules.kernelOf(*module, name);
  return kernel ? cudaSuccess : cudaErrorSymbolNotFound;
}

cudaError_t variableNamed(Runtime &runtime, RegisteredModule *module, const char *name,
                          const vm::Variable *&variable) {
  if (!name)
    return cudaErrorInvalidValue;
  if (!runtime.modules.isModule(module))
    return cudaErrorInvalidResourceHandle;
  variable = runtime.modules.variableOf(*module, name);
  return variable ? cudaSuccess : cudaErrorSymbolNotFound;
}

} // namespace heddle::cudart

namespace {

RegisteredModule *libraryOf(CUmodule handle) { return reinterpret_cast<RegisteredModule *>(handle); }
RegisteredModule *libraryOf(CUlibrary handle) { return reinterpret_cast<RegisteredModule *>(handle); }

/// Where the program wants the messages of loading.
class JitLog {
public:
  JitLog(unsigned count, const CUjit_option *options, void **values) : values(values) {
    for (unsigned i = 0; options && i < count; ++i) {
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
        buffer = static_cast<char *>(values[i]);
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
        size = int(i);
      if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
        infoSize = int(i);
      if (options[i] == CU_JIT_INFO_LOG_BUFFER && values[i])
        *static_cast<char *>(values[i]) = 0;
    }
  }

  /// Sizes come as numbers in the place of pointers, and go back as the bytes that were written.
  void write(const std::string &text) {
    if (infoSize >= 0)
      values[infoSize] = nullptr;
    if (size < 0)
      return;
    const size_t room = reinterpret_cast<size_t>(values[size]),
                 used = std::min(room ? room - 1 : 0, text.size());
    if (buffer && room) {
      std::memcpy(buffer, text.data(), used);
      buffer[used] = 0;
    }
    values[size] = reinterpret_cast<void *>(used);
  }

private:
  void **values;
  char *buffer = nullptr;
  int size = -1, infoSize = -1;
};

/// Loads what `read` gives as PTX.
template <class Handle, class Read> CUresult load(Handle *handle, JitLog log, Read read) {
  return driverCall([&]() -> cudaError_t {
    if (!handle)
      return cudaErrorInvalidValue;
    Runtime &runtime = Runtime::instance();
    std::string text, messages;
    RegisteredModule *module = nullptr;
    cudaError_t error = read(runtime, text, messages);
    if (error == cudaSuccess)
      error = loadPtx(runtime, std::move(text), module, messages);
    log.write(messages);
    *handle = reinterpret_cast<Handle>(module);
    return error;
  });
}

template <class Handle>
CUresult loadImage(Handle *handle, const void *image, unsigned count = 0, CUjit_option *options = nullptr,
                   void **values = nullptr) {
  return load(handle, JitLog(count, options, values),
              [&](Runtime &runtime, std::string &text, std::string &messages) {
                return ptxOfImage(runtime, image, text, messages);
              });
}
template <class Handle>
CUresult loadFile(Handle *handle, const char *path, unsigned count = 0, CUjit_option *options = nullptr,
                  void **values = nullptr) {
  return load(handle, JitLog(count, options, values),
              [&](Runtime &runtime, std::string &text, std::string &messages) {
                return ptxOfFile(runtime, path, text, messages);
              });
}

template <class Module> CUresult unload(Module module) {
  return driverCall([&] { return unloadModule(Runtime::instance(), libraryOf(module)); });
}

template <class Handle, class Module> CUresult getKernel(Handle *handle, Module module, const char *name) {
  return driverCall([&]() -> cudaError_t {
    KernelEntry *kernel = nullptr;
    if (!handle)
      return cudaErrorInvalidValue;
    const cudaError_t error = kernelNamed(Runtime::instance(), libraryOf(module), name, kernel);
    *handle = reinterpret_cast<Handle>(kernel);
    return error;
  });
}

template <class Module>
CUresult getGlobal(CUdeviceptr *pointer, size_t *bytes, Module module, const char *name) {
  return driverCall([&]() -> cudaError_t {
    const vm::Variable *variable = nullptr;
    if (cudaError_t error = variableNamed(Runtime::instance(), libraryOf(module), name, variable))
      return error;
    if (pointer)
      *pointer = variable->address;
    if (bytes)
      *bytes = variable->bytes;
    return cudaSuccess;
  });
}

template <class Module> CUresult getCount(unsigned *count, Module module) {
  return driverCall([&]() -> cudaError_t {
    Runtime &runtime = Runtime::instance();
    if (!runtime.modules.isModule(libraryOf(module)))
      return cudaErrorInvalidResourceHandle;
    *count = unsigned(runtime.modules.kernelNames(*libraryOf(module)).size());
    return cudaSuccess;
  });
}

template <class Handle, class Module> CUresult enumerate(Handle *handles, unsigned count, Module module) {
  return driverCall([&]() -> cudaError_t {
    Runtime &runtime = Runtime::instance();
    if (!runtime.modules.isModule(libraryOf(module)))
      return cudaErrorInvalidResourceHandle;
    const std::vector<std::string> names = runtime.modules.kernelNames(*libraryOf(module));
    for (size_t i = 0; i < std::min<size_t>(count, names.size()); ++i)
      handles[i] = reinterpret_cast<Handle>(runtime.modules.kernelOf(*libraryOf(module), names[i]));
    return cudaSuccess;
  });
}

} // namespace

/// Inputs of a link in progress, and its result.
struct CUlinkState_st {
  std::vector<std::pair<std::string, std::string>> inputs; ///< name, PTX
  std::string linked;
  JitLog log;
};

namespace {

cudaError_t addInput(CUlinkState state, std::string name, std::string text) {
  state->inputs.emplace_back(std::move(name), std::move(text));
  return cudaSuccess;
}

cudaError_t complete(CUlinkState_st &state) {
  Diagnostics diagnostics;
  std::vector<ptx::Module> modules;
  for (const auto &[name, text] : state.inputs)
    modules.push_back(ptx::parse(text, name, diagnostics));
  std::optional<ptx::Module> linked;
  if (!diagnostics.has(Severity::Error))
    linked = ptx::link(std::move(modules), "linked PTX", diagnostics);
  std::ostringstream messages;
  print(messages, diagnostics, false);
  state.log.write(messages.str());
  if (!linked)
    return cudaErrorInvalidPtx;
  state.linked = ptx::print(*linked);
  return cudaSuccess;
}

} // namespace

extern "C" {

CUresult cuModuleLoad(CUmodule *module, const char *file) { return loadFile(module, file); }
CUresult cuModuleLoadData(CUmodule *module, const void *image) { return loadImage(module, image); }
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, CUjit_option *options,
                            void **values) {
  return loadImage(module, image, count, options, values);
}
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) { return loadImage(module, image); }
CUresult cuModuleUnload(CUmodule module) { return unload(module); }
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  return getKernel(function, module, name);
}
CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module) { return getCount(count, module); }
CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned count, CUmodule module) {
  return enumerate(functions, count, module);
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr *pointer, size_t *bytes, CUmodule module, const char *name) {
  return getGlobal(pointer, bytes, module, name);
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options, void **values,
                           unsigned count, CUlibraryOption *, void **, unsigned) {
  return loadImage(library, image, count, options, values);
}
CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *file, CUjit_option *options, void **values,
                               unsigned count, CUlibraryOption *, void **, unsigned) {
  return loadFile(library, file, count, options, values);
}
CUresult cuLibraryUnload(CUlibrary library) { return unload(library); }
CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
  return getKernel(kernel, library, name);
}
CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library) { return getCount(count, library); }
CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned count, CUlibrary library) {
  return enumerate(kernels, count, library);
}
CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library) {
  return driverCall([&] {
    *module = reinterpret_cast<CUmodule>(library);
    return cudaSuccess;
  });
}
CUresult cuLibraryGetGlobal(CUdeviceptr *pointer, size_t *bytes, CUlibrary library, const char *name) {
  return getGlobal(pointer, bytes, library, name);
}
CUresult cuLibraryGetManaged(CUdeviceptr *pointer, size_t *bytes, CUlibrary library, const char *name) {
  return getGlobal(pointer, bytes, library, name);
}

CUresult cuLinkCreate_v2(unsigned count, CUjit_option *options, void **values, CUlinkState *state) {
  return driverCall([&]() -> cudaError_t {
    if (!state)
      return cudaErrorInvalidValue;
    *state = new CUlinkState_st{{}, {}, JitLog(count, options, values)};
    return cudaSuccess;
  });
}
CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType, void *data, size_t, const char *name, unsigned,
                          CUjit_option *, void **) {
  return driverCall([&]() -> cudaError_t {
    std::string text, messages;
    const cudaError_t error = ptxOfImage(Runtime::instance(), data, text, messages);
    state->log.write(messages);
    return error ? error : addInput(state, name ? name : "PTX", std::move(text));
  });
}
CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType, const char *path, unsigned, CUjit_option *,
                          void **) {
  return driverCall([&]() -> cudaError_t {
    std::string text, messages;
    const cudaError_t error = ptxOfFile(Runtime::instance(), path, text, messages);
    state->log.write(messages);
    return error ? error : addInput(state, path, std::move(text));
  });
}
CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes) {
  return driverCall([&]() -> cudaError_t {
    if (cudaError_t error = complete(*state))
      return error;
    *image = state->linked.data();
    if (bytes)
      *bytes = state->linked.size() + 1;
    return cudaSuccess;
  });
}
CUresult cuLinkDestroy(CUlinkState state) {
  return driverCall([&] {
    delete state;
    return cudaSuccess;
  });
}
}
