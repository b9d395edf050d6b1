// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays, textures and surfaces of the driver API. Numbers of address modes, filters and kinds of memory are those of the runtime API.
#include "cudart/Driver.h"

using namespace heddle::cudart;

namespace {

cudaArray_t runtimeArray(CUarray array) { return reinterpret_cast<cudaArray_t>(array); }

cudaChannelFormatDesc channelFormat(CUarray_format format, unsigned count) {
  int bits = 0;
  cudaChannelFormatKind kind = cudaChannelFormatKindUnsigned;
  switch (format) {
  case CU_AD_FORMAT_UNSIGNED_INT8: bits = 8; break;
  case CU_AD_FORMAT_UNSIGNED_INT16: bits = 16; break;
  case CU_AD_FORMAT_UNSIGNED_INT32: bits = 32; break;
  case CU_AD_FORMAT_SIGNED_INT8: bits = 8, kind = cudaChannelFormatKindSigned; break;
  case CU_AD_FORMAT_SIGNED_INT16: bits = 16, kind = cudaChannelFormatKindSigned; break;
  case CU_AD_FORMAT_SIGNED_INT32: bits = 32, kind = cudaChannelFormatKindSigned; break;
  case CU_AD_FORMAT_HALF: bits = 16, kind = cudaChannelFormatKindFloat; break;
  case CU_AD_FORMAT_FLOAT: bits = 32, kind = cudaChannelFormatKindFloat; break;
  default: break;
  }
  const int n = int(count);
  return {bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0, kind};
}

CUarray_format formatOf(const cudaChannelFormatDesc &d) {
  if (d.f == cudaChannelFormatKindFloat)
    return d.x == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
  const bool isSigned = d.f == cudaChannelFormatKindSigned;
  switch (d.x) {
  case 8: return isSigned ? CU_AD_FORMAT_SIGNED_INT8 : CU_AD_FORMAT_UNSIGNED_INT8;
  case 16: return isSigned ? CU_AD_FORMAT_SIGNED_INT16 : CU_AD_FORMAT_UNSIGNED_INT16;
  default: return isSigned ? CU_AD_FORMAT_SIGNED_INT32 : CU_AD_FORMAT_UNSIGNED_INT32;
  }
}

/// False for kinds that the simulator does not have.
bool resourceOf(const CUDA_RESOURCE_DESC &from, cudaResourceDesc &to) {
  to = {};
  switch (from.resType) {
  case CU_RESOURCE_TYPE_ARRAY:
    to.resType = cudaResourceTypeArray;
    to.res.array.array = runtimeArray(from.res.array.hArray);
    return true;
  case CU_RESOURCE_TYPE_LINEAR:
    to.resType = cudaResourceTypeLinear;
    to.res.linear.devPtr = reinterpret_cast<void *>(from.res.linear.devPtr);
    to.res.linear.desc = channelFormat(from.res.linear.format, from.res.linear.numChannels);
    to.res.linear.sizeInBytes = from.res.linear.sizeInBytes;
    return true;
  case CU_RESOURCE_TYPE_PITCH2D:
    to.resType = cudaResourceTypePitch2D;
    to.res.pitch2D.devPtr = reinterpret_cast<void *>(from.res.pitch2D.devPtr);
    to.res.pitch2D.desc = channelFormat(from.res.pitch2D.format, from.res.pitch2D.numChannels);
    to.res.pitch2D.width = from.res.pitch2D.width;
    to.res.pitch2D.height = from.res.pitch2D.height;
    to.res.pitch2D.pitchInBytes = from.res.pitch2D.pitchInBytes;
    return true;
  default: return false;
  }
}

cudaTextureDesc textureOf(const CUDA_TEXTURE_DESC &from) {
  cudaTextureDesc to = {};
  for (int i = 0; i < 3; ++i)
    to.addressMode[i] = cudaTextureAddressMode(from.addressMode[i]);
  to.filterMode = cudaTextureFilterMode(from.filterMode);
  to.readMode = from.flags & CU_TRSF_READ_AS_INTEGER ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
  to.normalizedCoords = (from.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  to.sRGB = (from.flags & CU_TRSF_SRGB) != 0;
  to.maxAnisotropy = from.maxAnisotropy;
  std::copy(std::begin(from.borderColor), std::end(from.borderColor), to.borderColor);
  return to;
}

} // namespace

extern "C" {

CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *descriptor) {
  return driverCall([&]() -> cudaError_t {
    if (!array || !descriptor)
      return cudaErrorInvalidValue;
    const cudaChannelFormatDesc channels = channelFormat(descriptor->Format, descriptor->NumChannels);
    return cudaMallocArray(reinterpret_cast<cudaArray_t *>(array), &channels, descriptor->Width,
                           descriptor->Height, 0);
  });
}
CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor) {
  return driverCall([&]() -> cudaError_t {
    if (!array || !descriptor)
      return cudaErrorInvalidValue;
    const cudaChannelFormatDesc channels = channelFormat(descriptor->Format, descriptor->NumChannels);
    return cudaMalloc3DArray(reinterpret_cast<cudaArray_t *>(array), &channels,
                             {descriptor->Width, descriptor->Height, descriptor->Depth}, descriptor->Flags);
  });
}
CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray array) {
  return driverCall([&]() -> cudaError_t {
    cudaChannelFormatDesc channels;
    cudaExtent extent;
    if (cudaError_t error = cudaArrayGetInfo(&channels, &extent, nullptr, runtimeArray(array)))
      return error;
    const unsigned numChannels = 1u + (channels.y != 0) + (channels.z != 0) + (channels.w != 0);
    *descriptor = {extent.width, extent.height, formatOf(channels), numChannels};
    return cudaSuccess;
  });
}
CUresult cuArrayDestroy(CUarray array) {
  return driverCall([&] { return cudaFreeArray(runtimeArray(array)); });
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                           const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view) {
  return driverCall([&]() -> cudaError_t {
    cudaResourceDesc memory;
    if (!object || !resource || !texture)
      return cudaErrorInvalidValue;
    if (view || !resourceOf(*resource, memory))
      return cudaErrorNotSupported;
    const cudaTextureDesc description = textureOf(*texture);
    return cudaCreateTextureObject(object, &memory, &description, nullptr);
  });
}
CUresult cuTexObjectDestroy(CUtexObject object) {
  return driverCall([&] { return cudaDestroyTextureObject(object); });
}
CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource) {
  return driverCall([&]() -> cudaError_t {
    cudaResourceDesc memory;
    if (!object || !resource)
      return cudaErrorInvalidValue;
    if (!resourceOf(*resource, memory))
      return cudaErrorNotSupported;
    return cudaCreateSurfaceObject(object, &memory);
  });
}
CUresult cuSurfObjectDestroy(CUsurfObject object) {
  return driverCall([&] { return cudaDestroySurfaceObject(object); });
}
}
