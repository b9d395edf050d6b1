// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build/InlinedLocations.h"

#include "support/Files.h"
#include "support/Numbers.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>
#include <vector>

namespace heddle::build {
namespace {

namespace fs = std::filesystem;

struct SourceLocation {
  std::string_view file;
  unsigned line = 0, column = 0;
};

/// "dir/k.cu:6:39"; a colon may be in the path too.
std::optional<SourceLocation> parseLocation(std::string_view text) {
  const size_t second = text.rfind(':');
  const size_t first = second == std::string_view::npos || second == 0 ? second : text.rfind(':', second - 1);
  if (first == std::string_view::npos || first == second)
    return std::nullopt;
  const auto line = readNumber<unsigned>(text.substr(first + 1, second - first - 1)),
             column = readNumber<unsigned>(text.substr(second + 1));
  if (!line || !column)
    return std::nullopt;
  return SourceLocation{text.substr(0, first), *line, *column};
}

/// "a.h:1:2 @[ b.h:3:4 @[ k.cu:5:6 ] ]": innermost first. Empty where it is anything else.
std::vector<SourceLocation> parseChain(std::string_view comment) {
  constexpr std::string_view Next = " @[ ";
  while (comment.ends_with(" ]"))
    comment.remove_suffix(2);
  std::vector<SourceLocation> chain;
  for (bool more = true; more;) {
    const size_t at = comment.find(Next);
    more = at != std::string_view::npos;
    std::optional<SourceLocation> location = parseLocation(comment.substr(0, at));
    if (!location)
      return {};
    chain.push_back(*location);
    if (more)
      comment.remove_prefix(at + Next.size());
  }
  return chain;
}

/// A line of PTX that is a .loc with a comment.
struct LocLine {
  unsigned file = 0;
  std::string_view directive; ///< ".loc 2 344 10"
  std::vector<SourceLocation> chain;
};

std::optional<LocLine> parseLoc(std::string_view line) {
  const size_t start = line.find_first_not_of(" \t"), comment = line.find("// ");
  if (start == std::string_view::npos || comment == std::string_view::npos ||
      !line.substr(start).starts_with(".loc\t"))
    return std::nullopt;
  LocLine loc;
  loc.directive = line.substr(start, line.find_last_not_of(" \t", comment - 1) + 1 - start);
  const std::string_view number = loc.directive.substr(5);
  loc.file = readNumber<unsigned>(number.substr(0, number.find(' '))).value_or(0);
  loc.chain = parseChain(line.substr(comment + 3));
  return loc.file && !loc.chain.empty() ? std::optional(loc) : std::nullopt;
}

template <class F> void eachLine(std::string_view text, F body) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    body(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

class Rewriter {
public:
  explicit Rewriter(std::string_view folder) : folder(folder) {}

  std::string rewrite(std::string_view ptx) {
    // A comment names its own file as the chains do, which gives the file numbers of most.
    eachLine(ptx, [&](std::string_view line) {
      if (std::optional<LocLine> loc = parseLoc(line)) {
        files[std::string(loc->chain[0].file)] = loc->file;
        next = std::max(next, loc->file + 1);
      }
    });
    eachLine(ptx, [&](std::string_view line) {
      std::optional<LocLine> loc = parseLoc(line);
      if (loc && loc->chain.size() > 1)
        add(*loc);
      else
        fmt::format_to(std::back_inserter(out), "{}\n", line);
    });
    return out + fileLines;
  }

private:
  void add(const LocLine &loc) {
    std::string outer;
    for (size_t i = loc.chain.size(); i-- > 1;) {
      const SourceLocation &location = loc.chain[i];
      const std::string here =
          fmt::format("{} {} {}", fileNumber(location.file), location.line, location.column);
      out += fmt::format("\t.loc\t{}{}\n", here, outer);
      outer = ", inlined_at " + here;
    }
    out += fmt::format("\t{}{}\n", loc.directive, outer);
  }

  unsigned fileNumber(std::string_view path) {
    auto [found, isNew] = files.try_emplace(std::string(path), next);
    if (isNew)
      fileLines +=
          fmt::format("\t.file\t{} \"{}\"\n", next++, (fs::path(folder) / path).lexically_normal().string());
    return found->second;
  }

  std::string_view folder;
  std::map<std::string, unsigned> files;
  unsigned next = 1;
  std::string out, fileLines;
};

} // namespace

std::string withInlinedLocations(std::string_view ptx, std::string_view folder) {
  return Rewriter(folder).rewrite(ptx);
}

void addInlinedLocations(const fs::path &ptxFile) {
  writeFileOrThrow(ptxFile, withInlinedLocations(contentsOf(ptxFile), fs::current_path().string()));
}

} // namespace heddle::build
