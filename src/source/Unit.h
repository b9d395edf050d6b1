// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Toolkit.h"
#include "support/Diagnostics.h"

#include <clang/Basic/SourceLocation.h>

#include <memory>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class Preprocessor;
class SourceManager;
class Stmt;
namespace syntax {
class TokenBuffer;
}
} // namespace clang

namespace heddle::source {

/// `_Pragma("heddle coarsen x=2")`.
struct PragmaOperator {
  clang::SourceLocation location;
  std::string text; ///< what follows the word heddle
};

/// One side's parse of a file: the AST, the preprocessed tokens, and how they map back to the text.
/// Kept whole and read only, as Clang left it.
class Unit {
public:
  struct Result;
  /// Parses `file` with `arguments` (as clangArguments gives them). `text`, where given, is used instead of
  /// what is on disk.
  static Result parse(const std::string &file, const std::vector<std::string> &arguments, Side side,
                      const std::string *text = nullptr);
  ~Unit();

  Side side() const { return which; }
  clang::ASTContext &context() const;
  const clang::SourceManager &sources() const;
  clang::Preprocessor &preprocessor() const;
  const clang::syntax::TokenBuffer &tokens() const;
  /// Where the pragmas of user code are, in order: `#pragma` lines and `_Pragma` (inside macros too). They
  /// leave no token.
  const std::vector<clang::SourceLocation> &pragmas() const;
  /// Those of user code that are written `_Pragma("heddle ...")`.
  const std::vector<PragmaOperator> &pragmaOperators() const;

  /// The place a location represents in the user's text: a macro's use, not its definition.
  SourceLocation location(clang::SourceLocation location) const;
  /// The same with the range underlined (its part on the first line).
  SourceLocation location(clang::SourceRange range) const;
  SourceLocation location(const clang::Stmt *statement) const;
  /// True where the location is in the file given or a project header, false in system and toolkit headers.
  bool isUserCode(clang::SourceLocation location) const;

private:
  Unit();
  struct Parts;
  std::unique_ptr<Parts> parts;
  Side which = Side::Device;
};

struct Unit::Result {
  std::unique_ptr<Unit> unit; ///< null where the file does not compile
  std::string messages;       ///< Clang's, ready to print
};

} // namespace heddle::source
