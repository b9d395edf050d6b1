// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::report {

/// One line of two texts laid side by side.
struct DiffLine {
  enum class Kind : char { Same = ' ', Removed = '-', Added = '+', Gap = '@' } kind = Kind::Same;
  std::string text;
};

/// The fewest removed and added lines that turn `before` into `after`, with up to `context` unchanged lines
/// around each change; what is left out between changes is one Gap that says how many lines it was. Nothing
/// where both are the same.
std::vector<DiffLine> lineDiff(std::string_view before, std::string_view after, size_t context = 3);

} // namespace heddle::report
