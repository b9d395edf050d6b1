// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

#include <variant>

namespace clang {
class Stmt;
}

namespace heddle::transform {

/// The loops (or branches, for a directive on branches) of a kernel, in the order of the text, attributes
/// taken off.
std::vector<const clang::Stmt *> loopsOf(const Kernel &kernel);
std::vector<const clang::Stmt *> branchesOf(const Kernel &kernel);

/// The loop or branch that the directive speaks of, in one instantiation of its kernel: the one that begins
/// on the line it names, or the one after its pragma.
std::variant<const clang::Stmt *, Diagnostic> subjectOf(const Context &context, const Kernel &kernel);

/// What a directive could work on by its looks; whether it may is another question.
using Candidates = std::vector<const clang::Stmt *> (*)(const Kernel &kernel);

} // namespace heddle::transform
