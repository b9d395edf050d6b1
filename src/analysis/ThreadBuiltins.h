// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

namespace clang {
class CallExpr;
class Expr;
class FunctionDecl;
} // namespace clang

namespace heddle::analysis {

/// One of CUDA's built-in variables: `threadIdx.x`, or all of `threadIdx`.
struct ThreadBuiltin {
  enum class Kind { ThreadIdx, BlockIdx, BlockDim, GridDim, WarpSize } kind = Kind::ThreadIdx;
  unsigned dimension = 0; ///< 0, 1, 2 for x, y, z; 3 for the whole
  std::string name() const;
};

/// Recognizes a use of a built-in variable, as Clang's own headers declare it (a property with a getter) and
/// as plain fields; looks through parentheses and conversions of the number.
std::optional<ThreadBuiltin> threadBuiltin(const clang::Expr *expression);

/// The function a call names, without the way it was reached; null for calls through pointers.
const clang::FunctionDecl *calleeOf(const clang::CallExpr *call);

} // namespace heddle::analysis
