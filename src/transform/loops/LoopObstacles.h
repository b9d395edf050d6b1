// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

#include <optional>

namespace clang {
class CallExpr;
class FunctionDecl;
class Stmt;
} // namespace clang

namespace heddle::source {
class Unit;
}

namespace heddle::transform {

/// What is in the way of a transform and why, ready to be refused with; nothing where the way is free.
using Obstacle = std::optional<Diagnostic>;

inline Diagnostic obstacle(Place place, std::string reason) {
  return {Voice::Refusal, std::move(place), std::move(reason), {}, {}};
}

/// The first thing in `code` that keeps its parts from being executed in another order, whatever memory they
/// touch: barriers, warp operations, calls whose effects are not known, volatile, inline assembly, atomics
/// whose order shows, jumps out of it.
Obstacle obstacleToReordering(const source::Unit &unit, const clang::Stmt *code);

/// The first `break`, `continue`, `return`, `goto` or label that leaves or cuts short one iteration of the
/// loop with this body.
Obstacle exitOfLoop(const source::Unit &unit, const clang::Stmt *body);

/// An atomic on whole numbers whose result nobody looks at: several of the same kind may change places.
/// `parent` is what the call stands in.
bool isOrderlessAtomic(const clang::CallExpr *call, const clang::Stmt *parent);

} // namespace heddle::transform
