// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace clang {
class FunctionDecl;
}

namespace heddle::source {
class Unit;
}

namespace heddle::analysis {

/// Computes from its arguments alone: the mathematics of the toolkit's headers, casts, vector makers.
bool isPureFunction(const source::Unit &unit, const clang::FunctionDecl *callee);

/// Reads memory through its first argument and does nothing else: __ldg and its variants.
bool isLoadFunction(const clang::FunctionDecl *function);

bool isAtomicFunction(const clang::FunctionDecl *function);

/// Reads the clock, or values of other threads: shuffles, votes.
bool asksOutside(const clang::FunctionDecl *function);

} // namespace heddle::analysis
