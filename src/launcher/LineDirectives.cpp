// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Raw tokens determine which lines begin between tokens, and how many parentheses are open there. With none open no
//    macro's arguments are being read, and a directive may be there.
// 2. Lines are copied, with the number that the compiler gives them kept along; where it differs from the origin's, `#line` sets it right.
//
// Conditions are not evaluated. Parentheses that open in one branch of an #if open in the others too, so the count goes on from
// the first branch: `#if A / f( / #else / g( / #endif` opens one.
#include "launcher/LineDirectives.h"

#include <clang/Basic/LangOptions.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>

using namespace clang;

namespace heddle::launcher {
namespace {

std::vector<size_t> lineBegins(const std::string &text) {
  std::vector<size_t> begins = {0};
  for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
    begins.push_back(at + 1);
  return begins;
}

/// The lines before which a directive may be.
class FreeLines {
public:
  explicit FreeLines(const std::string &text)
      : text(text), begins(lineBegins(text)), isFree(begins.size(), true) {}

  std::vector<bool> find() {
    LangOptions options;
    options.CPlusPlus = options.CPlusPlus11 = options.RawStringLiterals = options.LineComment = true;
    Lexer lexer(clang::SourceLocation(), options, text.data(), text.data(), text.data() + text.size());
    lexer.SetCommentRetentionState(true);
    Token token;
    for (bool isLast = false; !isLast;) {
      isLast = lexer.LexFromRawLexer(token);
      if (token.is(tok::eof))
        break;
      const size_t end = size_t(lexer.getBufferLocation() - text.data());
      take(token, end - token.getLength(), end);
    }
    closeUntil(text.size() + 1);
    for (size_t line = 1; line < begins.size(); ++line)
      if (llvm::StringRef(text).substr(0, begins[line] - 1).rtrim(" \t\r").ends_with("\\"))
        isFree[line] = false;
    return isFree;
  }

private:
  /// Lines that begin before `offset` begin after the tokens that were taken.
  void closeUntil(size_t offset) {
    for (; next < begins.size() && begins[next] <= offset; ++next)
      if (depth > 0)
        isFree[next] = false;
  }

  void take(const Token &token, size_t begin, size_t end) {
    closeUntil(begin);
    for (; next < begins.size() && begins[next] < end; ++next)
      isFree[next] = false; // within a comment or a string
    if (token.isAtStartOfLine() && !token.is(tok::comment))
      isInDirective = token.is(tok::hash);
    if (!isInDirective) {
      depth += token.is(tok::l_paren);
      depth -= token.is(tok::r_paren) && depth > 0;
    } else if (token.is(tok::hash)) {
      isName = true;
      return;
    } else if (isName && token.is(tok::raw_identifier)) {
      takeCondition(token.getRawIdentifier());
    }
    isName = isName && token.is(tok::comment);
  }

  void takeCondition(llvm::StringRef name) {
    if (name == "if" || name == "ifdef" || name == "ifndef") {
      conditions.push_back({depth, std::nullopt});
    } else if (conditions.empty()) {
      return;
    } else if (name == "else" || name == "elif" || name == "elifdef" || name == "elifndef") {
      conditions.back().afterFirst = conditions.back().afterFirst.value_or(depth);
      depth = conditions.back().before;
    } else if (name == "endif") {
      depth = conditions.back().afterFirst.value_or(conditions.back().before);
      conditions.pop_back();
    }
  }

  struct Condition {
    unsigned before;
    std::optional<unsigned> afterFirst;
  };

  const std::string &text;
  const std::vector<size_t> begins;
  std::vector<bool> isFree;
  size_t next = 1; ///< the first line that is not decided yet
  unsigned depth = 0;
  bool isInDirective = false, isName = false; ///< the directive's name comes next
  std::vector<Condition> conditions;
};

std::string quoted(const std::string &file) {
  std::string text = "\"";
  for (char c : file)
    text += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  return text + "\"";
}

} // namespace

std::string withLineDirectives(const std::string &text, const std::vector<source::LineOrigin> &origins,
                               const std::string &name) {
  const std::vector<bool> isFree = FreeLines(text).find();
  std::string result = fmt::format("#line 1 {}\n", quoted(name));
  source::LineOrigin current{"", 1};
  llvm::StringRef rest = text;
  for (size_t i = 0; i < isFree.size(); ++i) {
    const auto [line, further] = rest.split('\n');
    rest = further;
    const bool isBlank = line.trim(" \t\r").empty();
    if (i < origins.size() && isFree[i] && !isBlank && !(origins[i] == current)) {
      const std::string &file = origins[i].file;
      result += fmt::format("#line {}", origins[i].line);
      if (file != current.file)
        result += " " + quoted(file.empty() ? name : file);
      result += "\n";
      current = origins[i];
    }
    result += line.str();
    if (i + 1 < isFree.size())
      result += "\n";
    ++current.line;
  }
  return result;
}

} // namespace heddle::launcher
