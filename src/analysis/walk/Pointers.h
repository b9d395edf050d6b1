// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/SymbolicValue.h"
#include "analysis/walk/ArrayTable.h"
#include "source/Unit.h"

namespace heddle::analysis::walk {

// Addresses as values: a pointer is an array and a number of bytes into it, an lvalue is what it leads to.

/// Bytes of an object of this type; 0 where that is not known.
int64_t bytesOf(clang::QualType type, const clang::ASTContext &context);

/// `pointer + elements`.
Value moved(const PointerValue &pointer, const Affine &elements, const SourceLocation &location,
            const clang::ASTContext &context);

/// The pointer cast to another pointer type: the same bytes, counted in other elements.
PointerValue viewedAs(PointerValue pointer, clang::QualType pointee, const clang::Expr *at,
                      const source::Unit &unit);

/// `&lvalue`, or the decay of an array to a pointer to its elements of type `type`.
Value addressOf(const LValue &lvalue, clang::QualType type, const source::Unit &unit);

/// `*pointer`. A pointer that is not known leads to an array of its own, named by the reason.
LValue pointedAt(const Value &pointer, const clang::Expr *at, ArrayTable &arrays, const source::Unit &unit);

/// `base.field`.
LValue memberOf(LValue base, const clang::FieldDecl *field, const clang::Expr *at, const source::Unit &unit);

} // namespace heddle::analysis::walk
