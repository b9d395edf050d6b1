// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// The text with each byte that belongs to no UTF-8 sequence replaced by U+FFFD. Names of files and source text are
/// bytes in any encoding; pages and documents must be UTF-8.
std::string asUtf8(std::string_view text);

} // namespace heddle
