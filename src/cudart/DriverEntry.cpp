// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the driver API by name, as programs that are not linked with libcuda ask for them, and the libraries of
// the runtime API, which are the driver's.
#include "cudart/Driver.h"
#include "cudart/LoadImage.h"

#include <dlfcn.h>

using namespace heddle::cudart;

namespace {

/// A name of this library's own. Functions are exported with the number of their latest form.
void *exported(const std::string &name) {
  static void *self = [] {
    Dl_info info;
    return dladdr(reinterpret_cast<void *>(&cuInit), &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                                                            : nullptr;
  }();
  return self ? dlsym(self, name.c_str()) : nullptr;
}

/// cuCtxCreate alone takes other arguments in its later forms.
void *driverFunction(const std::string &name, int cudaVersion) {
  if (name == "cuCtxCreate")
    return exported(cudaVersion >= 13000 ? "cuCtxCreate_v4" : "cuCtxCreate_v2");
  for (const char *suffix : {"_v4", "_v3", "_v2", ""})
    if (void *found = exported(name + suffix))
      return found;
  return nullptr;
}

cudaError_t entryPoint(const char *symbol, void **function, unsigned version,
                       cudaDriverEntryPointQueryResult *status) {
  return api([&](Runtime &) -> cudaError_t {
    if (!symbol || !function)
      return cudaErrorInvalidValue;
    *function = driverFunction(symbol, int(version));
    if (status)
      *status = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    // Without a place for the status the error says that there is nothing.
    return *function || status ? cudaSuccess : cudaErrorSymbolNotFound;
  });
}

RegisteredModule *moduleOf(cudaLibrary_t library) { return reinterpret_cast<RegisteredModule *>(library); }

template <class Read> cudaError_t loadLibrary(cudaLibrary_t *library, Read read) {
  return api([&](Runtime &runtime) -> cudaError_t {
    std::string text, log;
    RegisteredModule *module = nullptr;
    if (!library)
      return cudaErrorInvalidValue;
    cudaError_t error = read(runtime, text, log);
    if (error == cudaSuccess)
      error = loadPtx(runtime, std::move(text), module, log);
    *library = reinterpret_cast<cudaLibrary_t>(module);
    return error;
  });
}

cudaError_t libraryVariable(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name) {
  return api([&](Runtime &runtime) -> cudaError_t {
    const heddle::vm::Variable *variable = nullptr;
    if (cudaError_t error = variableNamed(runtime, moduleOf(library), name, variable))
      return error;
    if (pointer)
      *pointer = reinterpret_cast<void *>(variable->address);
    if (bytes)
      *bytes = variable->bytes;
    return cudaSuccess;
  });
}

} // namespace

extern "C" {

CUresult cuGetProcAddress_v2(const char *symbol, void **function, int cudaVersion, cuuint64_t,
                             CUdriverProcAddressQueryResult *status) {
  if (!symbol || !function)
    return CUDA_ERROR_INVALID_VALUE;
  *function = driverFunction(symbol, cudaVersion);
  if (status)
    *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *function || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long,
                                    cudaDriverEntryPointQueryResult *status) {
  return entryPoint(symbol, function, 13000, status);
}
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long, cudaDriverEntryPointQueryResult *status) {
  return entryPoint(symbol, function, version, status);
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *image, void *, void **, unsigned, void *,
                                void **, unsigned) {
  return loadLibrary(library, [&](Runtime &runtime, std::string &text, std::string &log) {
    return ptxOfImage(runtime, image, text, log);
  });
}
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *file, void *, void **, unsigned,
                                    void *, void **, unsigned) {
  return loadLibrary(library, [&](Runtime &runtime, std::string &text, std::string &log) {
    return ptxOfFile(runtime, file, text, log);
  });
}
cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return api([&](Runtime &runtime) { return unloadModule(runtime, moduleOf(library)); });
}
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
  return api([&](Runtime &runtime) -> cudaError_t {
    KernelEntry *entry = nullptr;
    const cudaError_t error = kernelNamed(runtime, moduleOf(library), name, entry);
    *kernel = reinterpret_cast<cudaKernel_t>(entry);
    return error;
  });
}
cudaError_t cudaLibraryGetGlobal(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name) {
  return libraryVariable(pointer, bytes, library, name);
}
cudaError_t cudaLibraryGetManaged(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name) {
  return libraryVariable(pointer, bytes, library, name);
}
cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!runtime.modules.isModule(moduleOf(library)))
      return cudaErrorInvalidResourceHandle;
    *count = unsigned(runtime.modules.kernelNames(*moduleOf(library)).size());
    return cudaSuccess;
  });
}
}
