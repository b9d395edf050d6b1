// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/Template.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace heddle::kernels {

std::string fillIn(std::string_view text, const Replacements &replacements) {
  std::string filled;
  std::set<std::string> used;
  for (size_t at = 0;;) {
    size_t open = text.find('$', at);
    filled += text.substr(at, open - at);
    if (open == std::string_view::npos)
      break;
    size_t close = text.find('$', open + 1);
    std::string name(text.substr(open + 1, close - open - 1));
    auto found = std::find_if(replacements.begin(), replacements.end(),
                              [&](const auto &each) { return each.first == name; });
    if (found == replacements.end())
      throw std::logic_error("no replacement for $" + name + "$");
    filled += found->second;
    used.insert(name);
    at = close + 1;
  }
  if (used.size() != replacements.size())
    throw std::logic_error("a replacement without a place");
  return filled;
}

std::string literal(double value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string inComment(std::string_view name) {
  std::string text(name);
  if (!text.empty() && text.back() == '\\')
    text += '.';
  return text;
}

} // namespace heddle::kernels
