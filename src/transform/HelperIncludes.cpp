// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Raw tokens determine the state at the beginning of each line: open braces, and open conditions with their branches. A line may have the
// #include if no brace is open there and its conditions are those of the use or some of the outer ones.
#include "transform/HelperIncludes.h"

#include "support/IncludeLine.h"
#include "transform/Lines.h"
#include "transform/SetAsideMacros.h"

#include <clang/Basic/LangOptions.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <set>
#include <vector>

using namespace clang;
namespace fs = std::filesystem;

namespace heddle::transform {
namespace {

constexpr llvm::StringRef used = "heddle::";

bool isHelper(llvm::StringRef line) {
  const IncludeLine include = includeIn(std::string_view(line.data(), line.size()));
  return !include.quoted && llvm::StringRef(include.name).starts_with("heddle/");
}

/// The #include lines of helpers, each with the lines around it that set macros aside.
std::map<std::string, SetAside> helpersOf(const std::string &text) {
  std::map<std::string, SetAside> found;
  const std::vector<std::string> lines = splitAt(text, '\n');
  for (size_t i = 0; i < lines.size(); ++i)
    if (isHelper(lines[i]))
      found[llvm::StringRef(lines[i]).trim().str()] = setAsideAround(lines, i);
  return found;
}

std::string joined(const std::string &include, const SetAside &around) {
  std::vector<std::string> lines = around.before;
  lines.push_back(include);
  lines.insert(lines.end(), around.behind.begin(), around.behind.end());
  return llvm::join(lines, "\n");
}

/// The text without an #include of a helper, what is around it, and its blank line.
std::string withoutHelper(const std::string &text, const std::string &include) {
  std::vector<std::string> lines = splitAt(text, '\n');
  const auto line = std::ranges::find_if(
      lines, [&](llvm::StringRef each) { return each.trim() == llvm::StringRef(include); });
  const SetAside around = setAsideAround(lines, size_t(line - lines.begin()));
  auto end = line + 1 + long(around.behind.size());
  if (end != lines.end() && llvm::StringRef(*end).trim().empty())
    ++end;
  lines.erase(line - long(around.before.size()), end);
  return llvm::join(lines, "\n");
}

/// What is open where a line begins.
struct Open {
  unsigned braces = 0;
  std::vector<unsigned> branches; ///< of conditions, each with a number of its own
  bool hasCode = false;           ///< a declaration begins on the line, or goes on
};

class OpenFinder {
public:
  explicit OpenFinder(const std::string &text) : text(text), lines(splitAt(text, '\n').size()) {}

  std::vector<Open> run() {
    LangOptions options;
    options.CPlusPlus = options.CPlusPlus11 = options.RawStringLiterals = options.LineComment = true;
    Lexer lexer(clang::SourceLocation(), options, text.data(), text.data(), text.data() + text.size());
    Token token;
    for (bool isLast = false; !isLast;) {
      isLast = lexer.LexFromRawLexer(token);
      if (token.is(tok::eof))
        break;
      const size_t begin = size_t(lexer.getBufferLocation() - text.data()) - token.getLength();
      goTo(begin);
      take(token);
    }
    goTo(text.size() + 1);
    return std::move(lines);
  }

private:
  void goTo(size_t offset) {
    for (; at < offset && at < text.size(); ++at)
      if (text[at] == '\n')
        save(++line);
  }
  void save(size_t number) {
    if (number < lines.size())
      lines[number].braces = braces, lines[number].branches = branches;
  }

  void take(const Token &token) {
    if (token.isAtStartOfLine())
      isInDirective = token.is(tok::hash);
    if (isInDirective) {
      if (isName && token.is(tok::raw_identifier))
        takeCondition(token.getRawIdentifier());
      isName = token.is(tok::hash);
      return;
    }
    if (line < lines.size())
      lines[line].hasCode = true;
    braces += token.is(tok::l_brace);
    braces -= token.is(tok::r_brace) && braces > 0;
  }

  void takeCondition(llvm::StringRef name) {
    if (name == "if" || name == "ifdef" || name == "ifndef") {
      branches.push_back(++lastBranch);
      openBraces.push_back(braces);
    } else if (!branches.empty() && name.starts_with("el")) {
      branches.back() = ++lastBranch;
      braces = openBraces.back(); // each branch opens what the others do
    } else if (!branches.empty() && name == "endif") {
      branches.pop_back();
      openBraces.pop_back();
    }
  }

  const std::string &text;
  std::vector<Open> lines;
  size_t at = 0, line = 0;
  unsigned braces = 0, lastBranch = 0;
  std::vector<unsigned> branches, openBraces;
  bool isInDirective = false, isName = false;
};

bool isAround(const Open &outer, const Open &inner) {
  return outer.branches.size() <= inner.branches.size() &&
         std::equal(outer.branches.begin(), outer.branches.end(), inner.branches.begin());
}

} // namespace

std::string withHelper(const std::string &text, const std::string &include) {
  std::vector<std::string> lines = splitAt(text, '\n');
  const std::vector<Open> open = OpenFinder(text).run();
  const auto use = size_t(
      std::ranges::find_if(lines, [](llvm::StringRef line) { return line.contains(used); }) - lines.begin());
  if (use == lines.size())
    return text;
  const auto mayBe = [&](size_t line) { return open[line].braces == 0 && isAround(open[line], open[use]); };
  size_t place = lines.size();
  for (size_t i = 0; i < use; ++i)
    if (!includeIn(lines[i]).name.empty() && mayBe(i))
      place = i + 1 + setAsideAround(lines, i).behind.size();
  const bool isBehindOther = place < lines.size();
  for (size_t i = 0; i <= use && !isBehindOther && place == lines.size(); ++i)
    if (open[i].hasCode && mayBe(i))
      place = i;
  if (place == lines.size())
    return text;
  if (isBehindOther)
    lines.insert(lines.begin() + long(place), include);
  else
    lines.insert(lines.begin() + long(place), {include, ""});
  return llvm::join(lines, "\n");
}

void distributeHelpers(std::map<fs::path, std::string> &files, const std::map<fs::path, std::string> &given) {
  const auto before = [&](const fs::path &file) {
    const auto found = given.find(file);
    return found == given.end() ? std::string() : found->second;
  };
  std::map<std::string, SetAside> added;
  for (const auto &[file, text] : files)
    if (text != before(file))
      added.merge(helpersOf(text));
  for (auto &[file, text] : files) {
    const bool uses = llvm::StringRef(text).contains(used) && text != before(file);
    const auto here = helpersOf(text), kept = helpersOf(before(file));
    for (const auto &[include, around] : added) {
      if (uses && !here.contains(include))
        text = withHelper(text, joined(include, around));
      else if (!uses && here.contains(include) && !kept.contains(include))
        text = withoutHelper(text, include);
    }
  }
}

} // namespace heddle::transform
