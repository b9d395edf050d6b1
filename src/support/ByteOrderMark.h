// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace heddle {

/// The text without the mark that some editors write before UTF-8. Compilers skip it at the beginning of a file, and nowhere else.
inline std::string_view withoutByteOrderMark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

} // namespace heddle
