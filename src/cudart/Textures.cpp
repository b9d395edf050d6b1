// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sampling follows the appendix "Texture Fetching" of the CUDA programming guide: texel centres lie at half
// coordinates, linear filtering weighs with 8 bits of fraction, and the four address modes apply to each
// coordinate by itself. Mip levels beyond the first and cube maps are not there.
#include "cudart/Textures.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace heddle::cudart {
namespace {

/// IEEE half to float.
float fromHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  float magnitude = exponent == 0    ? std::ldexp(float(mantissa), -24)
                    : exponent == 31 ? (mantissa ? NAN : INFINITY)
                                     : std::ldexp(float(mantissa + 1024), exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

unsigned bitsOf(const cudaChannelFormatDesc &format, unsigned channel) {
  const int bits[4] = {format.x, format.y, format.z, format.w};
  return unsigned(bits[channel]);
}

unsigned channelsOf(const cudaChannelFormatDesc &format) {
  return format.w ? 4 : format.z ? 3 : format.y ? 2 : 1;
}

int32_t signExtended(uint32_t value, unsigned bits) { return int32_t(value << (32 - bits)) >> (32 - bits); }

uint32_t rawChannel(const unsigned char *texel, unsigned channel, unsigned bits) {
  uint32_t value = 0;
  std::memcpy(&value, texel + channel * bits / 8, bits / 8);
  return value;
}

bool readsAsFloat(const cudaChannelFormatDesc &format, const cudaTextureDesc &description) {
  return format.f == cudaChannelFormatKindFloat || description.readMode == cudaReadModeNormalizedFloat;
}

float channelAsFloat(uint32_t raw, unsigned bits, cudaChannelFormatKind kind) {
  switch (kind) {
  case cudaChannelFormatKindFloat: {
    if (bits == 16)
      return fromHalf(uint16_t(raw));
    float value;
    std::memcpy(&value, &raw, 4);
    return value;
  }
  case cudaChannelFormatKindSigned:
    return std::max(-1.0f, float(signExtended(raw, bits)) / float((1u << (bits - 1)) - 1));
  default: return float(raw) / float(bits == 32 ? 0xffffffffu : (1u << bits) - 1);
  }
}

/// A whole coordinate brought into [0, size), or -1 for "the border's colour".
int64_t addressed(int64_t i, int64_t size, cudaTextureAddressMode mode) {
  if (i >= 0 && i < size)
    return i;
  switch (mode) {
  case cudaAddressModeClamp: return std::clamp<int64_t>(i, 0, size - 1);
  case cudaAddressModeWrap: return ((i % size) + size) % size;
  case cudaAddressModeMirror: {
    int64_t period = ((i % (2 * size)) + 2 * size) % (2 * size);
    return period < size ? period : 2 * size - 1 - period;
  }
  default: return -1;
  }
}

/// One texel as four floats or four 32-bit patterns.
struct Texel {
  float f[4] = {0, 0, 0, 0};
  uint32_t raw[4] = {0, 0, 0, 0};
};

struct Sampler {
  const Textures::View &view;
  const cudaTextureDesc &description;
  bool asFloat;

  Texel border() const {
    Texel texel;
    std::copy_n(description.borderColor, 4, texel.f);
    return texel;
  }

  Texel at(int64_t x, int64_t y, int64_t z) const {
    x = addressed(x, int64_t(view.width), mode(0));
    y = addressed(y, int64_t(view.height), mode(1));
    z = view.layered ? std::clamp<int64_t>(z, 0, int64_t(view.depth) - 1)
                     : addressed(z, int64_t(view.depth), mode(2));
    if (x < 0 || y < 0 || z < 0)
      return border();
    const unsigned char *texel =
        view.data + size_t(z) * view.sliceBytes + size_t(y) * view.pitchBytes + size_t(x) * view.texelBytes;
    Texel result;
    for (unsigned channel = 0; channel < channelsOf(view.format); ++channel) {
      unsigned bits = bitsOf(view.format, channel);
      uint32_t raw = rawChannel(texel, channel, bits);
      if (asFloat)
        result.f[channel] = channelAsFloat(raw, bits, view.format.f);
      else
        result.raw[channel] =
            view.format.f == cudaChannelFormatKindSigned ? uint32_t(signExtended(raw, bits)) : raw;
    }
    return result;
  }

  /// Wrap and mirror are defined for normalised coordinates only; otherwise they clamp.
  cudaTextureAddressMode mode(unsigned dimension) const {
    cudaTextureAddressMode given = description.addressMode[dimension];
    bool needsNormalised = given == cudaAddressModeWrap || given == cudaAddressModeMirror;
    return needsNormalised && !description.normalizedCoords ? cudaAddressModeClamp : given;
  }
};

/// Where linear filtering looks along one dimension: two neighbours and the weight of the second.
struct Neighbours {
  int64_t low = 0, high = 0;
  float weight = 0;
};

Neighbours neighbours(float coordinate, bool present) {
  if (!present)
    return {};
  float shifted = coordinate - 0.5f, floor = std::floor(shifted);
  float weight = std::round((shifted - floor) * 256) / 256;
  return {int64_t(floor), int64_t(floor) + 1, weight};
}

Texel interpolated(const Sampler &sampler, const float (&coordinates)[3], unsigned dimensions,
                   int64_t layer) {
  Neighbours x = neighbours(coordinates[0], true), y = neighbours(coordinates[1], dimensions > 1),
             z = neighbours(coordinates[2], dimensions > 2);
  if (sampler.view.layered)
    z.low = z.high = layer;
  Texel sum;
  for (unsigned corner = 0; corner < 8; ++corner) {
    float weight = (corner & 1 ? x.weight : 1 - x.weight) * (corner & 2 ? y.weight : 1 - y.weight) *
                   (corner & 4 ? z.weight : 1 - z.weight);
    if (weight == 0)
      continue;
    Texel texel =
        sampler.at(corner & 1 ? x.high : x.low, corner & 2 ? y.high : y.low, corner & 4 ? z.high : z.low);
    for (unsigned channel = 0; channel < 4; ++channel)
      sum.f[channel] += weight * texel.f[channel];
  }
  return sum;
}

std::optional<Textures::View> viewOf(const cudaResourceDesc &resource) {
  Textures::View view;
  switch (resource.resType) {
  case cudaResourceTypeArray: {
    const cudaArray *array = resource.res.array.array;
    if (!array)
      return std::nullopt;
    view = {array->data,         array->width(), array->height(),   array->depth(),    array->rowBytes(),
            array->sliceBytes(), array->format,  array->texelBytes, array->isLayered()};
    return view;
  }
  case cudaResourceTypeLinear:
    view.data = static_cast<unsigned char *>(resource.res.linear.devPtr);
    view.format = resource.res.linear.desc;
    view.texelBytes = texelBytes(view.format);
    view.width = view.texelBytes ? resource.res.linear.sizeInBytes / view.texelBytes : 0;
    view.pitchBytes = view.sliceBytes = resource.res.linear.sizeInBytes;
    break;
  case cudaResourceTypePitch2D:
    view.data = static_cast<unsigned char *>(resource.res.pitch2D.devPtr);
    view.format = resource.res.pitch2D.desc;
    view.texelBytes = texelBytes(view.format);
    view.width = resource.res.pitch2D.width;
    view.height = resource.res.pitch2D.height;
    view.pitchBytes = resource.res.pitch2D.pitchInBytes;
    view.sliceBytes = view.pitchBytes * view.height;
    break;
  default: return std::nullopt;
  }
  if (!view.data || !view.texelBytes || !view.width)
    return std::nullopt;
  return view;
}

} // namespace

unsigned texelBytes(const cudaChannelFormatDesc &format) {
  unsigned bits = unsigned(format.x);
  bool plain = format.f == cudaChannelFormatKindSigned || format.f == cudaChannelFormatKindUnsigned ||
               format.f == cudaChannelFormatKindFloat;
  bool even = (!format.y || format.y == format.x) && (!format.z || format.z == format.x) &&
              (!format.w || format.w == format.x);
  if (!plain || !even || (bits != 8 && bits != 16 && bits != 32))
    return 0;
  return channelsOf(format) * bits / 8;
}

unsigned long long Textures::add(Object object) {
  std::unique_lock lock(guard);
  objects[next] = std::make_unique<Object>(std::move(object));
  return next++;
}

cudaError_t Textures::createTexture(cudaTextureObject_t &object, const cudaResourceDesc &resource,
                                    const cudaTextureDesc &description) {
  std::optional<View> view = viewOf(resource);
  if (!view)
    return cudaErrorInvalidValue;
  if (description.filterMode == cudaFilterModeLinear && !readsAsFloat(view->format, description))
    return cudaErrorInvalidFilterSetting;
  object = add({*view, resource, description, false});
  return cudaSuccess;
}

cudaError_t Textures::createSurface(cudaSurfaceObject_t &object, const cudaResourceDesc &resource) {
  std::optional<View> view = viewOf(resource);
  if (!view || resource.resType != cudaResourceTypeArray)
    return cudaErrorInvalidValue;
  object = add({*view, resource, {}, true});
  return cudaSuccess;
}

bool Textures::destroy(unsigned long long object) {
  std::unique_lock lock(guard);
  return objects.erase(object);
}

void Textures::clear() {
  std::unique_lock lock(guard);
  objects.clear();
}

const Textures::Object *Textures::find(uint64_t handle) const {
  auto found = objects.find(handle);
  return found == objects.end() ? nullptr : found->second.get();
}

std::optional<cudaResourceDesc> Textures::resourceOf(unsigned long long object) const {
  std::shared_lock lock(guard);
  const Object *found = find(object);
  return found ? std::optional(found->resource) : std::nullopt;
}

std::optional<cudaTextureDesc> Textures::descriptionOf(unsigned long long object) const {
  std::shared_lock lock(guard);
  const Object *found = find(object);
  return found && !found->isSurface ? std::optional(found->description) : std::nullopt;
}

bool Textures::fetch(const vm::TextureFetch &fetch, uint32_t (&texel)[4]) const {
  std::shared_lock lock(guard);
  const Object *object = find(fetch.handle);
  if (!object || object->isSurface || fetch.cube)
    return false;
  const View &view = object->view;
  Sampler sampler{view, object->description, readsAsFloat(view.format, object->description)};
  Texel result;
  int64_t layer = fetch.layered ? fetch.layer : 0;
  if (fetch.integerCoordinates) {
    // tex1Dfetch and relatives: outside of the memory they read zero.
    bool inside = fetch.ix >= 0 && size_t(fetch.ix) < view.width && (fetch.dimensions < 2 || fetch.iy >= 0);
    if (inside)
      result = sampler.at(fetch.ix, fetch.dimensions > 1 ? fetch.iy : 0,
                          fetch.layered ? layer : (fetch.dimensions > 2 ? fetch.iz : 0));
  } else {
    float coordinates[3] = {fetch.x, fetch.y, fetch.z};
    if (object->description.normalizedCoords) {
      coordinates[0] *= float(view.width);
      coordinates[1] *= float(view.height);
      coordinates[2] *= float(view.depth);
    }
    if (fetch.gather) {
      // The four texels that linear filtering would weigh, counter-clockwise from the lower left.
      int64_t x = int64_t(std::floor(coordinates[0] - 0.5f)), y = int64_t(std::floor(coordinates[1] - 0.5f));
      const int64_t places[4][2] = {{x, y + 1}, {x + 1, y + 1}, {x + 1, y}, {x, y}};
      for (unsigned i = 0; i < 4; ++i) {
        Texel one = sampler.at(places[i][0], places[i][1], layer);
        result.f[i] = one.f[fetch.component & 3];
        result.raw[i] = one.raw[fetch.component & 3];
      }
    } else if (object->description.filterMode == cudaFilterModeLinear) {
      result = interpolated(sampler, coordinates, fetch.dimensions, layer);
    } else {
      result = sampler.at(
          int64_t(std::floor(coordinates[0])), fetch.dimensions > 1 ? int64_t(std::floor(coordinates[1])) : 0,
          fetch.layered ? layer : (fetch.dimensions > 2 ? int64_t(std::floor(coordinates[2])) : 0));
    }
  }
  std::memcpy(texel, sampler.asFloat ? static_cast<const void *>(result.f) : result.raw, sizeof texel);
  return true;
}

bool Textures::query(uint64_t handle, vm::TextureQuery query, uint32_t &answer) const {
  std::shared_lock lock(guard);
  const Object *object = find(handle);
  if (!object)
    return false;
  switch (query) {
  case vm::TextureQuery::Width: answer = uint32_t(object->view.width); return true;
  case vm::TextureQuery::Height: answer = uint32_t(object->view.height); return true;
  case vm::TextureQuery::Depth: answer = uint32_t(object->view.depth); return true;
  case vm::TextureQuery::Layers:
    answer = object->view.layered ? uint32_t(object->view.depth) : 0;
    return true;
  case vm::TextureQuery::Levels:
  case vm::TextureQuery::Samples: answer = 1; return true;
  default: return false;
  }
}

unsigned char *Textures::surfaceAddress(const vm::SurfaceAccess &access, bool &zero) const {
  const Object *object = find(access.handle);
  zero = false;
  if (!object || !object->isSurface)
    return nullptr;
  const View &view = object->view;
  int64_t x = access.x, y = access.dimensions > 1 ? access.y : 0;
  int64_t z = access.layered ? access.layer : (access.dimensions > 2 ? access.z : 0);
  int64_t lastX = int64_t(view.width * view.texelBytes) - access.bytes;
  bool inside =
      x >= 0 && x <= lastX && y >= 0 && y < int64_t(view.height) && z >= 0 && z < int64_t(view.depth);
  if (!inside) {
    if (access.border != vm::SurfaceAccess::Border::Clamp) {
      zero = access.border == vm::SurfaceAccess::Border::Zero;
      return nullptr;
    }
    x = std::clamp<int64_t>(x, 0, lastX);
    y = std::clamp<int64_t>(y, 0, int64_t(view.height) - 1);
    z = std::clamp<int64_t>(z, 0, int64_t(view.depth) - 1);
  }
  return const_cast<unsigned char *>(view.data) + size_t(z) * view.sliceBytes + size_t(y) * view.pitchBytes +
         size_t(x);
}

bool Textures::load(const vm::SurfaceAccess &access, void *bytes) const {
  std::shared_lock lock(guard);
  bool zero = false;
  if (const unsigned char *from = surfaceAddress(access, zero))
    std::memcpy(bytes, from, access.bytes);
  else if (zero)
    std::memset(bytes, 0, access.bytes);
  else
    return false;
  return true;
}

bool Textures::store(const vm::SurfaceAccess &access, const void *bytes) const {
  std::shared_lock lock(guard);
  bool ignored = false;
  if (unsigned char *to = surfaceAddress(access, ignored))
    std::memcpy(to, bytes, access.bytes);
  else
    return ignored;
  return true;
}

} // namespace heddle::cudart
