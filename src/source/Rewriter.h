// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Code.h"
#include "source/Render.h"
#include "support/Diagnostics.h"

#include <clang/AST/Stmt.h>

#include <optional>
#include <string>
#include <vector>

namespace heddle::source {

class Unit;

/// The range of a statement with the semicolon that ends it, also behind `x = T{1}`.
clang::SourceRange wholeStatement(const Unit &unit, const clang::Stmt *statement);

/// What is between two statements: after the first on its line, and whole lines before the second.
struct Gap {
  /// `before`: the indentation of the first statement; `depth`: of the lines, where it is not that of what follows them.
  explicit Gap(const EditText &between, std::string_view before = {}, std::optional<std::string> depth = {});

  Code sameLine;      ///< without the white space at its end; a comment may go on over several lines
  Code lines;         ///< comments, pragmas, blank lines
  std::string indent; ///< that the second begins with, where it begins a line
  bool hasNewline = false;
};

/// A statement of a block with what belongs to it in the text.
struct BlockPart {
  const clang::Stmt *statement = nullptr; ///< without attributes
  Code lead;                              ///< whole lines before it: comments, pragmas, blank lines
  Code trail = {};                        ///< a comment after it on its last line, and the space before that

  /// What takes the statement's place, with what belongs to it.
  Code around(const Code &code) const;
};
struct BlockText {
  std::vector<BlockPart> parts;
  Code end; ///< whole lines before the closing brace
};

/// Gives the user's statements as Code, to be kept, cloned, moved or wrapped; and puts Code in the place of statements. Comments and
/// layout come along, macros are followed (source/Render.h), and nothing but this knows how deep a line is.
///
/// What cannot be had as text is remembered: ask `failure` before anything made from it is used.
class Rewriter {
public:
  explicit Rewriter(const Unit &unit) : unit(unit) {}

  // Reading

  /// The statement with its semicolon, some of its parts replaced.
  Code statement(const clang::Stmt *statement, const std::vector<Replacement> &parts = {});
  /// Any other range as Code, and as one text.
  Code code(clang::SourceRange range, const std::vector<Replacement> &parts = {});
  std::string text(clang::SourceRange range, const std::vector<Replacement> &parts = {});
  std::string text(const clang::Stmt *expression, const std::vector<Replacement> &parts = {});
  /// "for (int i = 0; i < n; ++i)"
  Code head(const clang::ForStmt *loop);
  /// Everything after the head's parenthesis, as written.
  Code behindHead(const clang::ForStmt *loop);
  /// The statements of a block, or the single one in its place.
  BlockText block(const clang::Stmt *body);

  /// The white space that the line begins with.
  std::string indentOf(clang::SourceLocation location) const;
  /// The same for a statement; a block is as deep as its closing brace: before the other one is a head, which may go over
  /// several lines.
  std::string indentOf(const clang::Stmt *statement) const;
  /// One step more than the outer statement's own, as the body has it; two spaces where that cannot be seen.
  std::string stepOf(const clang::Stmt *outer, const clang::Stmt *body) const;
  unsigned lineOf(const clang::Stmt *statement) const;

  std::optional<Diagnostic> failure;

  // Writing

  /// Code in the place of a statement; with braces around it where it is several statements and the old one
  /// was the only one of a loop or a branch, `parent`.
  void replace(Edits &edits, const clang::Stmt *statement, const clang::Stmt *parent, const Code &code,
               bool isSeveral) const;
  /// Code in the place of tokens that begin a line's text, or follow what begins it.
  void replace(Edits &edits, clang::SourceRange range, const Code &code) const;
  /// Lines before a statement, and before the pragmas that are its own.
  void insertBefore(Edits &edits, const clang::Stmt *statement, const Code &lines) const;
  /// Lines before the token, which begins a line and then is on one below them.
  void insertOnLine(Edits &edits, clang::SourceLocation token, const Code &lines) const;
  /// Lines after the token, at the depth of `like`'s line.
  void insertBehind(Edits &edits, clang::SourceLocation token, const Code &lines,
                    clang::SourceLocation like) const;
  /// Lines after the opening brace of a block.
  void insertAtTop(Edits &edits, const clang::CompoundStmt *block, const Code &lines) const;

private:
  std::string stepBeyond(const std::string &around, const clang::Stmt *body) const;
  const Unit &unit;
};

/// True where `#if` or its like is in the text of the range.
bool hasConditionalText(const Unit &unit, clang::SourceRange range);

} // namespace heddle::source
