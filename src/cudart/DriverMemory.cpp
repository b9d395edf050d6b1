// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of the driver API: allocating, copying, filling, asking about pointers.
#include "cudart/Driver.h"
#include "cudart/Fill.h"

using namespace heddle;
using namespace heddle::cudart;

namespace {

/// Host and device pointers of one side of a copy; arrays have neither.
template <class Copy> void *sourceOf(const Copy &copy) {
  return copy.srcMemoryType == CU_MEMORYTYPE_HOST ? const_cast<void *>(copy.srcHost)
                                                  : hostPointer(copy.srcDevice);
}
template <class Copy> void *targetOf(const Copy &copy) {
  return copy.dstMemoryType == CU_MEMORYTYPE_HOST ? copy.dstHost : hostPointer(copy.dstDevice);
}

cudaArray_t arrayOf(CUarray array) { return reinterpret_cast<cudaArray_t>(array); }

cudaMemcpyKind kindOfCopy(CUmemorytype to, CUmemorytype from) {
  if (to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED)
    return cudaMemcpyDefault;
  const bool toHost = to == CU_MEMORYTYPE_HOST, fromHost = from == CU_MEMORYTYPE_HOST;
  return fromHost ? (toHost ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice)
                  : (toHost ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice);
}

/// The driver counts columns in bytes, the runtime in texels where an array takes part.
cudaError_t parametersOf(const CUDA_MEMCPY3D &copy, cudaMemcpy3DParms &p) {
  const bool fromArray = copy.srcMemoryType == CU_MEMORYTYPE_ARRAY,
             toArray = copy.dstMemoryType == CU_MEMORYTYPE_ARRAY;
  const cudaArray *array = fromArray ? arrayOf(copy.srcArray) : toArray ? arrayOf(copy.dstArray) : nullptr;
  const size_t unit = array ? array->texelBytes : 1;
  if (copy.WidthInBytes % unit)
    return cudaErrorInvalidValue;
  p = {};
  p.srcArray = fromArray ? arrayOf(copy.srcArray) : nullptr;
  p.dstArray = toArray ? arrayOf(copy.dstArray) : nullptr;
  p.srcPos = {copy.srcXInBytes / (fromArray ? unit : 1), copy.srcY, copy.srcZ};
  p.dstPos = {copy.dstXInBytes / (toArray ? unit : 1), copy.dstY, copy.dstZ};
  // A pitch of 0 is that of rows without gaps.
  auto pitch = [&](size_t given) { return given ? given : copy.WidthInBytes; };
  if (!fromArray)
    p.srcPtr = {sourceOf(copy), pitch(copy.srcPitch), pitch(copy.srcPitch),
                copy.srcHeight ? copy.srcHeight : copy.Height};
  if (!toArray)
    p.dstPtr = {targetOf(copy), pitch(copy.dstPitch), pitch(copy.dstPitch),
                copy.dstHeight ? copy.dstHeight : copy.Height};
  p.extent = {copy.WidthInBytes / unit, copy.Height, copy.Depth};
  p.kind = kindOfCopy(copy.dstMemoryType, copy.srcMemoryType);
  return cudaSuccess;
}

CUDA_MEMCPY3D deepened(const CUDA_MEMCPY2D &flat) {
  CUDA_MEMCPY3D copy = {};
  copy.srcXInBytes = flat.srcXInBytes, copy.srcY = flat.srcY;
  copy.srcMemoryType = flat.srcMemoryType;
  copy.srcHost = flat.srcHost, copy.srcDevice = flat.srcDevice, copy.srcArray = flat.srcArray;
  copy.srcPitch = flat.srcPitch;
  copy.dstXInBytes = flat.dstXInBytes, copy.dstY = flat.dstY;
  copy.dstMemoryType = flat.dstMemoryType;
  copy.dstHost = flat.dstHost, copy.dstDevice = flat.dstDevice, copy.dstArray = flat.dstArray;
  copy.dstPitch = flat.dstPitch;
  copy.WidthInBytes = flat.WidthInBytes, copy.Height = flat.Height, copy.Depth = 1;
  return copy;
}

CUresult copyBox(const CUDA_MEMCPY3D &copy) {
  return driverCall([&]() -> cudaError_t {
    cudaMemcpy3DParms p;
    cudaError_t error = parametersOf(copy, p);
    return error ? error : cudaMemcpy3D(&p);
  });
}
CUresult copy3DAsync(const CUDA_MEMCPY3D &copy, CUstream stream) {
  return driverCall([&]() -> cudaError_t {
    cudaMemcpy3DParms p;
    cudaError_t error = parametersOf(copy, p);
    return error ? error : cudaMemcpy3DAsync(&p, stream);
  });
}

template <class T> CUresult fillRows(CUdeviceptr to, size_t pitch, T value, size_t width, size_t height) {
  return driverCall(
      [&] { return fillElements({hostPointer(to), pitch, value, sizeof value, width, height}); });
}
template <class T>
CUresult fillAsync(CUdeviceptr to, size_t pitch, T value, size_t width, size_t height, CUstream stream) {
  return driverCall([&] {
    return fillElementsAsync({hostPointer(to), pitch, value, sizeof value, width, height}, stream);
  });
}

/// One attribute of memory that CUDA knows; for any other pointer most attributes are errors.
CUresult attributeOf(Runtime &runtime, CUpointer_attribute attribute, CUdeviceptr pointer, void *data) {
  const std::optional<vm::Allocation> piece = runtime.simulator.memory().find(pointer);
  if (!piece)
    return CUDA_ERROR_INVALID_VALUE;
  const bool isHost =
      piece->kind == vm::AllocationKind::Pinned || piece->kind == vm::AllocationKind::Registered;
  const bool isManaged = piece->kind == vm::AllocationKind::Managed;
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT: *static_cast<void **>(data) = currentContext(); break;
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *static_cast<unsigned *>(data) = isHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    break;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *static_cast<CUdeviceptr *>(data) = pointer; break;
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    if (!isHost && !isManaged)
      return CUDA_ERROR_INVALID_VALUE;
    *static_cast<void **>(data) = hostPointer(pointer);
    break;
  case CU_POINTER_ATTRIBUTE_IS_MANAGED: *static_cast<bool *>(data) = isManaged; break;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *static_cast<int *>(data) = 0; break;
  case CU_POINTER_ATTRIBUTE_BUFFER_ID: *static_cast<unsigned long long *>(data) = piece->address; break;
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *static_cast<CUdeviceptr *>(data) = piece->address; break;
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *static_cast<size_t *>(data) = piece->bytes; break;
  case CU_POINTER_ATTRIBUTE_MAPPED: *static_cast<bool *>(data) = true; break;
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: *static_cast<unsigned *>(data) = 0; break;
  default: return CUDA_ERROR_NOT_SUPPORTED;
  }
  return CUDA_SUCCESS;
}

size_t bytesOf(CUpointer_attribute attribute) {
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
  case CU_POINTER_ATTRIBUTE_MAPPED: return sizeof(bool);
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: return sizeof(int);
  default: return sizeof(void *);
  }
}

} // namespace

extern "C" {

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  return driverCall([&] { return cudaMemGetInfo(free, total); });
}

/// Unlike cudaMalloc, the driver refuses to allocate nothing.
CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
  return driverCall([&] { return bytes ? cudaMalloc(pointerTo(pointer), bytes) : cudaErrorInvalidValue; });
}
CUresult cuMemAllocPitch_v2(CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height, unsigned) {
  return driverCall([&] { return cudaMallocPitch(pointerTo(pointer), pitch, width, height); });
}
CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned flags) {
  return driverCall([&] { return cudaMallocManaged(pointerTo(pointer), bytes, flags); });
}
CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream) {
  return driverCall([&] { return cudaMallocAsync(pointerTo(pointer), bytes, stream); });
}
CUresult cuMemFree_v2(CUdeviceptr pointer) {
  return driverCall([&] { return cudaFree(hostPointer(pointer)); });
}
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  return driverCall([&] { return cudaFreeAsync(hostPointer(pointer), stream); });
}
CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr pointer) {
  return driverCall([&]() -> cudaError_t {
    std::optional<vm::Allocation> piece = Runtime::instance().simulator.memory().find(pointer);
    if (!piece)
      return cudaErrorInvalidSymbol; // "not found"
    if (base)
      *base = piece->address;
    if (bytes)
      *bytes = piece->bytes;
    return cudaSuccess;
  });
}

CUresult cuMemAllocHost_v2(void **pointer, size_t bytes) {
  return driverCall([&] { return cudaMallocHost(pointer, bytes); });
}
CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  return driverCall([&] { return cudaHostAlloc(pointer, bytes, flags); });
}
CUresult cuMemFreeHost(void *pointer) {
  return driverCall([&] { return cudaFreeHost(pointer); });
}
CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags) {
  return driverCall([&] { return cudaHostRegister(pointer, bytes, flags); });
}
CUresult cuMemHostUnregister(void *pointer) {
  return driverCall([&] { return cudaHostUnregister(pointer); });
}
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned flags) {
  return driverCall([&] { return cudaHostGetDevicePointer(pointerTo(device), host, flags); });
}
CUresult cuMemHostGetFlags(unsigned *flags, void *pointer) {
  return driverCall([&] { return cudaHostGetFlags(flags, pointer); });
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr pointer, size_t bytes, CUmemLocation location, unsigned flags,
                               CUstream stream) {
  return driverCall([&] {
    return cudaMemPrefetchAsync(hostPointer(pointer), bytes,
                                {cudaMemLocationType(location.type), location.id}, flags, stream);
  });
}
CUresult cuMemAdvise_v2(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUmemLocation location) {
  return driverCall([&] {
    return cudaMemAdvise(hostPointer(pointer), bytes, cudaMemoryAdvise(advice),
                         {cudaMemLocationType(location.type), location.id});
  });
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr pointer) {
  CUresult result = CUDA_SUCCESS;
  const CUresult frame = driverCall([&] {
    result = data ? attributeOf(Runtime::instance(), attribute, pointer, data) : CUDA_ERROR_INVALID_VALUE;
    return cudaSuccess;
  });
  return frame != CUDA_SUCCESS ? frame : result;
}

/// Of memory that CUDA does not know each attribute is zero, and that is no error.
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **data,
                                CUdeviceptr pointer) {
  return driverCall([&]() -> cudaError_t {
    for (unsigned i = 0; i < count; ++i)
      if (attributeOf(Runtime::instance(), attributes[i], pointer, data[i]) != CUDA_SUCCESS)
        std::fill_n(static_cast<char *>(data[i]), bytesOf(attributes[i]), 0);
    return cudaSuccess;
  });
}
CUresult cuPointerSetAttribute(const void *, CUpointer_attribute attribute, CUdeviceptr pointer) {
  return driverCall([&]() -> cudaError_t {
    const bool isKnown = Runtime::instance().simulator.memory().find(pointer).has_value();
    return isKnown && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ? cudaSuccess : cudaErrorInvalidValue;
  });
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return driverCall([&] { return cudaMemcpy(hostPointer(to), hostPointer(from), bytes, cudaMemcpyDefault); });
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return driverCall(
      [&] { return cudaMemcpyAsync(hostPointer(to), hostPointer(from), bytes, cudaMemcpyDefault, stream); });
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  return driverCall([&] { return cudaMemcpy(hostPointer(to), from, bytes, cudaMemcpyHostToDevice); });
}
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  return driverCall([&] { return cudaMemcpy(to, hostPointer(from), bytes, cudaMemcpyDeviceToHost); });
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return driverCall(
      [&] { return cudaMemcpy(hostPointer(to), hostPointer(from), bytes, cudaMemcpyDeviceToDevice); });
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  return driverCall(
      [&] { return cudaMemcpyAsync(hostPointer(to), from, bytes, cudaMemcpyHostToDevice, stream); });
}
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return driverCall(
      [&] { return cudaMemcpyAsync(to, hostPointer(from), bytes, cudaMemcpyDeviceToHost, stream); });
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return driverCall([&] {
    return cudaMemcpyAsync(hostPointer(to), hostPointer(from), bytes, cudaMemcpyDeviceToDevice, stream);
  });
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes) {
  return cuMemcpyDtoD_v2(to, from, bytes);
}
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy) { return copyBox(deepened(*copy)); }
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy) { return copyBox(deepened(*copy)); }
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream) {
  return copy3DAsync(deepened(*copy), stream);
}
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy) { return copyBox(*copy); }
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream) { return copy3DAsync(*copy, stream); }

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
  return fillRows(to, 0, value, count, 1);
}
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count) {
  return fillRows(to, 0, value, count, 1);
}
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count) {
  return fillRows(to, 0, value, count, 1);
}
CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
  return fillRows(to, pitch, value, width, height);
}
CUresult cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height) {
  return fillRows(to, pitch, value, width, height);
}
CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
  return fillRows(to, pitch, value, width, height);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return fillAsync(to, 0, value, count, 1, stream);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return fillAsync(to, 0, value, count, 1, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return fillAsync(to, 0, value, count, 1, stream);
}
}
