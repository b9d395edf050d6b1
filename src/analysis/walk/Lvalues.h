// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/walk/Path.h"

#include <clang/AST/Expr.h>

namespace heddle::analysis::walk {

/// What an lvalue expression names: a local variable, or memory. Subscripts and calls in it are evaluated,
/// so the path is after it afterwards; the object itself is neither read nor written.
LValue locate(const clang::Expr *expression, Path &path);

} // namespace heddle::analysis::walk
