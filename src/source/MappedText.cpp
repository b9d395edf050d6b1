// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/MappedText.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <numeric>

namespace heddle::source {
namespace {

std::vector<std::string> linesOf(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, '\n');
  for (llvm::StringRef &line : parts)
    line.consume_back("\r");
  return {parts.begin(), parts.end()};
}

size_t indentOf(llvm::StringRef line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

/// Where line `line` begins, counted from 1; the text's end for those behind the last.
size_t beginOf(const std::string &text, unsigned line) {
  size_t at = 0;
  for (unsigned i = 1; i < line && at < text.size(); ++i)
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  return at;
}

llvm::StringRef lineAt(const std::string &text, unsigned line) {
  return llvm::StringRef(text).substr(beginOf(text, line)).split('\n').first;
}

} // namespace

MappedText::MappedText(std::string given)
    : givenLines(std::make_shared<std::vector<std::string>>(linesOf(given))), text(std::move(given)),
      origins(givenLines->size()) {
  std::iota(origins.begin(), origins.end(), 1u);
}

unsigned MappedText::givenLine(unsigned line) const {
  return line == 0 || line > origins.size() ? line : origins[line - 1];
}

SourceLocation MappedText::given(const SourceLocation &location) const {
  if (location.line == 0 || location.line > origins.size())
    return location;
  const unsigned number = origins[location.line - 1];
  const llvm::StringRef line = (*givenLines)[number - 1], now = lineAt(text, location.line);
  const size_t indent = indentOf(line);
  SourceLocation found{location.file, number, unsigned(indent) + 1, unsigned(indent + line.trim().size()) + 1,
                       line.str()};
  if (line.trim() != now.trim())
    return found;
  const long shift = long(indent) - long(indentOf(now));
  if (location.column > 0)
    found.column = unsigned(std::max(1L, long(location.column) + shift));
  found.endColumn = location.endColumn > 0 ? unsigned(std::max(1L, long(location.endColumn) + shift)) : 0;
  return found;
}

void MappedText::change(ChangedText now) {
  if (followedNow) {
    const auto isThere = [&](unsigned old) { return old >= *followedNow; };
    followedNow = 1 + unsigned(std::ranges::find_if(now.lines, isThere) - now.lines.begin());
  }
  for (unsigned &line : now.lines)
    line = givenLine(line);
  text = std::move(now.text);
  origins = std::move(now.lines);
}

void MappedText::removeLine(unsigned line) {
  const size_t begin = beginOf(text, line), end = beginOf(text, line + 1);
  if (begin == text.size())
    return;
  if (text[end - 1] == '\n') // else it was the last line, and an empty one is left
    origins.erase(origins.begin() + line - 1);
  text.erase(begin, end - begin);
}

void MappedText::replaceLine(unsigned line, const std::string &by) {
  const size_t begin = beginOf(text, line);
  const size_t end = std::min(text.find('\n', begin), text.size());
  text.replace(begin, end - begin, by);
  const size_t further = size_t(std::ranges::count(by, '\n'));
  const auto at = origins.begin() + line - 1;
  origins.insert(at, further, unsigned(*at));
  if (followedNow && *followedNow > line)
    *followedNow += unsigned(further);
}

} // namespace heddle::source
