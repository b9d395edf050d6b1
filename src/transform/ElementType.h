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

/// The type of an array's elements as a declaration of one would write it, without const: "float" for
/// `const float tile[4][32]`. The rules are those of DeclaredType.h. Nothing where it cannot be written with
/// the name behind it (a pointer to a function, a struct without a name).
std::optional<std::string> elementTypeOf(const source::Unit &unit, const clang::VarDecl *array);

} // namespace heddle::transform
