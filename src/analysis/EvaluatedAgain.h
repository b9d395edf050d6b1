// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace clang {
class Expr;
}

namespace heddle::analysis {

/// Evaluating it a second time, with nothing in between, gives the same value and has no other effect: `(n + 255) / 256`,
/// `std::min(blocks(n), 64)`. Functions that it calls are examined; one whose body is not known is taken to have effects.
bool mayBeEvaluatedAgain(const clang::Expr *expression);

} // namespace heddle::analysis
