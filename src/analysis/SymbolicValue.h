// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Accesses.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Type.h>

namespace heddle::analysis {

/// Where a pointer points: so many bytes into an array. `outer` are the subscripts already taken (of a
/// multidimensional array), `inner` the one still open, in elements of `pointee`.
struct PointerValue {
  const Array *array = nullptr;
  Affine offset = 0;
  std::vector<Affine> outer;
  Affine inner = 0;
  clang::QualType pointee;
  /// Points at this scalar local rather than into memory that is followed.
  const clang::VarDecl *scalar = nullptr;
};

/// What an expression evaluates to, as far as it is followed.
struct Value {
  Affine integer = Affine::not_("not an integer", {});
  std::optional<PointerValue> pointer;
  std::shared_ptr<const Condition> truth; ///< of a comparison, or of a bool that holds one

  static Value unknown(std::string reason, SourceLocation location) {
    return {Affine::not_(std::move(reason), std::move(location)), std::nullopt, nullptr};
  }
};

/// A thing that can be assigned to: a local variable (or member of one), or memory.
struct LValue {
  enum class Kind { Unknown, Variable, Memory } kind = Kind::Unknown;
  const clang::VarDecl *variable = nullptr;
  std::string path; ///< ".a.b" where a member of the variable is meant
  PointerValue memory;
  const clang::Expr *expression = nullptr;
};

} // namespace heddle::analysis
