// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/SymbolicValue.h"
#include "analysis/walk/ArrayTable.h"
#include "analysis/walk/ValueScope.h"

#include <string>

namespace heddle::analysis::walk {

/// What a parameter of the kernel (or the member `path` of one) has as its value when the kernel begins.
Value parameterValue(const clang::VarDecl *parameter, const std::string &path, clang::QualType type,
                     ArrayTable &arrays, SymbolTable &symbols);

/// What is loaded from memory. Threads that load the same element of memory that no thread writes, or of shared
/// memory between two barriers, get the same value: a symbol. Else the reason that there is no form.
Value loadedValue(const PointerValue &from, clang::QualType type, const clang::Expr *at, ArrayTable &arrays,
                  const ValueScope &scope);

/// The text of an expression or statement as Clang prints it.
std::string textOf(const clang::Stmt *statement, const clang::ASTContext &context);

} // namespace heddle::analysis::walk
