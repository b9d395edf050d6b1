// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/ReachingDefinitions.h"

#include <functional>
#include <optional>

namespace heddle::source {

/// The local variable that an lvalue is a part of: `v`, `v.f`, `a[i]`, `a[i].f`.
struct LocalPlace {
  const clang::DeclRefExpr *reference = nullptr;
  const clang::VarDecl *variable = nullptr;
  const clang::FieldDecl *field = nullptr; ///< the variable's own field, where the path goes through one
  bool isWhole = true;                     ///< all of the variable (or of `field`), not a part of it
};

/// True for parameters and locals with automatic storage that are no references: each thread has its own, and no other thread can name
/// it.
bool isThreadLocal(const clang::ValueDecl *declaration);

/// The variable of an lvalue, without going through pointers or references.
std::optional<LocalPlace> localPlace(const clang::Expr *lvalue);
/// The variable that a pointer made on the spot points into: `&x`, `a`, `a + i`, `(float4 *)&a[4]`.
std::optional<LocalPlace> localPointee(const clang::Expr *pointer);

/// What becomes of the variable at this mention of it.
enum class Mention {
  Read,        ///< only read
  Written,     ///< target of `=`: what was there before is not looked at
  ReadWritten, ///< `+=`, `++`, handed to a call that may write it
  Escapes,     ///< its address goes somewhere, or a reference is bound to it
};
using ParentOf = std::function<const clang::Stmt *(const clang::Stmt *)>;
Mention mentionOf(const clang::DeclRefExpr *reference, const ParentOf &parentOf);
/// It is not only read.
bool isChanged(const clang::DeclRefExpr *reference, const FlowGraph &graph);

/// The definitions that evaluating one element of the graph makes, its operands not included.
void appendDefinitions(const clang::Stmt *element, std::vector<Definition> &definitions);

} // namespace heddle::source
