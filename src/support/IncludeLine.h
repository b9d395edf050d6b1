// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// What a line of C++ text includes, read without a preprocessor: `#include "name"` or `#include <name>`.
struct IncludeLine {
  std::string name; ///< empty for a line that includes nothing, or the value of a macro
  bool quoted = false;
};

IncludeLine includeIn(std::string_view line);

} // namespace heddle
