// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace heddle::transform {

/// The text of a file in the folder `from`, as it must be written in the folder `to`, so that its #include "..." (and
/// __has_include("...")) find the same files:
///
///     #include "check.h"    =>    #include "../examples/check.h"
///
/// What is found through -I is not changed, unless the new folder has a file of that name: then `<...>`, which is not
/// looked for beside the file. The path is absolute where the two folders have nothing in common. An #include that names a
/// macro is not changed.
std::string withMovedIncludes(std::string_view text, const std::filesystem::path &from,
                              const std::filesystem::path &to);

} // namespace heddle::transform
