// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Code.h"
#include "source/MappedText.h"
#include "support/Diagnostics.h"

#include <clang/Basic/SourceLocation.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace clang {
class Stmt;
} // namespace clang

namespace heddle::source {

class Unit;
struct TokenEdit;

/// A part of the program's text and what shall are there instead.
///
/// The range is one of the AST: it names preprocessed tokens, so it may lie inside a macro's expansion. An
/// empty text deletes the part.
struct Replacement {
  clang::SourceRange part;
  std::string text;
};

/// Text, or the reason why there is none (a refusal that names the macro in the way).
using Rendered = std::variant<std::string, Diagnostic>;

/// The text of a range as the user wrote it, comments and layout included, with some of its parts replaced.
/// Parts must lie inside `whole` and not overlap.
///
/// A macro that no replaced part touches is not changed. One that a part touches is expanded in
/// place: its tokens take its stead, the replaced ones among them. A part that is (in) a macro's argument,
/// and that the macro uses once, is replaced in the argument and the macro stays.
Rendered render(const Unit &unit, clang::SourceRange whole, const std::vector<Replacement> &parts = {});

/// The same with the line of the file that each line of the text comes from.
std::variant<EditText, Diagnostic> renderLines(const Unit &unit, clang::SourceRange whole,
                                               const std::vector<Replacement> &parts = {});

/// The same with edits of tokens, insertions among them; they must lie inside `whole`.
std::variant<EditText, Diagnostic> renderTokens(const Unit &unit, clang::SourceRange whole,
                                                std::vector<TokenEdit> edits);

/// Changes to files, gathered from both sides of a program and applied at once. A file with no edits is written byte for
/// byte.
class Edits {
public:
  void replace(const Unit &unit, clang::SourceRange range, EditText text);
  /// Before the token at `token`, on its line.
  void insertBefore(const Unit &unit, clang::SourceLocation token, EditText text);
  /// Right after the token at `token`.
  void insertAfter(const Unit &unit, clang::SourceLocation token, EditText text);

  /// The changes of `others` too.
  void append(const Edits &others);

  bool empty() const { return wanted.empty(); }

  /// The new text of each file that changes, by its path; or a refusal where changes overlap, where a macro
  /// that must be expanded holds a pragma, or where a header is read several times and the change is not
  /// meant for each.
  std::variant<std::map<std::filesystem::path, std::string>, Diagnostic> apply() const;
  /// The same with the line of the file that each line of the text comes from.
  std::variant<std::map<std::filesystem::path, ChangedText>, Diagnostic> applyLines() const;

private:
  struct Edit {
    enum class Kind { Replace, Before, After } kind;
    clang::SourceRange range;
    EditText text;
  };
  static std::vector<TokenEdit> ofTokens(const Unit &unit, const std::vector<Edit> &list);
  std::map<const Unit *, std::vector<Edit>> wanted;
};

} // namespace heddle::source
