// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

namespace clang {
class VarDecl;
}

namespace heddle::source {
class Unit;
}

namespace heddle::transform {

/// A declaration of the variable's type with another declarator: for `const float *p` and "q[2]" it is
/// "const float *q[2]". The type's own const is left out, so that the new variable can be assigned to. The
/// type is written as the user wrote it, which in a template is the pattern's; nothing where that cannot be
/// had (auto in a template).
std::optional<std::string> declareAs(const source::Unit &unit, const clang::VarDecl *variable,
                                     const std::string &declarator);

/// The same with the type's own const.
std::optional<std::string> redeclare(const source::Unit &unit, const clang::VarDecl *variable,
                                     const std::string &declarator);

} // namespace heddle::transform
