// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/Highlight.h"

#include "report/Html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace heddle::report {
namespace {

constexpr std::string_view keywords[] = {"__constant__",
                                         "__device__",
                                         "__forceinline__",
                                         "__global__",
                                         "__grid_constant__",
                                         "__host__",
                                         "__launch_bounds__",
                                         "__managed__",
                                         "__noinline__",
                                         "__restrict__",
                                         "__shared__",
                                         "alignas",
                                         "alignof",
                                         "auto",
                                         "bool",
                                         "break",
                                         "case",
                                         "char",
                                         "class",
                                         "const",
                                         "constexpr",
                                         "continue",
                                         "decltype",
                                         "default",
                                         "delete",
                                         "do",
                                         "double",
                                         "else",
                                         "enum",
                                         "explicit",
                                         "extern",
                                         "false",
                                         "float",
                                         "for",
                                         "friend",
                                         "goto",
                                         "if",
                                         "inline",
                                         "int",
                                         "long",
                                         "namespace",
                                         "new",
                                         "nullptr",
                                         "operator",
                                         "private",
                                         "protected",
                                         "public",
                                         "return",
                                         "short",
                                         "signed",
                                         "sizeof",
                                         "static",
                                         "static_assert",
                                         "static_cast",
                                         "struct",
                                         "switch",
                                         "template",
                                         "this",
                                         "true",
                                         "typedef",
                                         "typename",
                                         "union",
                                         "unsigned",
                                         "using",
                                         "virtual",
                                         "void",
                                         "volatile",
                                         "while"};
static_assert(std::ranges::is_sorted(keywords));

bool isWordLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string in(const char *kind, std::string_view text) {
  return fmt::format("<span class=\"{}\">{}</span>", kind, escaped(text));
}

/// One past the end of a string or character literal that begins at `begin`.
size_t endOfLiteral(std::string_view text, size_t begin) {
  for (size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == text[begin])
      return i + 1;
  }
  return text.size();
}

/// Digits, exponents with their signs, suffixes, separators.
size_t endOfNumber(std::string_view text, size_t begin) {
  size_t i = begin;
  while (i < text.size() &&
         (isWordLetter(text[i]) || text[i] == '.' || text[i] == '\'' ||
          ((text[i] == '+' || text[i] == '-') && (text[i - 1] == 'e' || text[i - 1] == 'E') &&
           !text.substr(begin).starts_with("0x"))))
    ++i;
  return i;
}

size_t endOfWord(std::string_view text, size_t begin) {
  size_t i = begin;
  while (i < text.size() && isWordLetter(text[i]))
    ++i;
  return i;
}

} // namespace

std::string Highlighter::line(std::string_view text) {
  std::string out;
  size_t at = 0;
  auto take = [&](const char *kind, size_t end) {
    const std::string_view part = text.substr(at, end - at);
    out += kind ? in(kind, part) : escaped(part);
    at = end;
  };
  auto comment = [&] {
    const size_t from = isInComment ? at : at + 2;
    const size_t close = text.find("*/", from);
    isInComment = close == std::string_view::npos;
    take("hc", isInComment ? text.size() : close + 2);
  };
  const size_t first = text.find_first_not_of(" \t");
  if (!isInComment && first != std::string_view::npos && text[first] == '#')
    take("hk", std::min(endOfWord(text, std::min(text.find_first_not_of(" \t", first + 1), text.size())),
                        text.size()));
  while (at < text.size()) {
    const char c = text[at];
    if (isInComment || text.substr(at).starts_with("/*"))
      comment();
    else if (text.substr(at).starts_with("//"))
      take("hc", text.size());
    else if (c == '"' || c == '\'')
      take("hs", endOfLiteral(text, at));
    else if (std::isdigit(static_cast<unsigned char>(c)))
      take("hn", endOfNumber(text, at));
    else if (isWordLetter(c)) {
      const size_t end = endOfWord(text, at);
      take(std::ranges::binary_search(keywords, text.substr(at, end - at)) ? "hk" : nullptr, end);
    } else
      take(nullptr, at + 1);
  }
  return out;
}

} // namespace heddle::report
