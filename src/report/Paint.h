// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

/// Colours of what is printed on a terminal, as Clang has them.
namespace heddle::report::paint {

constexpr const char *Yellow = "\033[1;33m", *Green = "\033[1;32m", *Red = "\033[1;31m", *Cyan = "\033[1;36m",
                     *Bold = "\033[1m", *Plain = "\033[0m";

inline std::string painted(std::string_view text, const char *colour, bool useColour) {
  return useColour ? fmt::format("{}{}{}", colour, text, Plain) : std::string(text);
}

/// "tile.cu:10:9: ", or nothing where no location is known.
inline std::string whereOf(const SourceLocation &location, bool useColour) {
  return location.isKnown() ? painted(location.str() + ":", Bold, useColour) + " " : "";
}

} // namespace heddle::report::paint
