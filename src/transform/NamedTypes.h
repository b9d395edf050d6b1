// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

#include <vector>

namespace clang {
class DeclStmt;
class TagDecl;
} // namespace clang

namespace heddle::transform {

/// The struct, union or enum that is defined in a declaration of variables; null where there is none.
const clang::TagDecl *typeDefinedBy(const clang::DeclStmt *declarations);

/// Takes types out of the declarations of variables that define them, so that further variables of the type
/// can be declared.
///
///     struct { int a, b; } pair = {1, 2};    =>    struct PairType { int a, b; };
///                                                  PairType pair = {1, 2};
///
/// A refusal where a type cannot be taken out.
std::variant<Needs, Diagnostic> nameTypes(const Kernel &kernel,
                                          const std::vector<const clang::DeclStmt *> &declarations);

} // namespace heddle::transform
