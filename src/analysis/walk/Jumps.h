// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/walk/Path.h"

namespace clang {
class CompoundStmt;
class GotoStmt;
class LabelStmt;
} // namespace clang

namespace heddle::analysis::walk {

/// A `goto`. Noted as a gap, unless it is a `continue` or a `return` of the kernel in other words.
void noteGoto(const clang::GotoStmt *jump, Path &path);

/// Some `goto` leads to this statement of a block, and more than empty statements follow it there.
bool isJoinedByGoto(const clang::LabelStmt *label, const clang::CompoundStmt *block, const Path &path);

/// Sets the path to what holds at a label whichever way leads there.
void enterLabel(const clang::LabelStmt *label, Path &path);

} // namespace heddle::analysis::walk
