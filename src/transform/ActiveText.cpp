// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text that #if excludes has no tokens, and a statement cut out around it would take half of a condition along. So each
// conditional of the kernel's body is replaced by the branch that was taken: the one in whose lines some token, or a pragma,
// got past the preprocessor. Conditionals inside that branch follow in turn; all other lines are not changed.
//
// Decided by what the device side took. A conditional that is not closed inside the body stays.
#include "transform/ActiveText.h"

#include "source/Unit.h"
#include "transform/Lines.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Tooling/Syntax/Tokens.h>

#include <algorithm>
#include <vector>

using namespace clang;

namespace heddle::transform {
namespace {

/// Where tokens that got past the preprocessor, and pragmas, are in the main file.
std::vector<unsigned> activeLocations(const Unit &unit) {
  const SourceManager &sources = unit.sources();
  std::vector<unsigned> locations;
  auto add = [&](clang::SourceLocation location) {
    clang::SourceLocation at = sources.getFileLoc(location);
    if (sources.isWrittenInMainFile(at))
      locations.push_back(sources.getFileOffset(at));
  };
  for (const syntax::Token &token : unit.tokens().expandedTokens())
    add(token.location());
  for (clang::SourceLocation pragma : unit.pragmas())
    add(pragma);
  std::sort(locations.begin(), locations.end());
  return locations;
}

/// "ifdef" of `#  ifdef FAST`; empty for lines that are no directives.
llvm::StringRef directiveName(llvm::StringRef line) {
  return directiveOf(line).take_while([](char c) { return llvm::isAlpha(c); });
}

/// Goes through lines, keeping what is active.
class Keeper {
public:
  Keeper(llvm::StringRef text, std::vector<unsigned> active) : text(text), active(std::move(active)) {}

  /// Lines from `begin` to `end`, which begin lines; conditionals that open there close there.
  void keep(size_t begin, size_t end) {
    for (size_t at = begin; at < end;) {
      const llvm::StringRef word = directiveName(text.slice(at, lineEnd(at)));
      const bool isOpening = word == "if" || word == "ifdef" || word == "ifndef";
      const size_t last = isOpening ? closing(at, end) : llvm::StringRef::npos;
      if (last == llvm::StringRef::npos) {
        keepLines(at, lineEnd(at));
        at = lineEnd(at);
        continue;
      }
      changed = true;
      keepConditional(at, last);
      at = lineEnd(last);
    }
  }

  /// All of them, whatever they say.
  void keepLines(size_t begin, size_t end) {
    number += unsigned(text.slice(passed, begin).count('\n'));
    for (size_t at = begin; at < end; at = lineEnd(at)) {
      result.text += text.slice(at, lineEnd(at)).str();
      result.lines.push_back(number++);
    }
    passed = std::max(begin, end);
  }

  source::ChangedText result;
  bool changed = false;

private:
  size_t lineEnd(size_t at) const { return std::min(text.find('\n', at), text.size() - 1) + 1; }

  bool isActive(size_t begin, size_t end) const {
    auto first = std::lower_bound(active.begin(), active.end(), unsigned(begin));
    return first != active.end() && *first < end;
  }

  /// The line of the #endif that belongs to the #if at `at`.
  size_t closing(size_t at, size_t end) const {
    int depth = 0;
    for (; at < end; at = lineEnd(at)) {
      llvm::StringRef word = directiveName(text.slice(at, lineEnd(at)));
      depth += word == "if" || word == "ifdef" || word == "ifndef";
      if (word == "endif" && --depth == 0)
        return at;
    }
    return llvm::StringRef::npos;
  }

  /// From the line of an #if to that of its #endif.
  void keepConditional(size_t begin, size_t last) {
    int depth = 0;
    size_t branch = begin; // the directive line that opens it
    for (size_t at = begin; at <= last; at = lineEnd(at)) {
      const llvm::StringRef word = directiveName(text.slice(at, lineEnd(at)));
      const bool isOwn = depth == 1 && (word.starts_with("el") || word == "endif");
      if (isOwn && at != begin) {
        if (isActive(lineEnd(branch), at))
          keep(lineEnd(branch), at);
        branch = at;
      }
      depth += word == "if" || word == "ifdef" || word == "ifndef";
      depth -= word == "endif";
    }
  }

  llvm::StringRef text;
  std::vector<unsigned> active;
  size_t passed = 0;   ///< what was looked at so far
  unsigned number = 1; ///< of the line there
};

} // namespace

std::optional<Needs> keepActiveText(Context &, const Kernel &kernel) {
  const Unit &unit = *kernel.unit;
  const SourceManager &sources = unit.sources();
  SourceRange body = kernel.function->getBody()->getSourceRange();
  clang::SourceLocation first = sources.getFileLoc(body.getBegin()), last = sources.getFileLoc(body.getEnd());
  if (sources.getFileID(first) != sources.getFileID(last))
    return std::nullopt;
  llvm::StringRef text = sources.getBufferData(sources.getFileID(first));
  size_t begin = text.find('\n', sources.getFileOffset(first)) + 1;
  size_t end = text.rfind('\n', sources.getFileOffset(last)) + 1;
  if (begin >= end || !text.slice(begin, end).contains("#"))
    return std::nullopt;
  Keeper keeper(text, activeLocations(unit));
  keeper.keepLines(0, begin);
  keeper.keep(begin, end);
  if (!keeper.changed)
    return std::nullopt;
  if (!sources.isWrittenInMainFile(first)) // read again with the file in the place of its #include
    return Needs{"active-text", Needs::InPlaceOfInclude{unit.location(body.getEnd()).file}};
  keeper.keepLines(end, text.size());
  if (text.ends_with("\n")) // what counts as a last, empty line
    keeper.result.lines.push_back(1 + unsigned(text.count('\n')));
  return Needs{"active-text", std::move(keeper.result)};
}

} // namespace heddle::transform
