// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hooks. A library with this file is preloaded (LD_PRELOAD), so a program's calls of the CUDA runtime come here
// first; Api.def lists them with what is recorded of each. Needs nothing but CUDA's headers and dlsym: it is compiled
// where the GPU is. Calls are seen only in programs that are linked with the shared runtime (nvcc -cudart shared).
//
// An asynchronous copy is waited for, since its bytes are only there then; results do not change by waiting.
#include "trace/preload/Recorder.h"

using namespace heddle::trace;

namespace {

Recorder &recorder() { return Recorder::instance(); }

// Launches and names

cudaError_t launched(const Launch &launch) { return recorder().launch(launch); }

Launch extended(const cudaLaunchConfig_t &config, const void *function, void **arguments,
                cudaStream_t stream) {
  return {Way::Extended,  function,
          config.gridDim, config.blockDim,
          arguments,      config.dynamicSmemBytes,
          stream,         {config.attrs, config.attrs + config.numAttrs}};
}

template <class Call> cudaError_t graphLaunched(const Call &call) {
  recorder().graphLaunched();
  return call();
}

template <class Call> void registered(const Call &call, const void *function, const char *name) {
  recorder().named(function, name);
  call();
}

/// A kernel's handle, which launches since CUDA 13 have in the place of its function.
template <class Call>
cudaError_t namedAgain(const Call &call, const cudaKernel_t *kernel, const void *function) {
  const cudaError_t error = call();
  if (error == cudaSuccess)
    recorder().namedAgain(*kernel, function);
  return error;
}

template <class Call, class Variable> void declared(const Call &call, Variable variable) {
  recorder().declared(std::move(variable));
  call();
}

// Memory

template <class Call>
cudaError_t allocated(const Call &call, void **pointer, MemoryKind kind, size_t rowBytes, size_t rows = 1,
                      size_t *pitch = nullptr) {
  return recorder().allocate({pointer, kind, rowBytes, rows, pitch}, call);
}

template <class Call>
cudaError_t allocatedBox(const Call &call, cudaPitchedPtr *box, const cudaExtent &extent) {
  const cudaError_t error =
      allocated(call, &box->ptr, MemoryKind::Device, extent.width, extent.height * extent.depth, &box->pitch);
  if (error == cudaSuccess) { // a recorder that makes the memory itself does not know of these
    box->xsize = extent.width;
    box->ysize = extent.height;
  }
  return error;
}

template <class Call> cudaError_t freed(const Call &call, void *pointer) {
  return recorder().free(pointer, call);
}
template <class Call> cudaError_t freedOn(cudaStream_t stream, const Call &call, void *pointer) {
  return recorder().freeAsync(pointer, stream, call);
}

template <class Call> cudaError_t hostRegistered(const Call &call, void *pointer, size_t bytes) {
  const cudaError_t error = call();
  if (error == cudaSuccess)
    recorder().hostRegistered(pointer, bytes);
  return error;
}
template <class Call> cudaError_t hostUnregistered(const Call &call, void *pointer) {
  recorder().hostUnregistered(pointer);
  return call();
}

template <class Call>
cudaError_t objectCreated(const Call &call, const unsigned long long *object, ObjectKind kind) {
  const cudaError_t error = call();
  if (error == cudaSuccess)
    recorder().objectCreated(*object, kind);
  return error;
}
template <class Call>
cudaError_t objectDestroyed(const Call &call, unsigned long long object, ObjectKind kind) {
  recorder().objectDestroyed(object, kind);
  return call();
}
/// A view shows the texels of an array as others.
ObjectKind kindOf(const cudaResourceViewDesc *view) {
  return view && view->format != cudaResViewFormatNone ? ObjectKind::TextureView : ObjectKind::Texture;
}

// Copies

/// Several rows, or several slices of them; none where the copy leaves nothing on the host.
using Slices = std::vector<Rows>;

bool isHost(const void *pointer) {
  cudaPointerAttributes attributes = {};
  return REAL(cudaPointerGetAttributes)(&attributes, pointer) == cudaSuccess &&
         attributes.type <= cudaMemoryTypeHost;
}

bool isDevice(const void *pointer) {
  cudaPointerAttributes attributes = {};
  return REAL(cudaPointerGetAttributes)(&attributes, pointer) == cudaSuccess &&
         attributes.type >= cudaMemoryTypeDevice;
}

/// A source without an address is on the device.
bool goesToHost(const void *to, const void *from, cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDefault)
    return kind == cudaMemcpyDeviceToHost;
  return isHost(to) && (!from || isDevice(from));
}

char *sliceOf(const cudaPitchedPtr &memory, const cudaPos &begin, size_t z) {
  return static_cast<char *>(memory.ptr) + (begin.z + z) * memory.pitch * memory.ysize +
         begin.y * memory.pitch + begin.x;
}

Slices slicesOf(const cudaMemcpy3DParms &box) {
  if (!recorder().isOn() || !box.dstPtr.ptr || !goesToHost(box.dstPtr.ptr, box.srcPtr.ptr, box.kind))
    return {};
  cudaChannelFormatDesc format = {};
  size_t unit = 1; // widths count elements where an array is involved
  if (box.srcArray && REAL(cudaGetChannelDesc)(&format, box.srcArray) == cudaSuccess)
    unit = size_t(format.x + format.y + format.z + format.w) / 8;
  Slices slices;
  for (size_t z = 0; z < box.extent.depth; ++z)
    slices.push_back({sliceOf(box.dstPtr, box.dstPos, z), box.dstPtr.pitch,
                      box.srcPtr.ptr ? sliceOf(box.srcPtr, box.srcPos, z) : nullptr, box.extent.width * unit,
                      box.extent.height});
  return slices;
}

Slices slicesOf(const Rows &rows, cudaMemcpyKind kind) {
  const bool isEmpty =
      !rows.widthBytes || !rows.height; // recorded nowhere: the simulator copies nothing then
  return recorder().isOn() && !isEmpty && goesToHost(rows.to, rows.from, kind) ? Slices{rows} : Slices{};
}

void recordAll(const Slices &slices) {
  for (const Rows &rows : slices)
    recorder().copiedToHost(rows);
}

/// The call returns when the copy is done.
template <class Call> cudaError_t copied(const Call &call, const Slices &slices) {
  const cudaError_t error = call();
  if (error == cudaSuccess)
    recordAll(slices);
  recorder().hostHasWaited();
  return error;
}
template <class Call> cudaError_t copied(const Call &call, const Rows &rows, cudaMemcpyKind kind) {
  return copied(call, slicesOf(rows, kind));
}

template <class Call> cudaError_t copiedOn(cudaStream_t stream, const Call &call, const Slices &slices) {
  const cudaError_t error = call();
  if (error == cudaSuccess && !slices.empty() && isDone(stream))
    recordAll(slices);
  return error;
}
template <class Call>
cudaError_t copiedOn(cudaStream_t stream, const Call &call, const Rows &rows, cudaMemcpyKind kind) {
  return copiedOn(stream, call, slicesOf(rows, kind));
}

// Waiting, and the end

template <class Call> cudaError_t waited(const Call &call) {
  const cudaError_t error = call();
  recorder().hostHasWaited();
  return error;
}

template <class Call> cudaError_t ended(const Call &call) {
  recorder().ending();
  return call();
}

// What `own(stream)` is in each of the two forms

[[maybe_unused]] cudaStream_t givenStream(cudaStream_t stream) { return stream; }
[[maybe_unused]] cudaStream_t perThreadStream(cudaStream_t stream) {
  return stream ? stream : cudaStreamPerThread;
}

} // namespace

#define HEDDLE_HOOK(result, name, hook, stream, parameters, arguments, ...)                                  \
  result hook parameters {                                                                                   \
    [[maybe_unused]] const auto call = [&] { return HEDDLE_REAL_AS(decltype(hook), #hook) arguments; };      \
    [[maybe_unused]] constexpr auto own = stream;                                                            \
    return __VA_ARGS__;                                                                                      \
  }
#define HEDDLE_VARIANT_none(...)
#define HEDDLE_VARIANT__ptsz(result, name, parameters, arguments, ...)                                       \
  HEDDLE_HOOK(result, name, name##_ptsz, perThreadStream, parameters, arguments, __VA_ARGS__)
#define HEDDLE_VARIANT__ptds(result, name, parameters, arguments, ...)                                       \
  HEDDLE_HOOK(result, name, name##_ptds, perThreadStream, parameters, arguments, __VA_ARGS__)
#define HEDDLE_API(result, name, variant, parameters, arguments, ...)                                        \
  HEDDLE_HOOK(result, name, name, givenStream, parameters, arguments, __VA_ARGS__)                           \
  HEDDLE_VARIANT_##variant(result, name, parameters, arguments, __VA_ARGS__)

extern "C" {
#include "trace/preload/Api.def"
}
