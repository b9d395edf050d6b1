// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface objects that a launch can use, and the arrays that they read and write. Numbers that represent one of a list
// are those of the runtime API (cudaChannelFormatKind, cudaTextureAddressMode, ...), whose names are in the comments.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::capture {

/// What a texel consists of.
struct TexelFormat {
  uint32_t bits[4] = {}; ///< of each channel; 0: there is none
  uint32_t kind = 0;     ///< 0 signed, 1 unsigned, 2 floating point

  uint32_t channels() const;
  uint64_t bytes() const;
};

/// A CUDA array. Its texels are stored row by row, slices or layers one after the other.
struct Array {
  uint64_t width = 0, height = 0, depth = 0; ///< in texels; 0: there is no such dimension
  TexelFormat format;
  uint32_t flags = 0; ///< 1 layered, 2 for surfaces, 4 cube map, 8 for gathering

  uint64_t rows() const { return height ? height : 1; }
  uint64_t slices() const { return depth ? depth : 1; }
  uint64_t rowBytes() const { return width * format.bytes(); }
  uint64_t bytes() const { return rowBytes() * rows() * slices(); }
};

struct TextureObject {
  enum class Kind { Texture, Surface };
  enum class Memory { Array, Linear, Pitch };

  Kind kind = Kind::Texture;
  Memory memory = Memory::Array;
  uint64_t handle = 0; ///< the number by which kernels know it
  size_t array = 0;    ///< Memory::Array: which one
  // Otherwise:
  uint64_t address = 0, width = 0, height = 0, pitch = 0; ///< Linear: width in bytes
  TexelFormat format;
  // How a texture is read:
  uint32_t addressModes[3] = {}; ///< 0 wrap, 1 clamp, 2 mirror, 3 border
  uint32_t filter = 0;           ///< 0 nearest, 1 linear
  uint32_t readMode = 0;         ///< 0 as the texel's type, 1 as a number from 0 or -1 to 1
  uint32_t isSrgb = 0, isNormalized = 0, anisotropy = 0;
  uint32_t border[4] = {}; ///< bits of floats
};

} // namespace heddle::capture
