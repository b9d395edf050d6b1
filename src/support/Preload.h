// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle {

/// The shared runtime of the sanitizers, if Heddle's libraries were built with them (`make test SANITIZE=1`); otherwise an empty
/// path. It must be the first library that a program with one of these libraries loads.
std::filesystem::path sanitizerRuntime();

/// The environment ("NAME=value") by which a program preloads `library`, also from a folder with spaces in its path.
///
/// LD_PRELOAD separates paths by spaces and has no way to quote them. A library in such a folder is
/// preloaded by its name alone, and its folder comes first in LD_LIBRARY_PATH, where spaces separate nothing.
std::vector<std::string> preloading(const std::filesystem::path &library);

} // namespace heddle
