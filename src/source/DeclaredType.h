// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <clang/AST/Type.h>

#include <optional>
#include <string>

namespace clang {
class VarDecl;
}

namespace heddle::source {

class Unit;

/// The one place where emitted code declares a variable of a type that it did not choose. A declarator is
/// what a declaration has around a name: "q", "q[2]", "(*q)(float)".

/// A declaration of the variable's type with another declarator: for `const float *p` and "q[2]" it is
/// "const float *q[2]". The type's own const is left out, that of an array's elements too, so that the new
/// variable can be assigned to. The type is written as the user wrote it, which in a template is the
/// pattern's. Nothing where it cannot be written: auto or decltype that depend on a template's parameters, a
/// struct or enum without a name.
std::optional<std::string> declareAs(const Unit &unit, const clang::VarDecl *variable,
                                     const std::string &declarator);

/// The same with the type's own const.
std::optional<std::string> redeclare(const Unit &unit, const clang::VarDecl *variable,
                                     const std::string &declarator);

/// For a reference `const float &r` and "p": "const float *p", a pointer to what it refers to.
std::optional<std::string> declarePointerTo(const Unit &unit, const clang::VarDecl *reference,
                                            const std::string &declarator);

/// A declaration of a type as Clang prints it, names qualified so that they mean the same in every scope:
/// "ns::Pair (*f)(float)" for "f". Nothing for types that have no name.
std::optional<std::string> declareType(const Unit &unit, clang::QualType type, const std::string &declarator);

/// The type of an array's elements as a declaration of one would write it, without const: "float" for
/// `const float tile[4][32]`. Nothing where it cannot be written with
/// the name after it (a pointer to a function, a struct without a name).
std::optional<std::string> elementTypeOf(const Unit &unit, const clang::VarDecl *array);

} // namespace heddle::source
