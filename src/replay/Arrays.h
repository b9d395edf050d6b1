// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/TextureObject.h"
#include "replay/Driver.h"

#include <vector>

namespace heddle::replay {

/// The arrays of a capture. Each has a mirror: its texels in device memory, row by row, where they can be copied and compared as
/// all other memory is.
class Arrays {
public:
  /// Throws.
  Arrays(Driver &driver, const std::vector<capture::Array> &arrays, cu::Stream stream);
  ~Arrays();
  Arrays(const Arrays &) = delete;
  Arrays &operator=(const Arrays &) = delete;

  cu::Array operator[](size_t number) const { return all[number].array; }
  cu::Pointer mirrorOf(size_t number) const { return all[number].mirror; }
  size_t size() const { return all.size(); }
  /// Both are queued in the stream.
  void copyFromMirror(size_t number);
  void copyToMirror(size_t number);

private:
  struct Mirrored {
    capture::Array shape;
    cu::Array array = nullptr;
    cu::Pointer mirror = 0;
  };
  void release();

  Driver &driver;
  cu::Stream stream;
  std::vector<Mirrored> all;
};

/// The driver's number of a format (CUarray_format). Throws where it has none.
int formatOf(const capture::TexelFormat &format);

} // namespace heddle::replay
