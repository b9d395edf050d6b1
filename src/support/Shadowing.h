// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace heddle {

/// Files in the folder that an #include which found one of these headers might find instead: what was compiled with the headers is
/// out of date where there is a new one.
std::set<std::string> shadowing(const std::filesystem::path &folder, const std::vector<std::string> &headers);

} // namespace heddle
