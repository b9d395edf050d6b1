// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Launch.h"
#include "source/TypedNumber.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <map>

namespace clang {
class BinaryOperator;
class CallExpr;
class DeclRefExpr;
class FunctionDecl;
class MemberExpr;
class UnaryOperator;
class VarDecl;
} // namespace clang

namespace heddle::source {

struct Definition;
class ReachingDefinitions;
class Unit;

/// Computes what can be known at compile time of a launch's numbers: constants of any spelling, locals with
/// one definition that reaches the launch, arithmetic in C++'s own types, min, max, ceil and similar functions, and
/// calls of small functions (`return (a + b - 1) / b;`) with known arguments.
class LaunchValues {
public:
  /// A function with its definitions.
  struct Scope {
    const clang::FunctionDecl *function = nullptr;
    const ReachingDefinitions *definitions = nullptr;
  };
  /// `scopes` are the function the launch is in and, where that is a lambda, the functions around it.
  LaunchValues(const Unit &unit, std::vector<Scope> scopes) : unit(unit), scopes(std::move(scopes)) {}

  LaunchNumber number(const clang::Expr *expr) const;
  LaunchShape shape(const clang::Expr *expr) const;
  /// The definition that gave the variable its value at the use; null where there may be several or none is
  /// known.
  const Definition *onlyDefinition(const clang::DeclRefExpr *use, const clang::VarDecl *variable) const;

private:
  /// A number, or why there is none.
  struct Outcome {
    std::optional<TypedNumber> value;
    std::string why;
  };
  /// What the parameters of a called function represent while its body is looked into.
  using Frame = std::map<const clang::VarDecl *, Outcome>;
  struct At {
    const Frame *frame = nullptr; ///< null in the launching function itself
    int depth = 0;
    At deeper() const { return {frame, depth + 1}; }
  };

  Outcome evaluate(const clang::Expr *expr, At at) const;
  Outcome evaluateParts(const clang::Expr *expr, At at) const;
  Outcome ofBinary(const clang::BinaryOperator *binary, At at) const;
  Outcome ofUnary(const clang::UnaryOperator *unary, At at) const;
  Outcome ofMember(const clang::MemberExpr *member, At at) const;
  Outcome ofCall(const clang::CallExpr *call, At at) const;
  std::optional<TypedNumber> lesserOrGreater(llvm::StringRef name, const std::vector<Outcome> &arguments,
                                             clang::QualType type) const;
  Frame frameOf(const clang::CallExpr *call, At at) const;
  Outcome ofVariable(const clang::DeclRefExpr *use, At at) const;
  LaunchNumber component(const clang::Expr *expr, At at) const;
  LaunchShape shape(const clang::Expr *expr, At at) const;
  /// A block that a function of runtime/heddle returns, if it returns at all.
  std::optional<LaunchShape> shapeOfRuntimeCall(const clang::CallExpr *call, At at) const;
  LaunchShape shapeOfParts(llvm::ArrayRef<const clang::Expr *> parts, At at) const;
  LaunchShape shapeOfVariable(const clang::DeclRefExpr *use, At at) const;
  LaunchShape shapeOfLocal(const clang::DeclRefExpr *use, const ReachingDefinitions &definitions,
                           At at) const;
  std::string textOf(const clang::Expr *expr) const;

  /// The definitions of the function that the variable is a local of; null where it is a global or set
  /// elsewhere.
  const ReachingDefinitions *definitionsFor(const clang::VarDecl *variable) const;

  const Unit &unit;
  std::vector<Scope> scopes;
};

} // namespace heddle::source
