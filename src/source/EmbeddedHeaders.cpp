// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/EmbeddedHeaders.h"

namespace heddle::source {
namespace {

constexpr std::string_view beginning = "// -- <heddle/", behindName = ">, in place of its #include --";

} // namespace

std::string beginOfEmbedded(const std::string &name) { return "// -- <" + name + std::string(behindName); }
std::string endOfEmbedded(const std::string &name) { return "// -- end of <" + name + "> --"; }

std::vector<TextRange> embeddedHeadersIn(std::string_view text) {
  std::vector<TextRange> found;
  for (size_t at = text.find(beginning); at != text.npos; at = text.find(beginning, at + 1)) {
    const size_t name = at + std::string_view("// -- <").size(), line = text.find('\n', at);
    const size_t close = text.find(behindName, at);
    if (line == text.npos || close == text.npos || close > line)
      continue;
    const size_t end = text.find(endOfEmbedded(std::string(text.substr(name, close - name))), line);
    if (end == text.npos)
      continue;
    found.push_back({at, end});
    at = end;
  }
  return found;
}

} // namespace heddle::source
