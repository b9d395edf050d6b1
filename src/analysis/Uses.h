// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/ThreadBuiltins.h"

#include <clang/Basic/SourceLocation.h>

#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

namespace clang {
class CallExpr;
class DeclRefExpr;
class FunctionDecl;
class ReturnStmt;
class Stmt;
class ValueDecl;
class VarDecl;
} // namespace clang

namespace heddle::source {
class Unit;
}

namespace heddle::analysis {

/// What a piece of code mentions, as far as transforms replace it: built-in variables, locals and parameters,
/// calls, returns. Each with its position in the text, also inside sizeof, decltype and macros.
struct Uses {
  struct Builtin {
    ThreadBuiltin what;
    clang::SourceRange range;
  };
  std::vector<Builtin> builtins;
  std::vector<const clang::DeclRefExpr *> locals; ///< mentions of variables with automatic storage
  std::vector<const clang::CallExpr *> calls;     ///< of functions, built-in ones included
  std::vector<const clang::ReturnStmt *> returns;
  std::unordered_set<const clang::Stmt *> statements; ///< everything visited
  const clang::Stmt *lambda = nullptr;                ///< the first lambda in it
  const clang::Stmt *assembly = nullptr;              ///< the first inline assembly

  static Uses of(const clang::Stmt *code);
  void add(const clang::Stmt *code);
  bool mentions(ThreadBuiltin::Kind kind, unsigned dimension) const;
  bool mentions(ThreadBuiltin::Kind kind) const; ///< any component of it
  bool mentions(const clang::ValueDecl *local) const;
  /// Some local for which this holds.
  bool mentionsAny(const std::function<bool(const clang::VarDecl *)> &isMeant) const;
  /// `x` of `auto [x, y] = pair;` is a name for a part of a variable that has none of its own: those variables.
  std::vector<const clang::VarDecl *> boundVariables() const;
  /// The variables of `locals`, and those.
  std::vector<const clang::VarDecl *> variables() const;
  /// Those that the code declares, in no order.
  std::vector<const clang::VarDecl *> declared() const;
};

/// A built-in variable that a lambda mentions where a local variable, which a transform puts in its place, may not be mentioned.
struct BuiltinBeyondCapture {
  ThreadBuiltin what;
  std::string why; ///< "this lambda mentions 'threadIdx.x' and captures nothing by default"
};
/// If the statement is a lambda: those of its body, where it captures nothing by default, and those of default arguments, which may mention no
/// local variable at all.
std::vector<BuiltinBeyondCapture> builtinsBeyondCapture(const clang::Stmt *statement);

/// What `if constexpr` leaves out of an instantiation, as the template's pattern has it: another
/// instantiation may take it. Mentions in it are of the pattern's variables, which are at the same places
/// as the instantiation's.
struct DiscardedCode {
  const clang::Stmt *branch = nullptr; ///< the instantiation's `if`
  Uses uses;
};
std::vector<DiscardedCode> discardedCode(const clang::FunctionDecl *instantiation);

/// The functions of the user's that code of this unit calls, with a body.
std::vector<const clang::FunctionDecl *> calledFunctions(const source::Unit &unit, const Uses &uses);

} // namespace heddle::analysis
