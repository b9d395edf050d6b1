// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

#include <vector>

namespace clang {
class Expr;
class FunctionDecl;
class NamedDecl;
} // namespace clang

namespace heddle::transform {

/// Gives each local variable of a kernel that hides something else a name of its own.
///
///     for (int i = j; i < n; ++i)            for (int i = j; i < n; ++i)
///       for (int j = 0; j < m; ++j)    =>      for (int j2 = 0; j2 < m; ++j2)
///         a[i] += b[j];                          a[i] += b[j2];
///
/// The one answer to whether a name still means the same at another place: afterwards a name means one thing
/// in the whole kernel, but for variables of blocks that lie side by side. So text can be moved to where the
/// variables that it mentions are visible. Every transform that moves text across scopes asks for this
/// first.
///
std::optional<Needs> separateNames(Context &context, const Kernel &kernel);

/// What a function, or an expression, mentions without a qualifier and does not declare itself: variables,
/// functions, types, enumerators. For text that comes from elsewhere.
std::vector<const clang::NamedDecl *> mentionedFromOutside(const clang::FunctionDecl *function);
std::vector<const clang::NamedDecl *> mentionedFromOutside(const clang::Expr *expression);

} // namespace heddle::transform
