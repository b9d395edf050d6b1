// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "build/Build.h"

#include <cstdint>

namespace heddle::build {

/// The device side of one CUDA file.
struct DevicePtx {
  bool ok = false;
  std::string text;           ///< PTX with line tables, every kernel that the file instantiates
  std::string messages;       ///< what the compiler said, as it said it
  std::string compiler;       ///< "nvcc" or "clang"; empty where there was none to ask
  bool keepsAccesses = false; ///< each access to memory that other threads see is there as the source has it
};

/// What happens to loads and stores on the way.
enum class Accesses : uint8_t {
  Optimized, ///< as in the program
  Kept       ///< none is deleted, merged or moved, where Clang compiles: Clang is asked first
};

/// Compiles `request.sources.files[0]` for `request.arch`. Trouble that is not in the file itself (no
/// compiler, no such file) goes to `diagnostics`.
DevicePtx compileToPtx(const Request &request, Diagnostics &diagnostics,
                       Accesses accesses = Accesses::Optimized);

} // namespace heddle::build
