// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cudart/Abi.h"
#include "vm/Simulator.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>

/// What a cudaArray_t points at: texels row by row, slices or layers one after the other.
struct cudaArray {
  cudaChannelFormatDesc format;
  cudaExtent extent; ///< as the program gave it: 0 for a dimension that is not there
  unsigned flags = 0;
  unsigned char *data = nullptr;
  unsigned texelBytes = 0;
  bool ownsData = true; ///< false: one level of a mipmapped array

  size_t width() const { return extent.width; }
  size_t height() const { return extent.height ? extent.height : 1; }
  size_t depth() const { return extent.depth ? extent.depth : 1; }
  size_t rowBytes() const { return width() * texelBytes; }
  size_t sliceBytes() const { return rowBytes() * height(); }
  size_t bytes() const { return sliceBytes() * depth(); }
  bool isLayered() const { return flags & cudaArrayLayered; }
};

namespace heddle::cudart {

/// Bytes of one texel, 0 for a format the simulator does not have.
unsigned texelBytes(const cudaChannelFormatDesc &format);

/// Texture and surface objects: what kernels read through tex and suld, and write through sust.
class Textures {
public:
  cudaError_t createTexture(cudaTextureObject_t &object, const cudaResourceDesc &resource,
                            const cudaTextureDesc &description);
  cudaError_t createSurface(cudaSurfaceObject_t &object, const cudaResourceDesc &resource);
  bool destroy(unsigned long long object);
  std::optional<cudaResourceDesc> resourceOf(unsigned long long object) const;
  std::optional<cudaTextureDesc> descriptionOf(unsigned long long object) const;

  bool fetch(const vm::TextureFetch &fetch, uint32_t (&texel)[4]) const;
  bool query(uint64_t handle, vm::TextureQuery query, uint32_t &answer) const;
  bool load(const vm::SurfaceAccess &access, void *bytes) const;
  bool store(const vm::SurfaceAccess &access, const void *bytes) const;
  void clear();

  /// Texels in memory, whatever they came from.
  struct View {
    const unsigned char *data = nullptr;
    size_t width = 0, height = 1, depth = 1;
    size_t pitchBytes = 0, sliceBytes = 0;
    cudaChannelFormatDesc format{};
    unsigned texelBytes = 0;
    bool layered = false;
  };

private:
  struct Object {
    View view;
    cudaResourceDesc resource{};
    cudaTextureDesc description{};
    bool isSurface = false;
  };
  const Object *find(uint64_t handle) const;
  unsigned char *surfaceAddress(const vm::SurfaceAccess &access, bool &zero) const;
  unsigned long long add(Object object);

  mutable std::shared_mutex guard;
  std::unordered_map<uint64_t, std::unique_ptr<Object>> objects;
  uint64_t next = 1;
};

} // namespace heddle::cudart
