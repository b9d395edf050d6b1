// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/MappedText.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>

namespace heddle::source {
namespace {

std::vector<std::string> linesOf(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, '\n');
  for (llvm::StringRef &line : parts)
    line.consume_back("\r");
  return {parts.begin(), parts.end()};
}

size_t indentAt(llvm::StringRef line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

/// Where line `line` begins, counted from 1; the text's end for those after the last.
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
    : files{std::make_shared<File>(File{"", linesOf(given)})}, text(std::move(given)) {
  for (unsigned line = 1; line <= files.front()->lines.size(); ++line)
    origins.push_back({line, 0});
}

MappedText::Origin MappedText::originOf(unsigned line) const {
  return line == 0 || line > origins.size() ? Origin{line, 0} : origins[line - 1];
}

unsigned MappedText::givenLine(unsigned line) const { return originOf(line).line; }

bool MappedText::readsAsGiven(unsigned line) const {
  const Origin origin = originOf(line);
  const std::vector<std::string> &lines = files[origin.file]->lines;
  return origin.line > 0 && origin.line <= lines.size() &&
         llvm::StringRef(lines[origin.line - 1]).trim() == lineAt(text, line).trim();
}

std::vector<LineOrigin> MappedText::lineOrigins() const {
  std::vector<LineOrigin> all;
  for (const Origin &origin : origins)
    all.push_back({files[origin.file]->name, origin.line});
  return all;
}

SourceLocation MappedText::given(const SourceLocation &location) const {
  if (location.line == 0 || location.line > origins.size())
    return location;
  const auto [number, which] = origins[location.line - 1];
  const File &file = *files[which];
  const llvm::StringRef line = file.lines[number - 1], now = lineAt(text, location.line);
  const size_t indent = indentAt(line);
  SourceLocation found{which ? file.name : location.file, number, unsigned(indent) + 1,
                       unsigned(indent + line.trim().size()) + 1, line.str()};
  if (line.trim() != now.trim())
    return found;
  const long shift = long(indent) - long(indentAt(now));
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
  std::vector<Origin> further;
  for (unsigned line : now.lines)
    further.push_back(originOf(line));
  text = std::move(now.text);
  origins = std::move(further);
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
  origins.insert(at, further, Origin(*at));
  if (followedNow && *followedNow > line)
    *followedNow += unsigned(further);
}

void MappedText::replaceLine(unsigned line, const InsertedFile &by) {
  replaceLine(line, by.text);
  files.push_back(std::make_shared<File>(File{by.name, linesOf(by.given)}));
  for (size_t i = 0; i < by.lines.size(); ++i)
    if (by.lines[i])
      origins[line - 1 + i] = {by.lines[i], unsigned(files.size() - 1)};
}

} // namespace heddle::source
