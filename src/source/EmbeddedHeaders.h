// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Headers of Heddle whose text is in a file that `heddle opt` wrote: which lines are theirs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::source {

/// The lines before and after the text of a header.
std::string beginOfEmbedded(const std::string &name);
std::string endOfEmbedded(const std::string &name);

/// A part of a text: from one character up to another.
struct TextRange {
  size_t begin = 0, end = 0;
};

/// Where such headers are in a text, the outermost ones.
std::vector<TextRange> embeddedHeadersIn(std::string_view text);

} // namespace heddle::source
