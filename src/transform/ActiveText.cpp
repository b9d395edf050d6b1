// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/ActiveText.h"

#include "source/Unit.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Tooling/Syntax/Tokens.h>

#include <algorithm>
#include <vector>

using namespace clang;

namespace heddle::transform {
namespace {

/// A line that was left out. Nobody writes such a comment.
constexpr const char *mark = "//\x1f";

/// Where tokens that got past the preprocessor, and pragmas, stand in the main file.
std::vector<unsigned> activePlaces(const source::Unit &unit) {
  const SourceManager &sources = unit.sources();
  std::vector<unsigned> places;
  auto add = [&](SourceLocation location) {
    SourceLocation at = sources.getFileLoc(location);
    if (sources.isWrittenInMainFile(at))
      places.push_back(sources.getFileOffset(at));
  };
  for (const syntax::Token &token : unit.tokens().expandedTokens())
    add(token.location());
  for (SourceLocation pragma : unit.pragmas())
    add(pragma);
  std::sort(places.begin(), places.end());
  return places;
}

/// "ifdef" of `#  ifdef FAST`; empty for lines that are no directives.
llvm::StringRef directiveOf(llvm::StringRef line) {
  line = line.ltrim(" \t");
  if (!line.consume_front("#"))
    return {};
  return line.ltrim(" \t").take_while([](char c) { return llvm::isAlpha(c); });
}

/// Goes through lines, keeping what is active.
class Keeper {
public:
  Keeper(llvm::StringRef text, std::vector<unsigned> active) : text(text), active(std::move(active)) {}

  /// Lines from `begin` to `end`, which begin lines; conditionals that open there close there.
  std::string kept(size_t begin, size_t end) {
    std::string result;
    for (size_t at = begin; at < end;) {
      size_t next = std::min(text.find('\n', at), end - 1) + 1;
      llvm::StringRef word = directiveOf(text.slice(at, next));
      bool isOpening = word == "if" || word == "ifdef" || word == "ifndef";
      size_t last = isOpening ? closing(at, end) : at;
      if (!isOpening || last == llvm::StringRef::npos) {
        result += text.slice(at, next).str();
        at = next;
        continue;
      }
      changed = true;
      result += ofConditional(at, last);
      at = std::min(text.find('\n', last), end - 1) + 1;
    }
    return result;
  }

  bool changed = false;

private:
  bool isActive(size_t begin, size_t end) const {
    auto first = std::lower_bound(active.begin(), active.end(), unsigned(begin));
    return first != active.end() && *first < end;
  }

  /// The line of the #endif that belongs to the #if at `at`.
  size_t closing(size_t at, size_t end) const {
    int depth = 0;
    for (; at < end; at = std::min(text.find('\n', at), end - 1) + 1) {
      llvm::StringRef word = directiveOf(text.slice(at, std::min(text.find('\n', at), end)));
      depth += word == "if" || word == "ifdef" || word == "ifndef";
      if (word == "endif" && --depth == 0)
        return at;
    }
    return llvm::StringRef::npos;
  }

  std::string ofConditional(size_t begin, size_t last) {
    std::string result;
    int depth = 0;
    size_t branch = begin; // the directive line that opens it
    for (size_t at = begin; at <= last;) {
      size_t next = std::min(text.find('\n', at), text.size() - 1) + 1;
      llvm::StringRef word = directiveOf(text.slice(at, next));
      bool isOwn = depth == 1 && (word.starts_with("el") || word == "endif");
      if (isOwn && at != begin) {
        result += ofBranch(branch, at);
        branch = at;
      }
      depth += word == "if" || word == "ifdef" || word == "ifndef";
      depth -= word == "endif";
      at = next;
    }
    return result + leftOut(last, text.find('\n', last) + 1);
  }

  std::string ofBranch(size_t directive, size_t end) {
    size_t begin = text.find('\n', directive) + 1;
    return leftOut(directive, begin) + (isActive(begin, end) ? kept(begin, end) : leftOut(begin, end));
  }

  std::string leftOut(size_t begin, size_t end) const {
    std::string result;
    for (size_t i = begin; i < end; ++i)
      if (text[i] == '\n')
        result += std::string(mark) + "\n";
    return result;
  }

  llvm::StringRef text;
  std::vector<unsigned> active;
};

} // namespace

std::optional<Needs> keepActiveText(Context &, const source::Kernel &kernel) {
  const source::Unit &unit = *kernel.unit;
  const SourceManager &sources = unit.sources();
  SourceRange body = kernel.function->getBody()->getSourceRange();
  SourceLocation first = sources.getFileLoc(body.getBegin()), last = sources.getFileLoc(body.getEnd());
  if (sources.getFileID(first) != sources.getFileID(last))
    return std::nullopt;
  llvm::StringRef text = sources.getBufferData(sources.getFileID(first));
  size_t begin = text.find('\n', sources.getFileOffset(first)) + 1;
  size_t end = text.rfind('\n', sources.getFileOffset(last)) + 1;
  if (begin >= end || !text.slice(begin, end).contains("#"))
    return std::nullopt;
  Keeper keeper(text, activePlaces(unit));
  std::string kept = keeper.kept(begin, end);
  if (!keeper.changed)
    return std::nullopt;
  if (!sources.isWrittenInMainFile(first)) // read again with the file in the place of its #include
    return Needs{"active-text", Needs::InPlaceOfInclude{unit.place(body.getEnd()).file}};
  return Needs{"active-text", Needs::NewText{text.substr(0, begin).str() + kept + text.substr(end).str()}};
}

std::string withoutLeftOut(const std::string &text) {
  std::string result;
  llvm::StringRef rest = text;
  while (!rest.empty()) {
    size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    if (rest.substr(0, end).trim() != mark)
      result += rest.substr(0, end).str();
    rest = rest.substr(end);
  }
  return result;
}

} // namespace heddle::transform
