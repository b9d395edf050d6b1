// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/IncludeLine.h"

#include <algorithm>

namespace heddle {

IncludeLine includeIn(std::string_view line) {
  constexpr std::string_view blanks = " \t", keyword = "include";
  auto skipBlanks = [&] { line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size())); };
  skipBlanks();
  if (!line.starts_with('#'))
    return {};
  line.remove_prefix(1);
  skipBlanks();
  if (!line.starts_with(keyword))
    return {};
  line.remove_prefix(keyword.size());
  skipBlanks();
  if (!line.starts_with('"') && !line.starts_with('<'))
    return {};
  const bool quoted = line.front() == '"';
  const size_t end = line.find(quoted ? '"' : '>', 1);
  return end == line.npos ? IncludeLine() : IncludeLine{std::string(line.substr(1, end - 1)), quoted};
}

} // namespace heddle
