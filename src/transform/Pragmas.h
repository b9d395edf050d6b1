// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

#include <optional>
#include <string>

namespace heddle::transform {

/// A line `#pragma heddle ...` of a file.
struct Pragma {
  std::string text;        ///< what follows the word heddle
  SourceLocation location; ///< of that text
  unsigned line = 0;
};

/// The first such line; comments and strings are not looked into.
std::optional<Pragma> firstPragma(const std::string &file, const std::string &text);

} // namespace heddle::transform
