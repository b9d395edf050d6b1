// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::vm {

/// One thread's texture read. Coordinates are floats or integers as the instruction says.
struct TextureFetch {
  uint64_t handle = 0;
  unsigned dimensions = 1; ///< 1, 2 or 3
  bool layered = false;
  bool cube = false;
  bool integerCoordinates = false; ///< else float
  bool gather = false;             ///< tld4: four texels of `component`
  unsigned component = 0;
  int32_t layer = 0;
  float x = 0, y = 0, z = 0;
  int32_t ix = 0, iy = 0, iz = 0;
  float level = 0; ///< mip level, explicit or 0
};

/// One thread's surface access: `x` in bytes, `y`, `z` in elements, as suld/sust have it.
struct SurfaceAccess {
  uint64_t handle = 0;
  unsigned dimensions = 1;
  bool layered = false;
  int32_t layer = 0;
  int32_t x = 0, y = 0, z = 0;
  unsigned bytes = 4;
  enum class Border : uint8_t { Trap, Clamp, Zero } border = Border::Trap;
};

enum class TextureQuery : uint8_t {
  Width,
  Height,
  Depth,
  ChannelType,
  ChannelOrder,
  Layers,
  Levels,
  Samples
};

/// What kernels need from outside of the simulator; the CUDA runtime implements it. Calls come from several
/// host threads at once, except print, which is called in block order by one thread at a time.
class Services {
public:
  virtual ~Services() = default;

  /// Text of device-side printf, in the order of blocks.
  virtual void print(std::string_view text) { (void)text; }
  /// Four components as 32-bit patterns (floats where the texture reads as float). False: no such texture.
  virtual bool texture(const TextureFetch &fetch, uint32_t (&texel)[4]) {
    (void)fetch, (void)texel;
    return false;
  }
  virtual bool queryTexture(uint64_t handle, TextureQuery query, uint32_t &answer) {
    (void)handle, (void)query, (void)answer;
    return false;
  }
  /// False: no such surface, or outside of it with Border::Trap.
  virtual bool loadSurface(const SurfaceAccess &access, void *bytes) {
    (void)access, (void)bytes;
    return false;
  }
  virtual bool storeSurface(const SurfaceAccess &access, const void *bytes) {
    (void)access, (void)bytes;
    return false;
  }
};

} // namespace heddle::vm
