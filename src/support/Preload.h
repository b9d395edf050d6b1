// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle {

/// The environment ("NAME=value") by which a program preloads `library`, also from a folder with spaces in its path.
///
/// LD_PRELOAD separates paths by spaces and has no way to quote them. A library in such a folder is
/// preloaded by its name alone, and its folder comes first in LD_LIBRARY_PATH, where spaces separate nothing.
std::vector<std::string> preloading(const std::filesystem::path &library);

} // namespace heddle
