// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <clang/Basic/SourceLocation.h>

#include <filesystem>
#include <vector>

namespace heddle::source {
class Unit;
}

namespace heddle::transform {

/// The `#include` lines for `file` in the files of the user's that a unit read, by whatever path: where their # is. Those that conditions
/// exclude are among them; one that names a macro is not.
std::vector<clang::SourceLocation> includesOf(const source::Unit &unit, const std::filesystem::path &file);

} // namespace heddle::transform
