// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace heddle {

/// The folder heddle/NAME where the user's programs keep what they can make again: in $XDG_CACHE_HOME, else in
/// ~/.cache. None where files cannot be written there, or for a user without a home, as in containers.
std::optional<std::filesystem::path> userCacheFolder(std::string_view name);

} // namespace heddle
