// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Kernel.h"

#include <functional>

namespace clang {
class Expr;
class Stmt;
} // namespace clang

namespace heddle::analysis {

/// A loop of the kernel, or of a function it calls, that goes on until another thread has done something: what decides about its end, be it
/// by way of variables, reads volatile memory or asks by an atomic. Null where there is none but those that are exempt.
const clang::Stmt *findWaitingLoop(const source::Kernel &kernel,
                                   const std::function<bool(const clang::Stmt *)> &isExempt = {});

/// What a loop tests to find out whether another block has come so far: volatile memory or an atomic that is not the
/// block's own. A compare-and-swap is no such test. Null where the statement is no such loop.
const clang::Expr *asksAnotherBlock(const clang::Stmt *statement);

} // namespace heddle::analysis
