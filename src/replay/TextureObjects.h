// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/Manifest.h"
#include "replay/Arrays.h"

#include <cstdint>
#include <vector>

namespace heddle::replay {

/// The texture and surface objects of a capture.
///
/// Kernels know them by numbers that the driver gives. They are created in the order of the captured numbers, and get the same ones in
/// most cases. Where not, parameters that are such a number get the new one. A number in a struct or in memory stays what it was.
class TextureObjects {
public:
  /// The memory that they read is in place. Throws.
  TextureObjects(Driver &driver, const capture::Manifest &manifest, const Arrays &arrays);
  ~TextureObjects();
  TextureObjects(const TextureObjects &) = delete;
  TextureObjects &operator=(const TextureObjects &) = delete;

  /// `parameters`: those of the captured launch, or of one whose first parameters are the same.
  void setIn(std::vector<uint8_t> &parameters) const;

private:
  struct Made {
    capture::TextureObject::Kind kind;
    uint64_t captured = 0;
    unsigned long long handle = 0;
  };
  void release();

  Driver &driver;
  const capture::Manifest &manifest;
  std::vector<Made> all;
};

/// The types in a demangled name: {"unsigned long long", "float*"} of "shift(unsigned long long, float*)".
std::vector<std::string> parameterTypes(const std::string &name);

} // namespace heddle::replay
