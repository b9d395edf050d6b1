// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/walk/Path.h"

#include <clang/AST/ExprCXX.h>

namespace heddle::analysis::walk {

/// A call: its accesses and barriers, and what it returns. The lvalue of a returned reference is left in the
/// innermost frame (`returnedLvalue`).
Value evaluateCall(const clang::CallExpr *call, Path &path);

/// An object made by a constructor. A copy of an object in memory reads it; constructors are not followed.
Value evaluateConstruction(const clang::CXXConstructExpr *expression, Path &path);

} // namespace heddle::analysis::walk
