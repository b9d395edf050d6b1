// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace heddle::report {

/// CUDA C++ as markup, line by line: comments, literals, keywords and preprocessor lines get a colour of the style sheet.
/// Only a comment is remembered from one line to the next; this is for the eye, not for a compiler.
class Highlighter {
public:
  std::string line(std::string_view text);

private:
  bool isInComment = false;
};

} // namespace heddle::report
