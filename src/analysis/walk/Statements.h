// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/walk/Path.h"

namespace heddle::analysis::walk {

/// Executes a statement (null: nothing) symbolically. Returns whether control can go on after it; then the
/// path is at that point.
bool follow(const clang::Stmt *statement, Path &path);

} // namespace heddle::analysis::walk
