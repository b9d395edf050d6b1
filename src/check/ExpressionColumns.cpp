// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/ExpressionColumns.h"

#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string_view>

namespace heddle::check {
namespace {

constexpr size_t nowhere = std::string_view::npos;

bool isNameChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool isBlank(char c) { return c == ' ' || c == '\t'; }

/// Whether an operator that stores begins here: `=` and `+=`, but not `==` or `<=`.
bool isAssignment(std::string_view line, size_t at) {
  if (line[at] == '=')
    return line.substr(at, 2) != "==";
  constexpr std::array<std::string_view, 10> others = {
      "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
  for (const std::string_view each : others)
    if (line.substr(at, each.size()) == each)
      return true;
  return false;
}

bool isStep(std::string_view line, size_t at) {
  return line.substr(at, 2) == "++" || line.substr(at, 2) == "--";
}

/// The bracket that a closing one belongs to, on the same line.
size_t openingOf(std::string_view line, size_t closing) {
  int depth = 0;
  for (size_t at = closing + 1; at-- > 0;) {
    depth += line[at] == ']' || line[at] == ')';
    depth -= line[at] == '[' || line[at] == '(';
    if (depth == 0)
      return at;
  }
  return nowhere;
}

size_t closingOf(std::string_view line, size_t opening) {
  int depth = 0;
  for (size_t at = opening; at < line.size(); ++at) {
    depth += line[at] == '[' || line[at] == '(';
    depth -= line[at] == ']' || line[at] == ')';
    if (depth == 0)
      return at;
  }
  return nowhere;
}

/// Where `a`, `a[i]`, `a.b[i]`, `p->x` or `f(i)[j]` begins that ends before `end`.
std::optional<size_t> beginOfPostfix(std::string_view line, size_t end) {
  size_t at = end;
  while (at > 0) {
    const char last = line[at - 1];
    if (last == ']' || last == ')') {
      at = openingOf(line, at - 1);
      if (at == nowhere)
        return std::nullopt;
      continue; // what is indexed or called
    }
    if (!isNameChar(last))
      return line[at] == '(' ? std::optional(at) : std::nullopt; // (*p).x; else nothing is named
    while (at > 0 && isNameChar(line[at - 1]))
      --at;
    if (at > 0 && line[at - 1] == '.')
      --at;
    else if (at > 1 && line.substr(at - 2, 2) == "->")
      at -= 2;
    else
      break;
  }
  return at < end ? std::optional(at) : std::nullopt;
}

/// Where an expression of that kind ends that begins at `begin`.
std::optional<size_t> endOfPostfix(std::string_view line, size_t begin) {
  size_t at = begin;
  while (at < line.size() && isNameChar(line[at]))
    ++at;
  while (at < line.size())
    if (line[at] == '[' || line[at] == '(') {
      const size_t closing = closingOf(line, at);
      if (closing == nowhere)
        return std::nullopt;
      at = closing + 1;
    } else if (const size_t skipped = line[at] == '.' ? 1 : line.substr(at, 2) == "->" ? 2 : 0; skipped) {
      at += skipped;
      while (at < line.size() && isNameChar(line[at]))
        ++at;
    } else {
      break;
    }
  return at;
}

} // namespace

void pointAtExpression(SourceLocation &location) {
  const std::string_view line = location.sourceLine;
  if (location.column == 0 || location.column > line.size() || location.endColumn > location.column + 1)
    return;
  const size_t at = location.column - 1;
  if (isAssignment(line, at) || isStep(line, at)) {
    size_t end = at;
    while (end > 0 && isBlank(line[end - 1]))
      --end;
    std::optional<size_t> begin = beginOfPostfix(line, end);
    if (!begin)
      return;
    while (*begin > 0 && line[*begin - 1] == '*' && (*begin == 1 || isBlank(line[*begin - 2])))
      --*begin; // *p = x
    location.column = unsigned(*begin + 1);
    location.endColumn = unsigned(end + 1);
    return;
  }
  const bool beginsStatement = line.find_first_not_of(" \t") == at;
  if (beginsStatement || !isNameChar(line[at]))
    return;
  if (const std::optional<size_t> end = endOfPostfix(line, at))
    location.endColumn = unsigned(*end + 1);
}

} // namespace heddle::check
