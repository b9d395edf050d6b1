// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/MovedIncludes.h"

#include "transform/Lines.h"

#include <algorithm>
#include <iterator>

namespace fs = std::filesystem;

namespace heddle::transform {
namespace {

fs::path wholePath(const fs::path &folder) {
  std::error_code failed;
  fs::path whole = fs::weakly_canonical(folder.empty() ? "." : folder, failed);
  return failed ? folder : whole;
}

/// A file as seen from a folder; both are absolute.
std::string seenFrom(const fs::path &folder, const fs::path &file) {
  const auto [inFile, inFolder] = std::mismatch(file.begin(), file.end(), folder.begin(), folder.end());
  const bool haveNothingInCommon = std::distance(file.begin(), inFile) <= 1; // the root
  return (haveNothingInCommon ? file : file.lexically_relative(folder)).generic_string();
}

class Mover {
public:
  Mover(const fs::path &from, const fs::path &to) : from(wholePath(from)), to(wholePath(to)) {}

  bool isNeeded() const { return from != to; }

  std::string line(std::string_view text) const {
    const llvm::StringRef directive = directiveOf(text);
    if (directive.starts_with("include"))
      return moved(text, 0);
    if (!directive.starts_with("if") && !directive.starts_with("elif"))
      return std::string(text);
    std::string result(text);
    for (size_t at = result.find(asks); at != std::string::npos; at = result.find(asks, at + asks.size()))
      result = moved(result, at + asks.size());
    return result;
  }

private:
  static constexpr std::string_view asks = "__has_include";

  /// The line with the first name in quotes behind `begin` changed. A name in angle brackets, or one that a macro makes,
  /// comes first where there is one.
  std::string moved(std::string_view line, size_t begin) const {
    const size_t open = line.find('"', begin), close = line.find('"', open + 1);
    if (open == line.npos || close == line.npos || line.substr(begin, open - begin).find('<') != line.npos)
      return std::string(line);
    const fs::path named = line.substr(open + 1, close - open - 1);
    std::error_code ignored;
    std::string written;
    if (named.is_absolute())
      return std::string(line);
    if (fs::exists(from / named, ignored))
      written = '"' + seenFrom(to, wholePath(from / named)) + '"';
    else if (fs::exists(to / named, ignored))
      written = '<' + named.generic_string() + '>';
    else
      return std::string(line);
    return std::string(line.substr(0, open)) + written + std::string(line.substr(close + 1));
  }

  const fs::path from, to;
};

} // namespace

std::string withMovedIncludes(std::string_view text, const fs::path &from, const fs::path &to) {
  const Mover mover(from, to);
  if (!mover.isNeeded())
    return std::string(text);
  return withLines(text, [&](std::string_view line) { return mover.line(line); });
}

} // namespace heddle::transform
