// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines that both texts have once, and that follow each other in the same order in both, are anchors
// (patience diff). Between two of them equal lines at the beginning and at the end belong together, and what
// is left is what was changed there. Indentation does not count: directives change it.
#include "transform/OriginalPlaces.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>

namespace heddle::transform {
namespace {

using Pair = std::pair<size_t, size_t>; ///< a line of the new text, and of the old one

std::vector<std::string> linesOf(const std::string &text) {
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(text).split(parts, '\n');
  return {parts.begin(), parts.end()};
}

llvm::StringRef trimmed(const std::string &line) { return llvm::StringRef(line).trim(); }

/// Lines that are in both texts, and only once in each, in the order of the new one.
std::vector<Pair> commonUniqueLines(const std::vector<std::string> &now,
                                    const std::vector<std::string> &original) {
  struct Seen {
    unsigned now = 0, original = 0;
    size_t at = 0; ///< in the original
  };
  llvm::StringMap<Seen> seen;
  for (const std::string &line : now)
    ++seen[trimmed(line)].now;
  for (size_t i = 0; i < original.size(); ++i) {
    Seen &here = seen[trimmed(original[i])];
    ++here.original;
    here.at = i;
  }
  std::vector<Pair> pairs;
  for (size_t i = 0; i < now.size(); ++i)
    if (const Seen &here = seen[trimmed(now[i])]; here.now == 1 && here.original == 1)
      pairs.emplace_back(i, here.at);
  return pairs;
}

/// The longest sequence of pairs in which the old lines go up as well.
std::vector<Pair> inOrder(const std::vector<Pair> &pairs) {
  std::vector<size_t> last; // by length - 1: the pair with the smallest end
  std::vector<size_t> before(pairs.size(), SIZE_MAX);
  for (size_t i = 0; i < pairs.size(); ++i) {
    auto at = std::lower_bound(last.begin(), last.end(), pairs[i].second,
                               [&](size_t pair, size_t line) { return pairs[pair].second < line; });
    if (at != last.begin())
      before[i] = *std::prev(at);
    if (at == last.end())
      last.push_back(i);
    else
      *at = i;
  }
  std::vector<Pair> found;
  for (size_t i = last.empty() ? SIZE_MAX : last.back(); i != SIZE_MAX; i = before[i])
    found.push_back(pairs[i]);
  std::reverse(found.begin(), found.end());
  return found;
}

} // namespace

OriginalPlaces::OriginalPlaces(const std::string &originalText, const std::string &nowText)
    : original(linesOf(originalText)), now(linesOf(nowText)), lines(now.size()) {
  size_t at = 0, old = 0;
  for (auto [anchor, oldAnchor] : inOrder(commonUniqueLines(now, original))) {
    match(at, anchor, old, oldAnchor);
    lines[anchor] = {oldAnchor, true};
    at = anchor + 1;
    old = oldAnchor + 1;
  }
  match(at, now.size(), old, original.size());
}

/// The lines from `from` and from `old` on, up to the ends, belong to each other.
void OriginalPlaces::match(size_t from, size_t nowEnd, size_t old, size_t oldEnd) {
  for (; from < nowEnd && old < oldEnd && trimmed(now[from]) == trimmed(original[old]); ++from, ++old)
    lines[from] = {old, true};
  for (; from < nowEnd && old < oldEnd && trimmed(now[nowEnd - 1]) == trimmed(original[oldEnd - 1]);)
    lines[--nowEnd] = {--oldEnd, true};
  const bool isOneByOne = nowEnd - from == oldEnd - old;
  const size_t first = old < oldEnd || old == 0 ? old : old - 1;
  for (size_t i = from; i < nowEnd; ++i)
    lines[i] = {std::min(isOneByOne ? old + (i - from) : first, original.size() - 1), false};
}

Place OriginalPlaces::of(const Place &place) const {
  if (place.line == 0 || place.line > lines.size())
    return place;
  const Line &line = lines[place.line - 1];
  const std::string &text = original[line.original];
  const size_t indent = std::min(text.find_first_not_of(" \t"), text.size());
  Place found{place.file, unsigned(line.original) + 1, unsigned(indent) + 1,
              unsigned(indent + trimmed(text).size()) + 1, text};
  if (!line.isSame)
    return found;
  const std::string &changed = now[place.line - 1];
  const long shift = long(indent) - long(std::min(changed.find_first_not_of(" \t"), changed.size()));
  if (place.column > 0)
    found.column = unsigned(std::max(1L, long(place.column) + shift));
  found.endColumn = place.endColumn > 0 ? unsigned(std::max(1L, long(place.endColumn) + shift)) : 0;
  return found;
}

} // namespace heddle::transform
