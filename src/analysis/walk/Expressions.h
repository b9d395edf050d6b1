// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/walk/Path.h"

#include <clang/AST/Expr.h>

namespace heddle::analysis::walk {

/// What the expression evaluates to at this point; the path is after it afterwards. Assignments, accesses,
/// calls and barriers in it have happened then.
Value evaluate(const clang::Expr *expression, Path &path);

/// The same for the condition of a branch or loop.
Condition evaluateCondition(const clang::Expr *expression, Path &path);

/// Evaluates all operands of an expression that has no value of interest; `what` is the reason.
Value evaluateParts(const clang::Stmt *expression, const char *what, Path &path);

} // namespace heddle::analysis::walk
