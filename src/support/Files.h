// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>

namespace heddle {

/// All bytes of a file; nothing where it cannot be read.
std::string contentsOf(const std::filesystem::path &file);

} // namespace heddle
