// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All objects that the program has are read at a launch, whether the kernel uses them or not: their numbers are small, as sizes are,
// and may lie in structs and in memory, so that nobody can say which ones it uses.
#include "capture/preload/TextureReader.h"

#include "trace/preload/Real.h"

#include <algorithm>
#include <cstring>

namespace heddle::capture {
namespace {

TexelFormat formatOfChannels(const cudaChannelFormatDesc &channels) {
  TexelFormat format;
  const int bits[] = {channels.x, channels.y, channels.z, channels.w};
  for (size_t i = 0; i < 4; ++i)
    format.bits[i] = uint32_t(bits[i]);
  format.kind = uint32_t(channels.f);
  return format;
}

/// Integers and floating-point numbers: others (normalized, compressed, planes) have no number here.
bool isPlain(const TexelFormat &format) { return format.kind <= 2 && format.channels() > 0; }

bool resourceOf(unsigned long long object, bool isSurface, cudaResourceDesc &resource) {
  using Get = cudaError_t(cudaResourceDesc *, unsigned long long);
  auto *get =
      trace::real<Get>(isSurface ? "cudaGetSurfaceObjectResourceDesc" : "cudaGetTextureObjectResourceDesc");
  return get && get(&resource, object) == cudaSuccess;
}

bool addSampling(unsigned long long handle, TextureObject &object) {
  using Get = cudaError_t(cudaTextureDesc *, cudaTextureObject_t);
  cudaTextureDesc texture = {};
  auto *get = trace::real<Get>("cudaGetTextureObjectTextureDesc");
  if (!get || get(&texture, handle) != cudaSuccess)
    return false;
  for (size_t i = 0; i < 3; ++i)
    object.addressModes[i] = uint32_t(texture.addressMode[i]);
  object.filter = uint32_t(texture.filterMode);
  object.readMode = uint32_t(texture.readMode);
  object.isSrgb = texture.sRGB != 0;
  object.isNormalized = texture.normalizedCoords != 0;
  object.anisotropy = texture.maxAnisotropy;
  std::memcpy(object.border, texture.borderColor, sizeof object.border);
  return true;
}

/// The array's number among those that are known; nothing for arrays that a capture does not have.
std::optional<size_t> arrayIn(LiveTextures &textures, cudaArray_t handle) {
  const auto known = std::find(textures.handles.begin(), textures.handles.end(), handle);
  if (known != textures.handles.end())
    return size_t(known - textures.handles.begin());
  using Info = cudaError_t(cudaChannelFormatDesc *, cudaExtent *, unsigned *, cudaArray_t);
  cudaChannelFormatDesc channels = {};
  cudaExtent extent = {};
  unsigned flags = 0;
  auto *info = trace::real<Info>("cudaArrayGetInfo");
  if (!info || info(&channels, &extent, &flags, handle) != cudaSuccess)
    return std::nullopt;
  Array array;
  array.width = extent.width, array.height = extent.height, array.depth = extent.depth;
  array.format = formatOfChannels(channels);
  array.flags = flags;
  if (!isPlain(array.format))
    return std::nullopt;
  textures.arrays.push_back(array);
  textures.handles.push_back(handle);
  return textures.arrays.size() - 1;
}

bool addMemory(const cudaResourceDesc &resource, LiveTextures &textures, TextureObject &object) {
  switch (resource.resType) {
  case cudaResourceTypeArray: {
    const std::optional<size_t> array = arrayIn(textures, resource.res.array.array);
    object.memory = TextureObject::Memory::Array;
    object.array = array.value_or(0);
    return array.has_value();
  }
  case cudaResourceTypeLinear:
    object.memory = TextureObject::Memory::Linear;
    object.address = reinterpret_cast<uint64_t>(resource.res.linear.devPtr);
    object.width = resource.res.linear.sizeInBytes;
    object.format = formatOfChannels(resource.res.linear.desc);
    return isPlain(object.format);
  case cudaResourceTypePitch2D:
    object.memory = TextureObject::Memory::Pitch;
    object.address = reinterpret_cast<uint64_t>(resource.res.pitch2D.devPtr);
    object.width = resource.res.pitch2D.width;
    object.height = resource.res.pitch2D.height;
    object.pitch = resource.res.pitch2D.pitchInBytes;
    object.format = formatOfChannels(resource.res.pitch2D.desc);
    return isPlain(object.format);
  default: return false;
  }
}

} // namespace

void TextureList::created(unsigned long long object, trace::ObjectKind kind) {
  all[{kind == trace::ObjectKind::Surface, object}] = kind;
}

void TextureList::destroyed(unsigned long long object, trace::ObjectKind kind) {
  all.erase({kind == trace::ObjectKind::Surface, object});
}

LiveTextures TextureList::read() const {
  LiveTextures textures;
  for (const auto &[entry, kind] : all) {
    TextureObject object;
    object.handle = entry.object;
    object.kind = entry.isSurface ? TextureObject::Kind::Surface : TextureObject::Kind::Texture;
    cudaResourceDesc resource = {};
    if (kind != trace::ObjectKind::TextureView && resourceOf(entry.object, entry.isSurface, resource) &&
        addMemory(resource, textures, object) && (entry.isSurface || addSampling(entry.object, object)))
      textures.objects.push_back(object);
    else
      textures.notCaptured.push_back(entry.object);
  }
  if (!textures.notCaptured.empty())
    REAL(cudaGetLastError)(); // of questions that the runtime did not answer
  return textures;
}

} // namespace heddle::capture
