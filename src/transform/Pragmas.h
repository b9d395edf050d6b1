// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::source {
class Program;
}

namespace heddle::transform {

/// A line `#pragma heddle ...` of a file, with those that continue it after a backslash.
struct Pragma {
  std::string text;        ///< what follows the word heddle, without comments
  SourceLocation location; ///< of that text
  unsigned line = 0, lines = 1;
};

/// The first such line; comments and strings are not looked into.
std::optional<Pragma> firstPragma(const std::string &file, const std::string &text);

/// Those of the program's file, which has this text, that its #if, #ifdef and #else leave out.
std::vector<Pragma> skippedPragmas(const source::Program &program, const std::string &text);

/// Directives in `_Pragma("heddle ...")`, which are in no line of their own, are refused.
void refusePragmaOperators(const source::Program &program, Diagnostics &diagnostics);

} // namespace heddle::transform
