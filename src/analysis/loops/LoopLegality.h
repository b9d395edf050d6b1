// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/LegalityFailure.h"

namespace clang {
class CallExpr;
class FunctionDecl;
class Stmt;
} // namespace clang

namespace heddle::source {
class Unit;
}

namespace heddle::analysis {

/// The first thing in `code` that keeps its parts from being executed in another order, whatever memory they
/// touch: barriers, warp operations, calls whose effects are not known, volatile, inline assembly, atomics
/// whose order shows, jumps out of it.
LegalityFailure reasonAgainstReordering(const source::Unit &unit, const clang::Stmt *code);

/// The first `break`, `continue`, `return`, `goto` or label that leaves or cuts short one iteration of the
/// loop with this body.
LegalityFailure exitOfLoop(const source::Unit &unit, const clang::Stmt *body);

/// An atomic on integers whose result is not used: several of the same kind may change places.
/// `parent` is what the call is in.
bool isOrderlessAtomic(const clang::CallExpr *call, const clang::Stmt *parent);

} // namespace heddle::analysis
