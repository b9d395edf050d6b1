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
class MemberExpr;
class UnaryOperator;
class VarDecl;
} // namespace clang

namespace heddle::source {

struct Definition;
class ReachingDefinitions;
class Unit;

/// Works out what can be known at compile time of a launch's numbers: constants of any spelling, locals with
/// one definition that reaches the launch, arithmetic in C++'s own types, min, max, ceil and the like, and
/// calls of small functions (`return (a + b - 1) / b;`) with known arguments.
class LaunchValues {
public:
  /// `definitions` are those of the function the launch stands in; null where it stands in none.
  LaunchValues(const Unit &unit, const ReachingDefinitions *definitions)
      : unit(unit), definitions(definitions) {}

  LaunchNumber number(const clang::Expr *expr) const;
  LaunchShape shape(const clang::Expr *expr) const;

private:
  /// A number, or why there is none.
  struct Outcome {
    std::optional<TypedNumber> value;
    std::string why;
  };
  /// What the parameters of a called function stand for while its body is looked into.
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
  LaunchShape shapeOfParts(llvm::ArrayRef<const clang::Expr *> parts, At at) const;
  LaunchShape shapeOfVariable(const clang::DeclRefExpr *use, At at) const;
  LaunchShape shapeOfLocal(const clang::DeclRefExpr *use, At at) const;
  const Definition *onlyDefinition(const clang::DeclRefExpr *use, const clang::VarDecl *variable) const;
  std::string textOf(const clang::Expr *expr) const;

  const Unit &unit;
  const ReachingDefinitions *definitions;
};

} // namespace heddle::source
