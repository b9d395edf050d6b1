// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>

namespace heddle::build {

/// What a file that somebody gives as a program is linked with.
enum class RuntimeLinkage {
  NoProgram, ///< no 64-bit ELF executable
  Simulator, ///< Heddle's runtime
  Shared,    ///< NVIDIA's, as a shared library: calls can be seen by a preloaded library
  Other      ///< a static runtime, or one that its own libraries bring along
};

RuntimeLinkage runtimeLinkageOf(const std::filesystem::path &file);

} // namespace heddle::build
