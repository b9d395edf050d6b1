// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace heddle::transform {

/// Directives include headers of Heddle once, before the first use in a text. Of files that were one text, those that use such a
/// header include it, and no others. `given` are the files as they were.
void distributeHelpers(std::map<std::filesystem::path, std::string> &files,
                       const std::map<std::filesystem::path, std::string> &given);

/// `text` with the line `include`, or several lines, where what it declares is known to all uses of `heddle::`: behind the last #include before the first use,
/// or before the first declaration. Neither is inside of a declaration or of a condition that the use is not in.
std::string withHelper(const std::string &text, const std::string &include);

} // namespace heddle::transform
