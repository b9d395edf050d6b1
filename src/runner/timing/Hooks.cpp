// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of the CUDA runtime that are seen. This library is preloaded, so a program's calls come here
// first; every one is passed on, save that memory is freed later. Needs nothing but CUDA's headers and dlsym:
// it is compiled where the GPU is.
#include "Recorder.h"

#include <cstdlib>
#include <unistd.h>

using heddle::timing::Kind;
using heddle::timing::Launch;
using heddle::timing::real;
using heddle::timing::Recorder;
using heddle::timing::Way;

namespace {

Launch launchOf(Way way, const void *function, dim3 grid, dim3 block, void **arguments, size_t sharedBytes,
                cudaStream_t stream) {
  return {way, function, grid, block, arguments, sharedBytes, stream, {}};
}

bool bringsBack(const void *to, const void *from, cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDefault)
    return kind == cudaMemcpyDeviceToHost;
  cudaPointerAttributes target = {}, source = {};
  bool known = REAL(cudaPointerGetAttributes)(&target, to) == cudaSuccess &&
               REAL(cudaPointerGetAttributes)(&source, from) == cudaSuccess;
  return known && target.type <= cudaMemoryTypeHost && source.type >= cudaMemoryTypeDevice;
}

/// Waits for the stream, unless it is being captured and nothing runs at all.
bool isDone(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  REAL(cudaStreamIsCapturing)(stream, &status);
  return status == cudaStreamCaptureStatusNone && REAL(cudaStreamSynchronize)(stream) == cudaSuccess;
}

cudaError_t afterCopy(cudaError_t error, const void *from, void *to, size_t pitch, size_t widthBytes,
                      size_t height) {
  if (error == cudaSuccess && Recorder::instance().isOn())
    Recorder::instance().copiedBack(from, to, pitch, widthBytes, height);
  return error;
}

/// Freed, for the program: freeing waits for the device and tells of earlier errors.
cudaError_t freed(void *pointer, bool &done) {
  done = pointer && Recorder::instance().freed(pointer);
  return done ? REAL(cudaDeviceSynchronize)() : cudaSuccess;
}

} // namespace

extern "C" {

// --- launches

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t sharedBytes, cudaStream_t stream) {
  return Recorder::instance().launch(
      launchOf(Way::Function, function, grid, block, arguments, sharedBytes, stream));
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t sharedBytes, cudaStream_t stream) {
  return Recorder::instance().launch(
      launchOf(Way::Kernel, kernel, grid, block, arguments, sharedBytes, stream));
}
cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                        size_t sharedBytes, cudaStream_t stream) {
  return Recorder::instance().launch(
      launchOf(Way::Cooperative, function, grid, block, arguments, sharedBytes, stream));
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments) {
  Launch launch = launchOf(Way::Extended, function, config->gridDim, config->blockDim, arguments,
                           config->dynamicSmemBytes, config->stream);
  launch.attributes.assign(config->attrs, config->attrs + config->numAttrs);
  return Recorder::instance().launch(launch);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  Recorder::instance().graphLaunched();
  return REAL(cudaGraphLaunch)(graph, stream);
}

// --- names

void __cudaRegisterFunction(void **handle, const char *hostFunction, char *deviceFunction, const char *name,
                            int threads, uint3 *thread, uint3 *block, dim3 *blockSize, dim3 *gridSize,
                            int *warp) {
  using Register =
      void(void **, const char *, char *, const char *, int, uint3 *, uint3 *, dim3 *, dim3 *, int *);
  Recorder::instance().named(hostFunction, name);
  real<Register>("__cudaRegisterFunction")(handle, hostFunction, deviceFunction, name, threads, thread, block,
                                           blockSize, gridSize, warp);
}
void __cudaRegisterVar(void **handle, char *hostVariable, char *deviceAddress, const char *name, int isExtern,
                       size_t bytes, int constant, int global) {
  using Register = void(void **, char *, char *, const char *, int, size_t, int, int);
  Recorder::instance().variable(hostVariable, bytes);
  real<Register>("__cudaRegisterVar")(handle, hostVariable, deviceAddress, name, isExtern, bytes, constant,
                                      global);
}
void __cudaRegisterManagedVar(void **handle, void **place, char *deviceAddress, const char *name,
                              int isExtern, size_t bytes, int constant, int global) {
  using Register = void(void **, void **, char *, const char *, int, size_t, int, int);
  Recorder::instance().managedVariable(place, bytes);
  real<Register>("__cudaRegisterManagedVar")(handle, place, deviceAddress, name, isExtern, bytes, constant,
                                             global);
}
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function) {
  using GetKernel = cudaError_t(cudaKernel_t *, const void *);
  cudaError_t error = real<GetKernel>("__cudaGetKernel")(kernel, function);
  if (error == cudaSuccess)
    Recorder::instance().named(*kernel, Recorder::instance().nameOf(function));
  return error;
}

// --- memory

cudaError_t cudaMalloc(void **pointer, size_t bytes) {
  return Recorder::instance().allocated(pointer, Kind::Device, bytes,
                                        [&] { return REAL(cudaMalloc)(pointer, bytes); });
}
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream) {
  return Recorder::instance().allocated(pointer, Kind::Device, bytes,
                                        [&] { return REAL(cudaMallocAsync)(pointer, bytes, stream); });
}
cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags) {
  return Recorder::instance().allocated(pointer, Kind::Managed, bytes,
                                        [&] { return REAL(cudaMallocManaged)(pointer, bytes, flags); });
}
cudaError_t cudaMallocHost(void **pointer, size_t bytes) {
  return Recorder::instance().allocated(pointer, Kind::Pinned, bytes,
                                        [&] { return REAL(cudaMallocHost)(pointer, bytes); });
}
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  return Recorder::instance().allocated(pointer, Kind::Pinned, bytes,
                                        [&] { return REAL(cudaHostAlloc)(pointer, bytes, flags); });
}
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t widthBytes, size_t height) {
  size_t found = 0;
  cudaError_t error = REAL(cudaMallocPitch)(pointer, &found, widthBytes, height);
  *pitch = found;
  return Recorder::instance().allocated(pointer, Kind::Device, found * height, [&] { return error; });
}
cudaError_t cudaMalloc3D(cudaPitchedPtr *pointer, cudaExtent extent) {
  cudaError_t error = REAL(cudaMalloc3D)(pointer, extent);
  return Recorder::instance().allocated(&pointer->ptr, Kind::Device,
                                        pointer->pitch * extent.height * extent.depth, [&] { return error; });
}
cudaError_t cudaFree(void *pointer) {
  bool done = false;
  cudaError_t error = freed(pointer, done);
  return done ? error : REAL(cudaFree)(pointer);
}
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
  // Work that was queued before may still use it, which is why it is not even marked while a graph is made.
  return isDone(stream) && Recorder::instance().freed(pointer) ? cudaSuccess
                                                               : REAL(cudaFreeAsync)(pointer, stream);
}
cudaError_t cudaFreeHost(void *pointer) {
  bool done = false;
  cudaError_t error = freed(pointer, done);
  return done ? error : REAL(cudaFreeHost)(pointer);
}

// --- copies

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  const bool back = bringsBack(to, from, kind);
  cudaError_t error = REAL(cudaMemcpy)(to, from, bytes, kind);
  return back ? afterCopy(error, from, to, bytes, bytes, 1) : error;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  const bool back = bringsBack(to, from, kind);
  cudaError_t error = REAL(cudaMemcpyAsync)(to, from, bytes, kind, stream);
  return back && isDone(stream) ? afterCopy(error, from, to, bytes, bytes, 1) : error;
}
cudaError_t cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  const bool back = bringsBack(to, from, kind);
  cudaError_t error = REAL(cudaMemcpy2D)(to, toPitch, from, fromPitch, width, height, kind);
  return back ? afterCopy(error, from, to, toPitch, width, height) : error;
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  const bool back = bringsBack(to, from, kind);
  cudaError_t error = REAL(cudaMemcpy2DAsync)(to, toPitch, from, fromPitch, width, height, kind, stream);
  return back && isDone(stream) ? afterCopy(error, from, to, toPitch, width, height) : error;
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return afterCopy(REAL(cudaMemcpyFromSymbol)(to, symbol, bytes, offset, kind), nullptr, to, bytes, bytes, 1);
}
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  cudaError_t error = REAL(cudaMemcpyFromSymbolAsync)(to, symbol, bytes, offset, kind, stream);
  return isDone(stream) ? afterCopy(error, nullptr, to, bytes, bytes, 1) : error;
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                  size_t width, size_t height, cudaMemcpyKind kind) {
  return afterCopy(REAL(cudaMemcpy2DFromArray)(to, pitch, from, x, y, width, height, kind), nullptr, to,
                   pitch, width, height);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p) {
  cudaError_t error = REAL(cudaMemcpy3D)(p);
  const bool back = p->dstPtr.ptr && (p->kind == cudaMemcpyDeviceToHost ||
                                      (p->srcPtr.ptr && bringsBack(p->dstPtr.ptr, p->srcPtr.ptr, p->kind)));
  if (!back)
    return error;
  cudaChannelFormatDesc format = {};
  size_t unit = 1; // widths count elements where an array is involved
  if (p->srcArray && REAL(cudaGetChannelDesc)(&format, p->srcArray) == cudaSuccess)
    unit = size_t(format.x + format.y + format.z + format.w) / 8;
  const size_t slice = p->dstPtr.pitch * p->dstPtr.ysize;
  for (size_t z = 0; z < p->extent.depth; ++z)
    afterCopy(error, p->srcPtr.ptr,
              static_cast<char *>(p->dstPtr.ptr) + (p->dstPos.z + z) * slice + p->dstPos.y * p->dstPtr.pitch +
                  p->dstPos.x,
              p->dstPtr.pitch, p->extent.width * unit, p->extent.height);
  return error;
}

// --- the end

cudaError_t cudaDeviceReset() {
  Recorder::instance().finish();
  return REAL(cudaDeviceReset)();
}
void _exit(int code) {
  Recorder::instance().finish();
  using Exit = void(int);
  real<Exit>("_exit")(code);
  std::abort(); // not reached
}
void _Exit(int code) noexcept { _exit(code); }
}
