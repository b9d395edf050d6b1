// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <system_error>

namespace heddle {

/// The program that runs: its own files are beside it or under its prefix. Empty where the system does not say.
inline std::filesystem::path ownProgram() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored);
}

} // namespace heddle
