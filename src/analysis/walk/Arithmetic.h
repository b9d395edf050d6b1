// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/SymbolicValue.h"
#include "analysis/walk/ValueScope.h"

#include <clang/AST/OperationKinds.h>

#include <optional>
#include <string>
#include <vector>

namespace heddle::analysis::walk {

// The operators of C++ over symbolic values. No function here knows where the operands came from, and none
// has another effect than new rows in the table of symbols. `at` is the expression that reasons name.

/// `left op right` for integers and pointers, of C++ type `type`: 4*tid + 1, (a + 4)[pointer], or the reason
/// that there is no form.
Value arithmetic(clang::BinaryOperatorKind op, const Value &left, const Value &right, clang::QualType type,
                 const clang::Expr *at, const ValueScope &scope);

/// An integer of C++ type `from` converted to the integer type `to`.
Value integerCast(Value value, clang::QualType from, clang::QualType to, const clang::Expr *at,
                  const ValueScope &scope);

/// `left op right` for "<", "<=", ">", ">=", "==" and "!=".
Value comparison(const std::string &op, const Value &left, const Value &right);

/// The value as the condition of a branch.
Condition conditionOf(const Value &value);

/// The condition as a value of type bool.
Value truthValue(Condition condition, const SourceLocation &location);

/// A value without a form that is computed from `from` and nothing else. Where all threads agree on `from`,
/// they agree on it: a symbol with the name `text`. Nothing where they may not.
std::optional<Value> uniformOf(const std::string &text, const std::vector<const Affine *> &from,
                               bool nonNegative, const ValueScope &scope);

/// An upper bound of a form without negative parts, where all its symbols have one.
std::optional<int64_t> largestValue(const Polynomial &form, const LaunchFacts &facts);

} // namespace heddle::analysis::walk
