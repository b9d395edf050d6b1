// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the start-up code of a CUDA program calls before main: nvcc's and Clang's object files hand over their
// device code and the names in it.
#include "cudart/Counting.h"
#include "cudart/Runtime.h"

#include <vector>

using namespace heddle::cudart;

namespace {

struct CallConfiguration {
  dim3 grid, block;
  size_t sharedBytes;
  cudaStream_t stream;
};
thread_local std::vector<CallConfiguration> configurations;

RegisteredModule *registeredModule(void **handle) { return reinterpret_cast<RegisteredModule *>(handle); }

} // namespace

extern "C" {

/// Instructions that kernels have executed until now: what src/capture/preload compares launches by.
uint64_t __heddleThreadInstructions() { return Runtime::instance().executedInstructions(); }
/// The same of warps: what heddle-replay measures, since lanes that diverge cost an instruction each time.
unsigned long long __heddleWarpInstructions() { return Runtime::instance().executedWarpInstructions(); }
/// Writes what the launches since the last call needed, where launches are counted (HEDDLE_COUNTERS); heddle-replay asks for it
/// after each candidate. False where they are not counted, or the file cannot be written.
bool __heddleWriteCounters(const char *file) {
  ProgramCounting *counting = Runtime::instance().counting.get();
  return counting && counting->writeTo(file);
}

void __heddleProvidePtx(const char *marker, const char *text) { providePtx(marker, text); }

void **__cudaRegisterFatBinary(void *wrapper) {
  return reinterpret_cast<void **>(Runtime::instance().modules.add(wrapper));
}

/// What a file that was compiled with -rdc=true calls, through a function that Heddle makes for each (build/RelocatableCode.h).
void __heddleRegisterLinked(void (*registerEntities)(void **), const void *wrapper) {
  registerEntities(reinterpret_cast<void **>(Runtime::instance().modules.addLinked(wrapper)));
}

void __cudaRegisterFatBinaryEnd(void **handle) {
  Runtime::instance().modules.placeManaged(registeredModule(handle));
}

/// nvcc calls this before host code touches a managed variable of the module.
char __cudaInitModule(void **handle) {
  Runtime::instance().modules.placeManaged(registeredModule(handle));
  return 1;
}

void __cudaUnregisterFatBinary(void **) {
  // Comes from exit handlers, when kernels may still run: what was loaded stays.
}

void __cudaRegisterFunction(void **handle, const char *hostFunction, char *, const char *deviceName, int,
                            uint3 *, uint3 *, dim3 *, dim3 *, int *) {
  Runtime::instance().modules.addKernel(registeredModule(handle), hostFunction, deviceName);
}

void __cudaRegisterVar(void **handle, char *hostVariable, char *, const char *deviceName, int, size_t bytes,
                       int, int) {
  Runtime::instance().modules.addSymbol(registeredModule(handle), hostVariable,
                                        {.name = deviceName, .bytes = bytes});
}

/// nvcc passes (handle, &pointer, device name, name, ext, bytes, constant, global). Clang, which borrows this
/// from HIP, passes (handle, &pointer, initial value, name, bytes, alignment). In both calling conventions
/// the fifth argument arrives in the same register; nvcc's `ext` is 0 or 1 and says nothing about a size.
void __cudaRegisterManagedVar(void **handle, void **pointer, char *initialOrName, const char *name,
                              size_t bytesOrExt, size_t bytesOrAlignment, int, int) {
  bool fromNvcc = uint32_t(bytesOrExt) <= 1 && initialOrName && std::string_view(initialOrName) == name;
  SymbolEntry symbol{
      .name = name, .bytes = fromNvcc ? bytesOrAlignment : bytesOrExt, .managedPointer = pointer};
  if (!fromNvcc)
    symbol.initialValue = initialOrName;
  Runtime::instance().modules.addSymbol(registeredModule(handle), pointer, symbol);
}

/// Textures that are variables are gone from CUDA 12; older objects may still ask.
void __cudaRegisterTexture(void **, const void *, const void **, const char *name, int, int, int) {
  reportFailure("texture reference '" + std::string(name) +
                "' is not supported on the simulator: use a texture object");
}
void __cudaRegisterSurface(void **, const void *, const void **, const char *name, int, int) {
  reportFailure("surface reference '" + std::string(name) +
                "' is not supported on the simulator: use a surface object");
}
void __cudaRegisterHostVar(void **, const char *, char *, size_t) {}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t sharedBytes, void *stream) {
  configurations.push_back({grid, block, sharedBytes, static_cast<cudaStream_t>(stream)});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *sharedBytes, void *stream) {
  if (configurations.empty())
    return lastError = cudaErrorMissingConfiguration;
  CallConfiguration top = configurations.back();
  configurations.pop_back();
  *grid = top.grid;
  *block = top.block;
  *sharedBytes = top.sharedBytes;
  *static_cast<cudaStream_t *>(stream) = top.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function) {
  *kernel = reinterpret_cast<cudaKernel_t>(Runtime::instance().modules.find(function));
  return *kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t sharedBytes, cudaStream_t stream) {
  return cudaLaunchKernel(reinterpret_cast<const void *>(kernel), grid, block, arguments, sharedBytes,
                          stream);
}
}
