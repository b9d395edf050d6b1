// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/TextureObject.h"
#include "trace/preload/Recorder.h"

#include <map>
#include <optional>
#include <vector>

namespace heddle::capture {

/// Texture and surface objects of the program, as a capture has them.
struct LiveTextures {
  std::vector<TextureObject> objects; ///< in the order of their numbers
  std::vector<Array> arrays;
  std::vector<cudaArray_t> handles; ///< of the arrays
  std::vector<uint64_t>
      notCaptured; ///< numbers of those that a capture does not have: views, mipmapped arrays
};

/// Which objects there are.
class TextureList {
public:
  void created(unsigned long long object, trace::ObjectKind kind);
  void destroyed(unsigned long long object, trace::ObjectKind kind);
  /// Asks the runtime what they are.
  LiveTextures read() const;

private:
  struct Entry {
    bool isSurface = false;
    unsigned long long object = 0;
    bool operator<(const Entry &other) const {
      return object != other.object ? object < other.object : isSurface < other.isSurface;
    }
  };
  std::map<Entry, trace::ObjectKind> all;
};

} // namespace heddle::capture
