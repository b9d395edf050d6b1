// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Render.h"
#include "support/Diagnostics.h"

#include <clang/AST/Stmt.h>

#include <optional>
#include <string>
#include <vector>

namespace heddle::source {
class Unit;
}

namespace heddle::transform {

/// A statement of a block with what stands around it in the text.
struct BlockPart {
  const clang::Stmt *statement = nullptr; ///< without attributes
  std::string lead;                       ///< whole lines before it: comments, pragmas, blank lines
  std::string trail;                      ///< a comment behind it on its last line
};
struct BlockText {
  std::vector<BlockPart> parts;
  std::string end; ///< whole lines before the closing brace
};

/// Takes loops apart into the user's text and puts text together at another depth. What cannot be rendered is
/// remembered: ask `failure` before the text is used.
class LoopText {
public:
  explicit LoopText(const source::Unit &unit) : unit(unit) {}

  /// The statement with its semicolon, some of its parts replaced, its lines moved so that it stands at
  /// `indent`.
  std::string statement(const clang::Stmt *statement, const std::string &indent,
                        const std::vector<source::Replacement> &parts = {});
  std::string range(clang::SourceRange range, const std::vector<source::Replacement> &parts = {});
  /// "int i = 0; i < n; ++i"
  std::string head(const clang::ForStmt *loop, const std::vector<source::Replacement> &parts = {});
  /// Everything behind the head's parenthesis, as written.
  std::string behindHead(const clang::ForStmt *loop, const std::string &indent);
  BlockText block(const clang::Stmt *body);

  /// The white space that the statement's line begins with.
  std::string indentOf(const clang::Stmt *statement) const;
  /// One step more than the loop's own, as its body has it.
  std::string stepOf(const clang::Stmt *outer, const clang::Stmt *body) const;

  std::optional<Diagnostic> failure;

private:
  std::string written(clang::SourceRange range) const;
  const source::Unit &unit;
};

/// The same lines at another depth; the first line stays where it is.
std::string moved(const std::string &text, const std::string &from, const std::string &to);
/// Whole lines (see BlockPart::lead) at another depth, only those among them that are pragmas, only the
/// others.
std::string movedLines(const std::string &lines, const std::string &from, const std::string &to);
std::string pragmasOf(const std::string &lines);
std::string commentsOf(const std::string &lines);

/// Puts `text`, which stands at the statement's own depth, in the place of a statement; with braces around it
/// where it is several statements and the old one was the only one of a loop or a branch, `parent`.
void replaceStatement(source::Edits &edits, const source::Unit &unit, const clang::Stmt *statement,
                      const clang::Stmt *parent, const std::string &text, bool isSeveral);

/// True where `#if` or its like stands in the text of the range.
bool hasConditionalText(const source::Unit &unit, clang::SourceRange range);

} // namespace heddle::transform
