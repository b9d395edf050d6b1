// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/walk/Loads.h"

#include "analysis/walk/Arithmetic.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/PrettyPrinter.h>
#include <fmt/format.h>

using namespace clang;

namespace heddle::analysis::walk {

std::string textOf(const Stmt *statement, const ASTContext &context) {
  std::string text;
  llvm::raw_string_ostream out(text);
  statement->printPretty(out, nullptr, PrintingPolicy(context.getLangOpts()));
  return out.str();
}

Value parameterValue(const VarDecl *parameter, const std::string &path, QualType type, ArrayTable &arrays,
                     SymbolTable &symbols) {
  if (type->isPointerType()) {
    PointerValue pointer{.array = arrays.behind(parameter, path, type), .pointee = type->getPointeeType()};
    return {Affine::not_("a pointer", {}), pointer, nullptr};
  }
  std::string name = parameter->getNameAsString() + path;
  if (type->isBooleanType())
    return truthValue(Condition::compare(Polynomial(symbols.parameter(name, true)), "!=", Polynomial()), {});
  if (type->isIntegralOrEnumerationType())
    return {Polynomial(symbols.parameter(name, type->isUnsignedIntegerType())), std::nullopt, nullptr};
  return Value::unknown("not an integer", {});
}

Value loadedValue(const PointerValue &from, QualType type, const Expr *at, ArrayTable &arrays,
                  const ValueScope &scope) {
  SourceLocation location = scope.location(at);
  if (type->isPointerType()) {
    std::string reason = fmt::format("a pointer loaded from '{}'", from.array->name);
    PointerValue anywhere{.array = arrays.unknown(reason),
                          .offset = Affine::not_(reason, location),
                          .inner = 0,
                          .pointee = type->getPointeeType()};
    // Loaded from one place in constant memory it is one pointer: accesses through it can be compared.
    if (from.array->isReadOnly && from.offset && !from.offset->dependsOnThread() &&
        !from.offset->dependsOnLoop()) {
      anywhere.array = arrays.unknown(fmt::format("{}[{}]", from.array->name, from.offset->str()));
      anywhere.offset = 0;
    }
    return {Affine::not_("a pointer", location), anywhere, nullptr};
  }
  if (!type->isIntegralOrEnumerationType())
    return Value::unknown("not an integer", location);
  // All threads that load the same element get the same value: from memory that no thread writes, or from shared
  // memory between two barriers (a kernel without races).
  const bool isShared = from.array->space == Array::Space::Shared;
  if ((from.array->isReadOnly || isShared) && from.offset && !from.offset->dependsOnThread()) {
    std::string text = at ? textOf(at->IgnoreParenImpCasts(), scope.context()) : from.array->name;
    std::string name = fmt::format("{}{}", from.array->name,
                                   from.offset->isZero() ? "" : fmt::format("[byte {}]", from.offset->str()));
    if (from.array->elementBytes && !from.outer.empty() && from.outer.back())
      name = text;
    if (isShared) // another value after another barrier
      name += fmt::format("@{}", location.line);
    const bool varies = isShared || from.offset->dependsOnLoop();
    auto symbol = [&](bool isNonNegative) {
      return Polynomial(
          scope.symbols.uniform(name, isNonNegative, varies ? scope.loops() : std::vector<const Loop *>{}));
    };
    if (type->isBooleanType())
      return truthValue(Condition::compare(symbol(true), "!=", Polynomial()), location);
    return {symbol(type->isUnsignedIntegerType()), std::nullopt, nullptr};
  }
  return Value::unknown(fmt::format("loaded from '{}'", from.array->name), location);
}

} // namespace heddle::analysis::walk
