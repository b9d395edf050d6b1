// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/walk/Path.h"

#include <clang/AST/Expr.h>

#include <optional>

namespace heddle::analysis::walk {

// Reading and writing variables and memory. A local variable is a row of the path's environment; memory has
// no contents here, only a list of accesses.

/// The value of a variable, or of its member `member` (".a.b"), that nothing was assigned to.
Value initialValue(const clang::VarDecl *variable, const std::string &member, clang::QualType type,
                   const Path &path);

/// Reads: the variable's value, or an access and what it loads.
Value load(const LValue &from, clang::QualType type, const clang::Expr *expression, Path &path);

/// Writes: a new value of the variable, or an access.
void store(const LValue &to, const Value &value, clang::QualType type, const clang::Expr *expression,
           Path &path);

/// `to = from` for an object: the values of its members, as far as `from` has them.
void copyMembers(const clang::VarDecl *to, const clang::Expr *from, Path &path);

/// The variable has no known value any more, for this reason.
void forget(const clang::VarDecl *variable, const std::string &reason, const SourceLocation &location,
            Path &path);

/// Adds an access to the findings, of `bytes` if the type does not state its size.
void record(Access::Kind kind, const LValue &where, clang::QualType type, const clang::Expr *expression,
            Path &path, std::optional<int64_t> bytes = std::nullopt);

} // namespace heddle::analysis::walk
