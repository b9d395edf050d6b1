// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/loops/LoopLegality.h"

namespace heddle::analysis {

/// The first thing that executing `code` does besides giving values to variables of the thread's own: a store
/// to memory, an atomic, a call that is not known to do nothing of that kind. Functions of the user's are
/// looked into. Where there is none, the code can be executed once more, and no result changes.
LegalityFailure firstOutwardEffect(const source::Unit &unit, const clang::Stmt *code);

/// The first part of an expression or declaration that changes something besides local variables, or that
/// may do so; null where there is none.
const clang::Stmt *effectBeyondLocals(const source::Unit &unit, const clang::Stmt *code);

} // namespace heddle::analysis
